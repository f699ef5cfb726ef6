/** What a validator found, in a sentence for the model. */

type SchemaError = { keyword: string; instanceLocation: string; error: string };

/** What went wrong inside, before what went wrong because of it; five of them. */
export function told(errors: readonly SchemaError[]): string {
  const leaves = errors.filter((error) => error.keyword !== "properties" && error.keyword !== "items");
  return (leaves.length > 0 ? leaves : errors)
    .slice(0, 5)
    .map(({ keyword, instanceLocation, error }) => {
      const why = keyword === "exclusiveMinimum" ? error.replace("is less than", "is not more than") : error;
      return `${instanceLocation.replace(/^#\/?/, "") || "input"}: ${why}`;
    })
    .join(" ");
}

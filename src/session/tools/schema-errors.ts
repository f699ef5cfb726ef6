/** What a validator found, in a sentence for the model. */

type SchemaError = { keyword: string; instanceLocation: string; error: string };

/** What went wrong inside, before what went wrong because of it; five of them. */
export function told(errors: readonly SchemaError[]): string {
  const leaves = errors.filter((error) => error.keyword !== "properties" && error.keyword !== "items");
  return (leaves.length > 0 ? leaves : errors)
    .slice(0, 5)
    .map((error) => `${error.instanceLocation.replace(/^#\/?/, "") || "input"}: ${error.error}`)
    .join(" ");
}

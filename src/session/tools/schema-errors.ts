/** Puts a validator's findings into a sentence for the model. */
import { headOf, middleCut } from "../../lib/text-cut.ts";

type SchemaError = { keyword: string; instanceLocation: string; error: string };

const mostErrors = 5;
const longestPlace = 200;
/** An error may list every allowed value. */
const longestError = 600;
const longest = 1_500;

/** Reports inner errors instead of the errors they cause; only a few of them, each shortened. */
export function told(errors: readonly SchemaError[]): string {
  const leaves = errors.filter((error) => error.keyword !== "properties" && error.keyword !== "items");
  const parts = (leaves.length > 0 ? leaves : errors)
    .slice(0, mostErrors)
    .map(({ keyword, instanceLocation, error }) => {
      const why = keyword === "exclusiveMinimum" ? error.replace("is less than", "is not more than") : error;
      const place = instanceLocation.replace(/^#\/?/, "") || "input";
      return `${middleCut(place, longestPlace)}: ${middleCut(why, longestError)}`;
    });
  return headOf(parts.join(" "), longest);
}

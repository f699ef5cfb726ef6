/** Puts a validator's findings into a sentence for the model. */
import { headOf, middleCut } from "../../lib/text-cut.ts";

type SchemaError = { keyword: string; instanceLocation: string; error: string };

const maxErrors = 5;
const maxPlaceChars = 200;
/** An error may list every allowed value. */
const maxErrorChars = 600;
const maxChars = 1_500;

/** Reports inner errors instead of the errors they cause; only a few of them, each shortened. */
export function describeSchemaErrors(errors: readonly SchemaError[]): string {
  const leaves = errors.filter((error) => error.keyword !== "properties" && error.keyword !== "items");
  const parts = (leaves.length > 0 ? leaves : errors)
    .slice(0, maxErrors)
    .map(({ keyword, instanceLocation, error }) => {
      const why = keyword === "exclusiveMinimum" ? error.replace("is less than", "is not more than") : error;
      const place = instanceLocation.replace(/^#\/?/, "") || "input";
      return `${middleCut(place, maxPlaceChars)}: ${middleCut(why, maxErrorChars)}`;
    });
  return headOf(parts.join(" "), maxChars);
}

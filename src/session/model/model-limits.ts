/** The models that settings leave to a session: those on the allow list, if there is one, except the denied ones. */
import { UsageError } from "../../lib/usage-error.ts";
import { baseName } from "../../model/model-names.ts";
import type { PlainSettings } from "../../settings/settings.ts";

export type ModelLists = Pick<PlainSettings, "availableModels" | "availableModelsMatch" | "deniedModels">;

/** Returns the id that a name in a list stands for, or the name itself if it is not an alias. */
export type IdOf = (name: string) => string;

/** Returns why a model is not available, as a clause; undefined if it is available. */
export function modelRefusal(id: string, lists: ModelLists, idOf: IdOf): string | undefined {
  const { availableModels: available, availableModelsMatch: match = "prefix", deniedModels: denied = [] } = lists;
  if (denied.some((entry) => matchesModel(entry, id, idOf, "prefix"))) return "the settings (deniedModels) rule it out";
  if (available === undefined || available.some((entry) => matchesModel(entry, id, idOf, match))) return undefined;
  return `the settings (availableModels) allow ${available.length === 0 ? "no model" : `only ${available.join(", ")}`}`;
}

/** Returns the id. Throws `UsageError` if the model is not available. */
export function assertAvailable(id: string, lists: ModelLists, idOf: IdOf): string {
  const refusal = modelRefusal(id, lists, idOf);
  if (refusal !== undefined) throw new UsageError(`The model ${id} is not available: ${refusal}.`);
  return id;
}

/** Returns the first available model on the list, for a session that chose none; undefined if there is none. */
export function firstAvailable(lists: ModelLists, idOf: IdOf): string | undefined {
  return lists.availableModels?.map(idOf).find((id) => modelRefusal(id, lists, idOf) === undefined);
}

/** A family name (`opus`) matches the whole family, and a prefix matches every id that starts with it. */
function matchesModel(entry: string, id: string, idOf: IdOf, match: "prefix" | "exact"): boolean {
  const [wanted, found] = [baseName(entry), baseName(id)];
  if (wanted === "") return false;
  if (wanted === found || baseName(idOf(entry)) === found) return true;
  const isBeginning = found.startsWith(wanted) && /^[-.]/u.test(found.slice(wanted.length));
  return match === "prefix" && (isBeginning || found.split("-").includes(wanted));
}

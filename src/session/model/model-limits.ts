/** Which models settings leave to a session: those on the list, if there is one, and none that is denied. */
import { UsageError } from "../../lib/usage-error.ts";
import { baseName } from "../../model/model-names.ts";
import type { PlainSettings } from "../../settings/settings.ts";

export type ModelLists = Pick<PlainSettings, "availableModels" | "availableModelsMatch" | "deniedModels">;

/** What a name in a list stands for; the name itself where it is no alias. */
export type IdOf = (name: string) => string;

/** Why a model cannot be had, a clause; undefined where it can. */
export function modelRefusal(id: string, lists: ModelLists, idOf: IdOf): string | undefined {
  const { availableModels: available, availableModelsMatch: match = "prefix", deniedModels: denied = [] } = lists;
  if (denied.some((entry) => means(entry, id, idOf, "prefix"))) return "the settings (deniedModels) rule it out";
  if (available === undefined || available.some((entry) => means(entry, id, idOf, match))) return undefined;
  return `the settings (availableModels) leave ${available.length === 0 ? "none" : available.join(", ")}`;
}

/** Throws `UsageError`. */
export function assertAvailable(id: string, lists: ModelLists, idOf: IdOf): string {
  const refusal = modelRefusal(id, lists, idOf);
  if (refusal !== undefined) throw new UsageError(`The model ${id} cannot be had: ${refusal}.`);
  return id;
}

/** The first on the list, for who chose none: undefined where nothing on it can be had. */
export function firstAvailable(lists: ModelLists, idOf: IdOf): string | undefined {
  return lists.availableModels?.map(idOf).find((id) => modelRefusal(id, lists, idOf) === undefined);
}

/** A family's name (`opus`) means all of it, a beginning all that begin so. */
function means(entry: string, id: string, idOf: IdOf, match: "prefix" | "exact"): boolean {
  const [wanted, found] = [baseName(entry), baseName(id)];
  if (wanted === "") return false;
  if (wanted === found || baseName(idOf(entry)) === found) return true;
  const isBeginning = found.startsWith(wanted) && /^[-.]/u.test(found.slice(wanted.length));
  return match === "prefix" && (isBeginning || found.split("-").includes(wanted));
}

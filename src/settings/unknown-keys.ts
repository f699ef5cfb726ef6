/** Finds keys that are ignored. They stay in their file. Likely misspellings are reported at once, others only on request. */
import { nearestName } from "../lib/edit-distance.ts";
import { conventionKeys, conventionPermissionKeys, conventionWorktreeKeys } from "./convention-keys.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { hookEvents } from "../protocol/hook.ts";
import { commandFields, commandKeys } from "./keys.ts";
import { supportedKeys } from "./section-keys.ts";

export interface UnknownKey {
  key: string;
  level: "notice" | "remark";
  /** One sentence without the full stop. */
  text: string;
}

const topKeys = [...new Set(supportedKeys.map((path) => path.split(".")[0] ?? ""))];
const permissionKeys = supportedKeys.flatMap((path) => (path.startsWith("permissions.") ? [path.slice(12)] : []));
/** Keys that editors read, and notes that somebody wrote. */
const noteKey = /^(?:\/\/|[_#$])/u;

/** `reportedKeys`: keys about which something else is reported already. */
export function unknownKeys(object: JsonObject, reportedKeys: readonly string[]): UnknownKey[] {
  const below = (name: string): string[] => (isObject(object[name]) ? Object.keys(object[name]) : []);
  return [
    ...Object.keys(object).flatMap((key) => checkKey(key, key, topKeys, conventionKeys, reportedKeys)),
    ...below("permissions").flatMap((key) =>
      checkKey(key, `permissions.${key}`, permissionKeys, conventionPermissionKeys, reportedKeys),
    ),
    ...below("worktree").flatMap((key) =>
      checkKey(key, `worktree.${key}`, ["symlinkDirectories"], conventionWorktreeKeys, reportedKeys),
    ),
    ...commandKeys.flatMap((name) =>
      below(name).flatMap((key) =>
        checkKey(key, `${name}.${key}`, Object.keys(commandFields[name]), new Set(), reportedKeys),
      ),
    ),
  ];
}

/** Lists of rules under the names that flags and other files use, with the keys where they count. */
const misnamedRuleLists: ReadonlyMap<string, string> = new Map([
  ["allowedtools", "permissions.allow"],
  ["disallowedtools", "permissions.deny"],
  ["permissions.allowedtools", "permissions.allow"],
  ["permissions.disallowedtools", "permissions.deny"],
  ["permissions.disallow", "permissions.deny"],
  ["permissions.denied", "permissions.deny"],
  ["permissions.block", "permissions.deny"],
]);

/** The section in which a top-level key would count: a rule or hook in the wrong place guards nothing. */
function sectionFor(name: string): string | undefined {
  if (permissionKeys.includes(name)) return "permissions";
  return hookEvents.some((event) => event === name) ? "hooks" : undefined;
}

function checkKey(
  name: string,
  key: string,
  known: readonly string[],
  conventionNames: ReadonlySet<string>,
  reportedKeys: readonly string[],
): UnknownKey[] {
  if (known.includes(name) || noteKey.test(name) || reportedKeys.includes(key)) return [];
  const place = key === name ? sectionFor(name) : undefined;
  if (place !== undefined)
    return [{ key, level: "notice", text: `"${key}" counts only in "${place}"; at the top level it was left out` }];
  const list = misnamedRuleLists.get(key.replaceAll(/[-_]/gu, "").toLowerCase());
  if (list !== undefined)
    return [
      { key, level: "notice", text: `"${key}" is not a setting: such rules count in "${list}". It was left out` },
    ];
  if (conventionNames.has(name)) return [{ key, level: "remark", text: `this version does not act on "${key}"` }];
  const near = nearestName(name, known);
  const shown = JSON.stringify(key.slice(0, 80));
  if (near === undefined) return [{ key, level: "remark", text: `${shown} is not a known setting` }];
  const suggestion = key.slice(0, key.length - name.length) + near;
  return [{ key, level: "notice", text: `${shown} is not a setting; did you mean "${suggestion}"? It was left out` }];
}

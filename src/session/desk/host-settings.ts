/** Settings that the host of a running session changes: those over its flag, which end with it, and keys in the user's own files. */
import { errorText } from "../../lib/error-text.ts";
import { readHooks } from "../settings/read-hooks.ts";
import { filterEntries, isObject, newObject, parseJson, type JsonObject } from "../../lib/json.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { diskPaths } from "../../permissions/paths/path-forms.ts";
import { parseRule } from "../../permissions/rules/rule.ts";
import { withoutNulls } from "../../lib/without-nulls.ts";
import { readLayer, type Layer } from "../../settings/layer.ts";
import { supportedKeys } from "../../settings/section-keys.ts";
import { hasSettingsBelow } from "../../settings/setting-names.ts";
import { jsonText } from "../options/check-arguments.ts";
import type { Choices } from "../choices.ts";
import { changeSettings, NothingToRemove } from "../settings/config-change.ts";
import { isFollowed } from "../settings/followed.ts";
import type { LiveSettings } from "../settings/live-settings.ts";
import type { Joined } from "../joined.ts";
import { settingsPlaces } from "../settings/read-settings.ts";

const sourceLabel = "these settings";

/** Keys that neither run nor permit anything, and that anyone who reads the file can revert. */
const writableKeys = new Set(
  `model fallbackModel effortLevel alwaysThinkingEnabled language outputStyle promptCacheTtl subagentPromptCacheTtl autoCompactEnabled autoCompactWindow
  microcompactEnabled snipEnabled contextCollapseEnabled contextCollapsePercent bashOutputMaxChars askUserQuestionTimeout autoMemoryEnabled
  includeGitInstructions skillListingMaxDescChars skillListingBudgetFraction`.split(/\s+/u),
);

/** Merges settings over the flag's, key by key; null removes a key. Throws `UsageError` without having changed anything. */
export function applyFlagSettings(joined: Joined, choices: Choices, values: object): void {
  const { live } = joined.around;
  if (live === undefined) throw new UsageError("This session does not follow settings: it keeps what it began with.");
  const wanted = withoutNeedlessNulls(parseGivenSettings(values), live);
  const fixed = Object.keys(wanted).filter((key) => isSupportedKey(key) && !isChangeable(key));
  if (fixed.length > 0)
    throw new UsageError(`${fixed.join(", ")}: cannot be changed while a session runs. Nothing was changed.`);
  const layer = readCheckedLayer(withoutNulls(wanted), joined);
  const { model } = wanted;
  const id = typeof model === "string" ? choices.resolveModel(model) : joined.models.id;
  live.apply(wanted);
  if (model !== undefined) choices.setModel(id);
  if (wanted["effortLevel"] !== undefined)
    choices.setEffort((layer.values["effortLevel"] ?? joined.models.wishes.effort) as typeof joined.selected.effort);
  // The hosts of other versions send keys that mean nothing here, so these keys are no error.
  for (const { level, text } of layer.problems) if (level === "remark") joined.around.notice(text);
}

/** Without the null of a key that is fixed and that the flag does not have: hosts reset several keys at once. */
function withoutNeedlessNulls(wanted: JsonObject, live: LiveSettings): JsonObject {
  const isInFlag = (key: string): boolean =>
    live
      .settingsInForce(key)
      .layers.some(({ source, object }) => source.origin === "flag" && Object.hasOwn(object, key));
  return filterEntries(wanted, (key, value) => value !== null || isChangeable(key) || isInFlag(key));
}

function isChangeable(key: string): boolean {
  return isFollowed(key) || key === "model" || key === "effortLevel";
}

/** Writes keys of a settings file; null removes a key. Throws `UsageError`, whose message names the keys written before. */
export async function updateSettings(
  { options }: Pick<Joined, "options">,
  scope: "user" | "local",
  values: object,
): Promise<void> {
  const wanted = parseGivenSettings(values);
  const refused = Object.keys(wanted).filter((key) => !writableKeys.has(key));
  if (refused.length > 0)
    throw new UsageError(
      `${refused.map((key) => key.slice(0, 80)).join(", ")}: a host must not write these keys; "pawl config" does. Nothing was changed.`,
    );
  const places = settingsPlaces({ ...options, onNotice: () => {} });
  const written: string[] = [];
  for (const [key, value] of Object.entries(wanted)) {
    const change =
      value === null ? { verb: "remove" as const } : { verb: "set" as const, value: JSON.stringify(value) };
    try {
      await changeSettings({ ...change, key, scope }, places);
    } catch (error) {
      // A key that is not in the file need not be removed.
      if (value === null && error instanceof NothingToRemove) continue;
      const before = written.length === 0 ? "Nothing was written." : `Written before it: ${written.join(", ")}.`;
      throw new UsageError(`${errorText(error)} ${before}`, { cause: error });
    }
    written.push(key);
  }
}

/** Parses the object like the text of a file: no key is special, and the nesting depth is limited. */
function parseGivenSettings(values: object): JsonObject {
  const parsed = parseJson(jsonText("settings", values));
  if (!parsed.ok) throw new UsageError(`Settings cannot be used: ${parsed.message}.`);
  if (!isObject(parsed.value)) throw new UsageError("Settings must be an object of keys.");
  return Object.assign(newObject(), parsed.value);
}

function isSupportedKey(key: string): boolean {
  return supportedKeys.includes(key) || hasSettingsBelow(key);
}

function readCheckedLayer(object: JsonObject, { around: { cwd, home } }: Joined): Layer {
  const layer = readLayer(JSON.stringify(object), { name: sourceLabel, origin: "flag" }, { cwd, home });
  const [problem] = layer.problems.filter(({ level }) => level !== "remark");
  if (problem !== undefined) throw new UsageError(`${problem.text} Nothing was changed.`);
  if (layer.permissions.defaultMode !== undefined)
    throw new UsageError(
      "permissions.defaultMode only applies to the start of a session: change the session's mode instead. Nothing was changed.",
    );
  for (const behavior of ["deny", "ask", "allow"] as const)
    for (const rule of layer.permissions[behavior]) {
      const { rule: read, problems } = parseRule(rule, behavior, { cwd, home, reader: diskPaths });
      const [wrong] = read === null ? problems : [];
      if (wrong !== undefined) throw new UsageError(`${wrong.text} Nothing was changed.`);
    }
  const hookProblem = readHooks(layer.hooks, "flag", sourceLabel).problems.find(({ isAdvice }) => isAdvice !== true);
  if (hookProblem !== undefined) throw new UsageError(`${hookProblem.text} Nothing was changed.`);
  return layer;
}

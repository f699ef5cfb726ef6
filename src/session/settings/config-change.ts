/** Changes one key in one settings file: checks the result as it will be read, then writes it atomically. */
import { errorText, hasErrorCode } from "../../lib/error-text.ts";
import { reasonOf } from "../../lib/system-reason.ts";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { miscasedRuleTexts } from "../../permissions/rules/miscased-rules.ts";
import { readHooks } from "./read-hooks.ts";
import { writeFileAtomically } from "../../lib/atomic-write.ts";
import { brokenLinkReason, isBrokenLink } from "../../lib/path-status.ts";
import { lockLimitMs, withFileLock } from "../../lib/file-lock.ts";
import { makeFolders } from "../../lib/make-folders.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { diskPaths } from "../../permissions/paths/path-forms.ts";
import { parseRule, type RuleBehavior } from "../../permissions/rules/rule.ts";
import { editSettings, type KeyChange } from "../../settings/edit.ts";
import { maxSettingsBytes, settingsFiles, type SettingsFile } from "../../settings/files.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { keyRules, showValue } from "../../settings/keys.ts";
import { readLayer, type Layer } from "../../settings/layer.ts";
import { pawlHome } from "../../settings/paths.ts";
import { admissiblePart } from "../../settings/project-part.ts";
import { splitKey, valueAt } from "../../settings/report.ts";
import { sectionKeys } from "../../settings/section-keys.ts";
import { unknownSettingMessage } from "../../settings/setting-names.ts";
import { removeAbandonedBeside } from "../store/abandoned-writes.ts";
import { excludeFromGit } from "./exclude-from-git.ts";
import type { SettingsPlaces } from "./read-settings.ts";
import { isSameJson } from "../../lib/is-same-json.ts";

export interface ConfigChange {
  verb: "set" | "add" | "remove";
  key: string;
  /** JSON, or text as it is; absent with `remove`: remove the key itself. */
  value?: string;
  scope: "user" | "project" | "local";
}

export interface ConfigChangeResult {
  file: string;
  /** Sentences for the user. */
  messages: string[];
  /** Null if there was no file. */
  before: string | null;
  after: string;
}

/** Changes are serialized across all sessions of this user: each starts from what the previous one wrote. */
export async function changeSettings(change: ConfigChange, places: SettingsPlaces): Promise<ConfigChangeResult> {
  if (change.verb !== "remove") checkKey(change.key);
  const folder = pawlHome(places.env, places.home);
  try {
    makeFolders(folder, 0o700);
  } catch {
    // The change is then made without a lock, and reports itself what cannot be written.
  }
  return await withFileLock(join(folder, "settings.lock"), lockLimitMs, async () => await applyChange(change, places));
}

async function applyChange(change: ConfigChange, places: SettingsPlaces): Promise<ConfigChangeResult> {
  const { key, verb, scope } = change;
  const file = settingsFileFor(scope, places);
  const before = readText(file.path);
  const text = before?.trim() ? before : "{}\n";
  const old = parseLayer(text, file, places);
  if (old.problems.some(({ level, key: about }) => level === "error" && about === undefined))
    throw new UsageError(`${old.problems[0]?.text ?? file.path} Until then it cannot be changed from here.`);
  const edited = possibleChanges(change, old.object).map((step) => tryChange(text, key, step, old, file, places));
  const done = edited.find((each) => each.refusal === undefined);
  if (edited.length === 0) throw new NothingToRemove(`There is nothing to remove for ${key} in ${file.path}.`);
  if (done === undefined) throw new UsageError(edited[0]?.refusal);
  const texts = { before: before ?? null, after: done.text };
  if (done.text === text)
    return { file: file.path, messages: [`${key} already has that value in ${file.path}.`], ...texts };
  await writeSettings(file, before, done.text);
  const isNewLocal = before === undefined && scope === "local";
  const messages = [`${key} is ${verb === "remove" ? "taken out of" : "written to"} ${file.path}.`, ...done.messages];
  return { ...texts, file: file.path, messages: isNewLocal ? [...messages, ...excludeFromGit(file.path)] : messages };
}

/** The value to remove is not there. */
export class NothingToRemove extends UsageError {}

function checkKey(key: string): void {
  const unknown = unknownSettingMessage(key);
  if (unknown !== undefined) throw new UsageError(unknown);
}

/** Returns pawl's own file: files of the convention's tools are read, but left to those tools to write. */
function settingsFileFor(scope: ConfigChange["scope"], { env, home, cwd }: SettingsPlaces): SettingsFile {
  const own = settingsFiles({ env, home, cwd }).filter(({ origin }) => origin === scope);
  const found = own.findLast(({ path }) => scope !== "user" || dirname(path) === pawlHome(env, home));
  if (found === undefined)
    throw new UsageError(`There are no ${scope} settings in the home folder: its settings are the user's own.`);
  return found;
}

function readText(path: string): string | undefined {
  const refuse = (why: string): UsageError => new UsageError(`${path} cannot be changed: ${why}.`);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined && isBrokenLink(path)) throw refuse(brokenLinkReason);
  if (found === undefined) return undefined;
  if (!found.isFile()) throw refuse("it is no regular file");
  if (found.size > maxSettingsBytes) throw refuse("it is larger than 2 MiB");
  try {
    // A byte order mark at the start belongs to the file and is kept.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    throw refuse(hasErrorCode(error, "ERR_ENCODING_INVALID_ENCODED_DATA") ? "it is no UTF-8 text" : reasonOf(error));
  }
}

function parseLayer(text: string, { path: name, origin, folder }: SettingsFile, { home, cwd }: SettingsPlaces): Layer {
  return readLayer(text, { name, origin, folder }, { home, cwd });
}

/** Returns the possible meanings of the change: the value as JSON where that is valid, or else as text. */
function possibleChanges({ verb, key, value }: ConfigChange, object: JsonObject): KeyChange[] {
  const found = valueAt(object, key);
  if (verb === "remove" && value === undefined) return found === undefined ? [] : [{ kind: "drop" }];
  const all = value === undefined ? [] : possibleValues(value);
  // A variable is always text, even if it looks like a number.
  const values = key.startsWith("env.") ? all.filter((each) => typeof each === "string") : all;
  switch (verb) {
    case "set":
      return values.map((each) => ({ kind: "set", value: each }));
    case "add": {
      const isThere = Array.isArray(found) && values.some((each) => found.some((item) => isSameJson(item, each)));
      if (isThere) return [{ kind: "set", value: found }];
      return values.map((each) => ({ kind: "add", value: each }));
    }
    case "remove": {
      const items = Array.isArray(found) ? found : [];
      const index = items.findIndex((item) => values.some((each) => isSameJson(item, each)));
      return index < 0 ? [] : [{ kind: "dropItem", index }];
    }
    default:
      return verb satisfies never;
  }
}

function possibleValues(value: string): Json[] {
  try {
    const parsed = JSON.parse(value) as Json;
    return parsed === value ? [value] : [parsed, value];
  } catch {
    return [value];
  }
}

interface AttemptedChange {
  text: string;
  messages: string[];
  /** Why the change is not possible; absent if it is. */
  refusal?: string;
}

function tryChange(
  text: string,
  key: string,
  step: KeyChange,
  old: Layer,
  file: SettingsFile,
  places: SettingsPlaces,
): AttemptedChange {
  let edited: string;
  try {
    edited =
      step.kind === "set" && isSameJson(valueAt(old.object, key), step.value)
        ? text
        : editSettings(text, splitKey(key), step);
  } catch (error) {
    const why = errorText(error);
    return { text, messages: [], refusal: `${key} cannot be changed in ${file.path}: ${why}.` };
  }
  const layer = parseLayer(edited, file, places);
  const refusal = refusalOf(key, step, layer, file);
  if (refusal !== undefined) return { text, messages: [], refusal };
  return { text: edited, ...judgeValue(key, step, file, places) };
}

function refusalOf(key: string, step: KeyChange, layer: Layer, file: SettingsFile): string | undefined {
  if (step.kind === "drop" || step.kind === "dropItem") return undefined;
  const rule = Object.hasOwn(keyRules, key) ? keyRules[key as keyof typeof keyRules] : undefined;
  const expected = rule?.expected ?? sectionKeys[key]?.expected;
  const problem = layer.problems.find(
    ({ level, key: about }) => level !== "remark" && (about === key || about?.startsWith(`${key}[`) === true),
  );
  if (problem !== undefined)
    return expected === undefined || rule?.accepts(step.value) === true
      ? problem.text
      : `${key} should be ${expected}, not ${showValue(step.value)}.`;
  const now = valueAt(layer.object, key);
  const isWritten = step.kind === "set" ? isSameJson(now, step.value) : Array.isArray(now);
  if (!isWritten)
    return `${key} could not be written into ${file.path}${expected === undefined ? "" : `: it should be ${expected}`}.`;
  if (step.kind === "add" && sectionKeys[key]?.holds !== "list" && !Array.isArray(now)) return `${key} is not a list.`;
  const isFolders = file.origin === "project" || file.origin === "local";
  const isRefused = isFolders && admissiblePart(layer, true).refusedKeys.includes(key);
  return isRefused ? `A folder's settings cannot set ${key}: put it into your own with --user.` : undefined;
}

/** Collects what the readers of rules and hooks say about a new value. */
function judgeValue(
  key: string,
  step: KeyChange,
  file: SettingsFile,
  places: SettingsPlaces,
): { refusal?: string; messages: string[] } {
  if (step.kind !== "set" && step.kind !== "add") return { messages: [] };
  const odd = valueProblems(key, step.value, file, places);
  const fatal = odd.find(({ isFatal }) => isFatal);
  return { messages: odd.map(({ text }) => text), ...(fatal === undefined ? {} : { refusal: fatal.text }) };
}

function valueProblems(
  key: string,
  value: Json,
  { folder: root, path: source }: SettingsFile,
  { cwd, home }: SettingsPlaces,
): { text: string; isFatal: boolean }[] {
  if (key === "hooks")
    return readHooks(value, "user", source).problems.map(({ text, isAdvice }) => ({
      text,
      isFatal: isAdvice !== true,
    }));
  const behavior = /^permissions\.(allow|deny|ask)$/u.exec(key)?.[1] as RuleBehavior | undefined;
  if (behavior === undefined) return [];
  const rules = (Array.isArray(value) ? value : [value]).filter((rule) => typeof rule === "string");
  return rules.flatMap((rule) => {
    const read = parseRule({ rule, source, root }, behavior, { cwd, home, reader: diskPaths });
    const miscased = behavior === "allow" ? miscasedRuleTexts([{ rule, source }]) : [];
    return [
      ...read.problems.map(({ text }) => ({ text, isFatal: read.rule === null })),
      ...miscased.map((text) => ({ text, isFatal: false })),
    ];
  });
}

/** Writes through a link into its target, atomically, and never over a change that somebody else made meanwhile. */
async function writeSettings({ path, origin }: SettingsFile, before: string | undefined, text: string): Promise<void> {
  const isOwn = origin === "user";
  try {
    makeFolders(dirname(path), isOwn ? 0o700 : 0o777);
    const real = before === undefined ? path : realpathSync(path);
    const mode = before === undefined ? (isOwn ? 0o600 : undefined) : statSync(real).mode & 0o7777;
    removeAbandonedBeside(real);
    const beforeReplace = async (): Promise<void> => {
      if (readText(path) !== before) throw new Error("somebody else changed it just now; try again");
    };
    await writeFileAtomically(real, Buffer.from(text), {
      ...(mode === undefined ? {} : { mode }),
      flush: true,
      beforeReplace,
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} cannot be written: ${reasonOf(error)}.`);
  }
}

/** `pawl config`: shows which settings are in force, from which file, and which are ignored and why; changes one key at a time. */
import { escapeControls } from "../lib/json-line.ts";
import { sanitize, sanitizeLine } from "../lib/sanitize.ts";
import { hideSecrets } from "./config-secrets.ts";
import type { ConfigDesk } from "../session/settings/config-desk.ts";
import type { EngineOptions } from "../session/options/options.ts";
import type { KeyReport } from "../settings/report.ts";

export interface ConfigArguments {
  verb: "list" | "get" | "where" | "set" | "add" | "remove" | "schema";
  key: string;
  value?: string;
  scope: "user" | "project" | "local";
  json: boolean;
  keys: boolean;
  trust: boolean;
  settings?: string;
}

type Print = (text: string) => Promise<unknown>;

/** Returns the exit code: 1 if `get` or `where` finds nothing. */
export async function runConfig(
  args: ConfigArguments,
  context: Pick<EngineOptions, "cwd" | "env" | "home" | "onNotice">,
  print: Print,
): Promise<number> {
  const { verb, key, value, scope, json, settings, trust } = args;
  if (verb === "schema") return await printSchema(print);
  if (verb === "list" && args.keys) return await printKeys(json, print);
  const { openConfigDesk } = await import("../session/settings/config-desk.ts");
  const desk = openConfigDesk({ ...context, trust, ...(settings === undefined ? {} : { settings }) });
  switch (verb) {
    case "list":
      await print(json ? listJson(desk) : listText(desk));
      return 0;
    case "get":
      return await printValue(desk, key, { json, print, notice: context.onNotice });
    case "where":
      return await printSources(desk, key, { json, print });
    case "set":
    case "add":
    case "remove": {
      const messages = await desk.change({ verb, key, scope, ...(value === undefined ? {} : { value }) });
      for (const text of messages) await print(json ? `${JSON.stringify({ told: text })}\n` : sanitizedLine(text));
      return 0;
    }
    default:
      return verb satisfies never;
  }
}

/** JSON without control characters: JSON.stringify leaves C1 ones in, and sanitizing would also take out text between two. */
function toSafeJson(value: unknown, indent = 0): string {
  return escapeControls(JSON.stringify(value, null, indent) ?? "");
}

function sanitizedLine(text: string): string {
  return `${sanitizeLine(text)}\n`;
}

async function printSchema(print: Print): Promise<number> {
  const { settingsSchema } = await import("../settings/schema.ts");
  await print(`${JSON.stringify(settingsSchema(), null, 2)}\n`);
  return 0;
}

async function printKeys(json: boolean, print: Print): Promise<number> {
  const { keyRules } = await import("../settings/keys.ts");
  const { sectionKeys } = await import("../settings/section-keys.ts");
  const all = Object.entries({ ...keyRules, ...sectionKeys });
  for (const [key, { about, expected }] of all)
    await print(json ? `${JSON.stringify({ key, about, expected })}\n` : `${key}\n    ${about}\n    ${expected}\n`);
  return 0;
}

interface OutputOptions {
  json: boolean;
  print: Print;
  notice?: EngineOptions["onNotice"];
}

async function printValue(desk: ConfigDesk, key: string, { json, print, notice }: OutputOptions): Promise<number> {
  const { value, sayings } = desk.report(key);
  if (value === undefined) {
    const ignoredEntry = sayings.find(({ why }) => why !== undefined);
    const why =
      ignoredEntry === undefined
        ? ""
        : ` ${ignoredEntry.file} sets it, but the value does not count: ${ignoredEntry.why ?? ""}`;
    notice?.((ignoredEntry === undefined ? desk.unknown(key) : undefined) ?? `${key} is not set.${why}`);
    return 1;
  }
  if (json) await print(`${JSON.stringify(value)}\n`);
  else await print(typeof value === "string" ? sanitizedLine(value) : `${sanitize(toSafeJson(value, 2))}\n`);
  return 0;
}

async function printSources(desk: ConfigDesk, key: string, { json, print }: OutputOptions): Promise<number> {
  const { sayings } = desk.report(key);
  if (json) await print(`${JSON.stringify({ key, sayings })}\n`);
  else if (sayings.length === 0) await print(sanitizedLine(desk.unknown(key) ?? `No file sets ${key}.`));
  else for (const saying of sayings.toReversed()) await print(sourceLine(key, saying));
  return sayings.length === 0 ? 1 : 0;
}

function sourceLine(key: string, { scope, file, value, counts, why }: KeyReport["sayings"][number]): string {
  const state = counts ? "" : ` (does not count: ${why ?? ""})`;
  return sanitizedLine(`${scope.padEnd(8)}${file}: ${toSafeJson(hideSecrets(key, value))}${state}`);
}

function listText(desk: ConfigDesk): string {
  const inForce = desk.reportAll().filter(({ value }) => value !== undefined);
  const parts = inForce.map(({ key, value, sayings }) => {
    const from = sayings.filter(({ counts }) => counts).map(({ scope, file }) => `    ${scope.padEnd(8)}${file}\n`);
    return `${sanitizedLine(`${key} = ${toSafeJson(hideSecrets(key, value))}`)}${sanitize(from.join(""))}`;
  });
  if (parts.length === 0) parts.push("No file has any settings.\n");
  const problems = desk.problems();
  // A problem that concerns several keys has no `key` of its own.
  const isReported = (key: string, file: string): boolean =>
    problems.some(
      ({ source, text, key: about }) =>
        source === file && (about === undefined ? text.includes(`"${key}"`) : about === key),
    );
  const overruled = desk
    .reportAll()
    .flatMap(({ key, sayings }) =>
      sayings
        .filter(({ counts, file }) => !counts && !isReported(key, file))
        .map(({ file, why }) => sanitizedLine(`${file}: "${key}": ${why ?? ""}`)),
    );
  const problemLines = problems.map(({ text }) => sanitizedLine(text));
  const notInForce = [
    ...new Set([
      ...problemLines,
      ...overruled.filter((text) => !problemLines.some((other) => text.includes(other.trim()))),
    ]),
  ];
  return `${parts.join("")}${notInForce.length === 0 ? "" : `\nNot in force:\n${notInForce.map((text) => `  ${text}`).join("")}`}`;
}

function listJson(desk: ConfigDesk): string {
  const problems = desk.problems().map(({ level, text, source, key }) => ({ level, text, file: source, key }));
  return `${JSON.stringify({ settings: desk.reportAll(), problems })}\n`;
}

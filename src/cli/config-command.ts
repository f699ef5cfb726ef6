/** `pawl config`: shows which settings are in force, from which file, and which are ignored and why; changes one key at a time. */
import { withoutControls } from "../lib/json-line.ts";
import { sanitize } from "../lib/sanitize.ts";
import { forNeighbours } from "./config-secrets.ts";
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
  asked: ConfigArguments,
  around: Pick<EngineOptions, "cwd" | "env" | "home" | "onNotice">,
  print: Print,
): Promise<number> {
  const { verb, key, value, scope, json, settings, trust } = asked;
  if (verb === "schema") return await printSchema(print);
  if (verb === "list" && asked.keys) return await printKeys(json, print);
  const { openConfigDesk } = await import("../session/settings/config-desk.ts");
  const desk = openConfigDesk({ ...around, trust, ...(settings === undefined ? {} : { settings }) });
  switch (verb) {
    case "list":
      await print(json ? listJson(desk) : listText(desk));
      return 0;
    case "get":
      return await get(desk, key, { json, print, notice: around.onNotice });
    case "where":
      return await where(desk, key, { json, print });
    case "set":
    case "add":
    case "remove": {
      const told = await desk.change({ verb, key, scope, ...(value === undefined ? {} : { value }) });
      for (const text of told) await print(json ? `${JSON.stringify({ told: text })}\n` : line(text));
      return 0;
    }
    default:
      return verb satisfies never;
  }
}

/** JSON without control characters: JSON.stringify leaves C1 ones in, and sanitizing would also take out text between two. */
function shown(value: unknown, indent = 0): string {
  return withoutControls(JSON.stringify(value, null, indent) ?? "");
}

function line(text: string): string {
  return `${sanitize(text).replaceAll("\n", " ")}\n`;
}

async function printSchema(print: Print): Promise<number> {
  const { settingsSchema } = await import("../settings/schema.ts");
  await print(`${JSON.stringify(settingsSchema(), null, 2)}\n`);
  return 0;
}

async function printKeys(json: boolean, print: Print): Promise<number> {
  const { keyRules } = await import("../settings/keys.ts");
  const { sectionKeys } = await import("../settings/sections.ts");
  const all = Object.entries({ ...keyRules, ...sectionKeys });
  for (const [key, { about, expected }] of all)
    await print(json ? `${JSON.stringify({ key, about, expected })}\n` : `${key}\n    ${about}\n    ${expected}\n`);
  return 0;
}

interface Way {
  json: boolean;
  print: Print;
  notice?: EngineOptions["onNotice"];
}

async function get(desk: ConfigDesk, key: string, { json, print, notice }: Way): Promise<number> {
  const { value, sayings } = desk.one(key);
  if (value === undefined) {
    const idle = sayings.find(({ why }) => why !== undefined);
    const why = idle === undefined ? "" : ` ${idle.file} sets it, but the value does not count: ${idle.why ?? ""}`;
    notice?.((idle === undefined ? desk.unknown(key) : undefined) ?? `${key} is not set.${why}`);
    return 1;
  }
  if (json) await print(`${JSON.stringify(value)}\n`);
  else await print(typeof value === "string" ? line(value) : `${sanitize(shown(value, 2))}\n`);
  return 0;
}

async function where(desk: ConfigDesk, key: string, { json, print }: Way): Promise<number> {
  const { sayings } = desk.one(key);
  if (json) await print(`${JSON.stringify({ key, sayings })}\n`);
  else if (sayings.length === 0) await print(line(desk.unknown(key) ?? `No file sets ${key}.`));
  else for (const saying of sayings.toReversed()) await print(sayingLine(key, saying));
  return sayings.length === 0 ? 1 : 0;
}

function sayingLine(key: string, { scope, file, value, counts, why }: KeyReport["sayings"][number]): string {
  const state = counts ? "" : ` (does not count: ${why ?? ""})`;
  return line(`${scope.padEnd(8)}${file}: ${shown(forNeighbours(key, value))}${state}`);
}

function listText(desk: ConfigDesk): string {
  const inForce = desk.all().filter(({ value }) => value !== undefined);
  const parts = inForce.map(({ key, value, sayings }) => {
    const from = sayings.filter(({ counts }) => counts).map(({ scope, file }) => `    ${scope.padEnd(8)}${file}\n`);
    return `${line(`${key} = ${shown(forNeighbours(key, value))}`)}${sanitize(from.join(""))}`;
  });
  if (parts.length === 0) parts.push("No file has any settings.\n");
  const problems = desk.problems();
  // A problem that concerns several keys has no `key` of its own.
  const isTold = (key: string, file: string): boolean =>
    problems.some(
      ({ source, text, key: about }) =>
        source === file && (about === undefined ? text.includes(`"${key}"`) : about === key),
    );
  const overruled = desk
    .all()
    .flatMap(({ key, sayings }) =>
      sayings
        .filter(({ counts, file }) => !counts && !isTold(key, file))
        .map(({ file, why }) => line(`${file}: "${key}": ${why ?? ""}`)),
    );
  const told = problems.map(({ text }) => line(text));
  const idle = [
    ...new Set([...told, ...overruled.filter((text) => !told.some((other) => text.includes(other.trim())))]),
  ];
  return `${parts.join("")}${idle.length === 0 ? "" : `\nNot in force:\n${idle.map((text) => `  ${text}`).join("")}`}`;
}

function listJson(desk: ConfigDesk): string {
  const problems = desk.problems().map(({ level, text, source, key }) => ({ level, text, file: source, key }));
  return `${JSON.stringify({ settings: desk.all(), problems })}\n`;
}

/** The words after `pawl sessions`. */
import type { Command } from "commander";
import { UsageError } from "../lib/usage-error.ts";
import { quietCommand } from "./tokenise.ts";
import { parseInteger, notEmpty, oneOf } from "./values.ts";

export const exportFormats = ["markdown", "json"] as const;

/** The least and most words that may follow each verb, and its flags. */
const verbs = {
  list: { words: [0, 0], flags: ["all", "search", "tag", "limit", "json"] },
  search: { words: [1, Infinity], flags: ["all", "tag", "limit", "json"] },
  show: { words: [1, 1], flags: ["json"] },
  rename: { words: [2, Infinity], flags: [] },
  tag: { words: [2, Infinity], flags: [] },
  untag: { words: [1, 1], flags: [] },
  archive: { words: [1, 1], flags: [] },
  unarchive: { words: [1, 1], flags: [] },
  fork: { words: [1, 1], flags: ["at", "title", "json"] },
  export: { words: [1, 1], flags: ["format", "output", "force"] },
  prune: { words: [0, 0], flags: ["olderThan", "dryRun", "all", "json"] },
  delete: { words: [1, Infinity], flags: ["json"] },
  reindex: { words: [0, 0], flags: ["json"] },
} as const satisfies Record<string, { words: readonly [number, number]; flags: readonly (keyof RawSessions)[] }>;

export interface SessionsArguments {
  verb: keyof typeof verbs;
  words: string[];
  /** Sessions of every folder. */
  all: boolean;
  json: boolean;
  search?: string;
  tag?: string;
  limit?: number;
  /** A message's uuid. */
  at?: string;
  title?: string;
  format: (typeof exportFormats)[number];
  /** A file. */
  output?: string;
  force: boolean;
  /** An age in ms. */
  olderThan?: number;
  dryRun: boolean;
}

interface RawSessions {
  all?: true;
  json?: true;
  search?: string;
  tag?: string;
  limit?: string;
  at?: string;
  title?: string;
  format?: string;
  output?: string;
  force?: true;
  olderThan?: string;
  dryRun?: true;
}

const usage = `
  pawl sessions                            sessions of this folder, newest first
  pawl sessions search retry storm         sessions that contain both words
  pawl sessions list --all --tag release
  pawl sessions show 2f557d45
  pawl sessions rename 2f557d45 Fix the parser
  pawl sessions tag 2f557d45 release
  pawl sessions untag 2f557d45
  pawl sessions archive 2f557d45           hide it in lists; undo: unarchive
  pawl sessions fork 2f557d45 --at <message's uuid>
  pawl sessions export 2f557d45 -o talk.md
  pawl sessions export 2f557d45 --format json > talk.json
  pawl sessions prune --older-than 30d --dry-run
  pawl sessions delete 2f557d45
  pawl sessions reindex                    rebuild the index, which is a cache

Name a session by its id, the start of its id, or its title. A session that is
open in another process is neither changed nor removed.`;

export function sessionsCommand(write: (text: string) => void): Command {
  return quietCommand("pawl sessions", write)
    .usage(`[${Object.keys(verbs).join("|")}] [words] [flags]`)
    .description("Lists, searches, names, copies, exports and removes sessions. No key, no network.")
    .argument("[verb]")
    .argument("[words...]")
    .option("--all", "list, search: sessions of every folder, archived ones too; prune: sessions of every folder")
    .option("--search <text>", 'list: words and "phrases" of the conversation, the title or the tag')
    .option("--tag <tag>", "list, search: sessions with this tag")
    .option("--limit <n>", "list, search: at most n sessions (default 50; with --json all)")
    .option("--at <uuid>", "fork: the last message to copy")
    .option("--title <title>", "fork: the title of the copy")
    .option("--format <format>", "export: markdown or json")
    .option("-o, --output <file>", "export: write to a new file")
    .option("--force", "export: overwrite the file if it exists")
    .option("--older-than <age>", "prune: sessions not used for this long: 30d, 12h, 8w")
    .option("--dry-run", "prune: only show what would be removed")
    .option("--json", "print JSON, for programs")
    .addHelpText("after", usage);
}

export function sessionsArguments(command: Command): SessionsArguments {
  const [verb = "list", ...words] = command.args;
  const raw = command.opts<RawSessions>();
  if (!isVerb(verb))
    throw new UsageError(`pawl sessions has ${Object.keys(verbs).join(", ")}, not "${verb.slice(0, 40)}".`);
  const {
    words: [least, most],
    flags,
  } = verbs[verb];
  if (words.length < least || words.length > most)
    throw new UsageError(`pawl sessions ${verb} takes ${describeArguments(verb)}; pawl sessions --help has examples.`);
  for (const name of Object.keys(raw))
    if (!(flags as readonly string[]).includes(name))
      throw new UsageError(`pawl sessions ${verb} does not take ${flagName(name)}.`);
  if (verb === "prune" && raw.olderThan === undefined)
    throw new UsageError("pawl sessions prune needs --older-than with an age, such as 30d.");
  return { verb, words, ...flagValues(raw) };
}

function flagValues(raw: RawSessions): Omit<SessionsArguments, "verb" | "words"> {
  const text = (name: "search" | "tag" | "at" | "title" | "output") =>
    raw[name] === undefined ? {} : { [name]: notEmpty(flagName(name), raw[name]) };
  return {
    all: raw.all === true,
    json: raw.json === true,
    force: raw.force === true,
    dryRun: raw.dryRun === true,
    format: raw.format === undefined ? "markdown" : oneOf("--format", raw.format, exportFormats),
    ...text("search"),
    ...text("tag"),
    ...text("at"),
    ...text("title"),
    ...text("output"),
    ...(raw.limit === undefined ? {} : { limit: parseInteger("--limit", raw.limit, 1) }),
    ...(raw.olderThan === undefined ? {} : { olderThan: parseAge(raw.olderThan) }),
  };
}

const hour = 3_600_000;
const units = { h: hour, d: 24 * hour, w: 7 * 24 * hour } as const;

function parseAge(text: string): number {
  const [, count, unit] = /^(\d{1,6})([hdw])$/u.exec(text.trim()) ?? [];
  const age = Number(count ?? 0) * (unit === undefined ? 0 : units[unit as keyof typeof units]);
  if (age === 0) throw new UsageError(`--older-than needs an age such as 30d, 12h or 8w, not "${text.slice(0, 40)}".`);
  return age;
}

function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
}

function isVerb(word: string): word is SessionsArguments["verb"] {
  return Object.hasOwn(verbs, word);
}

function describeArguments(verb: SessionsArguments["verb"]): string {
  if (verbs[verb].words[1] === 0) return "nothing more";
  if (verb === "rename") return "a session and its new title";
  if (verb === "search") return "the words to look for";
  if (verb === "tag") return "a session and a tag";
  return verb === "delete" ? "the sessions to delete" : "a session's id or title";
}

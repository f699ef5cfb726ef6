/** One call as the rules see it: its paths resolved and its command read, once, however many rules there are. */
import { resolve } from "node:path";
import type { JudgedPath, PermissionRequest } from "../protocol/permission.ts";
import { commandFacts, type CommandFacts } from "./command-rules.ts";
import { pathForms, placeIn, type PathForms, type PathReader } from "./path-forms.ts";
import { filesFound } from "./found-files.ts";
import { visitedFolders } from "./critical-remove.ts";
import { writtenWords } from "./written-words.ts";
import { canonicalTool } from "./rule.ts";
import type { ShellScript } from "./shell-step.ts";
import { programOf, type PlausibleCommand } from "./shell-unwrap.ts";

export interface PathSubject {
  kind: "path";
  access: "read" | "write";
  path: string;
  forms: PathForms;
}

export interface CommandSubject {
  kind: "command";
  facts: CommandFacts;
  /** The paths its words could be, read or written: for rules that guard, and no more than a good guess. */
  mentions: () => PathSubject[];
  /** What it runs, by the parser; absent where none was given. */
  script?: ShellScript;
}

export type SubjectFacts = PathSubject | CommandSubject | { kind: "tool" };

export interface CallFacts {
  tool: string;
  input: Record<string, unknown>;
  isReadOnly: boolean;
  cwd: string;
  /** Looks into folders, so that a rule for everything below one concerns the folder too. */
  listsFolders: boolean;
  subjects: SubjectFacts[];
}

export interface CallPlaces {
  home: string;
  reader: PathReader;
  /** Loaded with the first command: most sessions' start does not wait for it. */
  parse?: ((command: string) => ShellScript) | undefined;
}

/** Past these nothing is left out: the check fails, and so does the call. */
const maxMentions = 2_000;

/** Of what patterns find, so many are followed to where they lead; the others are their names. It takes a while: a folder may hold thousands. */
const maxFollowed = 200;

export function callFacts(request: PermissionRequest, places: CallPlaces): CallFacts {
  const tool = canonicalTool(request.toolName);
  const subjects = request.subjects.map((subject): SubjectFacts => {
    switch (subject.kind) {
      case "read":
      case "write":
        return {
          kind: "path",
          access: subject.kind,
          path: subject.path,
          forms: pathForms(resolve(request.cwd, subject.path), places.reader),
        };
      case "command": {
        const facts = commandFacts(subject.command);
        let found: PathSubject[] | undefined;
        const mentions = () => (found ??= mentionedPaths(facts, request.cwd, places));
        const script = places.parse?.(subject.command);
        return { kind: "command", facts, mentions, ...(script === undefined ? {} : { script }) };
      }
      case "tool":
        return { kind: "tool" };
      default:
        return subject satisfies never;
    }
  });
  return {
    tool,
    input: request.input,
    isReadOnly: request.isReadOnly,
    cwd: request.cwd,
    listsFolders: tool === "Glob" || tool === "Grep" || tool === "LS",
    subjects: subjects.length === 0 ? [{ kind: "tool" }] : subjects,
  };
}

/** Where the paths of the call itself lead; those that a command mentions are its own business. */
export function judgedPaths({ subjects }: CallFacts): { judged?: JudgedPath[] } {
  const judged: JudgedPath[] = [];
  for (const subject of subjects) {
    if (subject.kind !== "path") continue;
    const { forms, isCertain } = subject.forms;
    judged.push({ path: forms[0] ?? subject.path, real: isCertain ? (forms.at(-1) ?? null) : null });
  }
  return judged.length === 0 ? {} : { judged };
}

function mentionedPaths(facts: CommandFacts, cwd: string, places: CallPlaces): PathSubject[] {
  const { commands, redirects } = facts.reading;
  const read = new Set(commands.flatMap(({ words }) => words.slice(1).map((word) => word.text)));
  const redirected = redirects.filter(({ isWrite }) => isWrite).map(({ target }) => target.text);
  const written = [...new Set([...redirected, ...commands.flatMap(writtenWords)])];
  for (const { target } of redirects) read.add(target.text);
  const all = [...commands.flatMap(({ words }) => words), ...redirects.map(({ target }) => target)];
  const globs = new Set(all.filter(({ unsure }) => unsure === "files").map(({ text }) => text));
  const visited = [cwd, ...visitedFolders(commands, cwd, places.home)];
  const starts = [...new Set([...visited, ...visited.flatMap((folder) => gitFolders(commands, folder))])];
  if ((read.size + written.length) * starts.length > maxMentions)
    throw new Error("the command names too many files to check");
  return starts.flatMap((start) => [
    ...subjectsOf([...read], "read", start, { ...places, globs }),
    ...subjectsOf(written, "write", start, { ...places, globs }),
  ]);
}

/** Where git is told to work, each from where the one before it led. */
function gitFolders(commands: readonly PlausibleCommand[], start: string): string[] {
  const calls = commands.filter(({ words }) => programOf(words[0]) === "git");
  return calls.flatMap(({ words }) => {
    let place = start;
    return words.flatMap(({ text }, index) =>
      words[index - 1]?.text === "-C" ? [(place = resolve(place, text))] : [],
    );
  });
}

function subjectsOf(
  words: readonly string[],
  access: "read" | "write",
  cwd: string,
  { home, reader, globs }: CallPlaces & { globs: ReadonlySet<string> },
): PathSubject[] {
  let left = maxFollowed;
  return words.flatMap((word) => {
    const bare = word.replace(/^-L[^]*:(?=[^:]+$)|^-[^=]*=|^@|^if=/u, "");
    const names = [bare, ...inRevision(bare)].filter(
      (name) => /^[^-]/u.test(name) && name.length < 1024 && !hasControls(name),
    );
    const paths = names.map((name) => placeIn(cwd, name.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/u, home)));
    const found = globs.has(word) ? paths.flatMap((path) => filesFound(path) ?? []) : [];
    const followed = paths.length + Math.max(left, 0);
    left -= found.length;
    return [...paths, ...found].map((given, index): PathSubject => {
      const path = resolve(given);
      const forms = index < followed ? pathForms(given, reader) : { forms: [path], isCertain: true };
      return { kind: "path", access, path, forms };
    });
  });
}

/** `HEAD:file` is how git is asked for a file as it was. */
function inRevision(word: string): string[] {
  const file = /^[^\s:/]*(?:\/[^\s:]+)?:(?:[0-3]:|\([^)]*\))?([^:/][^:]*)$/u.exec(word)?.[1];
  return file === undefined ? [] : [file];
}

/** NUL cuts a path short for C code; other control characters act on terminals. Names with a newline or a tab do exist and are shown spelled out. */
export function hasControls(path: string): boolean {
  return /[^\P{Cc}\n\t]/u.test(path);
}

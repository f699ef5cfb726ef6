/** The files that a patch changes, according to the patch itself, which is read from a file or from the command. */
import { placeIn } from "../paths/path-forms.ts";
import { parseWords, parseProgramWords, gitCommandIndex, hasOption, valuesOfOption } from "../options/operands.ts";
import { gitCommand } from "../options/program-options.ts";
import { hasOptionOrAbbreviation } from "../options/running-options.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { hasHole, hole } from "../shell/fill.ts";
import { textsOf, type LexedCommand } from "../shell/text.ts";
import { programName } from "../shell/unwrap.ts";

const patchPrograms = new Set(["patch", "gpatch", "git"]);
const maxBytes = 4 * 1024 * 1024;
const patchHeader = /^(?:(?:---|\+\+\+|\*\*\*) ([^\t\n]+)|(?:rename|copy) (?:from|to) (.+)|Index: (.+))/gmu;
const binaryHeader = /^diff --git (\S+) (\S+)$/gmu;

export function namesPatchProgram({ words }: LexedCommand): boolean {
  return words.some((word) => patchPrograms.has(programName(word) ?? ""));
}

/**
 * `run`: the programs that the line runs; elsewhere, `patch` is just a word. `created`: files that the line itself writes and that do not
 * exist yet. The names are relative to the folder as written, with a hole if unknown. Empty for a command that does not patch.
 */
export function patchedFiles(
  { words, redirects, documents }: LexedCommand,
  start: string,
  { run, created }: { run: ReadonlySet<string | null>; created: ReadonlySet<string> },
): string[] {
  const at = words.findIndex((word) => patchPrograms.has(programName(word) ?? "") && run.has(programName(word)));
  if (at < 0) return [];
  const rest = words.slice(at + 1);
  const texts = textsOf(rest);
  const isGit = programName(words[at]) === "git";
  const begin = isGit ? gitPatchIndex(texts, gitCommandIndex(rest)) : 0;
  if (begin < 0) return [];
  const read = isGit ? parseWords(texts.slice(begin + 1), gitCommand("apply")) : parseProgramWords("patch", texts);
  const harmlessOptions =
    "--dry-run --check --stat --numstat --summary --cached --abort --quit --skip --continue".split(" ");
  // git ignores these options if it is told to apply the patch.
  if (
    hasOption(read, ...harmlessOptions) &&
    (!isGit || hasOption(read, "--cached") || !hasOptionOrAbbreviation(read, "--apply"))
  )
    return [];
  const files = isGit ? read.operands : [...valuesOfOption(read, "-i", "--input"), ...read.operands.slice(1)];
  const inputs = redirects.filter(({ isWrite }) => !isWrite).map(({ target }) => target.text);
  const patches = [
    ...documents,
    ...[...files, ...inputs].map((file) => (created.has(file) ? undefined : readPatch(placeIn(start, file)))),
  ];
  if (patches.length === 0) return [hole];
  const folders = valuesOfOption(read, "-d", "--directory");
  const [strip] = valuesOfOption(read, "-p", "--strip");
  const names = [
    ...(isGit ? [] : read.operands.slice(0, 1)),
    ...patches.flatMap((text) => (text === undefined ? [hole] : namesInPatch(text, isGit ? (strip ?? "1") : strip))),
  ];
  return names.flatMap((name) => ["", ...folders.map((folder) => `${folder}/`)].map((folder) => folder + name));
}

/** An unknown word may be an option in front of the command, or nothing. */
function gitPatchIndex(texts: readonly string[], at: number): number {
  const isPatching = (text = ""): boolean => text === "apply" || text === "am";
  if (!hasHole(texts[at] ?? "")) return isPatching(texts[at]) ? at : -1;
  return texts.findIndex((text, index) => index > at && isPatching(text));
}

function readPatch(path: string): string | undefined {
  if (hasHole(path)) return undefined;
  const read = readRegularFile(path, maxBytes);
  return read.ok ? read.text : undefined;
}

/** `strip`: the number of leading folders to remove; if it is not given, all or none. Quoted names are not decoded. */
function namesInPatch(text: string, strip: string | undefined): string[] {
  const written = [...text.matchAll(patchHeader), ...text.matchAll(binaryHeader)].flatMap(([, ...names]) =>
    names.filter((name) => name !== undefined),
  );
  return [...new Set(written)].flatMap((name) => {
    if (name.startsWith('"')) return [hole];
    const parts = name.trim().split("/");
    const kept = strip === undefined ? [0, parts.length - 1] : [Number(strip), 0];
    return kept.map((count) => parts.slice(count).join("/")).filter((each) => each !== "");
  });
}

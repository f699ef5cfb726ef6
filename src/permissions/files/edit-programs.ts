/** The few programs that only make, move or copy files: in `acceptEdits` mode, they are judged like edits. */
import { basename } from "node:path";
import { plainSedWords } from "../shell/plain-sed.ts";
import { mayBeSecret } from "../paths/secret-names.ts";
import { textsOf } from "../shell/text.ts";
import { isFixed, type ShellWord } from "../shell/step.ts";

export interface EditedPath {
  access: "read" | "write";
  word: ShellWord;
}

const editPrograms: Record<string, { flags: RegExp; edits: (operands: ShellWord[]) => EditedPath[] | undefined }> = {
  mkdir: { flags: /^(?:-[pv]+|--parents|--verbose)$/u, edits: (operands) => operands.map(writeAccess) },
  // Without -r, which would remove a folder's content unseen.
  rm: { flags: /^(?:-[fv]+|--force|--verbose)$/u, edits: (operands) => operands.map(writeAccess) },
  rmdir: { flags: /^(?:-[pv]+|--verbose)$/u, edits: (operands) => operands.map(writeAccess) },
  touch: { flags: /^(?:-[acm]+|--no-create)$/u, edits: (operands) => operands.map(writeAccess) },
  tee: { flags: /^(?:-[ai]+|--append|--ignore-interrupts)$/u, edits: (operands) => operands.map(writeAccess) },
  // Without -r, which would write a folder's content unseen.
  cp: {
    flags: /^(?:-[fnvp]+|--force|--no-clobber|--verbose|--preserve)$/u,
    edits: (operands) => copyEdits(operands, () => ["read"]),
  },
  // A moved file would be judged by its new name when it is read.
  mv: {
    flags: /^(?:-[fnv]+|--force|--no-clobber|--verbose)$/u,
    edits: (operands) => copyEdits(operands, (names) => (names.every(mayBeSecret) ? ["write"] : ["read", "write"])),
  },
};

function writeAccess(word: ShellWord): EditedPath {
  return { access: "write", word };
}

/** The last operand may be the new name or the target folder. `sourceAccess`: the access to a source, by the names it may get. */
function copyEdits(
  operands: ShellWord[],
  sourceAccess: (names: readonly string[]) => EditedPath["access"][],
): EditedPath[] | undefined {
  const target = operands.at(-1);
  const sources = operands.slice(0, -1);
  if (target === undefined || sources.length === 0) return undefined;
  const below = (word: ShellWord): string => `${target.text}/${basename(word.text)}`;
  const targetItself = target.text.endsWith("/") ? [] : [target.text];
  return [
    ...sources.flatMap((word) => sourceAccess([...targetItself, below(word)]).map((access) => ({ access, word }))),
    writeAccess(target),
    ...sources.map((word) => writeAccess({ ...target, text: below(word) })),
  ];
}

/** Undefined if it is not one of these programs, or has more than plain names. */
export function editedPaths(
  words: readonly ShellWord[],
  platform: NodeJS.Platform = process.platform,
): EditedPath[] | undefined {
  const [program, ...rest] = words;
  const known =
    program?.kind === "literal" && Object.hasOwn(editPrograms, program.text) ? editPrograms[program.text] : undefined;
  if (program?.kind === "literal" && program.text === "sed") return editedInPlace(rest, platform);
  if (known === undefined || !rest.every(isFixed)) return undefined;
  const operands = rest.filter(({ text }) => !text.startsWith("-"));
  if (operands.length === 0 || !rest.every(({ text }) => !text.startsWith("-") || known.flags.test(text)))
    return undefined;
  return known.edits(operands);
}

/** With a suffix, sed leaves a copy of each file beside it. */
const inPlaceOption = /^(?:-[nEruzs]*i|--in-place)(?<suffix>=?\.\w+)?$/u;

/** Systems on which the suffix is the next word, even if empty. */
const separateSuffixSystems: ReadonlySet<string> = new Set(["darwin", "freebsd"]);

/** The files of `sed -i`, if its scripts are fully understood. */
function editedInPlace(words: readonly ShellWord[], platform: NodeJS.Platform): EditedPath[] | undefined {
  const [at, ...others] = words.flatMap(({ text }, index) => (inPlaceOption.test(text) ? index : []));
  if (at === undefined || others.length > 0 || !words.every(isFixed)) return undefined;
  const option = words[at]!;
  const suffix = inPlaceOption.exec(option.text)?.groups?.["suffix"]?.replace("=", "");
  const needsSuffixWord = separateSuffixSystems.has(platform) && suffix === undefined;
  if (needsSuffixWord && words[at + 1]?.text !== "") return undefined;
  const rest = words.toSpliced(at, needsSuffixWord ? 2 : 1);
  const plain = plainSedWords(textsOf(rest));
  return plain?.files.flatMap((each) => {
    const word = rest[each]!;
    const copy = suffix === undefined ? [] : [writeAccess({ ...word, text: word.text + suffix })];
    return [{ access: "read" as const, word }, writeAccess(word), ...copy];
  });
}

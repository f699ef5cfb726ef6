/** The few programs that only make, move or copy files: in `acceptEdits` they are held against the same rules as an edit. */
import { basename } from "node:path";
import type { ShellWord } from "./shell-step.ts";

export interface EditedPath {
  access: "read" | "write";
  word: ShellWord;
}

const programs: Record<string, { flags: RegExp; edits: (operands: ShellWord[]) => EditedPath[] | undefined }> = {
  mkdir: { flags: /^(?:-[pv]+|--parents|--verbose)$/u, edits: (operands) => operands.map(written) },
  rmdir: { flags: /^(?:-[pv]+|--verbose)$/u, edits: (operands) => operands.map(written) },
  touch: { flags: /^(?:-[acm]+|--no-create)$/u, edits: (operands) => operands.map(written) },
  // Without -r: what a folder brings along would be written unseen.
  cp: {
    flags: /^(?:-[fnvp]+|--force|--no-clobber|--verbose|--preserve)$/u,
    edits: (operands) => placed(operands, ["read"]),
  },
  // Under its new name it would be read as what that says.
  mv: {
    flags: /^(?:-[fnv]+|--force|--no-clobber|--verbose)$/u,
    edits: (operands) => placed(operands, ["read", "write"]),
  },
};

function written(word: ShellWord): EditedPath {
  return { access: "write", word };
}

/** The last one may be the new name or the folder it goes to. */
function placed(operands: ShellWord[], source: readonly EditedPath["access"][]): EditedPath[] | undefined {
  const target = operands.at(-1);
  const sources = operands.slice(0, -1);
  if (target === undefined || sources.length === 0) return undefined;
  return [
    ...sources.flatMap((word) => source.map((access) => ({ access, word }))),
    written(target),
    ...sources.map(({ text }) => written({ ...target, text: `${target.text}/${basename(text)}` })),
  ];
}

/** Undefined where it is none of them, or is given more than plain names. */
export function editedPaths(words: readonly ShellWord[]): EditedPath[] | undefined {
  const [program, ...rest] = words;
  const known =
    program?.kind === "literal" && Object.hasOwn(programs, program.text) ? programs[program.text] : undefined;
  if (known === undefined || rest.some(({ kind }) => kind !== "literal" && kind !== "home")) return undefined;
  const operands = rest.filter(({ text }) => !text.startsWith("-"));
  if (operands.length === 0 || !rest.every(({ text }) => !text.startsWith("-") || known.flags.test(text)))
    return undefined;
  return known.edits(operands);
}

/** Judges what a command writes: the files an editing program names in `acceptEdits` mode, and the files output is redirected to. */
import { editedPaths } from "../files/edit-programs.ts";
import { placeOf, refused, type StepVerdict } from "./judge-reads.ts";
import type { CommandLaw, Law } from "./law.ts";
import { pathForms, type PathForms } from "../paths/path-forms.ts";
import { mayBeSecret } from "../paths/secret-names.ts";
import { steersNothing } from "../shell/safe-variables.ts";
import { isFixed, type ShellStep } from "../shell/step.ts";
import { movesSteering } from "../paths/steering-files.ts";
import { acceptsEdits } from "./strictness.ts";
import { sinks } from "../files/written-paths.ts";

/** Programs that write into the existing file. */
const writers = new Set(["cp", "tee"]);

export function judgeEdits(step: ShellStep, shown: string, starts: readonly string[], law: CommandLaw): StepVerdict {
  const edits = acceptsEdits(law.mode) && step.assignments.every(steersNothing) ? editedPaths(step.words) : undefined;
  if (edits === undefined) return refused(`${shown} needs permission`);
  for (const { access, word } of edits) {
    for (const start of starts) {
      const path = placeOf(word, start, law.home);
      const forms = pathForms(path, law.reader);
      if (!law.mayTouch({ kind: "path", access, path, forms }))
        return refused(`${shown} needs permission for ${word.text}`);
      if (access === "write" && movesSteering(step.words, word, forms, law))
        return refused(`${shown} moves ${word.text}, which holds what hooks or settings start`);
      if (access === "write" && writers.has(step.words[0]?.text ?? "") && hasOtherNames(forms, law))
        return refused(`${shown} writes ${word.text}, ${otherNames}`);
    }
  }
  return { allowed: true, reason: { type: "mode", mode: law.mode } };
}

/** The reason a command's redirects need permission, or undefined if they need none. */
export function redirectProblem(step: ShellStep, starts: readonly string[], law: CommandLaw): string | undefined {
  for (const { access, target } of step.redirects) {
    if (target.kind === "literal" && sinks.has(target.text)) continue;
    if (target.kind === "stream" && access === "read") continue;
    const verb = access === "read" ? "reads" : "writes";
    if (!isFixed(target)) return `it ${verb} ${target.source}, and which file that is cannot be told`;
    for (const start of starts) {
      const path = placeOf(target, start, law.home);
      const forms = pathForms(path, law.reader);
      if (law.mayTouch({ kind: "path", access, path, forms })) {
        if (access === "write" && hasOtherNames(forms, law)) return `it writes ${target.text}, ${otherNames}`;
        continue;
      }
      if (access === "read" && forms.forms.some(mayBeSecret)) return `it reads ${target.text}, which may be secret`;
      return `it ${verb} ${target.text}, which needs permission`;
    }
  }
  return undefined;
}

const otherNames = "which has other names (hard links) which it writes as well";

/** Whether the file has hard links: commands, unlike the tools, write under all names of a file, and one may be protected. */
function hasOtherNames({ forms }: PathForms, { reader }: Law): boolean {
  return reader.hardLinked?.(forms.at(-1) ?? "") !== undefined;
}

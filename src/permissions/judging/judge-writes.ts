/** Judges what a command writes: the files an editing program names in `acceptEdits` mode, and the files output is redirected to. */
import { editedPaths } from "../files/edit-programs.ts";
import { wordPath, refuseStep, type StepVerdict } from "./judge-reads.ts";
import type { CommandLaw, Law } from "./law.ts";
import { pathForms, type PathForms } from "../paths/path-forms.ts";
import { mayBeSecret } from "../paths/secret-names.ts";
import { isHarmlessAssignment } from "../shell/safe-variables.ts";
import { isFixed, type ShellStep } from "../shell/step.ts";
import { movesSteeringFiles } from "../paths/steering-files.ts";
import { acceptsEdits } from "./strictness.ts";
import { sinks } from "../files/written-paths.ts";

/** Programs that write into the existing file. */
const existingFileWriters = new Set(["cp", "tee"]);

export function judgeEdits(step: ShellStep, shown: string, starts: readonly string[], law: CommandLaw): StepVerdict {
  const edits =
    acceptsEdits(law.mode) && step.assignments.every(isHarmlessAssignment) ? editedPaths(step.words) : undefined;
  if (edits === undefined) return refuseStep(`${shown} needs permission`);
  for (const { access, word } of edits) {
    for (const start of starts) {
      const path = wordPath(word, start, law.home);
      const forms = pathForms(path, law.reader);
      if (!law.mayTouch({ kind: "path", access, path, forms }))
        return refuseStep(`${shown} needs permission for ${word.text}`);
      if (access === "write" && movesSteeringFiles(step.words, word, forms, law))
        return refuseStep(`${shown} moves ${word.text}, which holds what hooks or settings start`);
      if (access === "write" && existingFileWriters.has(step.words[0]?.text ?? "") && hasHardLinks(forms, law))
        return refuseStep(`${shown} writes ${word.text}, ${hardLinkText}`);
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
      const path = wordPath(target, start, law.home);
      const forms = pathForms(path, law.reader);
      if (law.mayTouch({ kind: "path", access, path, forms })) {
        if (access === "write" && hasHardLinks(forms, law)) return `it writes ${target.text}, ${hardLinkText}`;
        continue;
      }
      if (access === "read" && forms.forms.some(mayBeSecret)) return `it reads ${target.text}, which may be secret`;
      return `it ${verb} ${target.text}, which needs permission`;
    }
  }
  return undefined;
}

const hardLinkText = "which has other names (hard links) which it writes as well";

/** Whether the file has hard links: commands, unlike the tools, write under all names of a file, and one may be protected. */
function hasHardLinks({ forms }: PathForms, { reader }: Law): boolean {
  return reader.hardLinkId?.(forms.at(-1) ?? "") !== undefined;
}

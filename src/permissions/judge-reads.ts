/** Whether what a command reads may be read: what it names, what its patterns find, and what links lead to where it follows them. */
import type { PathSubject } from "./call-facts.ts";
import { showsGuarded } from "./git-content.ts";
import { filesFound, linksBelow } from "./found-files.ts";
import type { Law } from "./law.ts";
import { isFolder, pathForms, placeIn } from "./path-forms.ts";
import type { PermissionReason } from "../protocol/permission.ts";
import type { Reads } from "./read-only.ts";
import type { ReadPath } from "./read-words.ts";
import { mayBeSecret } from "./secret-names.ts";
import type { ShellWord } from "./shell-step.ts";

/** `null`: allowed without a rule. */
export type StepVerdict = { allowed: true; reason: PermissionReason | null } | { allowed: false; why: string };

export function refused(why: string): StepVerdict {
  return { allowed: false, why };
}

/** As a program would open it. */
export function placeOf(word: ShellWord, start: string, home: string): string {
  return word.kind === "home" ? placeIn(home, `.${word.text.slice(1)}`) : placeIn(start, word.text);
}

export function judgeReads(
  { paths, usesGit, content }: Reads,
  shown: string,
  starts: readonly string[],
  moves: boolean,
  law: Law,
  mayTouch: (path: PathSubject) => boolean,
): StepVerdict {
  if (usesGit && moves) return refused(`${shown} runs git after a change of folder, which needs permission`);
  const doubt = usesGit ? law.gitDoubt(starts[0] ?? "/") : undefined;
  if (doubt !== undefined) return refused(`${shown} needs permission here: ${doubt}`);
  if (content !== undefined && starts.some((start) => showsGuarded(content, start, law)))
    return refused(
      `${shown} shows changes of more files than it names, and there are rules about which may be read; with the path of one that may be, behind "--", it needs no permission`,
    );
  const guards = [...law.deny, ...law.ask].some(({ specifiers }) => specifiers.some(({ kind }) => kind === "path"));
  for (const read of paths) {
    if (read.word.kind === "stream") continue;
    for (const start of starts) {
      const why = readProblem(read, shown, start, guards, law, mayTouch);
      if (why !== undefined) return refused(why);
    }
  }
  return { allowed: true, reason: null };
}

/** What speaks against reading it; undefined where nothing does. */
function readProblem(
  { word, isDeep, follows = false }: ReadPath,
  shown: string,
  start: string,
  guards: boolean,
  law: Law,
  mayTouch: (path: PathSubject) => boolean,
): string | undefined {
  const isGlob = word.kind === "glob";
  const path = placeOf(isGlob ? fixedBeginning(word) : word, start, law.home);
  if (guards && (isGlob || (isDeep && isFolder(path, law.reader))))
    return `${shown} reads more files than it names, and there are rules about which may be read`;
  const forms = pathForms(path, law.reader);
  const isHidden = isGlob && /(?:^|\/)\.[^/]*$/u.test(word.text);
  const isOpen = mayTouch({ kind: "path", access: "read", path, forms });
  // Which files a pattern finds no rule for one of them can say.
  const isHeld = isGlob ? isHidden || mayBeSecret(word.text) : !isOpen;
  const secret = `${shown} shows what may be secret, which needs permission`;
  const outside = `${shown} reads outside the working directories`;
  if (isHeld && (isHidden || [word.text, ...forms.forms].some(mayBeSecret))) return secret;
  if (!isOpen) return outside;
  const found = isGlob ? filesFound(placeIn(start, word.text)) : [path];
  const links = follows ? found?.map(linksBelow) : [];
  const all = [found, ...(links ?? [])];
  if (all.includes(undefined)) return `${shown} reads more files than can be looked at`;
  for (const each of all.flatMap((files) => files ?? [])) {
    const leads = pathForms(each, law.reader);
    if (!mayTouch({ kind: "path", access: "read", path: each, forms: leads }))
      return leads.forms.some(mayBeSecret) ? secret : outside;
  }
  return undefined;
}

/** What a pattern finds lies where its fixed beginning does. */
function fixedBeginning(word: ShellWord): ShellWord {
  const folder = word.text.slice(0, word.text.search(/[*?[]/u)).replace(/[^/]*$/u, "");
  return { ...word, kind: "literal", text: folder === "" ? "." : folder };
}

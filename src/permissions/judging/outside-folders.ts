/** Applies what settings block outside the working directories: it is refused, not asked about, in every mode. */
import type { CallFacts, CommandSubject } from "./call-facts.ts";
import type { PathSubject } from "../paths/path-subject.ts";
import { onlyReads } from "./step-reads.ts";
import type { Law } from "./law.ts";
import { isInside, isThere } from "../paths/path-forms.ts";
import type { Verdict } from "./verdict.ts";

const devices = /^\/dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd\/\d+)$/u;

/** Covers file tools fully, and commands as far as their words tell. */
export function denyOutsideFolders(call: CallFacts, law: Law): Verdict | null {
  const { outside } = law;
  if (outside?.reads === undefined && outside?.writes === undefined) return null;
  for (const subject of call.subjects) {
    const found =
      subject.kind === "path"
        ? denyBlockedPath(subject, law)
        : subject.kind === "command"
          ? denyBlockedCommand(subject, law)
          : null;
    if (found !== null) return found;
  }
  return null;
}

function denyBlockedPath(subject: PathSubject, law: Law): Verdict | null {
  const { reads, writes, exempt } = law.outside ?? { exempt: [] };
  const isWrite = subject.access === "write";
  const blockingFile = isWrite ? writes : reads;
  const { forms } = subject.forms;
  if (blockingFile === undefined || law.folders.contain(subject.forms, subject.access)) return null;
  if (forms.every((form) => devices.test(form))) return null;
  if (!isWrite && subject.forms.isCertain && forms.every((form) => exempt.some((folder) => isInside(folder, form))))
    return null;
  const key = `permissions.block${isWrite ? "Writes" : "Reads"}OutsideWorkingDirectories`;
  const why = `${forms.at(-1) ?? subject.path} is outside the working directories, and ${blockingFile} (${key}) lets nothing there be ${isWrite ? "written" : "read"}`;
  return { behavior: "deny", reason: { type: "workingDirectory", text: why }, why };
}

function denyBlockedCommand(subject: CommandSubject, law: Law): Verdict | null {
  const isReading = onlyReads(subject.script);
  for (const mention of subject.mentions()) {
    if (mention.isPresumed === true) continue;
    const isNamed = mention.access === "write" || namesPath(mention, law);
    if (!isNamed) continue;
    const found =
      denyBlockedPath(mention, law) ?? (isReading ? null : denyBlockedPath({ ...mention, access: "write" }, law));
    if (found !== null) return found;
  }
  return null;
}

/** Whether a word counts as a path: it names something that exists, or something to be made in an existing folder. */
function namesPath({ forms: { forms } }: PathSubject, { reader }: Law): boolean {
  return (
    forms.some((form) => isThere(form, reader)) ||
    forms.some((form) => form.lastIndexOf("/") > 0 && isThere(form.slice(0, form.lastIndexOf("/")), reader))
  );
}

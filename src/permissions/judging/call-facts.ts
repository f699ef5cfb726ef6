/** One call as the rules see it: its paths are resolved and its command is read once, however many rules there are. */
import { resolve } from "node:path";
import type { JudgedPath, PermissionRequest } from "../../protocol/permission.ts";
import { commandFacts, unreadFacts, type CommandFacts } from "../rules/command-rules.ts";
import { readCommandFiles, type CallPlaces, type CommandFiles } from "../files/command-files.ts";
import type { PathSubject } from "../paths/path-subject.ts";
import type { UnnamedFiles } from "../files/unnamed-files.ts";
import { pathForms } from "../paths/path-forms.ts";
import { canonicalTool } from "../rules/tool-names.ts";
import type { ShellScript } from "../shell/step.ts";

/** Characters. A person is asked about longer commands: judging takes a second or two for this length. */
const maxJudgedLength = 200_000;

export interface CommandSubject {
  kind: "command";
  facts: CommandFacts;
  /** The paths that its words may be, read or written. For guarding rules; no more than a good guess. */
  mentions: () => PathSubject[];
  /** Files that the command reaches without naming them, or names in a way only the shell can resolve. */
  unnamed: () => UnnamedFiles;
  /** What the command runs, according to the parser; absent if no parser was given. */
  script?: ShellScript;
  /** Why the command was not read at all, in one clause; absent if it was. */
  unread?: string;
}

export type SubjectFacts = PathSubject | CommandSubject | { kind: "tool" };

export interface CallFacts {
  tool: string;
  input: Record<string, unknown>;
  isReadOnly: boolean;
  cwd: string;
  /** Whether the tool looks into folders, so that a rule for everything below a folder also concerns the folder. */
  listsFolders: boolean;
  subjects: SubjectFacts[];
}

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
        if (subject.command.length > maxJudgedLength) return unreadSubject(subject.command);
        const facts = commandFacts(subject.command, subject.shell, places.limits);
        const script = places.parse?.(subject.command);
        let read: CommandFiles | undefined;
        const files = (): CommandFiles => (read ??= readCommandFiles(facts, request.cwd, places, script));
        return {
          kind: "command",
          facts,
          mentions: () => files().mentions,
          unnamed: () => files().unnamed(),
          ...(script === undefined ? {} : { script }),
        };
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

function unreadSubject(command: string): CommandSubject {
  const unread = `it is longer than ${maxJudgedLength} characters, which is more than is looked through`;
  return {
    kind: "command",
    facts: unreadFacts(command, unread),
    mentions: () => [],
    unnamed: () => ({ unknownPaths: [], trees: [], opaque: unread, doubt: unread }),
    script: { steps: [], problem: unread },
    unread,
  };
}

/** Where the paths of the call itself lead. Paths that a command mentions are not included. */
export function judgedPaths({ subjects }: CallFacts): { judged?: JudgedPath[] } {
  const judged: JudgedPath[] = [];
  for (const subject of subjects) {
    if (subject.kind !== "path") continue;
    const { forms, isCertain } = subject.forms;
    judged.push({ path: forms[0] ?? subject.path, real: isCertain ? (forms.at(-1) ?? null) : null });
  }
  return judged.length === 0 ? {} : { judged };
}

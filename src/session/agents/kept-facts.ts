/** What an agent of this session was begun with, as the first line of its conversation has it. */
import { basename, dirname, join } from "node:path";
import { readFacts, sessionFolder, subagentPath, type SessionFacts } from "../../transcript/index.ts";
import type { Joined } from "../joined.ts";

/** Of an agent. */
export const idForm = /^[0-9a-f]{16}$/u;

/** Undefined where nothing was kept of it, or what was is damaged. */
export function keptFacts({ store, around }: Pick<Joined, "store" | "around">, id: string): SessionFacts | undefined {
  const { transcript } = store;
  if (transcript === null || !idForm.test(id)) return undefined;
  return readFacts(subagentPath(transcript.path, id), around.machine.files);
}

const fileForm = /^agent-([0-9a-f]{16})\.jsonl$/u;

/** The agents of a session, or of one that an agent of it has, by the call that began each. */
export function agentsBegun({ store, around }: Pick<Joined, "store" | "around">): Map<string, string> {
  const begun = new Map<string, string>();
  const { path } = store.transcript ?? {};
  if (path === undefined) return begun;
  const { files } = around.machine;
  const own = dirname(path);
  const folder = basename(own) === "subagents" ? own : join(sessionFolder(path), "subagents");
  for (const name of files.statusOf(folder) === undefined ? [] : files.list(folder)) {
    const id = fileForm.exec(name)?.[1];
    const by = id === undefined ? undefined : readFacts(join(folder, name), files)?.toolUseId;
    if (id !== undefined && by !== undefined) begun.set(by, id);
  }
  return begun;
}

/** What an agent of this session was begun with, as the first line of its conversation has it. */
import { readFacts, subagentPath, type SessionFacts } from "../../transcript/index.ts";
import type { Joined } from "../joined.ts";

const idForm = /^[0-9a-f]{16}$/u;

/** Undefined where nothing was kept of it, or what was is damaged. */
export function keptFacts({ store, around }: Joined, id: string): SessionFacts | undefined {
  const { transcript } = store;
  if (transcript === null || !idForm.test(id)) return undefined;
  return readFacts(subagentPath(transcript.path, id), around.machine.files);
}

/** `/rewind <message> conversation`: what was said from a message of yours on is left behind; the session goes on in a copy without it. */
import { oneLine } from "../../lib/sanitize.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { checkpointsOf, resultText, type Checkpoint } from "../../session/commands/rewind.ts";
import type { Engine } from "../engine-port.ts";

export interface TalkRewind {
  /** The message's number, or its uuid. */
  which: string;
  /** What was changed since is put back, too. */
  withFiles: boolean;
}

interface Heard {
  show(line: string): void;
  /** The prompt that is to be sent anew, or otherwise. */
  again(text: string): void;
}

/** Undefined: it is about files alone, which is the session's own command. */
export function readTalkRewind(argument: string): TalkRewind | undefined {
  const [, which, what] = /^(\S+)\s+(conversation|both)$/iu.exec(argument.trim()) ?? [];
  return which === undefined ? undefined : { which, withFiles: what?.toLowerCase() === "both" };
}

/** Throws `UsageError`, and nothing is taken back: a message that is not there, files that cannot be put back. */
export async function rewindTalk(engine: Engine, { which, withFiles }: TalkRewind, heard: Heard): Promise<void> {
  const messages = engine.getMessages();
  const wanted = checkpointsOf(messages).find(({ number, uuid }) => String(number) === which || uuid === which);
  if (wanted === undefined)
    throw new UsageError(
      `There is no message ${oneLine(which, 60)} in the conversation; /rewind lists those there are.`,
    );
  if (withFiles) await putFilesBack(engine, wanted, heard);
  const before = messages[messages.findIndex(({ uuid }) => uuid === wanted.uuid) - 1];
  if (before === undefined) await engine.clear();
  else await engine.branch(undefined, { upToMessageId: before.uuid });
  heard.show(`The conversation goes on from before message ${wanted.number}, in ${engine.getSessionId()}.`);
  heard.again(wanted.text);
}

async function putFilesBack(engine: Engine, wanted: Checkpoint, heard: Heard): Promise<void> {
  const result = await engine.rewindFiles(wanted.uuid);
  if (!result.canRewind) throw new UsageError(result.error ?? "No file can be put back.");
  for (const line of resultText(wanted, result, false).split("\n")) heard.show(line);
}

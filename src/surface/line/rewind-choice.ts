/** `/rewind` alone: asks in place of the prompt which message to go back to, and whether the conversation, files or both go back. */
import { toHalfWidth } from "../../lib/half-width.ts";
import { oneLine } from "../../lib/sanitize.ts";
import {
  checkpointsOf,
  checkpointLines,
  rewindResultText,
  type Checkpoint,
} from "../../session/commands/answers/rewind.ts";
import type { Engine } from "../engine-port.ts";

export interface RewindChoiceContext {
  show: (line: string) => void;
  /** Resolves to undefined if nobody answers. */
  ask: (prompt: string) => Promise<string | undefined>;
}

export interface RewindChoice {
  checkpoint: Checkpoint;
  what: "conversation" | "files" | "both";
}

/** Returns undefined if nothing is to go back. Changes nothing itself. */
export async function chooseRewind(engine: Engine, context: RewindChoiceContext): Promise<RewindChoice | undefined> {
  const checkpoint = await askForMessage(checkpointsOf(engine.getMessages()), context);
  if (checkpoint === undefined) return undefined;
  const what = await askForPart(engine, checkpoint, context);
  return what === undefined ? undefined : { checkpoint, what };
}

async function askForMessage(
  checkpoints: readonly Checkpoint[],
  { show, ask }: RewindChoiceContext,
): Promise<Checkpoint | undefined> {
  if (checkpoints.length === 0) {
    show("Nothing was said yet: there is nothing to go back to.");
    return undefined;
  }
  show("Go back to before one of these messages:");
  checkpointLines(checkpoints).forEach(show);
  for (;;) {
    const wish = (await ask("A number, or Enter to cancel: "))?.trim();
    if (wish === undefined || wish === "") return undefined;
    const wanted = checkpoints.find(({ number }) => String(number) === toHalfWidth(wish));
    if (wanted !== undefined) return wanted;
    show(`There is no message ${oneLine(wish, 60)} in the conversation.`);
  }
}

const rewindParts = ["conversation", "files", "both"] as const;

async function askForPart(
  engine: Engine,
  checkpoint: Checkpoint,
  { show, ask }: RewindChoiceContext,
): Promise<RewindChoice["what"] | undefined> {
  const result = await engine.rewindFiles(checkpoint.uuid, { dryRun: true });
  const changes = (result.filesChanged?.length ?? 0) + (result.foldersChanged?.length ?? 0);
  const text = result.canRewind
    ? rewindResultText(checkpoint, result, true, "Nothing is done yet.")
    : `No file can be put back: ${result.error ?? "there is no record of them"}`;
  text.split("\n").forEach(show);
  const offered = result.canRewind && changes > 0 ? rewindParts : rewindParts.slice(0, 1);
  const choices = offered.map((part) => `${part[0]} for ${part === "both" ? "both" : `the ${part}`}`);
  for (;;) {
    const wish = (await ask(`${choices.join(", ")}, or Enter to cancel: `))?.trim().toLowerCase();
    if (wish === undefined || wish === "") return undefined;
    const wanted = offered.find((part) => part.startsWith(toHalfWidth(wish)));
    if (wanted !== undefined) return wanted;
    show(`"${oneLine(wish, 60)}" is not one of these.`);
  }
}

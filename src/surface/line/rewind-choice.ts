/** `/rewind` alone: asks in place of the prompt which message to go back to, and whether the conversation, files or both go back. */
import { halfWidth } from "../../lib/half-width.ts";
import { oneLine } from "../../lib/sanitize.ts";
import { checkpointsOf, listedLines, resultText, type Checkpoint } from "../../session/commands/rewind.ts";
import type { Engine } from "../engine-port.ts";

export interface ChoiceWorld {
  show: (line: string) => void;
  /** Resolves to undefined if nobody answers. */
  ask: (prompt: string) => Promise<string | undefined>;
}

export interface RewindChoice {
  checkpoint: Checkpoint;
  what: "conversation" | "files" | "both";
}

/** Returns undefined if nothing is to go back. Changes nothing itself. */
export async function chooseRewind(engine: Engine, world: ChoiceWorld): Promise<RewindChoice | undefined> {
  const checkpoint = await messageOf(checkpointsOf(engine.getMessages()), world);
  if (checkpoint === undefined) return undefined;
  const what = await partOf(engine, checkpoint, world);
  return what === undefined ? undefined : { checkpoint, what };
}

async function messageOf(
  checkpoints: readonly Checkpoint[],
  { show, ask }: ChoiceWorld,
): Promise<Checkpoint | undefined> {
  if (checkpoints.length === 0) {
    show("Nothing was said yet: there is nothing to go back to.");
    return undefined;
  }
  show("Go back to before one of these messages:");
  listedLines(checkpoints).forEach(show);
  for (;;) {
    const wish = (await ask("A number, or Enter to cancel: "))?.trim();
    if (wish === undefined || wish === "") return undefined;
    const wanted = checkpoints.find(({ number }) => String(number) === halfWidth(wish));
    if (wanted !== undefined) return wanted;
    show(`There is no message ${oneLine(wish, 60)} in the conversation.`);
  }
}

const parts = ["conversation", "files", "both"] as const;

async function partOf(
  engine: Engine,
  checkpoint: Checkpoint,
  { show, ask }: ChoiceWorld,
): Promise<RewindChoice["what"] | undefined> {
  const result = await engine.rewindFiles(checkpoint.uuid, { dryRun: true });
  const changes = (result.filesChanged?.length ?? 0) + (result.foldersChanged?.length ?? 0);
  const text = result.canRewind
    ? resultText(checkpoint, result, true, "Nothing is done yet.")
    : `No file can be put back: ${result.error ?? "there is no record of them"}`;
  text.split("\n").forEach(show);
  const offered = result.canRewind && changes > 0 ? parts : parts.slice(0, 1);
  const named = offered.map((part) => `${part[0]} for ${part === "both" ? "both" : `the ${part}`}`);
  for (;;) {
    const wish = (await ask(`${named.join(", ")}, or Enter to cancel: `))?.trim().toLowerCase();
    if (wish === undefined || wish === "") return undefined;
    const wanted = offered.find((part) => part.startsWith(halfWidth(wish)));
    if (wanted !== undefined) return wanted;
    show(`"${oneLine(wish, 60)}" is not one of these.`);
  }
}

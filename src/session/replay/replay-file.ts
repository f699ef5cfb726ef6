/** Replays all runs of one transcript, one after the other. */
import { createCatalog } from "../../model/index.ts";
import type { Message, SnipReplay } from "../../protocol/message.ts";
import type { TranscriptFileSystem } from "../../transcript/index.ts";
import { foldMessageInto } from "../../transcript/fold.ts";
import { RunReader, type RecordedRun } from "../../transcript/runs.ts";
import type { ReplayedSession, ReplayedTurn } from "./report.ts";
import { inferMissingParts } from "./infer-run.ts";
import { replayRun } from "./replay-run.ts";

export type ReplayedFile = Pick<ReplayedSession, "sessionId" | "path" | "turns">;

export interface ReplayFileOptions {
  fs: TranscriptFileSystem;
  snipReplay: SnipReplay;
  onTurn?: ((turn: ReplayedTurn) => void) | undefined;
}

/** Throws `TranscriptError`. */
export async function replayFile(path: string, { fs, snipReplay, onTurn }: ReplayFileOptions): Promise<ReplayedFile> {
  const reader = new RunReader(path, fs, snipReplay);
  const catalog = createCatalog();
  const rooms = {
    infoOf: (model: string) => catalog.info(model),
    fold: (messages: Message[], message: Message) => foldMessageInto(messages, message, snipReplay),
  };
  const turns: ReplayedTurn[] = [];
  try {
    for (let run = reader.next(); run !== undefined; run = reader.next()) {
      const turn = await replayTurn(turns.length + 1, run, rooms);
      turns.push(turn);
      onTurn?.(turn);
    }
  } finally {
    reader.close();
  }
  return { sessionId: reader.sessionId, path, turns };
}

const incompleteInputRemark = "It differs, but its input was not recorded completely, which may be why.";

async function replayTurn(
  turn: number,
  run: RecordedRun,
  rooms: Parameters<typeof replayRun>[2],
): Promise<ReplayedTurn> {
  if (run.damage !== undefined)
    return { turn, decisions: [], outcome: "skipped", remark: `The transcript is damaged here: ${run.damage}.` };
  const completeRun = inferMissingParts(run);
  if (completeRun === undefined) return { turn, decisions: [], outcome: "skipped", remark: "No model answered in it." };
  const { decisions, difference, isCutOff, newNotices } = await replayRun(completeRun.run, completeRun.begin, rooms);
  if (difference !== null && run.begin === undefined)
    return { turn, decisions, outcome: "skipped", difference, remark: incompleteInputRemark };
  if (difference !== null) return { turn, decisions, outcome: "differs", difference };
  const remarks = [
    ...(isCutOff ? ["The process died here."] : []),
    ...(newNotices.length > 0 ? [`Today, people get further notices: ${newNotices.join(", ")}.`] : []),
  ];
  return { turn, decisions, outcome: "same", ...(remarks.length > 0 ? { remark: remarks.join(" ") } : {}) };
}

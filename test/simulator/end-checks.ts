// What must hold between processes: of the file, of what a resume makes of it, and of what a closed session leaves behind.
import { getEventListeners } from "node:events";
import { agentTranscripts, agentEndCounts } from "./agent-checks.ts";
import { checkBill, checkRestored } from "./money-checks.ts";
import type { Seat } from "./seat.ts";
import { resultToken } from "./tools.ts";
import { hasSameMessages, type Block, type Line, type Transcript } from "./transcripts.ts";

/** After a close: nothing of the session is left. */
export function checkClosed(seat: Seat): void {
  const { world, process } = seat;
  const timers = world.scheduler.timersOf(process);
  if (timers.length > 0) seat.addProblem("law 9", `left behind: ${timers.join(", ")}`);
  if (process.mount.faultCount > 0) return;
  if (seat.sideQuestions.size > 0)
    seat.addProblem("law 9", `${seat.sideQuestions.size} questions beside the work are left without an answer`);
  const files = process.mount.openFiles();
  if (files.length > 0) seat.addProblem("law 9", `still open: ${files.join(", ")}`);
  if (process.onExit.size > 0) seat.addProblem("law 9", "the lock is still held");
  const locks = world.disk.paths().filter((path) => path.includes(`${seat.engine.getSessionId()}.lock`));
  if (locks.length > 0) seat.addProblem("law 9", `left behind: ${locks.join(", ")}`);
  for (const call of world.book.calls.values())
    if (call.isRunning && call.process === process && !call.wasToldToEnd)
      seat.addProblem("law 9", `${call.tool} still runs and was not told to end`);
  for (const { signal, what, process: owner } of world.book.signals)
    if (what.startsWith(seat.tag) && owner === process) {
      const listeners = getEventListeners(signal, "abort").length;
      const expectedListeners = [...world.book.calls.values()].some((call) => call.isRunning) ? 2 : 1;
      if (listeners > expectedListeners) seat.addProblem("law 9", `${listeners} listeners on the signal of ${what}`);
    }
}

/** Whether the line is a retraction that comes after its parent, but for what is retracted or not shown by other programs. */
function leadsPastRetracted(lines: readonly Line[], at: number): boolean {
  const { message, parentUuid } = lines[at]!;
  if (message?.type !== "tombstone") return false;
  const between = lines.slice(lines.findIndex(({ uuid }) => uuid === parentUuid) + 1, at);
  const shown = ["user", "assistant", "attachment", "compact_boundary"];
  const stays = (line: Line) => shown.includes(line.message?.type ?? "") && !message.targets?.includes(line.uuid);
  return (parentUuid === null || between.length < at) && !between.some(stays);
}

/**
 * The file alone: whole lines, one after the other, each call with one result, and that the right one. `isOver`: the engine has had
 * its turn to write again what the disk did not take.
 */
export function checkConversation(seat: Seat, isDead: boolean, isOver = true): void {
  const { transcript, process } = seat;
  const { lines, broken } = transcript;
  // What a death tore may be closed off where it cannot be set aside.
  const torn = seat.world.deaths > 0 || process.mount.faultCount > 0 ? 1 : 0;
  if (broken.length > seat.brokenBefore + torn) seat.addProblem("law 10", `unreadable: ${broken.at(-1)}`);
  if (!isDead && transcript.tail !== "" && process.mount.faultCount === 0)
    seat.addProblem("law 10", `a torn end: ${transcript.tail.slice(0, 60)}`);
  const seen = new Set<string>();
  let parent: string | null = null;
  lines.forEach((line, at) => {
    if (seen.has(line.uuid)) seat.addProblem("law 10", `${line.uuid} was recorded twice`);
    seen.add(line.uuid);
    if (at > 0 && line.seq !== lines[at - 1]!.seq + 1)
      seat.addProblem("law 10", `after ${lines[at - 1]!.seq} comes ${line.seq}`);
    if (line.parentUuid !== parent && at > 0 && !leadsPastRetracted(lines, at))
      seat.addProblem("law 10", `${line.type} ${line.uuid} follows ${String(line.parentUuid)}, not ${String(parent)}`);
    if (line.message !== undefined) parent = line.uuid;
  });
  if (isDead) return;
  if (process.mount.faultCount > 0) {
    if (isOver) checkShownResults(seat, transcript);
    return;
  }
  checkPairs(seat, transcript);
  checkAgents(seat);
  checkBill(seat);
  if (!hasSameMessages(seat.engine.getMessages(), transcript.conversation))
    seat.addProblem("law 10", "what is in memory is not what is on disk");
}

/** A session that was opened again: what was recorded is there, what was open is answered, what was paid is known. */
export function checkOpened(seat: Seat): void {
  const { transcript } = seat;
  transcript.takeTail();
  seat.brokenBefore = transcript.broken.length;
  seat.linesBefore = transcript.lines.length;
  seat.restoredUsd = seat.engine.getCost().totalUsd;
  checkRestored(seat);
  checkPairs(seat, transcript);
  if (!hasSameMessages(seat.engine.getMessages(), transcript.conversation))
    seat.addProblem("law 10", "what was resumed is not what is on disk");
  const { lostRecord } = transcript;
  if (lostRecord !== undefined) seat.addProblem("law 2", `${lostRecord} was safe, and is lost`);
}

/** Input that came in the middle of a turn: joined once, or refused by a hook, or handed out again. */
export function checkQueue(seat: Seat, taken: ReadonlySet<string>): void {
  const { sources, uuids, lines } = seat.transcript;
  for (const { uuid } of seat.queued.splice(0)) {
    const joined = (sources.get(uuid) ?? 0) + (uuids.has(uuid) ? 1 : 0);
    const refused = lines.filter(({ message }) => message?.data?.["uuid"] === uuid).length;
    const count = joined + refused + (taken.has(uuid) ? 1 : 0);
    if (joined > 0) seat.world.count("seen", "queued input joined");
    if (count !== 1) seat.addProblem("queue", `${uuid} came through ${count} times`);
  }
}

/** Each agent's own conversation is whole as well, and its end was told once at most. */
function checkAgents(seat: Seat): void {
  // Those of the background go on between turns.
  if (seat.isClosed) for (const transcript of agentTranscripts(seat)) checkPairs(seat, transcript);
  for (const { id, started, reported } of agentEndCounts(seat))
    if (reported > started && seat.linesBefore === 0)
      seat.addProblem("agents", `the end of ${id} was told ${reported} of ${started} times`);
}

/** What was shown of a call is on record once the disk takes it again, which it does between turns. */
export function checkShownResults(seat: Seat, transcript: Transcript): void {
  const { process, world, turn } = seat;
  if (turn?.isClosed === true) return;
  const results = recordedResults(transcript);
  for (const { type, content = [] } of transcript.conversation)
    for (const { type: kind, id = "" } of type === "assistant" ? content : []) {
      const call = world.book.calls.get(id);
      if (kind !== "tool_use" || call?.process !== process || !call.isShown) continue;
      const texts = results.get(id) ?? [];
      world.count("seen", "result after a fault of the disk");
      if (texts.length !== 1 || /outcome is unknown/.test(texts[0]!))
        seat.addProblem(
          "effects",
          `${id} (${call.tool}) was shown, and on record it is ${texts.join(" and ").slice(0, 120)}`,
        );
    }
}

function recordedResults({ conversation }: Transcript): Map<string, string[]> {
  const results = new Map<string, string[]>();
  for (const { type, content = [] } of conversation)
    for (const { type: kind, tool_use_id: id = "", content: said } of type === "user" ? content : [])
      if (kind === "tool_result") results.set(id, [...(results.get(id) ?? []), JSON.stringify(said ?? "")]);
  return results;
}

const hasNotRun = /has not run|had no effect|did not run/i;

function checkPairs(seat: Seat, { conversation, cleared }: Transcript): void {
  const uses = new Map<string, Block>();
  const results = new Map<string, Block[]>();
  for (const { type, content = [], apiError } of conversation) {
    if (apiError !== undefined) continue;
    for (const block of content) {
      if (type === "assistant" && block.type === "tool_use") uses.set(block.id ?? "", block);
      if (type === "user" && block.type === "tool_result")
        results.set(block.tool_use_id ?? "", [...(results.get(block.tool_use_id ?? "") ?? []), block]);
    }
  }
  for (const id of uses.keys()) {
    const count = results.get(id)?.length ?? 0;
    if (count !== 1) seat.addProblem("law 1", `${id} has ${count} results on record`);
  }
  for (const [id, [result]] of results) {
    if (!uses.has(id)) seat.addProblem("law 1", `a result of ${id}, which nobody called`);
    if (result !== undefined) checkHonestResult(seat, id, JSON.stringify(result.content ?? ""), cleared.has(id));
  }
}

/** A result says what happened, and of its own call. */
function checkHonestResult(seat: Seat, id: string, text: string, isCleared: boolean): void {
  const call = seat.world.book.calls.get(id);
  const token = /answer-to-(\w+)/.exec(text)?.[0];
  if (token !== undefined && token !== resultToken(id))
    seat.addProblem("law 1", `${id} has the result of another call: ${token}`);
  if (call === undefined) return;
  // What a call began with may be lost where nothing but the death of a process was reckoned with.
  const mayBeLost = seat.world.hasLostPower && seat.world.plan.durability === "process";
  if (hasNotRun.test(text) && !mayBeLost)
    seat.addProblem("effects", `${id} (${call.tool}) ran, and its result says it did not`);
  const isReplaced = text.includes("changed by a hook") || isCleared;
  // What a full disk did not take is not known from the file, from which a copy of the session is made.
  const isTaken =
    call.process === seat.process && seat.process.mount.faultCount === 0 && !seat.world.book.openWhenCopied.has(id);
  if (call.answered !== null && isTaken && token === undefined && !isReplaced)
    seat.addProblem("effects", `${id} (${call.tool}) answered, and its result is ${text.slice(0, 120)}`);
}

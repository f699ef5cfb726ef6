// What a person does beside prompts: compactions by hand, new beginnings, spans taken out, questions beside the work.
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import { openAgentCalls } from "./agent-checks.ts";
import { checkConversation, checkShownResults, checkOpened } from "./end-checks.ts";
import { checkRewrites } from "./history-checks.ts";
import { modelsOf } from "./plan.ts";
import { sideQuestionMark, type Command, type Seat } from "./seat.ts";
import { neverResolves, type World } from "./world.ts";

type UserAction = (world: World, seat: Seat) => Promise<void>;

const userActions: readonly UserAction[] = [
  compactManually,
  askSideQuestion,
  startNewSession,
  snipSpan,
  compactManually,
  askByCommand,
  appendText,
  branchSession,
  resumeEarlierSession,
  resumeEarlierSession,
];

export async function actBetweenTurns(world: World, seat: Seat): Promise<void> {
  const { choices } = world;
  const isAwaited = seat.engine.openAgents > 0 && choices.chance(50);
  await (isAwaited ? awaitAgents : choices.pick(userActions))(world, seat);
  if (seat.process.isDead) return neverResolves();
}

/** While a user turn goes on: a question, or a span that is to go at the next border. */
export function actDuringTurn(world: World, seat: Seat): void {
  const { choices, scheduler } = world;
  const wait = choices.pick([0, 1, 10, 150, 1_000, 6_000]);
  const action = choices.pick([askSideQuestion, snipSpan, askBesideTurn, changeSettings, chooseModel]);
  scheduler.schedule(wait, "the user does something meanwhile", seat.process, () => void action(world, seat));
}

function cancelLater(world: World, seat: Seat, command: Command, leave: () => void): void {
  const { choices, scheduler } = world;
  if (!choices.chance(20)) return;
  const isLeft = choices.chance(30);
  scheduler.schedule(choices.pick([0, 3, 50, 900]), `${command.name} is cancelled`, seat.process, () => {
    if (seat.command !== command) return;
    if (isLeft) leave();
    else if (seat.engine.interrupt("user")) command.isCancelled = true;
  });
}

async function compactManually(world: World, seat: Seat): Promise<void> {
  const { choices } = world;
  const wish = choices.chance(60) ? `keep what wish ${world.ids.uuid()} names` : undefined;
  const isPrompt = choices.chance(40);
  const command: Command = { name: "a compaction by hand", isCancelled: false };
  seat.command = command;
  const [firstLine, firstRequest] = [seat.transcript.lines.length, seat.requests.length];
  let hasLeft = false;
  cancelLater(world, seat, command, () => {
    hasLeft = true;
  });
  const run = isPrompt
    ? seat.engine.submitMessage(wish === undefined ? "/compact" : `/compact ${wish}`)
    : seat.engine.compact(wish);
  const messages: SDKMessage[] = [];
  for (let step = await run.next(); step.done !== true; step = await run.next()) {
    messages.push(step.value);
    world.trace.add(`shows ${step.value.type}`, JSON.stringify(step.value));
    if (!hasLeft) continue;
    command.isCancelled = true;
    await run.return(undefined as never);
    break;
  }
  if (seat.process.isDead) return neverResolves();
  seat.command = null;
  world.count("between", isPrompt ? "/compact" : "compact");
  // Agents in the background work on beside it.
  const asked = seat.requests.slice(firstRequest).filter(({ isBackground }) => !isBackground);
  if (wish !== undefined && asked.some(({ body }) => !body.includes(wish)))
    seat.addProblem("compaction", "a summary was asked for without what the user wished");
  if (hasLeft) return;
  if (isPrompt) checkCommandResult(seat, messages);
  checkCompaction(seat, messages, firstLine);
}

function checkCompaction(seat: Seat, messages: readonly SDKMessage[], firstLine: number): void {
  const said = messages.flatMap((message) =>
    message.type === "system" && message.subtype === "status" && message.compact_result !== undefined ? [message] : [],
  );
  if (said.length !== 1) seat.addProblem("compaction", `its end was told ${said.length} times`);
  const boundaries = seat.transcript.lines
    .slice(firstLine)
    .flatMap(({ message }) => (message?.type === "compact_boundary" ? [message] : []));
  if (said[0]?.compact_result === "success") {
    const [boundary] = boundaries;
    if (boundaries.length !== 1 || boundary?.["trigger"] !== "manual")
      seat.addProblem("compaction", `by hand it recorded ${boundaries.length} boundaries`);
    else seat.world.count("record", "compact_boundary manual");
    if (boundary !== undefined && Number(boundary.postTokens) >= Number(boundary.preTokens))
      seat.addProblem("law 5", `by hand ${boundary.preTokens} tokens became ${boundary.postTokens}`);
  } else if (boundaries.length > 0 && !seat.isDiskBroken)
    seat.addProblem("compaction", "it failed, and left a boundary");
  checkRewrites(seat, firstLine);
}

/** A command is announced and summed up as a turn is. */
function checkCommandResult(seat: Seat, messages: readonly SDKMessage[]): void {
  const [first, last] = [messages[0], messages.at(-1)];
  if (first?.type !== "system" || first.subtype !== "init") seat.addProblem("law 3", "a command without an init");
  if (last?.type !== "result" || messages.filter(({ type }) => type === "result").length !== 1)
    seat.addProblem("law 3", "a command without its one result");
}

async function askSideQuestion(world: World, seat: Seat): Promise<void> {
  const { choices, scheduler } = world;
  const question = createQuestion(world);
  const controller = new AbortController();
  if (choices.chance(20))
    scheduler.schedule(choices.pick([0, 3, 50, 900]), "a question is taken back", seat.process, () =>
      controller.abort(),
    );
  await withSideQuestion(seat, question, async () => {
    const answer = await seat.engine.sideQuestion(question, { signal: controller.signal });
    if (answer.answered) world.count("seen", "question answered");
    const said = answer.answered ? answer.text : answer.why;
    if (typeof said !== "string" || said === "") seat.addProblem("beside", "a question was answered with nothing");
  });
}

function createQuestion(world: World): string {
  return `What is meant ${sideQuestionMark}${world.ids.uuid()}?`;
}

const closingError = /session was closed|being cleared/;

/** A session that is being closed says so. */
async function withSideQuestion(seat: Seat, question: string, work: () => Promise<void>): Promise<void> {
  const last = seat.requests.findLast(({ isSummary }) => !isSummary);
  seat.sideQuestions.set(question, { last, lines: seat.transcript.lines.length, isBegun: false });
  try {
    await work();
  } catch (error) {
    if (!closingError.test(String(error))) seat.addProblem("beside", `a question threw ${String(error)}`);
  } finally {
    if (!seat.process.isDead) seat.sideQuestions.delete(question);
  }
}

async function askByCommand(world: World, seat: Seat): Promise<void> {
  const messages: SDKMessage[] = [];
  const command: Command = { name: "a question", isCancelled: false };
  seat.command = command;
  const question = createQuestion(world);
  await withSideQuestion(seat, question, async () => {
    for await (const message of seat.engine.submitMessage(`/btw ${question}`)) messages.push(message);
  });
  if (seat.process.isDead) return neverResolves();
  seat.command = null;
  world.count("between", "/btw");
  checkCommandResult(seat, messages);
}

async function askBesideTurn(world: World, seat: Seat): Promise<void> {
  const question = createQuestion(world);
  await withSideQuestion(seat, question, async () => {
    const run = seat.engine.submitBeside(`/btw ${question}`);
    if (run === undefined) return;
    const messages: SDKMessage[] = [];
    for await (const message of run) messages.push(message);
    if (messages.at(-1)?.type !== "result") seat.addProblem("law 3", "a question beside a turn without its result");
    world.count("between", "/btw beside a turn");
  });
}

async function startNewSession(world: World, seat: Seat): Promise<void> {
  const { engine, process } = seat;
  const old = engine.getSessionId();
  const before = seat.requests.length;
  const path = engine.getTranscriptPath() ?? "";
  const { faultCount } = process.mount;
  // At the turn's end the disk may have failed once more: the engine writes again as it leaves the session.
  checkConversation(seat, false, false);
  const command: Command = { name: "a new beginning", isCancelled: false };
  seat.command = command;
  try {
    if (world.choices.chance(50)) await engine.clear();
    else for await (const message of engine.submitMessage("/clear")) world.trace.add(`shows ${message.type}`);
  } catch (error) {
    if (process.mount.faultCount === 0 && !process.isDead) seat.addProblem("clear", `it failed: ${String(error)}`);
  }
  if (process.isDead) return neverResolves();
  seat.command = null;
  if (engine.getSessionId() === old) {
    if (process.mount.faultCount === 0 && !process.isDead) seat.addProblem("clear", "the session is the same");
    return;
  }
  if (faultCount > 0 && process.mount.faultCount === faultCount) checkShownResults(seat, world.transcripts.at(path));
  // A question asked while the old session was closing is the new one's.
  const asked = seat.requests.slice(before).filter(({ isAside }) => isAside);
  seat.sessionReplaced(asked);
  world.count("between", "clear");
  if (engine.getMessages().length > 0) seat.addProblem("clear", "the new session is not empty");
  if (engine.getCost().totalUsd !== 0 && asked.length === 0)
    seat.addProblem("clear", "the new session begins with a bill");
  if (process.mount.faultCount === 0 && world.disk.paths().some((path) => path.includes(`${old}.lock`)))
    seat.addProblem("law 9", "the lock of the old session is still held");
}

/** Said without a turn: the next request holds it. */
async function appendText(world: World, seat: Seat): Promise<void> {
  const uuid = world.ids.uuid();
  try {
    seat.engine.append(`by the way, ${uuid}`, { uuid });
  } catch (error) {
    const { mount, isDead } = seat.process;
    if (mount.faultCount === 0 && !isDead) seat.addProblem("append", `it threw ${String(error)}`);
    return;
  }
  world.count("between", "append");
  if (!seat.transcript.uuids.has(uuid)) seat.addProblem("law 2", "what was appended is not recorded");
}

/** The session goes on as a copy under another id. */
async function branchSession(world: World, seat: Seat): Promise<void> {
  if (seat.transcript.conversation.length === 0) return;
  await switchSession(world, seat, "branch", () => seat.engine.branch());
}

/** An earlier session of this world takes the place of this one. */
async function resumeEarlierSession(world: World, seat: Seat): Promise<void> {
  const currentId = seat.engine.getSessionId();
  const folder = (seat.engine.getTranscriptPath() ?? "").replace(/[^/]*$/, "");
  const others = world.disk
    .paths()
    .flatMap((path) => (path.startsWith(folder) ? [path.slice(folder.length)] : []))
    .flatMap((name) => /^([0-9a-f-]{36})\.jsonl$/.exec(name)?.[1] ?? []);
  const asked = new Set(world.book.requests.map(({ session }) => session));
  const found = others.filter((id) => id !== currentId && asked.has(`${seat.tag} ${id}`));
  if (found.length > 0) await switchSession(world, seat, "resume", () => seat.engine.resume(world.choices.pick(found)));
}

async function switchSession(world: World, seat: Seat, name: string, work: () => Promise<void>): Promise<void> {
  const { engine, process } = seat;
  const old = engine.getSessionId();
  const before = seat.requests.length;
  checkConversation(seat, false);
  const command: Command = { name, isCancelled: false };
  seat.command = command;
  try {
    await work();
  } catch (error) {
    // A session of which nothing was kept is none.
    const isNone = /has no messages|No session/i.test(String(error));
    if (process.mount.faultCount === 0 && !process.isDead && !isNone)
      seat.addProblem(name, `it failed: ${String(error)}`);
  }
  if (process.isDead) return neverResolves();
  seat.command = null;
  if (engine.getSessionId() === old) return;
  world.count("between", name);
  seat.sessionReplaced(seat.requests.slice(before).filter(({ isAside }) => isAside));
  // A copy goes on from the bill of what it is a copy of.
  if (name === "branch") {
    world.book.inherited.set(seat.session, engine.getCost().totalUsd);
    for (const id of openAgentCalls(seat)) world.book.openWhenCopied.add(id);
  }
  checkOpened(seat);
}

/** What the agents of the background say is told to the model with the next prompt. */
async function awaitAgents(world: World, seat: Seat): Promise<void> {
  const { engine } = seat;
  if (engine.openAgents === 0) return;
  world.count("between", "await agents");
  await engine.whenAgentsEnd();
}

/** Counts from the next request on. */
async function chooseModel({ choices, plan }: World, seat: Seat): Promise<void> {
  try {
    seat.chooseModel(choices.pick(modelsOf(plan)));
  } catch (error) {
    if (!closingError.test(String(error))) seat.addProblem("choice", `it threw ${String(error)}`);
  }
}

/** What a person changes while the turn goes on, for the next one or from now on. */
async function changeSettings({ choices, plan }: World, seat: Seat): Promise<void> {
  const { engine } = seat;
  try {
    if (choices.chance(40)) engine.setPermissionMode(choices.pick(["default", "acceptEdits", "dontAsk", "plan"]));
    if (choices.chance(40)) engine.setEffort(choices.pick([undefined, "low", "high", "max"]));
    if (choices.chance(40)) seat.chooseModel(choices.pick(modelsOf(plan)));
  } catch (error) {
    if (!closingError.test(String(error))) seat.addProblem("choice", `it threw ${String(error)}`);
  }
}

async function snipSpan(world: World, seat: Seat): Promise<void> {
  const { choices } = world;
  const { conversation } = seat.transcript;
  const borders = conversation.flatMap(({ type, origin }, at) => (type === "user" && origin === "human" ? [at] : []));
  const entries = borders.length > 1 && choices.chance(80) ? borders.slice(1) : [...conversation.keys()];
  if (entries.length === 0) return;
  const from = choices.pick(entries);
  const to = (entries.find((at) => at > from) ?? conversation.length) - 1;
  const span = { fromUuid: conversation[from]!.uuid, toUuid: conversation[to]!.uuid, reason: "it is done" };
  try {
    const { state } = seat.engine.snip(span);
    world.count("between", `snip ${state}`);
  } catch (error) {
    const isSaid = error instanceof Error && (error.name === "SnipError" || closingError.test(error.message));
    world.count("between", `snip refused`);
    if (!isSaid) seat.addProblem("snip", `it threw ${String(error)}`);
  }
}

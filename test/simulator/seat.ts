// One session in one process, watched: every call of a tool, hook, person or model passes here, and what may not happen is said.
import type { QueryEngine } from "../../src/session/engine.ts";
import type { HttpExchange } from "../../src/session/options/options.ts";
import type { HookEvent } from "../../src/protocol/hook.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { CancelCause } from "../../src/protocol/stop.ts";
import type { ToolContext, ToolInput, ToolResult } from "../../src/protocol/tool.ts";
import type { HookSeen, RequestSeen } from "./book.ts";
import { callingAgent, checkAgentRequest, isAgentRequest, isAgentMessage, transcriptFor } from "./agent-checks.ts";
import { checkRequest } from "./request-checks.ts";
import type { Transcript } from "./transcripts.ts";
import { resultToken } from "./tools.ts";
import type { ModelChoiceSeen, SideQuestion, TurnSeen, Watcher } from "./watcher.ts";
import type { WireRequest } from "./wire-view.ts";
import type { Process, World } from "./world.ts";

/** Calls of the model beside the turn's own: summaries of all kinds. */
const sideRequestKey =
  /^t\d+\.(?:compact|collapse|drain)\b|^summary\.\d+$|^manual\.[\da-f-]+\.compact\b|^tool_use_summary\.\d+$/;

/** What a question beside the work begins with, and nothing else says. */
export const sideQuestionMark = "beside the work, number ";

/** What a hook is asked about a question beside the work. */
export function isSideQuestion({ prompt }: Readonly<Record<string, unknown>>): boolean {
  return typeof prompt === "string" && prompt.includes(sideQuestionMark);
}

/** What is done between two user turns. */
export interface Command {
  name: string;
  isCancelled: boolean;
}

/** How long a call may take, ms: the engine's own limit, or the tool's. */
function timeLimitOf(tool: string): number {
  return tool === "Deaf" ? 20_000 : 30 * 60_000;
}

interface SeatOptions {
  tag: string;
  sessionId: string;
  maySpawn: boolean;
}

export class Seat implements Watcher {
  engine!: QueryEngine;
  turn: TurnSeen | null = null;
  turns = 0;
  command: Command | null = null;
  choice: ModelChoiceSeen | null = null;
  readonly sideQuestions = new Map<string, SideQuestion>();
  spawn: (signal: AbortSignal) => Promise<string> = () => Promise.resolve("nobody");
  requests: RequestSeen[] = [];
  key = "";
  readonly queued: { uuid: string; text: string }[] = [];
  /** Lines of the transcript when it was opened. */
  linesBefore = 0;
  /** The server has answered it, whatever it said. */
  isAnswered = false;
  /** Its close is over. */
  isClosed = false;
  /** Unreadable lines when it was opened. */
  brokenBefore = 0;
  restoredUsd = 0;
  /** Some turn of it was: then the bill may know more than the ledger. */
  hasBeenCancelled = false;
  readonly world: World;
  readonly process: Process;
  readonly tag: string;
  readonly maySpawn: boolean;
  readonly #sessionId: string;

  constructor(world: World, process: Process, { tag, sessionId, maySpawn }: SeatOptions) {
    this.world = world;
    this.process = process;
    this.tag = tag;
    this.maySpawn = maySpawn;
    this.#sessionId = sessionId;
  }

  get sessionId(): string {
    // Hooks are asked while it is being opened.
    const { engine } = this as { engine?: QueryEngine };
    return engine?.getSessionId() ?? this.#sessionId;
  }

  get session(): string {
    return `${this.tag} ${this.sessionId}`;
  }

  /** Another session begins, with a budget of its own. `requests`: what went out while the old one closed may be on its bill. */
  sessionReplaced(requests: RequestSeen[]): void {
    this.requests = requests;
    this.restoredUsd = 0;
    this.brokenBefore = 0;
    this.linesBefore = 0;
    this.hasBeenCancelled = requests.length > 0;
    // A session that goes on takes the model of the options, if they name one.
    this.choice = null;
  }

  chooseModel(model: string): void {
    const isChange = this.engine.getModel() !== model;
    this.engine.setModel(model);
    const isDuringTurn = this.turn !== null && !this.turn.isOver;
    if (isChange) this.choice = { session: this.session, model, isDuringTurn, steps: new Set() };
  }

  get transcript(): Transcript {
    return this.world.transcripts.at(this.engine.getTranscriptPath() ?? "");
  }

  addProblem(law: string, text: string): void {
    this.world.book.addProblem(law, `${this.tag}${this.turn === null ? "" : ` turn ${this.turn.number}`}: ${text}`);
  }

  /** The disk has failed this process in this turn: what could not be recorded is not held against it. */
  get isDiskBroken(): boolean {
    return this.turn === null
      ? this.process.mount.faultCount > 0
      : this.process.mount.faultCount > this.turn.faultsBefore;
  }

  beginTurn(promptUuid: string, prompt: string): TurnSeen {
    this.turn = {
      number: ++this.turns,
      promptUuid,
      prompt,
      messages: [],
      at: [],
      cancel: null,
      heldMs: 0,
      calls: [],
      refused: new Set(),
      refusals: [],
      questions: [],
      hasLeft: false,
      wasStopped: false,
      isTerminated: false,
      isClosed: false,
      isOver: false,
      faultsBefore: this.process.mount.faultCount,
      firstLine: this.transcript.lines.length,
    };
    return this.turn;
  }

  /** From here on nothing new may begin. */
  turnCancelled(cause: CancelCause | "left"): void {
    if (this.turn === null || this.turn.isOver) return;
    this.hasBeenCancelled = true;
    if (cause === "shutdown") this.turn.isClosed = true;
    if (this.turn.cancel !== null) return;
    const { elapsed: at, steps: step } = this.world.scheduler;
    this.turn.cancel = { cause, at, step, lines: this.transcript.lines.length };
    const { turn } = this;
    this.world.scheduler.schedule(120, "a cancel has been heard", this.process, () => this.#checkHeard(turn, cause));
  }

  /** Connections are closed and calls are told; but a submit-interrupt waits for a call that asks for it. */
  #checkHeard(turn: TurnSeen, cause: string): void {
    for (const { record, signal, turn: number, isBackground } of this.requests)
      if (!isBackground && number === turn.number && record?.outcome === "pending" && signal?.aborted === false)
        this.addProblem("§8", "a request goes on after the cancel");
    for (const id of turn.calls) {
      const call = this.world.book.calls.get(id);
      const waits = cause === "interrupt" && call?.tool === "Steady";
      if (call?.isRunning === true && !call.wasToldToEnd && !waits)
        this.addProblem("law 6", `${call.tool} was not told of the cancel`);
    }
  }

  #checkMayBegin(what: string): void {
    const { turn, command } = this;
    if (command !== null) {
      if (command.isCancelled) this.addProblem("law 6", `${what} was begun after ${command.name} was cancelled`);
    } else if (turn === null) this.addProblem("law 6", `${what} was begun outside a turn`);
    else if (turn.isOver) this.addProblem("law 9", `${what} was begun after the turn's end`);
    else if (turn.cancel !== null && !this.#isLeaving(turn.cancel))
      this.addProblem("law 6", `${what} was begun after the cancel (${turn.cancel.cause})`);
  }

  /** Who leaves takes a few microtasks to pass from generator to generator: what begins beside them is ended at once. */
  #isLeaving({ cause, step }: NonNullable<TurnSeen["cancel"]>): boolean {
    return cause === "left" && step === this.world.scheduler.steps;
  }

  requestLeaves(exchange: HttpExchange): RequestSeen {
    const body = Buffer.from(exchange.body).toString();
    const request = JSON.parse(body) as WireRequest;
    const isAgent = isAgentRequest(request);
    const isAside = !isAgent && body.includes(sideQuestionMark);
    const isReply = !isAside && /^t\d+\.model$/.test(this.key);
    const isMain = isReply && !isAgent;
    const isSummary = !isMain;
    if (!isReply && !isAside && !sideRequestKey.test(this.key))
      this.addProblem("§13", `a request under the key ${JSON.stringify(this.key)}`);
    if (this.isClosed) this.addProblem("law 9", "a request was made after the session was closed");
    if (!isAside && !isAgent) this.#checkMayBegin(isSummary ? "a summary" : "a request");
    const transcript = this.transcript;
    const seen: RequestSeen = {
      record: null,
      signal: exchange.signal,
      session: this.session,
      process: this.process,
      turn: this.command === null ? this.turns : 0,
      at: this.world.scheduler.elapsed,
      body,
      model: request.model,
      maxTokens: request.max_tokens,
      isPriced: false,
      lost: null,
      isSummary,
      isAside,
      wantsSummary: !isReply && !isAside,
      agent: isAgent ? "" : null,
      isBackground: isAside || isAgent || this.key.includes(".collapse"),
      lines: transcript.lines.length,
    };
    if (exchange.signal !== undefined) this.recordSignal(exchange.signal, "a request");
    this.world.trace.add(
      `request ${this.tag} ${isAside ? "aside" : isAgent ? "agent" : isSummary ? "summary" : "main"}`,
      body,
    );
    if (isAgent) checkAgentRequest(this, seen, request);
    else checkRequest(this, seen, request);
    if (isMain) this.#markSynced("user");
    this.requests.push(seen);
    this.world.book.requests.push(seen);
    return seen;
  }

  /** What a request is made of is safe before the request leaves, and the start of a call before the call runs. */
  #markSynced(type: "user" | "tool_started"): void {
    if (this.process.mount.faultCount === 0) this.transcript.markSynced(type);
  }

  /** The engine's own line about a request, right before it leaves, begins with its key, after the agent's name if it is an agent's. */
  sawDebugLine(line: string): void {
    const found = /^(?:agent [0-9a-f]+ )?(\S+): \S+ at /.exec(line);
    if (found !== null) this.key = found[1]!;
  }

  recordSignal(signal: AbortSignal, what: string): void {
    this.world.book.signals.push({ signal, process: this.process, what: `${this.tag} ${what}` });
  }

  toolStarts(tool: string, isSafe: boolean, input: ToolInput, { toolUseId, signal, key }: ToolContext): void {
    const { book, trace } = this.world;
    const agent = callingAgent(this, toolUseId);
    const session = agent ?? this.session;
    if (this.isClosed) this.addProblem("law 9", `${tool} was begun after the session was closed`);
    if (agent === undefined) this.#checkMayBegin(`${tool} ${toolUseId}`);
    this.recordSignal(signal, tool);
    trace.add(`tool ${tool} ${toolUseId} begins`, JSON.stringify(input));
    const known = book.calls.get(toolUseId);
    if (known !== undefined) {
      known.starts++;
      this.addProblem("law 1", `${toolUseId} ran ${known.starts} times`);
      return;
    }
    const running = [...book.calls.values()].filter(
      (call) => call.isRunning && call.process === this.process && call.session === session,
    );
    // One that was given up may go on in the back: nobody waits for it any more.
    const alive = running.filter((call) => !call.wasToldToEnd);
    if (alive.some((call) => !call.isSafe) || (!isSafe && alive.length > 0))
      this.addProblem("§11", `${tool} began beside ${alive.map((call) => call.tool).join(", ")}`);
    if (alive.length > 0) this.world.count("seen", "calls side by side");
    if (agent !== undefined) this.world.count("seen", "call of an agent");
    if (this.requests.at(-1)?.record?.outcome === "pending") this.world.count("seen", "early start");
    if (alive.length >= 10) this.addProblem("§11", `${alive.length + 1} calls at once`);
    book.calls.set(toolUseId, {
      id: toolUseId,
      tool,
      isSafe,
      session,
      process: this.process,
      key,
      starts: 1,
      isRunning: true,
      answered: null,
      wasToldToEnd: false,
      isShown: false,
      at: this.world.scheduler.elapsed,
    });
    signal.addEventListener("abort", () => this.#markToldToEnd(toolUseId), { once: true });
    if (agent === undefined) {
      this.turn?.calls.push(toolUseId);
      this.#markSynced("tool_started");
    }
    this.#checkStart(tool, toolUseId, input);
  }

  #markToldToEnd(toolUseId: string): void {
    const call = this.world.book.calls.get(toolUseId);
    if (call?.isRunning === true) call.wasToldToEnd = true;
  }

  #checkStart(tool: string, toolUseId: string, input: ToolInput): void {
    const { conversation, started } = transcriptFor(this, callingAgent(this, toolUseId));
    const isRecorded = conversation.some((entry) =>
      entry.content?.some((block) => block.type === "tool_use" && block.id === toolUseId),
    );
    if (!isRecorded) this.addProblem("law 2", `${tool} ${toolUseId} ran before its call was recorded`);
    if (!started.has(toolUseId)) this.addProblem("law 2", `${tool} ${toolUseId} ran before its start was recorded`);
    if (input["seal"] !== `seal-${String(input["n"])}`)
      this.addProblem("I8", `${tool} ran with the input ${JSON.stringify(input)}`);
    if (this.turn?.refused.has(toolUseId) === true)
      this.addProblem("permission", `${tool} ${toolUseId} ran although it was refused`);
    for (const hook of this.world.book.hooks) {
      if (hook.toolUseId !== toolUseId || hook.event !== "PreToolUse" || hook.process !== this.process) continue;
      if (["deny", "block", "prevent"].includes(hook.kind))
        this.addProblem("hooks", `${tool} ran although a hook answered ${hook.kind}`);
    }
  }

  toolEnds({ toolUseId, signal }: ToolContext, result: ToolResult | null): void {
    const call = this.world.book.calls.get(toolUseId);
    this.world.trace.add(`tool ${toolUseId} ends`, JSON.stringify(result) ?? "");
    if (call === undefined) return;
    call.isRunning = false;
    const took = this.world.scheduler.elapsed - call.at;
    if (took > timeLimitOf(call.tool) + 1_000 && !call.wasToldToEnd)
      this.addProblem("law 8", `${call.tool} took ${took} ms and was not told to end`);
    const text = JSON.stringify(result ?? "");
    if (!signal.aborted && !call.wasToldToEnd && text.includes(resultToken(toolUseId))) call.answered = text;
  }

  hookAsked(event: HookEvent, input: Record<string, unknown>, signal: AbortSignal): HookSeen {
    const { book, trace } = this.world;
    trace.add(`hook ${event}`, JSON.stringify(input));
    // These two are told of an end.
    const isAgent = typeof input["agent_id"] === "string";
    // That an agent of the background has ended is told whenever it does.
    const isNews = event === "Notification" && this.world.plan.crew !== null;
    // Of a question beside the work they are asked whenever that is.
    if (event !== "SessionEnd" && event !== "StopFailure" && !isAgent && !isNews && !isSideQuestion(input))
      this.#checkMayBegin(`a ${event} hook`);
    this.recordSignal(signal, `hook ${event}`);
    const hasBlocked = this.turn?.messages.some(
      (message) =>
        message.type === "system" &&
        message.subtype === "transition" &&
        message.transition.reason === "stop_hook_blocking",
    );
    if (event === "Stop" && input["stop_hook_active"] !== hasBlocked)
      this.addProblem("hooks", `stop_hook_active is ${String(input["stop_hook_active"])}`);
    const id = input["tool_use_id"];
    const seen: HookSeen = {
      event,
      session: isAgent ? `agent ${String(input["agent_id"])}` : this.session,
      process: this.process,
      turn: this.turns,
      at: this.world.scheduler.elapsed,
      settledAt: null,
      wasEnded: false,
      answer: null,
      kind: "none",
      toolUseId: typeof id === "string" ? id : undefined,
      input,
    };
    book.hooks.push(seen);
    return seen;
  }

  sawMessage(message: SDKMessage): void {
    const { turn } = this;
    if (turn === null) return;
    if (isAgentMessage(message))
      return this.world.trace.add(`shows ${message.type} of an agent`, JSON.stringify(message));
    turn.messages.push(message);
    turn.at.push(this.world.scheduler.elapsed);
    for (const id of message.type === "user" ? answeredToolUses(message) : []) {
      const call = this.world.book.calls.get(id);
      if (call !== undefined && JSON.stringify(message).includes(resultToken(id))) call.isShown = true;
    }
    this.world.trace.add(`shows ${message.type}`, JSON.stringify(message));
  }
}

/** Calls whose results it holds. */
export function answeredToolUses({ message: { content } }: Extract<SDKMessage, { type: "user" }>): string[] {
  if (typeof content === "string") return [];
  return content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
}

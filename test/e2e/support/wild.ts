/**
 * A model that always finds another tool to call, behind a server with every fault in the book at random points, and that
 * checks each request as a strict server would: validity, a stable prefix, its own words back unchanged, no call run twice.
 */
import {
  bytesBreak,
  prefixBreak,
  prefixOf,
  problemsOf,
  sign,
  blocksOf,
  type Json,
  type WireRequest,
} from "./strict.ts";
import { errorBody, messageEvents, type Answer, type ReceivedRequest, type Look } from "./wire.ts";

export interface WildOptions {
  seed: number;
  /** The number of turns with tool calls for each prompt. */
  turns: number;
  /** The share of requests that meet a fault. */
  faults: number;
  /** Whether some answers pause in the middle. Default true. */
  pauses?: boolean;
  /** The number of bytes above which a request is too long. The client then shortens the conversation, so that prefixes are not compared. */
  mostBytes?: number;
}

/** The generator mulberry32: small, and the same on every machine. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

interface Sent {
  /** The blocks as they must come back, without a call that was cut. */
  blocks: Json[];
  /** The blocks that a stopped client may have kept, if there are more. */
  possible?: Json[];
  /** The connection may have lost the last blocks. */
  mayBeCut: boolean;
  /** No block of the answer may come back. */
  isVoid: boolean;
  /** A text may come back cut where the client was stopped. */
  mayBePartial?: true;
}

const odd = ["functions.Read", "Bash ", "日本語", "", "x".repeat(90), "Read/../Write", "multi_tool_use.parallel"];

export class Wild {
  readonly violations: string[] = [];
  readonly counts: Record<string, number> = {};
  /** The marks of the shell calls that were sent. */
  readonly tokens = new Set<string>();
  readonly #options: WildOptions;
  readonly #random: () => number;
  #previous: { request: ReceivedRequest; sent: Sent | null } | null = null;
  #row = 0;
  #next = 0;
  /** The progress of the task, which a shortened conversation does not show. */
  #counts = { ends: 0, turns: 0 };

  constructor(options: WildOptions) {
    this.#options = options;
    this.#random = createRandom(options.seed);
  }

  answer(asked: ReceivedRequest): Answer {
    if (!asked.path.endsWith("/messages"))
      return { kind: "plain", status: 404, body: errorBody("not_found_error", "no such path") };
    this.#count("requests");
    this.#check(asked);
    const shortened = this.#options.mostBytes === undefined ? null : this.#shortening(asked, this.#options.mostBytes);
    if (shortened !== null) return shortened;
    const fault = this.#row < 4 && this.#random() < this.#options.faults ? this.#fault(asked) : null;
    this.#row = fault === null ? 0 : this.#row + 1;
    const { answer, sent } = fault ?? this.#reply(asked);
    this.#previous = { request: asked, sent };
    return answer;
  }

  /** Answers a request that is too long, or that asks for a summary. Null for any other request. */
  #shortening(request: ReceivedRequest, mostBytes: number): Answer | null {
    const [opened, closed] = [this.#previous?.sent, request.body.messages.at(-1)!];
    const isSummary = /the conversation is about to be shortened/.test(JSON.stringify(closed));
    if (request.text.length > mostBytes) {
      this.#count("too long");
      const text = `prompt is too long: ${request.text.length} tokens > ${mostBytes} maximum`;
      return { kind: "plain", status: 400, body: errorBody("invalid_request_error", text) };
    }
    if (isSummary) {
      this.#count("summary");
      return { kind: "stream", events: messageEvents([{ type: "text", text: "What was done so far. ".repeat(20) }]) };
    }
    const isAnswered = blocksOf(closed).some((block) => block["type"] === "tool_result");
    if (opened?.blocks.some((block) => block["type"] === "tool_use") === true && isAnswered) this.#counts.turns++;
    return null;
  }

  /** Call when the client was killed: it may have recorded any part of the last answer, or none. */
  clientDied(): void {
    const sent = this.#previous?.sent;
    if (sent !== null && sent !== undefined) {
      sent.blocks = sent.possible ?? sent.blocks;
      sent.mayBeCut = true;
      sent.isVoid = false;
      sent.mayBePartial = true;
    }
  }

  #count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }

  #blame(problem: string): void {
    this.violations.push(`request ${this.counts["requests"]}: ${problem}`);
  }

  #check(request: ReceivedRequest): void {
    for (const problem of problemsOf(request.body)) this.#blame(problem);
    const { "content-type": type, "x-api-key": key, "anthropic-version": version } = request.headers;
    if (type !== "application/json" || key === undefined || version === undefined) this.#blame("headers");
    if (this.#previous === null || this.#options.mostBytes !== undefined) return;
    const { request: before, sent } = this.#previous;
    const broken = prefixBreak(before.body, request.body) ?? bytesBreak(before.text, request.text);
    if (broken !== null) return this.#blame(`the prefix changed: ${broken}`);
    const added = prefixOf(request.body).slice(prefixOf(before.body).length);
    this.#checkEcho(added, sent);
  }

  /** The last answer must come back unchanged, or not at all if it failed. */
  #checkEcho(added: readonly string[], sent: Sent | null): void {
    const echoed = added
      .filter((part) => part.startsWith("assistant "))
      .map((part) => JSON.parse(part.slice(10)) as Json);
    if (sent === null || sent.isVoid) {
      if (echoed.length > 0) this.#blame(`an answer that failed came back: ${JSON.stringify(echoed).slice(0, 300)}`);
      return;
    }
    if (sent.mayBeCut ? echoed.length > sent.blocks.length : echoed.length !== sent.blocks.length)
      return this.#blame(`${echoed.length} blocks came back of ${sent.blocks.length}`);
    for (const [at, block] of echoed.entries()) {
      const own = sent.blocks[at]!;
      const same =
        block["type"] === "tool_use"
          ? own["type"] === "tool_use" && JSON.stringify(block["input"]) === JSON.stringify(own["input"])
          : JSON.stringify(block) === JSON.stringify(own) || (sent.mayBePartial && isPartOf(block, own));
      if (!same)
        this.#blame(
          `block ${at} came back as ${JSON.stringify(block).slice(0, 300)}, not ${JSON.stringify(own).slice(0, 300)}`,
        );
    }
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)]!;
  }

  #maybe(share: number): boolean {
    return this.#random() < share;
  }

  #fault(request: ReceivedRequest): { answer: Answer; sent: Sent | null } {
    const overloaded = errorBody("overloaded_error", "Overloaded");
    const limited = errorBody("rate_limit_error", "Slow down");
    const failures: [string, () => Answer][] = [
      ["429", () => ({ kind: "plain", status: 429, body: limited })],
      ["429 retry-after 0", () => ({ kind: "plain", status: 429, headers: { "retry-after": "0" }, body: limited })],
      [
        "429 retry-after-ms",
        () => ({ kind: "plain", status: 429, headers: { "retry-after-ms": "25" }, body: limited }),
      ],
      ["429 no json", () => ({ kind: "plain", status: 429, headers: { "content-type": "text/plain" }, body: "slow" })],
      ["529", () => ({ kind: "plain", status: 529, body: overloaded })],
      ["500", () => ({ kind: "plain", status: 500, body: errorBody("api_error", "Internal server error") })],
      ["500 empty", () => ({ kind: "plain", status: 500, body: "" })],
      [
        "502",
        () => ({ kind: "plain", status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad Gateway" }),
      ],
      [
        "503 html",
        () => ({
          kind: "plain",
          status: 503,
          headers: { "content-type": "text/html" },
          body: "<html><title>503</title>",
        }),
      ],
      ["reset", () => ({ kind: "reset" })],
      ["html 200", () => ({ kind: "plain", status: 200, headers: { "content-type": "text/html" }, body: "<p>login" })],
      ["empty 200", () => ({ kind: "stream", events: [] })],
      [
        "error event first",
        () => ({ kind: "stream", events: [{ type: "error", error: { type: "overloaded_error", message: "x" } }] }),
      ],
    ];
    if (this.#maybe(0.5)) {
      const [name, make] = this.#pick(failures);
      this.#count(name);
      return { answer: make(), sent: null };
    }
    return this.#cut(request);
  }

  /** A good answer that ends too early, at a random event. */
  #cut(request: ReceivedRequest): { answer: Answer; sent: Sent } {
    const { answer, sent } = this.#reply(request, true);
    if (answer.kind !== "stream") return { answer, sent };
    const keep = Math.floor(this.#random() * (answer.events.length - 1));
    const events = answer.events.slice(0, keep);
    const stopped = events.filter((event) => event["type"] === "content_block_stop").length;
    const whole = sent.blocks.slice(0, stopped);
    const isVoid = !whole.some((block) => block["type"] === "tool_use");
    const how = this.#pick(["end", "reset", "error", "broken", "half"] as const);
    this.#count(`cut ${how}`);
    if (how === "error") events.push({ type: "error", error: { type: "api_error", message: "broke" } });
    // An incomplete event.
    if (how === "half") events.push({ type: "content_block_delta", index: 99, delta: { type: "text_delta" } });
    const last = how === "reset" || how === "half" ? "reset" : "end";
    return {
      answer: { ...answer, events, last },
      sent: { blocks: whole, possible: sent.blocks, mayBeCut: true, isVoid },
    };
  }

  /** `whole`: without blocks that come back in another form. */
  #reply(request: ReceivedRequest, whole = false): { answer: Answer; sent: Sent } {
    const { mostBytes } = this.#options;
    const { ends, turns } = this.#counts;
    const task = tasksOf(request.body);
    if (mostBytes !== undefined) Object.assign(task, { number: ends + 1, turns });
    if (!task.isPaused && task.turns >= this.#options.turns) return this.#end(task.number);
    if (task.isPaused) return this.#stream(this.#afterPause(request), "tool_use");
    if (!whole && this.#options.pauses !== false && this.#maybe(0.03)) return this.#pause();
    if (!whole && this.#maybe(0.04)) return this.#overLimit(request);
    const blocks = this.#blocks(request, whole);
    return this.#stream(blocks, this.#maybe(0.1) ? "end_turn" : "tool_use");
  }

  /** Ends the turn in one of several ways, some of them strange. */
  #end(number: number): { answer: Answer; sent: Sent } {
    this.#counts = { ends: this.#counts.ends + 1, turns: 0 };
    const stop = ["end_turn", "tool_use", "end_turn", "stop_sequence"][number % 4]!;
    const blocks = number % 4 === 2 ? [] : [{ type: "text", text: `Task ${number} is done. ✅` }];
    this.#count(`end ${stop} ${blocks.length}`);
    return this.#stream(blocks, stop);
  }

  #stream(blocks: Json[], stopReason: string): { answer: Answer; sent: Sent } {
    const splits = 1 + Math.floor(this.#random() * 6);
    const usage = this.#pick<Json | undefined>([
      undefined,
      { input_tokens: 5 },
      {
        input_tokens: 9,
        output_tokens: 1,
        cache_read_input_tokens: null,
        cache_creation_input_tokens: null,
        server_tool_use: null,
      },
      { input_tokens: 9, output_tokens: 0, cache_read_input_tokens: 4000, service_tier: "standard" },
    ]);
    const endUsage = this.#pick<Json | null>([
      { output_tokens: 30 },
      null,
      {},
      { output_tokens: 12, input_tokens: null },
    ]);
    const id = this.#maybe(0.1) ? "msg_always_the_same" : `msg_${this.#next++}`;
    const events = messageEvents(blocks, {
      id,
      stopReason,
      splits,
      endUsage,
      ...(usage === undefined ? {} : { usage }),
    });
    const kept = blocks.filter((block) => block["type"] !== "text" || String(block["text"]).trim() !== "");
    return {
      answer: { kind: "stream", events, look: this.#look() },
      sent: { blocks: kept.map(asSentBack), mayBeCut: false, isVoid: false },
    };
  }

  #look(): Look {
    const look: Look = {
      eol: this.#pick(["\n", "\n", "\r\n", "\r"] as const),
      noise: this.#maybe(0.4),
      unnamed: this.#maybe(0.1),
      contentType: this.#pick([
        "text/event-stream",
        "text/event-stream; charset=utf-8",
        "Text/Event-Stream;charset=UTF-8",
      ]),
    };
    const chunk = this.#pick([undefined, undefined, 1, 2, 7, 1000]);
    if (chunk !== undefined) look.chunk = chunk;
    return look;
  }

  #blocks(request: ReceivedRequest, whole: boolean): Json[] {
    const blocks: Json[] = [];
    const add = (block: Json): void => void blocks.push(block);
    const before = prefixOf(request.body);
    if (this.#maybe(0.5)) add(this.#thinking(before, blocks));
    if (this.#maybe(0.1)) add({ type: "redacted_thinking", data: "aGlkZGVu" });
    if (this.#maybe(0.5))
      add({ type: "text", text: this.#pick(["On.", "Weiter – ünïcödé 😀😀 \u2028 end", " ", "a\nb\r\nc\u0000d"]) });
    if (this.#maybe(0.1) && !whole) add({ type: "text", text: "" });
    const plain = this.#maybe(0.7);
    for (let left = 1 + Math.floor(this.#random() * 6); left > 0; left--) {
      add(this.#call(plain));
      if (plain && this.#maybe(0.1)) add(this.#thinking(before, blocks));
    }
    // Thinking is never last.
    if (/thinking/.test(String(blocks.at(-1)?.["type"]))) blocks.pop();
    return blocks;
  }

  #thinking(before: readonly string[], blocks: readonly Json[]): Json {
    const thinking = this.#pick(["", "Let me think.", "Hm … 🤔", "x".repeat(3000)]);
    const own = blocks.filter((block) => block["type"] !== "text" || String(block["text"]).trim() !== "");
    const all = [...before, ...own.map((block) => `assistant ${JSON.stringify(asSentBack(block))}`)];
    return { type: "thinking", thinking, signature: sign(all, thinking) };
  }

  #call(plain: boolean): Json {
    const id = !plain && this.#maybe(0.3) ? "toolu_twice" : `toolu_${this.#next++}`;
    const use = (name: string, input: Json, raw?: string): Json => ({
      type: "tool_use",
      id,
      name,
      input,
      ...(raw === undefined ? {} : { raw }),
    });
    const kind = this.#pick(["mark", "mark", "mark", "mark", "read", "grep", "glob", "todo", "write", "wrong"]);
    switch (kind) {
      case "mark": {
        const token = `m${this.#next++}`;
        this.tokens.add(token);
        return use("Bash", { command: `./mark ${token}`, description: "Ünicode 😀" });
      }
      case "read":
        return use("Read", {
          file_path: this.#pick(["notes.txt", "none.txt", "."]),
          ...(this.#maybe(0.3) ? { limit: 1 } : {}),
        });
      case "grep":
        return use("Grep", { pattern: this.#pick(["note", "(", "zzz"]), output_mode: "content" });
      case "glob":
        return use("Glob", { pattern: "*" });
      case "todo":
        return use("TodoWrite", { todos: [{ content: "a", status: "pending", activeForm: "b" }] });
      case "write":
        return use("Write", { file_path: `out/${this.#next++}.txt`, content: "x\n" });
      default:
        if (plain) return use("Read", { file_path: 7, extra: null });
        return this.#pick([
          () => use(this.#pick(odd), { file_path: "notes.txt" }),
          () => use("Read", {}, '{"file_path": "notes'),
          () => use("Bash", {}, "[1,2]"),
          () => use("Bash", { command: "" }),
          () => use("Edit", {}),
        ])();
    }
  }

  /** Reaches the output limit in the middle of a call, with or without a complete call before it. */
  #overLimit(request: ReceivedRequest): { answer: Answer; sent: Sent } {
    const calls = this.#maybe(0.5) ? [this.#call(true)] : [];
    const blocks: Json[] = [{ type: "text", text: "Much to write." }, ...calls];
    const cut = {
      type: "tool_use",
      id: `toolu_${this.#next++}`,
      name: "Write",
      input: {},
      raw: '{"file_path":"out/cut.txt","content":"never',
    };
    const events = messageEvents([...blocks, cut], { id: `msg_${this.#next++}`, stopReason: "max_tokens" });
    // Some servers end the block that was cut, and some do not.
    if (this.#maybe(0.5))
      events.splice(
        events.findLastIndex((event) => event["type"] === "content_block_stop"),
        1,
      );
    this.#count(`over the limit after ${calls.length} calls`);
    // At the default limit the client sends the request again with a higher limit; at that limit it keeps and continues the answer.
    const isAgain = calls.length === 0 && request.body.max_tokens <= 8_000;
    const possible = blocks.map(asSentBack);
    const sent = { blocks: isAgain ? [] : possible, possible, mayBeCut: false, isVoid: isAgain };
    return { answer: { kind: "stream", events, look: this.#look() }, sent };
  }

  #pause(): { answer: Answer; sent: Sent } {
    this.#count("pause_turn");
    const search = {
      type: "server_tool_use",
      id: `srvtoolu_${this.#next++}`,
      name: "web_search",
      input: { query: "q" },
    };
    return this.#stream([{ type: "text", text: "I search." }, search], "pause_turn");
  }

  #afterPause(request: ReceivedRequest): Json[] {
    const open = blocksOf(request.body.messages.at(-1)!).at(-1)!;
    const result = { type: "web_search_tool_result", tool_use_id: open["id"], content: [] };
    return [result, { type: "text", text: "Found." }, this.#call(true)];
  }
}

function isPartOf(block: Json, part: Json): boolean {
  return block["type"] === "text" && part["type"] === "text" && String(part["text"]).startsWith(String(block["text"]));
}

/** Returns the block as a client must send it back. */
function asSentBack(block: Json): Json {
  const { raw, ...rest } = block;
  return typeof raw === "string" ? { ...rest, input: {} } : rest;
}

/** The prompts are "task 1", "task 2", …: returns the number of the current one, and how many turns it has had. */
function tasksOf(request: WireRequest): { number: number; turns: number; isPaused: boolean } {
  let number = 0;
  let turns = 0;
  for (const message of request.messages) {
    for (const block of blocksOf(message)) {
      const task = message.role === "user" && block["type"] === "text" && /^task (\d+)$/.exec(String(block["text"]));
      if (!task) continue;
      number = Number(task[1]);
      turns = 0;
    }
    if (message.role === "assistant" && blocksOf(message).some((block) => block["type"] === "tool_use")) turns++;
  }
  return { number, turns, isPaused: request.messages.at(-1)?.role === "assistant" };
}

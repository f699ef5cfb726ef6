/**
 * Finds out why the server did not find in its cache what the conversation's last request had left there, by comparing the two requests.
 * Loaded only if a debug file or a collector reads it.
 */
import type { ApiMessage, ModelPort, ModelRequest, ModelStream } from "../protocol/model.ts";
import type { ToolDefinition } from "../protocol/tool.ts";
import type { Usage } from "../protocol/usage.ts";
import type { CacheTtl } from "./anthropic/serialize.ts";
import { mapModelSteps, withStream } from "./with-stream.ts";
import { isSameJson } from "../lib/is-same-json.ts";

/** `expired`: nothing differs, but the entry's time was over. `unknown`: nothing differs, and the entry should still have been there. */
export type CacheMissReason =
  | "model_changed"
  | "tools_changed"
  | "system_changed"
  | "parameters_changed"
  | "messages_changed"
  | "expired"
  | "unknown";

export interface CacheMiss {
  reason: CacheMissReason;
  /** What differs, for the debug file. */
  detail: string;
  /** `expected`: tokens that the last request left in the cache. `read`: how many of them were found. */
  expected: number;
  read: number;
  idleMs: number;
  request: ModelRequest;
}

export interface CacheWatchOptions {
  /** In ms. */
  clock: { elapsed(): number };
  ttl: CacheTtl;
  reportMiss: (miss: CacheMiss) => void;
}

/** A shortfall of fewer tokens is not worth a line. */
const minReportedShortfall = 1_000;
const lifetimeMs = { "5m": 5 * 60_000, "1h": 60 * 60_000 } as const satisfies Record<CacheTtl, number>;

/** Wraps a model so that it is watched. All its requests must belong to one conversation. */
export function watchCache(model: ModelPort, options: CacheWatchOptions): ModelPort {
  const watch = new CacheWatch(options);
  return withStream(model, (request, signal) => watch.passThrough(model.stream(request, signal), request));
}

/** A request that was answered, and the tokens it left in the cache. */
interface AnsweredRequest {
  request: ModelRequest;
  tokens: number;
}

class CacheWatch {
  readonly #options: CacheWatchOptions;
  #last: AnsweredRequest | undefined;
  /** When the cache entry was last used. */
  #usedAt = 0;

  constructor(options: CacheWatchOptions) {
    this.#options = options;
  }

  passThrough(stream: ModelStream, request: ModelRequest): ModelStream {
    const now = this.#options.clock.elapsed();
    return mapModelSteps(stream, (step) => {
      if (step.done === true && step.value.ok) this.#recordAnswer(request, step.value.usage, now);
      return step;
    });
  }

  #recordAnswer(request: ModelRequest, usage: Usage, now: number): void {
    const read = usage.cacheReadInputTokens;
    const last = this.#last;
    const idleMs = now - this.#usedAt;
    this.#last = { request, tokens: read + usage.cacheCreationInputTokens };
    this.#usedAt = now;
    if (last === undefined || last.tokens - read < minReportedShortfall) return;
    const found = findDifference(last.request, request) ?? this.#missWithoutDifference(idleMs);
    this.#options.reportMiss({ ...found, expected: last.tokens, read, idleMs, request });
  }

  #missWithoutDifference(idleMs: number): MissCause {
    const { ttl } = this.#options;
    const text = `the last request was ${Math.round(idleMs / 1_000)} s before, entries are kept for ${ttl}`;
    return { reason: idleMs >= lifetimeMs[ttl] ? "expired" : "unknown", detail: text };
  }
}

type MissCause = Pick<CacheMiss, "reason" | "detail">;

/** Compares in the order of the prompt; a difference that invalidates all of it comes first. */
function findDifference(before: ModelRequest, now: ModelRequest): MissCause | undefined {
  if (before.model !== now.model) return { reason: "model_changed", detail: `${before.model}, now ${now.model}` };
  const tools = describeToolChanges(before.tools, now.tools);
  if (tools !== undefined) return { reason: "tools_changed", detail: tools };
  if (!isSameJson(before.system, now.system)) return { reason: "system_changed", detail: "the system prompt" };
  const parameters = (["thinking", "effort", "speed", "betas"] as const).filter(
    (key) => !isSameJson(before[key], now[key]),
  );
  if (parameters.length > 0) return { reason: "parameters_changed", detail: parameters.join(", ") };
  const at = firstChangedIndex(before.messages, now.messages);
  if (at === undefined) return undefined;
  const where = `message ${at + 1} of the ${before.messages.length} that were sent before`;
  return { reason: "messages_changed", detail: where };
}

function describeToolChanges(before: readonly ToolDefinition[], now: readonly ToolDefinition[]): string | undefined {
  if (isSameJson(before, now)) return undefined;
  const old = new Map(before.map((tool) => [tool.name, tool]));
  const present = new Set(now.map(({ name }) => name));
  const removed = before.filter(({ name }) => !present.has(name)).map(({ name }) => `-${name}`);
  const added = now.filter(({ name }) => !old.has(name)).map(({ name }) => `+${name}`);
  const changed = now.filter((tool) => old.has(tool.name) && !isSameJson(old.get(tool.name), tool));
  return [...removed, ...added, ...changed.map(({ name }) => `~${name}`)].join(" ") || "their order";
}

/** Returns the index of the first earlier message that changed or is missing; the last one may have grown. */
function firstChangedIndex(before: readonly ApiMessage[], now: readonly ApiMessage[]): number | undefined {
  const at = before.findIndex((message, index) => {
    const present = now[index];
    if (present === message) return false;
    if (present === undefined || present.role !== message.role) return true;
    return !message.content.every((block, place) => isSameJson(block, present.content[place]));
  });
  return at === -1 ? undefined : at;
}

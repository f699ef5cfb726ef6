/**
 * The prompt cache by its published rules: entries are written only at breakpoints, a breakpoint looks back twenty
 * positions (itself included) for an earlier entry, short prefixes are silently not cached, entries expire, and each
 * part of the prompt is invalidated by the parameters that the documentation lists for it.
 */
import type { ModelTraits } from "../models.ts";
import { digestKey, digestText, emptyDigest, extendDigest, type Digest } from "../wire/digest.ts";
import type { BlockFacts, CacheTtl } from "../wire/facts.ts";
import type { Prompt } from "../wire/prompt.ts";
import { isObject, type WireRequest } from "../wire/types.ts";
import { tokensOfBytes, tokensOfImage, tokensPerPdfPage } from "./tokens.ts";

export interface CacheFigures {
  promptTokens: number;
  readTokens: number;
  write5mTokens: number;
  write1hTokens: number;
  /** Number of breakpoints in the request, the automatic one included. */
  breakpoints: number;
  /** Share of the prompt that was read, 0 to 1. */
  readShare: number;
}

/** Entries to be written, and the entry to be refreshed, once the response begins. */
export interface PendingWrites {
  entries: { key: string; ttl: CacheTtl }[];
  read: string | undefined;
  startedAt: number;
}

interface Entry {
  ttl: CacheTtl;
  expiresAt: number;
}

const lifetimesMs: Record<CacheTtl, number> = { "5m": 5 * 60_000, "1h": 60 * 60_000 };
const lookback = 20;

/** One workspace's cache. Entries of different models never meet, since the model is part of the key. */
export class PromptCache {
  readonly #entries = new Map<string, Entry>();

  /**
   * Accounts for one request. Its writes and refreshes only take effect with `commit`, because an entry becomes readable only once
   * the response that wrote it has begun.
   *
   * @param now start of the request in milliseconds; lifetimes count from it.
   */
  account(
    body: WireRequest,
    prompt: Prompt,
    traits: ModelTraits,
    bytesPerToken: number,
    now: number,
  ): { figures: CacheFigures; pending: PendingWrites } {
    const layout = new PromptLayout(body, prompt, traits, bytesPerToken);
    const marks = layout.marks.filter((mark) => (layout.tokens[mark.index] as number) >= traits.cacheMinimum);
    const read = this.#longestRead(layout, marks, now);
    const pending: PendingWrites = {
      entries: [],
      read: read === undefined ? undefined : layout.key(read),
      startedAt: now,
    };
    const figures: CacheFigures = {
      promptTokens: layout.total,
      readTokens: read === undefined ? 0 : (layout.tokens[read] as number),
      write5mTokens: 0,
      write1hTokens: 0,
      breakpoints: layout.marks.length,
      readShare: 0,
    };
    let covered = figures.readTokens;
    for (const mark of marks) {
      // Observed on the real service: a prefix that ends with a mid-conversation system message is written, but never found.
      if (!mark.isTrailingSystem) pending.entries.push({ key: layout.key(mark.index), ttl: mark.ttl });
      const upTo = layout.tokens[mark.index] as number;
      if (upTo <= covered) continue;
      if (mark.ttl === "1h") figures.write1hTokens += upTo - covered;
      else figures.write5mTokens += upTo - covered;
      covered = upTo;
    }
    figures.readShare = layout.total === 0 ? 0 : figures.readTokens / layout.total;
    return { figures, pending };
  }

  commit(pending: PendingWrites): void {
    const read = pending.read === undefined ? undefined : this.#entries.get(pending.read);
    if (read !== undefined) read.expiresAt = Math.max(read.expiresAt, pending.startedAt + lifetimesMs[read.ttl]);
    for (const { key, ttl } of pending.entries) {
      const kept = this.#entries.get(key);
      const expiresAt = pending.startedAt + lifetimesMs[ttl];
      // A short-lived mark on a long-lived entry refreshes it; it does not shorten it.
      if (kept === undefined || kept.expiresAt <= expiresAt) this.#entries.set(key, { ttl, expiresAt });
    }
  }

  #longestRead(layout: PromptLayout, marks: { index: number }[], now: number): number | undefined {
    for (const mark of marks.toReversed()) {
      const stop = Math.max(0, mark.index - lookback + 1);
      for (let index = mark.index; index >= stop; index--) {
        const entry = this.#entries.get(layout.key(index));
        if (entry === undefined || entry.expiresAt <= now) continue;
        return index;
      }
    }
    return undefined;
  }
}

/** Tokens of the whole prompt, cached or not. */
export function countPromptTokens(
  body: WireRequest,
  prompt: Prompt,
  traits: ModelTraits,
  bytesPerToken: number,
): number {
  return new PromptLayout(body, prompt, traits, bytesPerToken).total;
}

/** The prompt laid out in a row, with running digests and running token counts. */
class PromptLayout {
  readonly marks: { index: number; ttl: CacheTtl; isTrailingSystem: boolean }[] = [];
  readonly tokens: number[] = [];
  total = 0;
  readonly #digests: Digest[] = [];
  readonly #traits: ModelTraits;
  readonly #bytesPerToken: number;
  #bytes = 0;
  #extraTokens = 0;
  #digest: Digest;

  constructor(body: WireRequest, prompt: Prompt, traits: ModelTraits, bytesPerToken: number) {
    this.#traits = traits;
    this.#bytesPerToken = bytesPerToken;
    this.#digest = extendDigest(emptyDigest, digestText(body.model));
    for (const tool of prompt.tools) this.#add(tool);
    this.#seed(JSON.stringify([body["speed"] ?? null, prompt.tools.some(isWebSearch)]));
    for (const block of prompt.system) this.#add(block);
    this.#seed(messageSeed(body, prompt));
    const keepThinkingFrom = traits.keepsPriorThinking ? 0 : lastTurnStart(prompt);
    prompt.messages.forEach((message, index) => {
      for (const block of message.blocks) {
        const isDropped = index < keepThinkingFrom && (block.type === "thinking" || block.type === "redacted_thinking");
        if (!isDropped) this.#add(block, message.role);
      }
    });
    this.total = this.tokens.at(-1) ?? 0;
    this.#addAutomaticMark(body["cache_control"]);
  }

  key(index: number): string {
    return digestKey(this.#digests[index] as Digest);
  }

  #add(block: BlockFacts, role = ""): void {
    this.#digest = extendDigest(this.#digest, block.digest);
    if (role === "assistant") this.#digest = extendDigest(this.#digest, emptyDigest);
    this.#digests.push(this.#digest);
    this.#bytes += block.bytes;
    for (const { size } of block.images) {
      const { imageEdge, imageTokenCap } = this.#traits;
      this.#extraTokens += size === undefined ? 0 : tokensOfImage(size.width, size.height, imageEdge, imageTokenCap);
    }
    for (const { pages } of block.documents) this.#extraTokens += pages * tokensPerPdfPage;
    this.tokens.push(tokensOfBytes(this.#bytes, this.#bytesPerToken) + this.#extraTokens);
    if (block.ttl === undefined) return;
    this.marks.push({ index: this.tokens.length - 1, ttl: block.ttl, isTrailingSystem: role === "system" });
  }

  #seed(text: string): void {
    this.#digest = extendDigest(this.#digest, digestText(text));
  }

  /** The top-level mark goes to the last block, unless that block already has one. */
  #addAutomaticMark(control: unknown): void {
    const index = this.tokens.length - 1;
    if (!isObject(control) || index < 0 || this.marks.at(-1)?.index === index) return;
    this.marks.push({ index, ttl: control["ttl"] === "1h" ? "1h" : "5m", isTrailingSystem: false });
  }
}

function isWebSearch(tool: BlockFacts): boolean {
  return tool.type.startsWith("web_search");
}

/** The parameters whose change invalidates the cached messages, but neither tools nor system. */
function messageSeed(body: WireRequest, prompt: Prompt): string {
  const hasImages = prompt.messages.some((message) => message.blocks.some((block) => block.images.length > 0));
  const { thinking } = body;
  return JSON.stringify([
    body.tool_choice ?? null,
    isObject(thinking) ? [thinking.type, thinking.budget_tokens ?? null] : null,
    body.output_config?.effort ?? null,
    hasImages,
  ]);
}

/** Index of the last user message that contains more than tool results. Thinking before it is not shown to the model again. */
function lastTurnStart(prompt: Prompt): number {
  return prompt.messages.findLastIndex(
    (message) => message.role === "user" && message.blocks.some((block) => block.type !== "tool_result"),
  );
}

/** Facts about a session besides its messages, each written to the transcript when it changes. */
import { hash } from "node:crypto";
import { statSync } from "node:fs";
import type { AppendResult } from "../../protocol/record.ts";
import type { Transcript } from "../../transcript/index.ts";
import type { FactData, FactKind } from "../../transcript/record.ts";
import type { Store } from "./store-shape.ts";

export type StatedFact = Exclude<
  FactKind,
  "session" | "title" | "tag" | "archived" | "tool_started" | "file_change" | "tree_snapshot" | "run"
>;

/** In characters. A fact up to this size is written at each change. */
const smallFactLength = 16 * 1024;

export class Facts {
  readonly #transcript: Transcript | null;
  /** A digest per fact: the facts themselves grow with every file read. */
  readonly #writtenDigests = new Map<StatedFact, string>();
  /** The size of the transcript after each large fact was written. */
  readonly #sizesAfter = new Map<StatedFact, number>();
  /** Writes the large facts that wait. */
  readonly #waiting = new Map<StatedFact, () => void>();

  /** `known`: what the transcript of a resumed session already states. */
  constructor(transcript: Transcript | null, known: { [K in StatedFact]?: FactData[K] | undefined }) {
    this.#transcript = transcript;
    for (const [kind, data] of Object.entries(known))
      if (data !== undefined) this.#writtenDigests.set(kind as StatedFact, digestOf(data));
  }

  put<K extends StatedFact>(kind: K, data: FactData[K]): AppendResult {
    if (this.#transcript === null) return { ok: true };
    const digest = digestOf(data);
    if (this.#writtenDigests.get(kind) === digest) return { ok: true };
    const written = this.#transcript.appendMeta(kind, data);
    if (written.ok) this.#writtenDigests.set(kind, digest);
    return written;
  }

  /**
   * As `put`, for a fact that grows with the session and of which a crash may lose the latest changes. Written at each change it would
   * become most of the transcript: a large one waits until the transcript has grown by its length, or for `putWaiting`.
   */
  putSparingly<K extends StatedFact>(kind: K, data: FactData[K]): void {
    const { length } = JSON.stringify(data) ?? "";
    const write = (): void => {
      this.put(kind, data);
      this.#sizesAfter.set(kind, this.#transcriptSize());
    };
    const mustWait = length > smallFactLength && this.#transcriptSize() - (this.#sizesAfter.get(kind) ?? 0) < length;
    if (mustWait) this.#waiting.set(kind, write);
    else {
      this.#waiting.delete(kind);
      write();
    }
  }

  /** Before the session ends, or its transcript is copied. */
  putWaiting(): void {
    for (const write of this.#waiting.values()) write();
    this.#waiting.clear();
  }

  /** Infinite if it cannot be determined: then nothing waits. */
  #transcriptSize(): number {
    try {
      return statSync(this.#transcript?.path ?? "").size;
    } catch {
      return Infinity;
    }
  }
}

function digestOf(data: unknown): string {
  return hash("sha1", JSON.stringify(data), "base64");
}

/** Returns what the transcript of a resumed session already states. */
export function knownFacts(restored: Store["restored"]): { [K in StatedFact]?: FactData[K] | undefined } {
  const { systemPrompt, model, permissionMode, agent, ledger, todos, goal, readFileState } = restored;
  return {
    system_prompt: systemPrompt,
    model: model === undefined ? undefined : { model },
    permission_mode: permissionMode === undefined ? undefined : { mode: permissionMode },
    agent: agent === undefined ? undefined : { agent },
    ledger,
    todos: todos ?? [],
    goal: (goal as FactData["goal"] | undefined) ?? { condition: null },
    read_file_state: readFileState ?? [],
  };
}

/** Facts about a session besides its messages, each written to the transcript when it changes. */
import { hash } from "node:crypto";
import type { AppendResult } from "../../protocol/record.ts";
import type { ReadFileState } from "../../tools/read-state.ts";
import type { Transcript } from "../../transcript/index.ts";
import type { FactData, FactKind } from "../../transcript/record.ts";
import type { Store } from "./store-shape.ts";

export type StatedFact = Exclude<
  FactKind,
  | "session"
  | "title"
  | "tag"
  | "archived"
  | "tool_started"
  | "file_change"
  | "tree_snapshot"
  | "run"
  | "read_file_state"
  | "read_file_changes"
>;

export class Facts {
  readonly #transcript: Transcript | null;
  /** A digest per fact: some facts are long. */
  readonly #writtenDigests = new Map<StatedFact, string>();

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
   * Only what has changed: stated as a whole after each prompt, the list of up to 1,000 files would become most of the transcript.
   * Changes that could not be written are part of the next record.
   */
  putReadFiles(readState: ReadFileState): void {
    const changes = readState.listChanges();
    if (changes.length === 0) return;
    if (this.#transcript?.appendMeta("read_file_changes", changes).ok !== false) readState.markRecorded();
  }
}

function digestOf(data: unknown): string {
  return hash("sha1", JSON.stringify(data), "base64");
}

/** Returns what the transcript of a resumed session already states. */
export function knownFacts(restored: Store["restored"]): { [K in StatedFact]?: FactData[K] | undefined } {
  const { systemPrompt, model, permissionMode, agent, ledger, todos, goal } = restored;
  return {
    system_prompt: systemPrompt,
    model: model === undefined ? undefined : { model },
    permission_mode: permissionMode === undefined ? undefined : { mode: permissionMode },
    agent: agent === undefined ? undefined : { agent },
    ledger,
    todos: todos ?? [],
    goal: (goal as FactData["goal"] | undefined) ?? { condition: null },
  };
}

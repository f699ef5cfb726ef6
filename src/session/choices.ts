/** What the user chooses during a session: recorded with the first prompt, and from then on immediately. */
import type { Effort } from "../protocol/model.ts";
import { UsageError } from "../lib/usage-error.ts";
import { isPermissionMode, type PermissionMode } from "../protocol/permission.ts";
import type { AppendResult } from "../protocol/record.ts";
import type { Failure } from "../protocol/stop.ts";
import { recordedPrompt } from "./knowledge/session-system-prompt.ts";
import type { Joined } from "./joined.ts";
import { requireOpen } from "./session-errors.ts";

interface SessionNames {
  title?: string | undefined;
  tag?: string | null | undefined;
}

export class Choices {
  readonly #joined: Joined;
  /** Chosen but not recorded yet. */
  #names: SessionNames = {};
  /** Called with a new model or effort, after it took effect. */
  onModel?: (what: { current?: string; effort?: Effort | undefined }) => void;

  constructor(joined: Joined) {
    this.#joined = joined;
  }

  get model(): { current: string; effort?: Effort } {
    return this.#joined.selected;
  }

  /** Returns the id that a model name stands for. Throws if the name is not a model. */
  resolveModel(name: string): string {
    return this.#joined.models.resolveModel(name);
  }

  /** Counts from the next request on, also in a turn that runs. */
  setModel(name: string): void {
    const { selected } = requireOpen(this.#joined);
    selected.current = this.resolveModel(name);
    this.onModel?.({ current: selected.current });
    if (this.hasBegun) this.#joined.facts.put("model", { model: selected.current });
  }

  setEffort(effort: Effort | undefined): void {
    requireOpen(this.#joined).selected.effort = effort;
    this.onModel?.({ effort });
  }

  get permissionMode(): PermissionMode {
    return this.#joined.permissions.getMode();
  }

  setPermissionMode(mode: PermissionMode): void {
    if (!isPermissionMode(mode)) throw new UsageError(`There is no permission mode ${String(mode).slice(0, 80)} here.`);
    requireOpen(this.#joined).permissions.setMode(mode);
    if (this.hasBegun) this.#joined.facts.put("permission_mode", { mode });
  }

  get title(): string | undefined {
    return this.#names.title ?? this.#storedNames().title;
  }

  /** Returns why the title could not be recorded, in which case it stays unchanged, or null. */
  setTitle(title: string): Failure | null {
    return this.#setNames({ title });
  }

  /** Null if the session has no tag. */
  get tag(): string | null {
    const { tag = this.#storedNames().tag } = this.#names;
    return tag ?? null;
  }

  /** Like `setTitle`. */
  setTag(tag: string | null): Failure | null {
    return this.#setNames({ tag });
  }

  #setNames(names: SessionNames): Failure | null {
    requireOpen(this.#joined);
    const before = this.#names;
    this.#names = { ...before, ...names };
    const failure = this.hasBegun ? firstFailure(this.#recordNames()) : null;
    if (failure !== null) this.#names = before;
    return failure;
  }

  #storedNames(): SessionNames {
    const { transcript, restored } = this.#joined.store;
    return transcript?.currentFacts() ?? restored;
  }

  /** Records the names once: a session may also be renamed from outside, and the last change counts. */
  #recordNames(): AppendResult[] {
    const { transcript } = this.#joined.store;
    if (transcript === null) return [];
    const { title, tag } = this.#names;
    const facts = transcript.currentFacts();
    const results = [
      ...(title === undefined || title === facts.title ? [] : [transcript.appendMeta("title", { title })]),
      ...(tag === undefined || tag === facts.tag ? [] : [transcript.appendMeta("tag", { tag })]),
    ];
    if (results.every(({ ok }) => ok)) this.#names = {};
    return results;
  }

  /** Records what a resume needs. Called with the first prompt, so that a session without prompts leaves no transcript. */
  record(): Failure | null {
    const { openingTexts, selected, options, store, facts } = this.#joined;
    const { agent } = options;
    const { system, wasCutOff } = openingTexts;
    const written = [
      // Nothing is sent with a prompt that was cut off: a resume makes it anew.
      ...(wasCutOff ? [] : [facts.put("system_prompt", recordedPrompt(system, options, store.restored.systemPrompt))]),
      facts.put("model", { model: selected.current }),
      facts.put("permission_mode", { mode: this.permissionMode }),
      ...(agent === undefined ? [] : [facts.put("agent", { agent })]),
      ...this.#recordNames(),
    ];
    return firstFailure(written);
  }

  get hasBegun(): boolean {
    return this.#joined.conversation.messages.length > 0;
  }
}

function firstFailure(written: readonly AppendResult[]): Failure | null {
  for (const each of written) if (!each.ok) return each.failure;
  return null;
}

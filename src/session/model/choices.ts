/** What the user chooses while a session lasts: written down with its first prompt, and from then on at once. */
import type { Effort } from "../../protocol/model.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { isPermissionMode, type PermissionMode } from "../../protocol/permission.ts";
import type { AppendResult } from "../../protocol/record.ts";
import type { Failure } from "../../protocol/stop.ts";
import { recordedPrompt } from "../knowledge/first-message.ts";
import type { Joined } from "../joined.ts";
import { whileOpen } from "../not-now.ts";

interface Names {
  title?: string | undefined;
  tag?: string | null | undefined;
}

export class Choices {
  readonly #joined: Joined;
  /** Chosen, and not written down yet. */
  #names: Names = {};
  /** Told what is chosen of models, which is laid down by then. */
  onModel?: (what: { current?: string; effort?: Effort | undefined }) => void;

  constructor(joined: Joined) {
    this.#joined = joined;
  }

  get model(): { current: string; effort?: Effort } {
    return this.#joined.selected;
  }

  /** The id that a name stands for. Throws where it can be none. */
  resolveModel(name: string): string {
    return this.#joined.models.resolveModel(name);
  }

  setModel(name: string): void {
    const { selected } = whileOpen(this.#joined);
    selected.current = this.resolveModel(name);
    this.onModel?.({ current: selected.current });
    if (this.hasBegun) this.#joined.facts.put("model", { model: selected.current });
  }

  setEffort(effort: Effort | undefined): void {
    whileOpen(this.#joined).selected.effort = effort;
    this.onModel?.({ effort });
  }

  get permissionMode(): PermissionMode {
    return this.#joined.permissions.getMode();
  }

  setPermissionMode(mode: PermissionMode): void {
    if (!isPermissionMode(mode)) throw new UsageError(`There is no permission mode ${String(mode).slice(0, 80)} here.`);
    whileOpen(this.#joined).permissions.setMode(mode);
    if (this.hasBegun) this.#joined.facts.put("permission_mode", { mode });
  }

  get title(): string | undefined {
    return this.#names.title ?? this.#stated().title;
  }

  /** Why it could not be recorded; then it stays as it was. */
  setTitle(title: string): Failure | null {
    return this.#name({ title });
  }

  /** Null: none. */
  get tag(): string | null {
    const { tag = this.#stated().tag } = this.#names;
    return tag ?? null;
  }

  /** As with a title. */
  setTag(tag: string | null): Failure | null {
    return this.#name({ tag });
  }

  #name(names: Names): Failure | null {
    whileOpen(this.#joined);
    const before = this.#names;
    this.#names = { ...before, ...names };
    const failure = this.hasBegun ? failureIn(this.#tellNames()) : null;
    if (failure !== null) this.#names = before;
    return failure;
  }

  #stated(): Names {
    const { transcript, restored } = this.#joined.store;
    return transcript?.stated() ?? restored;
  }

  /** Once: a session may be renamed from outside as well, and the last word counts. */
  #tellNames(): AppendResult[] {
    const { transcript } = this.#joined.store;
    if (transcript === null) return [];
    const { title, tag } = this.#names;
    const stated = transcript.stated();
    const told = [
      ...(title === undefined || title === stated.title ? [] : [transcript.appendMeta("title", { title })]),
      ...(tag === undefined || tag === stated.tag ? [] : [transcript.appendMeta("tag", { tag })]),
    ];
    if (told.every(({ ok }) => ok)) this.#names = {};
    return told;
  }

  /** What a resume goes on with; with the first prompt, so that a session nobody spoke in leaves no transcript. */
  record(): Failure | null {
    const { system, selected, options } = this.#joined;
    const { agent } = options;
    const written = [
      this.#joined.facts.put(
        "system_prompt",
        recordedPrompt(system, options, this.#joined.store.restored.systemPrompt),
      ),
      this.#joined.facts.put("model", { model: selected.current }),
      this.#joined.facts.put("permission_mode", { mode: this.permissionMode }),
      ...(agent === undefined ? [] : [this.#joined.facts.put("agent", { agent })]),
      ...this.#tellNames(),
    ];
    return failureIn(written);
  }

  get hasBegun(): boolean {
    return this.#joined.conversation.messages.length > 0;
  }
}

function failureIn(written: readonly AppendResult[]): Failure | null {
  for (const each of written) if (!each.ok) return each.failure;
  return null;
}

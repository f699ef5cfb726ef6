/** What the user chooses while a session lasts: written down with its first prompt, and from then on at once. */
import type { Effort } from "../protocol/model.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import type { Failure } from "../protocol/stop.ts";
import type { Facts } from "./facts.ts";
import type { Joined } from "./joined.ts";

export class Choices {
  readonly #joined: Joined;
  readonly #facts: Facts;
  #title: string | undefined;
  #tag: string | null | undefined;

  constructor(joined: Joined, facts: Facts) {
    this.#joined = joined;
    this.#facts = facts;
    const { title, tag } = joined.store.restored;
    this.#title = title;
    this.#tag = tag;
  }

  get model(): { current: string; effort?: Effort } {
    return this.#joined.selected;
  }

  /** The id that a name stands for. Throws where it can be none. */
  resolveModel(name: string): string {
    return this.#joined.models.resolveModel(name);
  }

  setModel(name: string): void {
    const { selected } = this.#joined;
    selected.current = this.resolveModel(name);
    if (this.hasBegun) this.#facts.put("model", { model: selected.current });
  }

  get permissionMode(): PermissionMode {
    return this.#joined.permissions.getMode();
  }

  setPermissionMode(mode: PermissionMode): void {
    this.#joined.permissions.setMode(mode);
    if (this.hasBegun) this.#facts.put("permission_mode", { mode });
  }

  get title(): string | undefined {
    return this.#title;
  }

  setTitle(title: string): void {
    this.#title = title;
    if (this.hasBegun) this.#facts.put("title", { title });
  }

  /** Null: none. */
  get tag(): string | null {
    return this.#tag ?? null;
  }

  setTag(tag: string | null): void {
    this.#tag = tag;
    if (this.hasBegun) this.#facts.put("tag", { tag });
  }

  /** What a resume goes on with; with the first prompt, so that a session nobody spoke in leaves no transcript. */
  record(): Failure | null {
    const { system, selected } = this.#joined;
    const written = [
      this.#facts.put("system_prompt", system),
      this.#facts.put("model", { model: selected.current }),
      this.#facts.put("permission_mode", { mode: this.permissionMode }),
      ...(this.#title === undefined ? [] : [this.#facts.put("title", { title: this.#title })]),
      ...(this.#tag === undefined ? [] : [this.#facts.put("tag", { tag: this.#tag })]),
    ];
    for (const each of written) if (!each.ok) return each.failure;
    return null;
  }

  get hasBegun(): boolean {
    return this.#joined.conversation.messages.length > 0;
  }
}

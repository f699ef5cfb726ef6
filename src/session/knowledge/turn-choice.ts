/** The model and effort that a skill asks for: they hold for one user turn, then the user's own choice returns. */
import type { Effort } from "../../protocol/model.ts";
import type { Skill } from "../../knowledge/skill.ts";
import { fieldSource } from "../model/model-source.ts";

export interface ModelChoice {
  current: string;
  effort?: Effort;
  /** Where `current` was named; absent if it is the session's own. */
  source?: string;
}

export class TurnChoice {
  readonly #selected: ModelChoice;
  readonly #resolve: (name: string, instead: string) => string;
  #before: ModelChoice | null = null;

  /** `selected` is what the next request uses, changed in place. `resolve`: the id for a name or alias; `instead` if it is unavailable. */
  constructor(selected: ModelChoice, resolve: (name: string, instead: string) => string) {
    this.#selected = selected;
    this.#resolve = resolve;
  }

  applySkill({ model, effort, path }: Pick<Skill, "model" | "effort" | "path">): void {
    this.#before ??= { ...this.#selected };
    if (effort !== undefined) this.#selected.effort = effort;
    if (model === undefined) return;
    const current = this.#resolve(model, this.#selected.current);
    if (current !== this.#selected.current) Object.assign(this.#selected, { current, source: fieldSource(path) });
  }

  /** A choice by the user or host during the turn stays. */
  noteUserChoice(what: Partial<ModelChoice>): void {
    if (what.current !== undefined) delete this.#selected.source;
    if (this.#before !== null) Object.assign(this.#before, what);
  }

  endTurn(): void {
    const before = this.#before;
    this.#before = null;
    if (before === null) return;
    delete this.#selected.effort;
    delete this.#selected.source;
    Object.assign(this.#selected, before);
  }
}

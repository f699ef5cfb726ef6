/** The model and effort that a skill asks for: they hold for one user turn, then the user's own choice returns. */
import type { Effort } from "../../protocol/model.ts";
import type { Skill } from "../../knowledge/skill.ts";

export interface ModelChoice {
  current: string;
  effort?: Effort;
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

  applySkill({ model, effort }: Pick<Skill, "model" | "effort">): void {
    this.#before ??= { ...this.#selected };
    if (effort !== undefined) this.#selected.effort = effort;
    if (model !== undefined) this.#selected.current = this.#resolve(model, this.#selected.current);
  }

  /** A choice by the user or host during the turn stays. */
  noteUserChoice(what: Partial<ModelChoice>): void {
    if (this.#before !== null) Object.assign(this.#before, what);
  }

  endTurn(): void {
    const before = this.#before;
    this.#before = null;
    if (before === null) return;
    delete this.#selected.effort;
    Object.assign(this.#selected, before);
  }
}

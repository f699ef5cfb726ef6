/** The model and effort that a skill asks for: for one user turn, after which the user's own choice is back. */
import type { Effort } from "../../protocol/model.ts";
import type { Skill } from "../../knowledge/skill.ts";

export interface Chosen {
  current: string;
  effort?: Effort;
}

export class TurnChoice {
  readonly #selected: Chosen;
  readonly #resolve: (name: string, instead: string) => string;
  #before: Chosen | null = null;
  /** What skills have made of it. */
  #taken: Chosen | null = null;

  /** `selected` is what the next request asks, changed in place. `resolve`: an id for a name or alias, the other one where that cannot be had. */
  constructor(selected: Chosen, resolve: (name: string, instead: string) => string) {
    this.#selected = selected;
    this.#resolve = resolve;
  }

  take({ model, effort }: Pick<Skill, "model" | "effort">): void {
    this.#before ??= { ...this.#selected };
    if (effort !== undefined) this.#selected.effort = effort;
    if (model !== undefined) this.#selected.current = this.#resolve(model, this.#selected.current);
    this.#taken = { ...this.#selected };
  }

  /** By the host, in the middle of a turn: also what the skill has chosen. */
  chosen(what: Partial<Chosen>): void {
    if (this.#before !== null) Object.assign(this.#before, what);
  }

  /** What was chosen meanwhile stays. */
  endTurn(): void {
    const [before, taken, selected] = [this.#before, this.#taken, this.#selected];
    this.#before = this.#taken = null;
    if (before === null || taken === null) return;
    if (selected.current === taken.current) selected.current = before.current;
    if (selected.effort !== taken.effort) return;
    delete selected.effort;
    if (before.effort !== undefined) selected.effort = before.effort;
  }
}

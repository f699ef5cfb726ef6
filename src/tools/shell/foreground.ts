/** Commands that calls wait for, and that can be moved to the background. */

export class Foreground {
  #moves: Map<string, () => void> | undefined;

  /** Returns a function that removes it again. */
  add(toolUseId: string, move: () => void): () => void {
    this.#moves ??= new Map();
    const moves = this.#moves.set(toolUseId, move);
    return () => {
      if (moves.get(toolUseId) === move) moves.delete(toolUseId);
    };
  }

  /** Lets calls go on without their commands: one call, or all if no id is given. Returns how many. */
  move(toolUseId?: string): number {
    const chosen = Array.from(this.#moves ?? []).filter(([id]) => toolUseId === undefined || id === toolUseId);
    for (const [, move] of chosen) move();
    return chosen.length;
  }
}

/** Commands that a call waits for, and can be made to wait for no longer. */

export class Foreground {
  #moves: Map<string, () => void> | undefined;

  /** Answers what forgets it again. */
  add(toolUseId: string, move: () => void): () => void {
    this.#moves ??= new Map();
    const moves = this.#moves.set(toolUseId, move);
    return () => {
      if (moves.get(toolUseId) === move) moves.delete(toolUseId);
    };
  }

  /** Their calls go on without them: that of one call, or all there are. Answers how many. */
  move(toolUseId?: string): number {
    const chosen = Array.from(this.#moves ?? []).filter(([id]) => toolUseId === undefined || id === toolUseId);
    for (const [, move] of chosen) move();
    return chosen.length;
  }
}

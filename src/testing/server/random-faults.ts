/** Random faults, but the same ones for the same seed: each draw depends on the conversation and the call, not on timing. */
import { survivableFaults, type FaultKind } from "../script/faults.ts";
import type { RandomFaults } from "../script/types.ts";
import { digestText } from "../wire/digest.ts";

export class FaultDice {
  readonly #faults: RandomFaults;
  readonly #inARow = new Map<string, number>();

  constructor(faults: RandomFaults) {
    this.#faults = faults;
  }

  /** @param call the nth call of the conversation. */
  draw(conversation: string, call: number): { kind: FaultKind; share: number } | undefined {
    const { seed, probability, kinds = survivableFaults, maxInARow = 3 } = this.#faults;
    const { a, b } = digestText(`${seed}/${conversation}/${call}`);
    const streak = this.#inARow.get(conversation) ?? 0;
    const isHit = (a >>> 0) / 2 ** 32 < probability && streak < maxInARow && kinds.length > 0;
    this.#inARow.set(conversation, isHit ? streak + 1 : 0);
    if (!isHit) return undefined;
    const kind = kinds[(b >>> 8) % kinds.length] as FaultKind;
    return { kind, share: (b & 0xff) / 256 };
  }
}

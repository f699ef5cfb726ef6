// Every decision of a simulated run comes from here: drawn from a seed, or listed in order to replay or shrink a run. The first
// option of every choice is the simplest, so that smaller numbers make a simpler run.

/** The generator sfc32 (small fast counter), with 128 bits of state. */
function createGenerator(seed: number): () => number {
  let [a, b, c, d] = [0x9e3779b9, seed | 0, Math.floor(seed / 2 ** 32) | 0, 1];
  const next = (): number => {
    const t = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    return t >>> 0;
  };
  for (let round = 0; round < 15; round++) next();
  return next;
}

export class Choices {
  readonly taken: number[] = [];
  readonly #draw: () => number;

  /** `given`: the choices to repeat, in order. Choices after its end are the simplest. */
  constructor(seed: number, given?: readonly number[]) {
    this.#draw = given === undefined ? createGenerator(seed) : () => given[this.taken.length] ?? 0;
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    const chosen = this.#draw() % count;
    this.taken.push(chosen);
    return chosen;
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True in `percent` of a hundred cases. False is the simpler choice. */
  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  pick<T>(options: readonly T[]): T {
    return options[this.below(options.length)] as T;
  }

  /** Chooses by weight. The first option is the simplest. */
  weighted<T>(options: readonly (readonly [weight: number, option: T])[]): T {
    let left = this.below(options.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, option] of options) {
      if (left < weight) return option;
      left -= weight;
    }
    return options[0]![1];
  }
}

/** Formats choices for a command line: in base 36, without zeros at the end. */
export function writeChoices(choices: readonly number[]): string {
  const end = choices.findLastIndex((choice) => choice !== 0) + 1;
  return choices
    .slice(0, end)
    .map((choice) => choice.toString(36))
    .join(".");
}

export function readChoices(text: string): number[] {
  return text === "" ? [] : text.split(".").map((choice) => parseInt(choice, 36));
}

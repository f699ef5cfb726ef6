/** The lists of a page that are open, and what their items are marked with. */
import { numberIn } from "./html-attributes.ts";

/** Deeper ones are as deep as this. */
const mostLevels = 12;

interface List {
  isOrdered: boolean;
  /** Its next item's number. Undefined where it counts down from as many as there are, which is not known yet. */
  next: number | undefined;
  step: 1 | -1;
}

export class Lists {
  readonly #open: List[] = [];

  get isNone(): boolean {
    return this.#open.length === 0;
  }

  begin(isOrdered: boolean, attributes: Record<string, string>): void {
    const start = numberIn(attributes["start"]);
    const isReversed = "reversed" in attributes;
    this.#open.push({ isOrdered, next: isReversed ? start : (start ?? 1), step: isReversed ? -1 : 1 });
  }

  end(): void {
    this.#open.pop();
  }

  /** What the next item begins with. */
  mark({ value }: Record<string, string>): string {
    const list = this.#open.at(-1);
    const indent = "  ".repeat(Math.min(Math.max(this.#open.length - 1, 0), mostLevels));
    const number = numberIn(value) ?? list?.next;
    if (list !== undefined && number !== undefined) list.next = number + list.step;
    return `${indent}${list?.isOrdered === true && number !== undefined ? `${number}.` : "-"} `;
  }
}

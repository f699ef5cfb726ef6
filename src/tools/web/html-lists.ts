/** The open lists of a page, and the marks of their items. */
import { leadingInteger } from "./html-attributes.ts";

/** Deeper lists are indented like this level. */
const mostLevels = 12;

interface List {
  isOrdered: boolean;
  /** The number of the next item. Undefined in a reversed list without a start, whose length is not known yet. */
  next: number | undefined;
  step: 1 | -1;
}

export class Lists {
  readonly #open: List[] = [];

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  begin(isOrdered: boolean, attributes: Record<string, string>): void {
    const start = leadingInteger(attributes["start"]);
    const isReversed = "reversed" in attributes;
    this.#open.push({ isOrdered, next: isReversed ? start : (start ?? 1), step: isReversed ? -1 : 1 });
  }

  end(): void {
    this.#open.pop();
  }

  /** Returns the mark that the next item begins with. */
  mark({ value }: Record<string, string>): string {
    const list = this.#open.at(-1);
    const indent = "  ".repeat(Math.min(Math.max(this.#open.length - 1, 0), mostLevels));
    const number = leadingInteger(value) ?? list?.next;
    if (list !== undefined && number !== undefined) list.next = number + list.step;
    return `${indent}${list?.isOrdered === true && number !== undefined ? `${number}.` : "-"} `;
  }
}

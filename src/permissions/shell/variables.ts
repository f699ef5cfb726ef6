/** Tells whether a command line's unquoted variables may become several words. */
import type { Word } from "./text.ts";

const maxNames = 100;

export class LineVariables {
  readonly #source: string;
  /** Whether the command mentions a variable other than to show it. */
  readonly #mentionedNames = new Map<string, boolean>();

  constructor(source: string) {
    this.#source = source;
  }

  /** A variable that the command only ever shows comes from outside, as the user set it. */
  mayHoldWords({ text, unsure }: Word): boolean {
    if (unsure !== "words") return false;
    if (/\$\(|`|[@*!]|^\{|^-.*\{/u.test(text)) return true;
    const names = [...text.matchAll(/\$\{?(\w+)/gu)].map(([, name]) => name ?? "");
    return names.some((name) => /^\d/u.test(name) || this.#isMentioned(name));
  }

  /** Also true beyond a limit. In a loop over plain words, each value is a single word. */
  #isMentioned(name: string): boolean {
    const known = this.#mentionedNames.get(name);
    if (known !== undefined || this.#mentionedNames.size >= maxNames) return known ?? true;
    const loop = new RegExp(`(?<!\\S)for[ \\t]+${name}[ \\t]+in(?:[ \\t]+[\\w./@:,-]+)+[ \\t]*[;\\n]`, "gu");
    const others = this.#source.includes("IFS") ? this.#source : this.#source.replaceAll(loop, "");
    const isNamed = new RegExp(`(?<![$\\w{])${name}(?!\\w)`, "u").test(others);
    this.#mentionedNames.set(name, isNamed);
    return isNamed;
  }
}

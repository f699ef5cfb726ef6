/** A formula of a page as text: as TeX if the page includes it, otherwise as plain symbols. */
export class Formula {
  #tex: string;
  #signs = "";
  /** Set within an annotation of the formula: whether it is TeX. */
  #note: boolean | undefined;

  constructor({ alttext = "" }: Record<string, string>) {
    this.#tex = alttext;
  }

  open(name: string, { encoding = "" }: Record<string, string>): void {
    if (!name.startsWith("annotation")) return;
    this.#note = this.#tex === "" && /\btex$/iu.test(encoding.trim());
  }

  text(text: string): void {
    if (this.#note === undefined) this.#signs += text;
    else if (this.#note) this.#tex += text;
  }

  close(name: string): void {
    if (name.startsWith("annotation")) this.#note = undefined;
  }

  toString(): string {
    const [tex, signs] = [this.#tex, this.#signs].map((each) => each.replaceAll(/\s+/gu, " ").trim());
    return tex === "" ? (signs ?? "") : `$${tex}$`;
  }
}

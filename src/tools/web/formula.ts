/** A formula of a page as text: as TeX if the page includes it, otherwise as plain symbols. */
export class Formula {
  #tex: string;
  #symbols = "";
  /** Set within an annotation of the formula: whether it is TeX. */
  #isTexAnnotation: boolean | undefined;

  constructor({ alttext = "" }: Record<string, string>) {
    this.#tex = alttext;
  }

  open(name: string, { encoding = "" }: Record<string, string>): void {
    if (!name.startsWith("annotation")) return;
    this.#isTexAnnotation = this.#tex === "" && /\btex$/iu.test(encoding.trim());
  }

  text(text: string): void {
    if (this.#isTexAnnotation === undefined) this.#symbols += text;
    else if (this.#isTexAnnotation) this.#tex += text;
  }

  close(name: string): void {
    if (name.startsWith("annotation")) this.#isTexAnnotation = undefined;
  }

  toString(): string {
    const [tex, signs] = [this.#tex, this.#symbols].map((each) => each.replaceAll(/\s+/gu, " ").trim());
    return tex === "" ? (signs ?? "") : `$${tex}$`;
  }
}

/** Converts HTML to Markdown in one pass: what a reader sees of a page, without browser behaviour such as scripts. */
import { setImmediate } from "node:timers/promises";
import { Parser } from "htmlparser2";
import { Formula } from "./formula.ts";
import { baseUrlOf, isHidden, isVoidElement, linkTarget, pictureText, refreshTarget } from "./html-attributes.ts";
import { Lists } from "./html-lists.ts";

/** Elements whose content is not for readers. No script runs here, so the content of `noscript` counts. */
const unreadElements: ReadonlySet<string> = new Set(
  "script style template iframe object embed svg canvas head select dialog".split(" "),
);
const blockElements: ReadonlySet<string> = new Set(
  `address article aside blockquote body details dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr
  html li main nav ol p pre section summary table tbody thead tfoot tr ul`.split(/\s+/u),
);
/** Elements allowed in the head; any other tag ends a head that was not closed, as HTML specifies. */
const headElements: ReadonlySet<string> = new Set("base link meta noscript script style template title".split(" "));
/** A map, not an object: a page may have a tag of any name, such as `constructor`. */
const inlineMarks: ReadonlyMap<string, string> = new Map([
  ["b", "**"],
  ["strong", "**"],
  ["em", "*"],
  ["i", "*"],
  ["code", "`"],
  ["del", "~~"],
  ["s", "~~"],
]);
/** Quotes are nested this deep at most; of more links within links, the outermost are dropped. */
const mostLevels = 12;
/** A longer line is broken, so that looking at its end takes constant time. */
const longestLine = 4_000;
const mostDepth = 5_000;
const pieceLength = 16_384;

/**
 * `address` is the page's own. Time and memory grow linearly with `html`. A long page still takes seconds, so the conversion yields in
 * between; it ends when the signal aborts, throwing its reason.
 */
export async function htmlToMarkdown(html: string, address: URL, signal: AbortSignal): Promise<string> {
  const page = new MarkdownPage(address);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => page.open(name, attributes),
      ontext: (text) => page.text(text),
      onclosetag: (name) => page.close(name),
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  // Each unclosed tag makes further tags more expensive: the page is cut at this depth.
  for (let at = 0; at < html.length && page.depth < mostDepth; at += pieceLength) {
    parser.write(html.slice(at, at + pieceLength));
    await setImmediate();
    signal.throwIfAborted();
  }
  parser.end();
  return page.finish();
}

interface Link {
  /** Empty once the link is written, or if it leads nowhere. */
  href: string;
  /** The offset in the line where the link's text begins. */
  from: number;
}

class MarkdownPage {
  /** The number of open tags. */
  depth = 0;
  readonly #page: URL;
  /** What relative links are resolved against. */
  #base: URL | undefined;
  readonly #lines: string[] = [];
  #line = "";
  /** The number of open tags within unread elements. */
  #unreadDepth = 0;
  #isInHead = false;
  #codeDepth = 0;
  readonly #lists = new Lists();
  #quoteDepth = 0;
  #cells = 0;
  #rowsOfTable = 0;
  readonly #links: Link[] = [];
  #title = "";
  #isInTitle = false;
  #formula: Formula | undefined;
  /** Where a browser would redirect by itself. */
  #redirectTarget: string | undefined;

  constructor(page: URL) {
    this.#page = page;
  }

  open(name: string, attributes: Record<string, string>): void {
    this.depth += 1;
    if (!headElements.has(name)) this.#endHead();
    this.#isInTitle = name === "title" && this.#title === "";
    if (name === "base") this.#base ??= baseUrlOf(attributes, this.#page);
    if (name === "meta") this.#redirectTarget ??= refreshTarget(attributes, this.#page, this.#base);
    if (this.#unreadDepth > 0 || unreadElements.has(name) || isHidden(attributes)) {
      this.#isInHead ||= name === "head" && this.#unreadDepth === 0;
      this.#unreadDepth += isVoidElement(name) ? 0 : 1;
      return;
    }
    if (this.#formula !== undefined) this.#formula.open(name, attributes);
    else if (name === "math") this.#formula = new Formula(attributes);
    else if (blockElements.has(name)) this.#openBlock(name, attributes);
    else if (name === "br") this.#lineEnd();
    else if (name === "a") this.#openLink(attributes["href"] ?? "");
    else if (name === "img") this.#append(pictureText(attributes));
    else if (name === "td" || name === "th") this.#openCell();
    else if (this.#codeDepth === 0) this.#append(inlineMarks.get(name) ?? "");
  }

  text(text: string): void {
    if (this.#isInTitle) this.#title += text;
    else if (text.trim() !== "") this.#endHead();
    if (this.#isInTitle || this.#unreadDepth > 0) return;
    if (this.#formula !== undefined) this.#formula.text(text);
    else if (this.#codeDepth > 0) this.#codeText(text);
    else this.#append(text.replaceAll(/\s+/gu, " "));
  }

  close(name: string): void {
    this.depth -= 1;
    this.#isInTitle = false;
    if (this.#unreadDepth > 0) {
      this.#unreadDepth -= isVoidElement(name) ? 0 : 1;
      this.#isInHead &&= this.#unreadDepth > 0;
      return;
    }
    if (this.#formula !== undefined) this.#closeFormula(this.#formula, name);
    else if (blockElements.has(name)) this.#closeBlock(name);
    else if (name === "a") this.#closeLink();
    else if (name !== "td" && name !== "th" && this.#codeDepth === 0) this.#append(inlineMarks.get(name) ?? "");
  }

  finish(): string {
    this.#break();
    if (this.#redirectTarget !== undefined) this.#lines.unshift(`[This page leads on](${this.#redirectTarget})`, "");
    const text = this.#lines
      .join("\n")
      .replaceAll(/\n{3,}/gu, "\n\n")
      .trim();
    const title = this.#title.replaceAll(/\s+/gu, " ").trim();
    return title === "" ? text : `# ${title}\n\n${text}`;
  }

  #endHead(): void {
    if (!this.#isInHead || this.#unreadDepth !== 1) return;
    this.#isInHead = false;
    this.#unreadDepth = 0;
  }

  #closeFormula(formula: Formula, name: string): void {
    formula.close(name);
    if (name !== "math") return;
    this.#formula = undefined;
    this.#append(formula.toString());
  }

  #append(text: string): void {
    if (this.#line.length > longestLine) this.#flush();
    if (text === " " && (this.#line === "" || this.#line.endsWith(" "))) return;
    this.#line += this.#line === "" || this.#line.endsWith(" ") ? text.replace(/^ /u, "") : text;
  }

  #codeText(text: string): void {
    if (this.#line.length > longestLine) this.#flush();
    const [first = "", ...rest] = text.split("\n");
    this.#line += first;
    for (const line of rest) {
      this.#flush();
      this.#line = line;
    }
  }

  /** Some pages put each line of code in its own block. */
  #endCodeLine(): void {
    if (this.#line !== "") this.#flush();
  }

  #lineEnd(): void {
    if (this.#codeDepth > 0) this.#flush();
    else this.#break();
  }

  #break(): void {
    if (this.#line.trim() !== "") this.#flush();
    this.#line = "";
  }

  #flush(): void {
    this.#endOpenLink();
    const line = this.#codeDepth > 0 ? this.#line : this.#line.trimEnd();
    this.#lines.push("> ".repeat(Math.min(this.#quoteDepth, mostLevels)) + line);
    this.#line = "";
    for (const link of this.#links) link.from = 0;
  }

  #blankLine(): void {
    this.#break();
    if (this.#lists.isEmpty && this.#lines.at(-1) !== "") this.#lines.push("");
  }

  #openBlock(name: string, attributes: Record<string, string>): void {
    if (this.#codeDepth > 0 && name !== "pre") return this.#endCodeLine();
    if (name === "tr") {
      this.#break();
      this.#cells = 0;
      return;
    }
    if (name === "li") {
      this.#break();
      this.#beginLine(this.#lists.mark(attributes));
    } else this.#blankLine();
    if (/^h[1-6]$/u.test(name)) this.#beginLine(`${"#".repeat(Number(name[1]))} `);
    else if (name === "ul" || name === "ol") this.#lists.begin(name === "ol", attributes);
    else if (name === "blockquote") this.#quoteDepth += 1;
    else if (name === "hr") this.#lines.push("---");
    else if (name === "table") this.#rowsOfTable = 0;
    else if (name === "pre") {
      this.#lines.push("```");
      this.#codeDepth += 1;
    }
  }

  #openCell(): void {
    if (this.#line.length > longestLine) this.#flush();
    this.#endOpenLink();
    this.#cells += 1;
    this.#beginLine(`${this.#line.trimEnd()}${this.#line === "" ? "| " : " | "}`);
  }

  /** Begins a line with marks; the text of open links starts after them. */
  #beginLine(line: string): void {
    this.#line = line;
    for (const link of this.#links) link.from = line.length;
  }

  #closeBlock(name: string): void {
    if (this.#codeDepth > 0 && name !== "pre") return this.#endCodeLine();
    if (name === "pre") {
      if (this.#line !== "") this.#flush();
      this.#codeDepth = Math.max(0, this.#codeDepth - 1);
      this.#lines.push("```");
    } else if (name === "tr") this.#closeRow();
    else this.#break();
    if (name === "ul" || name === "ol") this.#lists.end();
    if (name === "blockquote") this.#quoteDepth = Math.max(0, this.#quoteDepth - 1);
    if (name !== "li" && name !== "tr") this.#blankLine();
  }

  #closeRow(): void {
    if (this.#cells === 0) return this.#break();
    this.#endOpenLink();
    this.#line = `${this.#line.trimEnd()} |`;
    this.#flush();
    this.#rowsOfTable += 1;
    if (this.#rowsOfTable === 1) this.#lines.push(`|${" --- |".repeat(this.#cells)}`);
    this.#cells = 0;
  }

  #openLink(href: string): void {
    if (this.#links.length >= mostLevels) this.#links.shift();
    this.#links.push({ href, from: this.#line.length });
  }

  #closeLink(): void {
    const link = this.#links.pop();
    if (link !== undefined) this.#endLink(link);
  }

  #endOpenLink(): void {
    const open = this.#links.at(-1);
    if (open !== undefined) this.#endLink(open);
  }

  /** Writes the link. If a link spans blocks, the first line with text becomes the link. */
  #endLink(link: Link): void {
    if (this.#codeDepth > 0) return;
    const linkText = this.#line.slice(link.from);
    const text = linkText.trim();
    if (text === "") return;
    const target = linkTarget(link.href, this.#base ?? this.#page);
    link.href = "";
    if (target === undefined) return;
    const lead = linkText.startsWith(" ") ? " " : "";
    this.#line = `${this.#line.slice(0, link.from)}${lead}[${text}](${target})`;
  }
}

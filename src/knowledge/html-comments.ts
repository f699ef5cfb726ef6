/** Finds where HTML comments of a Markdown text may begin and end. Looks at each line once, however many there are. */

interface CommentStart {
  index: number;
  /** Such a comment hides the rest of the text if it never ends; elsewhere its mark is then only text. */
  isAtLineStart: boolean;
}

const startingLine = /^.*<!--.*$/gmu;
const mark = /<!--|`+/gu;

/** Where a comment may begin: not within the backticks of a line. Fences are not looked at. */
function findCommentStarts(body: string): CommentStart[] {
  return Array.from(body.matchAll(startingLine), ({ 0: line, index }) =>
    startsIn(line).map((start) => ({
      index: index + start,
      isAtLineStart: start < 4 && line.slice(0, start).trim() === "",
    })),
  ).flat();
}

function startsIn(line: string): number[] {
  const marks = Array.from(line.matchAll(mark), ({ 0: text, index }) => ({ text, index }));
  // A run of backticks is closed by the next run of the same length; without one it is text.
  const lastRuns = new Map(marks.map(({ text, index }) => [text, index]));
  const starts: number[] = [];
  let open: string | undefined;
  for (const { text, index } of marks) {
    if (open !== undefined) open = text === open ? undefined : open;
    else if (text === "<!--") starts.push(index);
    else if ((lastRuns.get(text) ?? 0) > index) open = text;
  }
  return starts;
}

interface HtmlComment {
  index: number;
  end: number;
}

/** The comments of a text, requested in ascending order. */
export class HtmlComments {
  readonly #body: string;
  readonly #starts: readonly CommentStart[];
  #at = 0;
  #nextEnd = 0;

  constructor(body: string) {
    this.#body = body;
    this.#starts = findCommentStarts(body);
  }

  /** The comments that begin at `from` or later and before `until`. What the caller has found up to `from` is code. */
  takeBetween(from: number, until: number): HtmlComment[] {
    const found: HtmlComment[] = [];
    for (
      let start = this.#starts[this.#at];
      start !== undefined && start.index < until;
      start = this.#starts[this.#at]
    ) {
      this.#at += 1;
      if (start.index < (found.at(-1)?.end ?? from)) continue;
      const end = this.#endOf(start);
      if (end !== undefined) found.push({ index: start.index, end });
    }
    return found;
  }

  #endOf({ index, isAtLineStart }: CommentStart): number | undefined {
    // `<!-->` is a whole comment.
    const from = index + 2;
    if (this.#nextEnd >= 0 && this.#nextEnd < from) this.#nextEnd = this.#body.indexOf("-->", from);
    if (this.#nextEnd >= 0) return this.#nextEnd + 3;
    return isAtLineStart ? this.#body.length : undefined;
  }
}

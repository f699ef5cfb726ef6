/** What a reader found in a file and how it recovered: for a line on screen and for the debug log. */

export interface ReadReport {
  /** Where reading began: the last boundary, or 0. */
  startOffset: number;
  /** The number of records read from there on. */
  records: number;
  /** The number of skipped lines; `bad` has the first 100 with offset and reason. */
  badLines: number;
  bad: { offset: number; why: string }[];
  /** The skipped lines that this version does not know, because a newer one wrote them. */
  unknownLines: number;
  /** A last line that was cut off while being written. `openTranscript` sets it aside. */
  tornTail?: { offset: number; bytes: number };
  /** Places where the line numbers jump: something between them was lost or copied. */
  gaps: { offset: number; expected: number; found: number }[];
  /** Records that do not name the one before them. They are kept: file order decides. */
  chainBreaks: number;
  /** What was removed or added to keep calls and results in pairs. */
  repaired: string[];
}

const maxReported = 100;

export function createReadReport() {
  const report: ReadReport = {
    startOffset: 0,
    records: 0,
    badLines: 0,
    bad: [],
    unknownLines: 0,
    gaps: [],
    chainBreaks: 0,
    repaired: [],
  };
  return Object.assign(report, {
    badLine(offset: number, why: string, isUnknown = false): void {
      report.badLines++;
      if (isUnknown) report.unknownLines++;
      if (report.bad.length < maxReported) report.bad.push({ offset, why });
    },
    torn(offset: number, bytes: number): void {
      report.tornTail = { offset, bytes };
    },
    gap(offset: number, expected: number, found: number): void {
      if (report.gaps.length < maxReported) report.gaps.push({ offset, expected, found });
    },
    done(): ReadReport {
      const { startOffset, records, badLines, bad, unknownLines, tornTail, gaps, chainBreaks, repaired } = report;
      return { startOffset, records, badLines, bad, unknownLines, tornTail, gaps, chainBreaks, repaired };
    },
  });
}

/** A sentence or two for people; undefined if nothing was wrong. */
export function describeReport(report: ReadReport): string | undefined {
  const { tornTail, gaps, repaired, unknownLines } = report;
  const unreadable = report.badLines - unknownLines;
  const parts: string[] = [];
  if (tornTail !== undefined) parts.push(`its last line was cut off (${tornTail.bytes} bytes, set aside)`);
  if (unreadable > 0) parts.push(`${unreadable} unreadable ${unreadable === 1 ? "line was" : "lines were"} skipped`);
  if (gaps.length > 0) parts.push(`${gaps.length} ${gaps.length === 1 ? "gap" : "gaps"} in its numbering`);
  if (repaired.length > 0)
    parts.push(`${repaired.length} ${repaired.length === 1 ? "call or result was" : "calls or results were"} repaired`);
  const sentences = parts.length === 0 ? [] : [`The transcript was damaged: ${parts.join(", ")}.`];
  if (unknownLines > 0) sentences.push(describeUnknownLines(unknownLines, "the transcript", "ignored"));
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

/** A sentence about lines that a newer version wrote. */
export function describeUnknownLines(count: number, where: string, fate: string): string {
  const [lines, are] = count === 1 ? ["line", "is"] : ["lines", "are"];
  return `${count} ${lines} of ${where} ${are} of a kind that only a newer version of pawl knows, and ${are} ${fate}.`;
}

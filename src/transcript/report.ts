/** What a reader met in a file and how it got past it: for a line on screen, and for the debug log. */

export interface ReadReport {
  /** Where reading began: the last boundary, or 0. */
  startOffset: number;
  /** Records read from there on. */
  records: number;
  /** Skipped lines; the first 100 by place and reason. */
  badLines: number;
  bad: { offset: number; why: string }[];
  /** A last line that was cut while it was written. `openTranscript` sets it aside. */
  tornTail?: { offset: number; bytes: number };
  /** Places where the count of lines jumps: something between was lost or copied. */
  gaps: { offset: number; expected: number; found: number }[];
  /** Records that do not name the one before them. They are kept: the order of the file holds. */
  chainBreaks: number;
  /** What was left out or put in to keep calls and results in pairs. */
  repaired: string[];
}

const kept = 100;

export function createReport() {
  const report: ReadReport = {
    startOffset: 0,
    records: 0,
    badLines: 0,
    bad: [],
    gaps: [],
    chainBreaks: 0,
    repaired: [],
  };
  return Object.assign(report, {
    badLine(offset: number, why: string): void {
      report.badLines++;
      if (report.bad.length < kept) report.bad.push({ offset, why });
    },
    torn(offset: number, bytes: number): void {
      report.tornTail = { offset, bytes };
    },
    gap(offset: number, expected: number, found: number): void {
      if (report.gaps.length < kept) report.gaps.push({ offset, expected, found });
    },
    done(): ReadReport {
      const { startOffset, records, badLines, bad, tornTail, gaps, chainBreaks, repaired } = report;
      return { startOffset, records, badLines, bad, tornTail, gaps, chainBreaks, repaired };
    },
  });
}

/** One sentence for people; undefined where all was well. */
export function describeReport(report: ReadReport): string | undefined {
  const parts: string[] = [];
  if (report.tornTail !== undefined)
    parts.push(`its last line was cut off (${report.tornTail.bytes} bytes, set aside)`);
  if (report.badLines > 0)
    parts.push(`${report.badLines} unreadable ${report.badLines === 1 ? "line was" : "lines were"} skipped`);
  if (report.gaps.length > 0)
    parts.push(`${report.gaps.length} ${report.gaps.length === 1 ? "gap" : "gaps"} in its numbering`);
  if (report.repaired.length > 0) parts.push(`${report.repaired.length} calls or results were repaired`);
  return parts.length === 0 ? undefined : `The transcript was damaged: ${parts.join(", ")}.`;
}

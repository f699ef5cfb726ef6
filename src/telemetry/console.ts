/** The exporter `console`: one line of JSON per record. */
import type { Records } from "./record.ts";

export function consoleLines(records: Records): string {
  return recordLines(records)
    .map((line) => `[telemetry] ${JSON.stringify(line)}\n`)
    .join("");
}

function recordLines(records: Records): object[] {
  switch (records.signal) {
    case "metrics":
      return records.records.map(({ name, value, unit, attributes }) => ({ metric: name, value, unit, attributes }));
    case "logs":
      return records.records.map(({ name, attributes }) => ({ event: `claude_code.${name}`, attributes }));
    case "traces":
      return records.records.map(({ name: span, fromMs, toMs, ...rest }) => ({
        span,
        start: new Date(fromMs).toISOString(),
        ms: Math.round(toMs - fromMs),
        ...rest,
      }));
    default:
      return records satisfies never;
  }
}

/** The trace that a session belongs to, in the format of W3C Trace Context. */
import type { Environment } from "../../lib/environment.ts";
import type { SpanContext } from "../../telemetry/record.ts";

const traceparentPattern = /^[0-9a-f]{2}-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/u;

export function readTraceparent(env: Environment, remarks: string[]): SpanContext | undefined {
  const header = env["TRACEPARENT"]?.trim() ?? "";
  if (header === "") return undefined;
  const { traceId = "", spanId = "" } = traceparentPattern.exec(header)?.groups ?? {};
  if (/[1-9a-f]/u.test(traceId) && /[1-9a-f]/u.test(spanId) && !header.startsWith("ff")) return { traceId, spanId };
  remarks.push(
    "TRACEPARENT is not of the form 00-<32 digits>-<16 digits>-<2 digits>: the session begins a trace of its own.",
  );
  return undefined;
}

export function formatTraceparent({ traceId, spanId }: SpanContext): string {
  return `00-${traceId}-${spanId}-01`;
}

/** Builds the JSON bodies of OTLP requests. 64-bit integers are strings. */
import type { Attributes, EventRecord, Point, Records, SpanRecord } from "./record.ts";

export type OtlpMessage = { [key: string]: OtlpValue };
type OtlpValue = string | number | boolean | undefined | OtlpMessage | readonly OtlpMessage[];

const scopeName = "pawl";
const cumulative = 2;
const delta = 1;
const informational = 9;
const internalSpan = 1;
const statusError = 2;

export function otlpBody(records: Records, resource: Attributes, version: string): OtlpMessage {
  const resourceMessage = { attributes: keyValues(resource) };
  const scope = { name: scopeName, version };
  switch (records.signal) {
    case "metrics": {
      const metrics = groupMetrics(records.records, records.isCumulative ? cumulative : delta);
      return { resourceMetrics: [{ resource: resourceMessage, scopeMetrics: [{ scope, metrics }] }] };
    }
    case "logs":
      return {
        resourceLogs: [
          { resource: resourceMessage, scopeLogs: [{ scope, logRecords: records.records.map(logRecord) }] },
        ],
      };
    case "traces":
      return {
        resourceSpans: [{ resource: resourceMessage, scopeSpans: [{ scope, spans: records.records.map(span) }] }],
      };
    default:
      return records satisfies never;
  }
}

function groupMetrics(points: readonly Point[], aggregationTemporality: number): OtlpMessage[] {
  const byName = Map.groupBy(points, ({ name }) => name);
  return [...byName].map(([name, group]) => ({
    name,
    description: group[0]?.description,
    unit: group[0]?.unit,
    sum: { dataPoints: group.map(dataPoint), aggregationTemporality, isMonotonic: true },
  }));
}

function dataPoint({ attributes, fromMs, atMs, value }: Point): OtlpMessage {
  return {
    attributes: keyValues(attributes),
    startTimeUnixNano: nanoseconds(fromMs),
    timeUnixNano: nanoseconds(atMs),
    asDouble: value,
  };
}

function logRecord({ name, atMs, attributes, span: context }: EventRecord): OtlpMessage {
  return {
    timeUnixNano: nanoseconds(atMs),
    observedTimeUnixNano: nanoseconds(atMs),
    severityNumber: informational,
    severityText: "INFO",
    body: { stringValue: `claude_code.${name}` },
    attributes: keyValues(attributes),
    traceId: context?.traceId,
    spanId: context?.spanId,
  };
}

function span({ traceId, spanId, parentSpanId, name, fromMs, toMs, attributes, isError }: SpanRecord): OtlpMessage {
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind: internalSpan,
    startTimeUnixNano: nanoseconds(fromMs),
    endTimeUnixNano: nanoseconds(toMs),
    attributes: keyValues(attributes),
    status: isError ? { code: statusError } : {},
  };
}

function keyValues(attributes: Attributes): OtlpMessage[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: string | number | boolean): OtlpMessage {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}

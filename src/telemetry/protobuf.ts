/**
 * Encodes the same bodies as protobuf, with the field numbers of opentelemetry-proto. Fields that are not in the tables are not sent.
 * https://github.com/open-telemetry/opentelemetry-proto
 */
import type { OtlpMessage } from "./otlp.ts";

type Kind = "text" | "hex" | "flag" | "enum" | "int64" | "fixed64" | "double" | { readonly [name: string]: Field };
type Field = readonly [number: number, kind: Kind];
type MessageTable = Readonly<Record<string, Field>>;

const anyValue: MessageTable = {
  stringValue: [1, "text"],
  boolValue: [2, "flag"],
  intValue: [3, "int64"],
  doubleValue: [4, "double"],
};
const keyValue: MessageTable = { key: [1, "text"], value: [2, anyValue] };
const resource: MessageTable = { attributes: [1, keyValue] };
const scope: MessageTable = { name: [1, "text"], version: [2, "text"] };

const dataPoint: MessageTable = {
  startTimeUnixNano: [2, "fixed64"],
  timeUnixNano: [3, "fixed64"],
  asDouble: [4, "double"],
  attributes: [7, keyValue],
};
const sum: MessageTable = { dataPoints: [1, dataPoint], aggregationTemporality: [2, "enum"], isMonotonic: [3, "flag"] };
const metric: MessageTable = { name: [1, "text"], description: [2, "text"], unit: [3, "text"], sum: [7, sum] };
const logRecord: MessageTable = {
  timeUnixNano: [1, "fixed64"],
  severityNumber: [2, "enum"],
  severityText: [3, "text"],
  body: [5, anyValue],
  attributes: [6, keyValue],
  traceId: [9, "hex"],
  spanId: [10, "hex"],
  observedTimeUnixNano: [11, "fixed64"],
};
const span: MessageTable = {
  traceId: [1, "hex"],
  spanId: [2, "hex"],
  parentSpanId: [4, "hex"],
  name: [5, "text"],
  kind: [6, "enum"],
  startTimeUnixNano: [7, "fixed64"],
  endTimeUnixNano: [8, "fixed64"],
  attributes: [9, keyValue],
  status: [15, { code: [3, "enum"] }],
};

const request: MessageTable = {
  resourceMetrics: [1, { resource: [1, resource], scopeMetrics: [2, { scope: [1, scope], metrics: [2, metric] }] }],
  resourceLogs: [1, { resource: [1, resource], scopeLogs: [2, { scope: [1, scope], logRecords: [2, logRecord] }] }],
  resourceSpans: [1, { resource: [1, resource], scopeSpans: [2, { scope: [1, scope], spans: [2, span] }] }],
};

export function toProtobuf(body: OtlpMessage): Buffer {
  return encodeMessage(body, request);
}

function encodeMessage(value: OtlpMessage, table: MessageTable): Buffer {
  const parts: Buffer[] = [];
  for (const [name, [number, kind]] of Object.entries(table)) {
    const fieldValue = value[name];
    if (fieldValue === undefined) continue;
    if (typeof kind === "string") parts.push(...encodeScalar(number, kind, fieldValue));
    else
      for (const each of Array.isArray(fieldValue) ? (fieldValue as OtlpMessage[]) : [fieldValue as OtlpMessage])
        parts.push(...encodeNested(number, each, kind));
  }
  return Buffer.concat(parts);
}

function encodeNested(number: number, value: OtlpMessage, table: MessageTable): Buffer[] {
  const bytes = encodeMessage(value, table);
  return [tag(number, 2), varint(BigInt(bytes.length)), bytes];
}

function encodeScalar(number: number, kind: Extract<Kind, string>, value: unknown): Buffer[] {
  switch (kind) {
    case "text":
      return encodeBytes(number, Buffer.from(String(value), "utf8"));
    case "hex":
      return encodeBytes(number, Buffer.from(String(value), "hex"));
    case "flag":
      return [tag(number, 0), varint(value === true ? 1n : 0n)];
    case "enum":
    case "int64":
      return [tag(number, 0), varint(BigInt.asUintN(64, BigInt(value as string | number)))];
    case "fixed64": {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value as string)));
      return [tag(number, 1), bytes];
    }
    case "double": {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(Number(value));
      return [tag(number, 1), bytes];
    }
    default:
      return kind satisfies never;
  }
}

function encodeBytes(number: number, bytes: Buffer): Buffer[] {
  return [tag(number, 2), varint(BigInt(bytes.length)), bytes];
}

function tag(number: number, wireType: 0 | 1 | 2): Buffer {
  return varint(BigInt(number * 8 + wireType));
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

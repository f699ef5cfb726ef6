// A collector on loopback: takes what exporters send, and tells it in plain values.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Taken {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

type Values = Record<string, unknown>;

export interface Told {
  name: string;
  attributes: Values;
}

export interface Collector {
  url: string;
  taken: Taken[];
  /** Variables that have everything sent here as JSON. */
  env: Record<string, string>;
  points: (name: string) => (Told & { value: number })[];
  events: (name: string) => (Told & { traceId?: string; spanId?: string })[];
  spans: (name: string) => (Told & Placed & { isError: boolean })[];
  /** Resolves with the first request. */
  asked: Promise<void>;
  close: () => Promise<void>;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export const takes: Answer = (response) => void response.end("{}");

const open: Collector[] = [];

export async function closeCollectors(): Promise<void> {
  await Promise.all(open.splice(0).map((collector) => collector.close()));
}

export async function startCollector(answer: Answer = takes): Promise<Collector> {
  const taken: Taken[] = [];
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      taken.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(parts) });
      ask();
      answer(response, request);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const collector: Collector = {
    url,
    taken,
    asked,
    env: {
      CLAUDE_CODE_ENABLE_TELEMETRY: "1",
      CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1",
      OTEL_METRICS_EXPORTER: "otlp",
      OTEL_LOGS_EXPORTER: "otlp",
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
    },
    points: (name) => at(taken, "/v1/metrics").flatMap((body) => pointsIn(body, name)),
    events: (name) => at(taken, "/v1/logs").flatMap((body) => eventsIn(body, name)),
    spans: (name) => at(taken, "/v1/traces").flatMap((body) => spansIn(body, name)),
    async close() {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, "close");
    },
  };
  open.push(collector);
  return collector;
}

/** Parsed, in order. */
function at(taken: readonly Taken[], path: string): Values[] {
  return taken.filter((each) => each.path === path).map(({ body }) => JSON.parse(body.toString("utf8")) as Values);
}

function list(value: unknown, ...path: string[]): Values[] {
  let found = [value as Values];
  for (const step of path) found = found.flatMap((each) => (each[step] ?? []) as Values[]);
  return found;
}

function attributesOf(value: Values): Values {
  const pairs = list(value, "attributes") as { key: string; value: Values }[];
  return Object.fromEntries(
    pairs.map(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => [
      key,
      intValue === undefined ? (stringValue ?? boolValue ?? doubleValue) : Number(intValue),
    ]),
  );
}

function pointsIn(body: Values, name: string) {
  const found = list(body, "resourceMetrics", "scopeMetrics", "metrics").filter((each) => each["name"] === name);
  return found.flatMap((metric) =>
    list(metric["sum"], "dataPoints").map((point) => ({
      name,
      value: Number(point["asDouble"]),
      attributes: attributesOf(point),
    })),
  );
}

interface Placed {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
}

function placeOf(value: Values): Placed {
  const { traceId, spanId, parentSpanId } = value as unknown as Placed;
  return parentSpanId === undefined ? { traceId, spanId } : { traceId, spanId, parentSpanId };
}

function eventsIn(body: Values, name: string) {
  const records = list(body, "resourceLogs", "scopeLogs", "logRecords");
  const named = records.filter(({ body: text }) => (text as Values)["stringValue"] === `claude_code.${name}`);
  return named.map((record) => ({
    name,
    attributes: attributesOf(record),
    ...(record["traceId"] === undefined ? {} : placeOf(record)),
  }));
}

function spansIn(body: Values, name: string) {
  const found = list(body, "resourceSpans", "scopeSpans", "spans").filter((each) => each["name"] === name);
  return found.map((span) => ({
    name,
    attributes: attributesOf(span),
    ...placeOf(span),
    isError: (span["status"] as Values)["code"] === 2,
  }));
}

/** Reads from environment variables what telemetry to send, where, how often, and with how much of the content. */
import type { Environment } from "../lib/environment.ts";
import { yesOrNo } from "../lib/yes-or-no.ts";
import {
  attributeValue,
  headerValue,
  parseCommaList,
  numberOf,
  parsePairs,
  switchOf,
  textOf,
  type Remarks,
} from "./variables.ts";

export const signals = ["metrics", "logs", "traces"] as const;
export type Signal = (typeof signals)[number];

export interface Collector {
  kind: "otlp";
  url: URL;
  protocol: "http/json" | "http/protobuf";
  headers: Readonly<Record<string, string>>;
  /** ms. */
  timeoutMs: number;
}

export type Destination = Collector | { kind: "console" };

/** Which content to include. All false: only lengths, names and figures. */
export interface ContentPlan {
  prompts: boolean;
  responses: boolean;
  toolDetails: boolean;
  toolContent: boolean;
  rawBodies: boolean;
}

export interface TelemetryPlan {
  destinations: Readonly<Record<Signal, readonly Destination[]>>;
  /** ms. */
  intervals: Readonly<Record<Signal, number>>;
  isCumulative: boolean;
  /** Attributes of all records: the service, the machine, and those from `OTEL_RESOURCE_ATTRIBUTES`. */
  resource: Readonly<Record<string, string>>;
  /** Those from `OTEL_RESOURCE_ATTRIBUTES`, repeated on each point and event; empty if switched off. */
  repeatedAttributes: Readonly<Record<string, string>>;
  metricAttributes: { sessionId: boolean; version: boolean; entrypoint: boolean };
  content: ContentPlan;
  /** How long the end of a session waits for the last records, in ms. */
  closeMs: number;
  /** The maximum age of headers from a helper, in ms: tokens expire. */
  maxHeadersAgeMs: number;
}

const defaultEndpoint = "http://localhost:4318";
const paths: Readonly<Record<Signal, string>> = { metrics: "v1/metrics", logs: "v1/logs", traces: "v1/traces" };

/** Returns the exporters named for a signal. Traces also need a switch of their own. */
function exporterNames(env: Environment, signal: Signal): string[] {
  if (signal === "traces" && yesOrNo(env["CLAUDE_CODE_ENHANCED_TELEMETRY_BETA"]) !== true) return [];
  return parseCommaList(env[`OTEL_${signal.toUpperCase()}_EXPORTER`]);
}

/** `remarks` receives a sentence for each invalid value. */
export function readPlan(
  env: Environment,
  fixed: { service: string; version: string },
  remarks: Remarks,
): TelemetryPlan {
  const resourceAttributes = parsePairs(env, "OTEL_RESOURCE_ATTRIBUTES", attributeValue, remarks);
  const service = {
    "service.name": textOf(env, "OTEL_SERVICE_NAME") ?? resourceAttributes["service.name"] ?? fixed.service,
  };
  const repeats = switchOf(env, "OTEL_METRICS_INCLUDE_RESOURCE_ATTRIBUTES", true, remarks);
  const { "service.name": _name, "service.version": _version, ...repeated } = resourceAttributes;
  const destinationsFor = (signal: Signal): Destination[] => destinationsOf(env, signal, remarks);
  return {
    destinations: {
      metrics: destinationsFor("metrics"),
      logs: destinationsFor("logs"),
      traces: destinationsFor("traces"),
    },
    intervals: {
      metrics: numberOf(env, "OTEL_METRIC_EXPORT_INTERVAL", 60_000, remarks),
      logs: numberOf(env, "OTEL_LOGS_EXPORT_INTERVAL", 5_000, remarks),
      traces: numberOf(env, "OTEL_TRACES_EXPORT_INTERVAL", 5_000, remarks),
    },
    isCumulative: isCumulative(env, remarks),
    resource: { ...resourceAttributes, ...service, "service.version": fixed.version },
    repeatedAttributes: repeats ? repeated : {},
    metricAttributes: {
      sessionId: switchOf(env, "OTEL_METRICS_INCLUDE_SESSION_ID", true, remarks),
      version: switchOf(env, "OTEL_METRICS_INCLUDE_VERSION", false, remarks),
      entrypoint: switchOf(env, "OTEL_METRICS_INCLUDE_ENTRYPOINT", false, remarks),
    },
    content: contentOf(env, remarks),
    closeMs: Math.min(numberOf(env, "CLAUDE_CODE_OTEL_SHUTDOWN_TIMEOUT_MS", 2_000, remarks), 30_000),
    maxHeadersAgeMs: numberOf(env, "CLAUDE_CODE_OTEL_HEADERS_HELPER_DEBOUNCE_MS", 29 * 60_000, remarks),
  };
}

function isCumulative(env: Environment, remarks: Remarks): boolean {
  const name = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE";
  const wish = textOf(env, name)?.toLowerCase() ?? "delta";
  if (!["delta", "cumulative", "lowmemory"].includes(wish))
    remarks.push(`${name} is "${wish}": it must be delta, cumulative or lowmemory; delta is used.`);
  return wish === "cumulative";
}

function contentOf(env: Environment, remarks: Remarks): ContentPlan {
  const bodies = textOf(env, "OTEL_LOG_RAW_API_BODIES");
  const isFolder = bodies?.startsWith("file:") === true;
  if (isFolder)
    remarks.push(
      "OTEL_LOG_RAW_API_BODIES names a folder, which is not supported: set it to 1 to have the bodies in the events, cut at 60 KB.",
    );
  return {
    prompts: switchOf(env, "OTEL_LOG_USER_PROMPTS", false, remarks),
    responses: switchOf(env, "OTEL_LOG_ASSISTANT_RESPONSES", false, remarks),
    toolDetails: switchOf(env, "OTEL_LOG_TOOL_DETAILS", false, remarks),
    toolContent: switchOf(env, "OTEL_LOG_TOOL_CONTENT", false, remarks),
    rawBodies: !isFolder && switchOf(env, "OTEL_LOG_RAW_API_BODIES", false, remarks),
  };
}

function destinationsOf(env: Environment, signal: Signal, remarks: Remarks): Destination[] {
  const variable = `OTEL_${signal.toUpperCase()}_EXPORTER`;
  return [...new Set(exporterNames(env, signal))].flatMap((name): Destination[] => {
    if (name === "none") return [];
    if (name === "console") return [{ kind: "console" }];
    if (name === "otlp") return collectorOf(env, signal, remarks);
    remarks.push(`${variable} names "${name.slice(0, 40)}": it must be otlp, console or none; nothing is sent there.`);
    return [];
  });
}

/** The signal's own variable takes precedence over the common one. */
function collectorOf(env: Environment, signal: Signal, remarks: Remarks): Collector[] {
  const variableName = (name: string): string =>
    textOf(env, `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${name}`) === undefined
      ? `OTEL_EXPORTER_OTLP_${name}`
      : `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${name}`;
  const protocol = textOf(env, variableName("PROTOCOL"));
  if (protocol !== "http/json" && protocol !== "http/protobuf") {
    remarks.push(protocolRemark(variableName("PROTOCOL"), protocol, signal));
    return [];
  }
  const url = endpointOf(env, variableName("ENDPOINT"), signal, remarks);
  if (url === undefined) return [];
  const headers = parsePairs(env, variableName("HEADERS"), headerValue, remarks);
  const timeoutMs = numberOf(env, variableName("TIMEOUT"), 10_000, remarks);
  return [{ kind: "otlp", url, protocol, headers, timeoutMs }];
}

function protocolRemark(variable: string, protocol: string | undefined, signal: Signal): string {
  const why =
    protocol === undefined
      ? `${variable} is not set`
      : protocol === "grpc"
        ? `${variable} is grpc, which is not supported`
        : `${variable} is "${protocol.slice(0, 40)}"`;
  return `${why}: set it to http/protobuf or http/json to have ${signal} sent (most collectors take both on port 4318).`;
}

function endpointOf(env: Environment, variable: string, signal: Signal, remarks: Remarks): URL | undefined {
  const endpoint = textOf(env, variable) ?? defaultEndpoint;
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    remarks.push(`${variable} is not an address that begins with http:// or https://: no ${signal} are sent.`);
    return undefined;
  }
  // The endpoint of one signal is used unchanged; the common endpoint is a prefix for all signals.
  if (variable === "OTEL_EXPORTER_OTLP_ENDPOINT")
    url.pathname = `${url.pathname.replace(/\/+$/u, "")}/${paths[signal]}`;
  return url;
}

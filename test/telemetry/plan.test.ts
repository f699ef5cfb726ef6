// What the variables request, and what is reported about those that request something unknown.
import { expect, test } from "vitest";
import { readPlan } from "../../src/telemetry/plan.ts";

const fixed = { service: "pawl", version: "1.0.0" };

function read(env: Record<string, string>) {
  const remarks: string[] = [];
  return { plan: readPlan(env, fixed, remarks), remarks };
}

const otlp = { OTEL_METRICS_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };

test("by default sends metrics every minute as deltas, and events every five seconds", () => {
  const { plan, remarks } = read(otlp);
  expect(remarks).toEqual([]);
  expect(plan).toMatchObject({ intervals: { metrics: 60_000, logs: 5_000 }, isCumulative: false, closeMs: 2_000 });
  const nothing = { prompts: false, responses: false, toolDetails: false, toolContent: false, rawBodies: false };
  expect(plan.content).toEqual(nothing);
  expect(plan.destinations).toMatchObject({
    metrics: [{ protocol: "http/json", timeoutMs: 10_000 }],
    logs: [],
    traces: [],
  });
  expect(plan.destinations.metrics.map((to) => (to.kind === "otlp" ? to.url.href : to.kind))).toEqual([
    "http://localhost:4318/v1/metrics",
  ]);
});

test("a signal's own variables override the common ones, and its endpoint is used unchanged", () => {
  const { plan } = read({
    ...otlp,
    OTEL_EXPORTER_OTLP_ENDPOINT: "https://one.example/base/",
    OTEL_EXPORTER_OTLP_HEADERS: "a=1",
    OTEL_LOGS_EXPORTER: "otlp,console,otlp",
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "https://two.example/in",
    OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/protobuf",
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: "b=2%3D",
    OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: "77",
  });
  const [metrics] = plan.destinations.metrics;
  expect(metrics).toMatchObject({ headers: { a: "1" }, timeoutMs: 10_000 });
  expect(metrics?.kind === "otlp" && metrics.url.href).toBe("https://one.example/base/v1/metrics");
  const [logs, second, ...rest] = plan.destinations.logs;
  expect(logs).toMatchObject({ headers: { b: "2=" }, protocol: "http/protobuf", timeoutMs: 77 });
  expect(logs?.kind === "otlp" && logs.url.href).toBe("https://two.example/in");
  expect([second, rest]).toEqual([{ kind: "console" }, []]);
});

test("attributes may be in any script and percent-encoded, but headers may not", () => {
  const env = { OTEL_RESOURCE_ATTRIBUTES: "team=%E5%BC%80%E5%8F%91,site=Łódź,tab=a%09b,bad=a%0ab" };
  const { plan, remarks } = read({ ...otlp, ...env, OTEL_EXPORTER_OTLP_HEADERS: "a=1,b=%E5%BC%80" });
  expect(plan.resource).toMatchObject({ team: "开发", site: "Łódź" });
  expect(plan.repeatedAttributes).toEqual({ team: "开发", site: "Łódź", tab: "a\tb" });
  expect(plan.destinations.metrics).toMatchObject([{ headers: { a: "1" } }]);
  expect(remarks).toHaveLength(2);
});

test('the exporter "none" gives no destination and no remark', () => {
  const { plan, remarks } = read({ ...otlp, OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" });
  expect([plan.destinations.metrics, plan.destinations.logs, remarks]).toEqual([[], [], []]);
});

test("traces need a switch of their own", () => {
  const env = { ...otlp, OTEL_TRACES_EXPORTER: "otlp" };
  expect(read(env).plan.destinations.traces).toEqual([]);
  expect(read({ ...env, CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1" }).plan.destinations.traces).toHaveLength(1);
});

test.each<[what: string, env: Record<string, string>, told: RegExp]>([
  [
    "grpc",
    { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    /OTLP_PROTOCOL is grpc, which is not supported: set it to http\/protobuf/,
  ],
  ["no protocol", { OTEL_EXPORTER_OTLP_PROTOCOL: "" }, /OTEL_EXPORTER_OTLP_PROTOCOL is not set/],
  ["another exporter", { OTEL_METRICS_EXPORTER: "prometheus" }, /names "prometheus": it must be otlp, console or none/],
  ["no address", { OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" }, /OTEL_EXPORTER_OTLP_ENDPOINT is not an address/],
  ["no number", { OTEL_METRIC_EXPORT_INTERVAL: "soon" }, /is "soon": .* 60000 is used/],
  ["no pair", { OTEL_EXPORTER_OTLP_HEADERS: "a=1,secret" }, /A part of OTEL_EXPORTER_OTLP_HEADERS is not of the form/],
  ["a line break", { OTEL_EXPORTER_OTLP_HEADERS: "a=1%0d%0ab" }, /is not of the form/],
  ["a temporality", { OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "x" }, /delta is used/],
  ["a switch", { OTEL_LOG_USER_PROMPTS: "maybe" }, /OTEL_LOG_USER_PROMPTS is "maybe": it is neither 1 nor 0/],
  ["an age of headers", { CLAUDE_CODE_OTEL_HEADERS_HELPER_DEBOUNCE_MS: "x" }, /HELPER_DEBOUNCE_MS is "x": .* 1740000/],
  ["a folder of bodies", { OTEL_LOG_RAW_API_BODIES: "file:/tmp/x" }, /names a folder, which is not supported/],
])("an invalid value gives one remark: %s", (_, env, told) => {
  const { remarks } = read({ ...otlp, ...env });
  expect(remarks).toEqual([expect.stringMatching(told)]);
  expect(remarks.join()).not.toContain("secret");
});

test("an invalid switch keeps its default", () => {
  const { plan } = read({ ...otlp, OTEL_METRICS_INCLUDE_SESSION_ID: "maybe", OTEL_METRICS_INCLUDE_VERSION: "maybe" });
  expect(plan.metricAttributes).toMatchObject({ sessionId: true, version: false });
});

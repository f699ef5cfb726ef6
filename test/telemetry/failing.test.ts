// A collector that is down, slow or wrong: the session shows one sentence and is not affected otherwise.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { elapsedMs } from "../../src/lib/elapsed-ms.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "../session/support.ts";
import { hasCompleteLine, withGrowingLimit } from "../support/growing-limit.ts";
import { closeCollectors, startCollector, takes } from "./collector.ts";

clearGroundsAfterwards();
afterEach(disposeAll);
afterEach(closeCollectors);

async function run(env: Record<string, string>): Promise<{ notices: string[]; debug: string[]; closedMs: number }> {
  const [notices, debug]: [string[], string[]] = [[], []];
  const engine = await openOn(layGround(), scripted({ fallback: "The answer." }), {
    env,
    onNotice: (text) => void notices.push(text),
    debug: (line) => void debug.push(line),
  });
  const { result } = await turn(engine, "Go.");
  expect(result).toMatchObject({ subtype: "success", result: "The answer." });
  const from = elapsedMs();
  await engine.dispose();
  return { notices, debug, closedMs: elapsedMs() - from };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("reports an unreachable collector once", async () => {
  const { env } = await startCollector();
  const { notices, debug } = await run({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` });
  expect(notices).toEqual([
    expect.stringMatching(/^Telemetry could not be sent to http:\/\/127\.0\.0\.1:\d+\/v1\/\w+: ECONNREFUSED\./u),
  ]);
  expect(debug.filter((line) => line.includes("ECONNREFUSED")).length).toBeGreaterThan(1);
});

test("gives up at once if the collector switches to another protocol", async () => {
  const { env } = await startCollector((response) => {
    response.socket?.end("HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n");
  });
  const { notices } = await run(env);
  expect(notices).toEqual([expect.stringContaining("it closed the connection")]);
});

test("reports a collector that answers 500 once, with its address but without secrets", async () => {
  const { env, url } = await startCollector((response) => void response.writeHead(500).end("no"));
  const secret = `${url.replace("http://", "http://user:word@")}/?token=abc`;
  const { notices } = await run({
    ...env,
    OTEL_EXPORTER_OTLP_ENDPOINT: secret,
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=secret",
  });
  expect(notices).toEqual([expect.stringContaining("it answered 500. The session goes on")]);
  expect(notices.join()).not.toMatch(/word|abc|secret/u);
});

test("waits at the end of the session no longer than the configured time for a collector that never answers", async () => {
  const { env, taken } = await startCollector(() => undefined);
  const { notices, closedMs } = await run({ ...env, CLAUDE_CODE_OTEL_SHUTDOWN_TIMEOUT_MS: "300" });
  expect(taken.length).toBeGreaterThan(0);
  expect(closedMs).toBeLessThan(2_000);
  expect(notices).toEqual([expect.stringContaining("the session ended before it answered")]);
});

test("counts data as sent if the collector answers 200 with an endless body", async () => {
  const { env } = await startCollector((response) => void response.writeHead(200).write("{"));
  const { notices, closedMs } = await run(env);
  expect([notices, closedMs < 1_500]).toEqual([[], true]);
});

test("reports a collector that breaks off the connection, and follows no redirect", async () => {
  const broken = await startCollector((response) => void response.destroy());
  expect((await run(broken.env)).notices).toHaveLength(1);
  const elsewhere = await startCollector();
  const moved = await startCollector((response) => void response.writeHead(307, { location: elsewhere.url }).end());
  expect((await run(moved.env)).notices).toEqual([expect.stringContaining("it answered 307")]);
  expect(elsewhere.taken).toEqual([]);
});

test("sends again what a busy collector refused, and counts nothing twice", async () => {
  let answered = 0;
  const collector = await startCollector((response, request) => {
    if (answered++ === 0) response.writeHead(503).end();
    else takes(response, request);
  });
  const { env, asked, points, taken } = collector;
  const metricsOnly = { OTEL_LOGS_EXPORTER: "none", OTEL_TRACES_EXPORTER: "none", OTEL_METRIC_EXPORT_INTERVAL: "5" };
  const engine = await openOn(layGround(), scripted({ fallback: "Said." }), { env: { ...env, ...metricsOnly } });
  await turn(engine, "One.");
  await asked;
  await engine.dispose();
  // In the request that was refused, and in one that was taken.
  expect(points("claude_code.session.count").map(({ value }) => value)).toEqual([1, 1]);
  expect(taken[0]?.body.toString()).toContain("claude_code.session.count");
});

test("ends a headers helper that hangs with the session", async () => {
  const { env, taken } = await startCollector();
  const ground = layGround();
  const pid = join(ground.work, "pid");
  await withGrowingLimit(300, async (ms) => {
    const notices: string[] = [];
    const engine = await openOn(ground, scripted({ fallback: "Said." }), {
      env: { ...env, CLAUDE_CODE_OTEL_SHUTDOWN_TIMEOUT_MS: String(ms) },
      settings: JSON.stringify({ otelHeadersHelper: `echo $$ > ${pid}; exec sleep 600` }),
      onNotice: (text) => void notices.push(text),
    });
    await turn(engine, "Go.");
    await engine.dispose();
    expect(taken).toEqual([]);
    expect(notices).toEqual([expect.stringContaining("the session ended before its headers were known")]);
    return hasCompleteLine(pid);
  });
  await expect.poll(() => isAlive(Number(readFileSync(pid, "utf8")))).toBe(false);
});

test("sends the headers that a helper prints, and reports a helper that fails", async () => {
  const { env, taken } = await startCollector();
  const settings = (otelHeadersHelper: string) => JSON.stringify({ otelHeadersHelper });
  const notices: string[] = [];
  for (const helper of [`echo '{"authorization":"Bearer t1"}'`, "echo nonsense"]) {
    const engine = await openOn(layGround(), scripted({ fallback: "Said." }), {
      env,
      settings: settings(helper),
      onNotice: (text) => void notices.push(text),
    });
    await turn(engine, "Go.");
    await engine.dispose();
  }
  expect(taken.map(({ headers }) => headers["authorization"])).toEqual(["Bearer t1", "Bearer t1", "Bearer t1"]);
  expect(notices).toEqual([expect.stringContaining("otelHeadersHelper did not print a JSON object of strings.")]);
});

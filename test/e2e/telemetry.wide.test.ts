// Telemetry of the real command: its output and its exit codes stay what they are.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Script } from "../../src/testing/index.ts";
import { closeCollectors, startCollector } from "../telemetry/collector.ts";
import { createWorld, type World } from "./command.ts";

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
  await closeCollectors();
});

async function open(script: Script): Promise<World> {
  world = await createWorld(script);
  return world;
}

const told = /Telemetry could not be sent/u;

describe("pawl -p", () => {
  test("sends its telemetry before it exits", async () => {
    const collector = await startCollector();
    const { run } = await open({ fallback: "The answer." });
    const { code, stdout, stderr } = await run(["-p", "Say it."], { env: collector.env });
    expect([code, stdout]).toEqual([0, "The answer.\n"]);
    expect(stderr).not.toMatch(told);
    const [session] = collector.points("claude_code.session.count");
    const [prompt] = collector.events("user_prompt");
    expect(session?.attributes["session.id"]).toBe(prompt?.attributes["session.id"]);
    expect(stderr).toContain(String(prompt?.attributes["session.id"]));
    expect(collector.spans("claude_code.interaction")).toHaveLength(1);
  });

  test("exits with 1 after a failure, and reports the failure to the collector", async () => {
    const collector = await startCollector();
    const { run } = await open({ fallback: { fault: "bad_request" } });
    const { code } = await run(["-p", "Say it."], { env: collector.env });
    expect(code).toBe(1);
    expect(collector.events("api_error")).toHaveLength(1);
  });

  test("prints telemetry to stderr with the console exporter, and none to stdout", async () => {
    const env = { CLAUDE_CODE_ENABLE_TELEMETRY: "1", OTEL_LOGS_EXPORTER: "console", OTEL_METRICS_EXPORTER: "console" };
    const { run } = await open({ fallback: "The answer." });
    const { code, stdout, stderr } = await run(["-p", "Say it.", "--output-format", "json"], { env });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { result: "The answer." }]);
    expect(stdout).not.toContain("telemetry");
    expect(stderr).toContain('[telemetry] {"event":"claude_code.user_prompt"');
    expect(stderr).toContain('[telemetry] {"metric":"claude_code.session.count","value":1');
  });

  test.each([
    ["hangs", () => undefined],
    [
      "answers 500",
      (response: { writeHead(status: number): { end(): unknown } }) => void response.writeHead(500).end(),
    ],
  ])("gives the same answer and exit code if a collector %s", async (_, answer) => {
    const collector = await startCollector(answer);
    const { run } = await open({ fallback: "The answer." });
    const env = { ...collector.env, CLAUDE_CODE_OTEL_SHUTDOWN_TIMEOUT_MS: "400" };
    const { code, stdout, stderr } = await run(["-p", "Say it."], { env });
    expect([code, stdout]).toEqual([0, "The answer.\n"]);
    expect(stderr.match(new RegExp(told, "gu"))).toHaveLength(1);
  });

  test("exits with 143 on SIGTERM even if a collector hangs", async () => {
    const collector = await startCollector(() => undefined);
    const { start } = await open({ fallback: { content: [{ tool: "Bash", input: { command: "echo; sleep 60" } }] } });
    const running = start(["-p", "Wait.", "--allowed-tools", "Bash", "--verbose", "--output-format", "stream-json"], {
      env: { ...collector.env, OTEL_LOGS_EXPORT_INTERVAL: "10" },
    });
    await running.saw('"tool_use"');
    await collector.asked;
    running.child.kill("SIGTERM");
    expect((await running.done).code).toBe(143);
  });

  test("refuses the grpc protocol with one sentence and goes on", async () => {
    const { run } = await open({ fallback: "The answer." });
    const env = {
      CLAUDE_CODE_ENABLE_TELEMETRY: "1",
      OTEL_METRICS_EXPORTER: "otlp",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    };
    const { code, stdout, stderr } = await run(["-p", "Say it."], { env });
    expect([code, stdout]).toEqual([0, "The answer.\n"]);
    expect(stderr).toContain("OTEL_EXPORTER_OTLP_PROTOCOL is grpc, which is not supported");
  });
});

/** Names of the files of telemetry that a session has loaded. */
function loaded(env: Record<string, string>): string[] {
  const script = `
    import { registerHooks } from "node:module";
    const seen = [];
    registerHooks({ load(url, context, next) { seen.push(url); return next(url, context); } });
    const { createEngine } = await import("./src/index.ts");
    const { createScriptedModel } = await import("./src/testing/index.ts");
    const model = createScriptedModel({ fallback: "Said." });
    const env = { ...process.env, ANTHROPIC_API_KEY: "scripted" };
    const engine = await createEngine({ env, cwd: process.env.HOME, home: process.env.HOME, persistSession: false, transport: (exchange) => model.handle(exchange) });
    let last;
    for await (const message of engine.submitMessage("Say it.")) last = message;
    await engine.dispose();
    if (last.subtype !== "success") throw new Error(JSON.stringify(last));
    console.log(JSON.stringify(seen.filter((url) => url.includes("/telemetry/"))));`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: join(import.meta.dirname, "../.."),
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: world?.home, ...env },
  });
  expect(status, stderr).toBe(0);
  return (JSON.parse(stdout) as string[]).map((url) => url.slice(url.indexOf("/src/") + 5));
}

test("no telemetry code is loaded if telemetry is off or no exporter is named", async () => {
  await open({});
  const only = ["session/telemetry/with-telemetry.ts"];
  expect(loaded({})).toEqual(only);
  expect(loaded({ OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "otlp" })).toEqual(only);
  expect(loaded({ CLAUDE_CODE_ENABLE_TELEMETRY: "1", OTEL_METRICS_EXPORTER: "none" })).toEqual(only);
  expect(loaded({ CLAUDE_CODE_ENABLE_TELEMETRY: "1", OTEL_LOGS_EXPORTER: "console" })).toContain(
    "telemetry/telemetry.ts",
  );
});

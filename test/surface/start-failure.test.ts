// What is reported about a session that could not start.
import { expect, test } from "vitest";
import { UsageError } from "../../src/lib/usage-error.ts";
import { writeStartFailure } from "../../src/surface/headless/write-start-failure.ts";
import { startFailure } from "../../src/surface/start-failure.ts";
import { Collector } from "./support/sink.ts";

test("startFailure marks a locked session as retryable and a missing one as not", () => {
  const locked = new UsageError("It is open elsewhere.", { code: "session_locked" });
  expect(startFailure(locked, "id")).toMatchObject({ failure: { code: "session_locked", retryable: true } });
  const unknown = new UsageError("There is none.", { code: "session_not_found" });
  expect(startFailure(unknown, "id")).toMatchObject({ failure: { code: "session_not_found", retryable: false } });
  expect(startFailure(new Error("broken"), "id")).toMatchObject({ failure: { code: "internal", retryable: false } });
});

test("startFailure words system errors for people", () => {
  const refused = Object.assign(new Error("EMFILE: too many open files, open '/a'"), { code: "EMFILE", path: "/a" });
  expect(startFailure(refused, "id")).toMatchObject({ errors: ["/a: this process has too many open files (EMFILE)."] });
});

test("startFailure has all parts of usage that clients read", () => {
  expect(startFailure(new Error("broken"), "id")).toMatchObject({
    usage: {
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    },
  });
});

test("a run that cannot start writes a result for JSON formats and nothing for text", async () => {
  const told = async (outputFormat: "text" | "json" | "stream-json", verbose: boolean): Promise<string> => {
    const stdout = new Collector();
    await writeStartFailure(new Error("broken"), { outputFormat, verbose, stdout, env: {}, newId: () => "id" });
    return stdout.text;
  };
  const result: unknown = expect.objectContaining({
    type: "result",
    is_error: true,
    errors: ["broken"],
    terminal_reason: "turn_setup_failed",
    total_cost_usd: 0,
    uuid: "id",
    session_id: "",
  });
  expect([await told("text", false), await told("text", true)]).toEqual(["", ""]);
  for (const [format, verbose] of [
    ["json", false],
    ["stream-json", false],
    ["stream-json", true],
  ] as const) {
    const line = await told(format, verbose);
    expect([line.trimEnd().split("\n").length, line.endsWith("\n")]).toEqual([1, true]);
    expect(JSON.parse(line)).toEqual(result);
  }
  expect(JSON.parse(await told("json", true))).toEqual([result]);
});

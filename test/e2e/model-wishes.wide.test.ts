// What is asked of the model on the command line, and pictures on its standard input: the real command over real HTTP.
import { expect, test } from "vitest";
import { pictureSize } from "../../src/lib/image-header.ts";
import type { Script } from "../../src/testing/index.ts";
import { plainPng } from "../support/pictures.ts";
import { worldOfEachTest } from "./support/worlds.ts";

const open = worldOfEachTest();

async function run(script: Script, args: readonly string[], input?: string) {
  const world = await open(script);
  const streams = ["-p", "--output-format", "stream-json", ...args];
  const { code, stdout, stderr } = await world.run(streams, input === undefined ? {} : { input });
  const lines = stdout.split("\n").filter((line) => line !== "");
  const messages = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const requests = world.server.requests.map(({ body, headers }) => ({
    body: body as unknown as Record<string, unknown>,
    beta: headers["anthropic-beta"],
  }));
  return { code, stderr, messages, requests };
}

const transitions = (messages: readonly Record<string, unknown>[]): unknown[] =>
  messages
    .filter(({ subtype }) => subtype === "transition")
    .map(({ transition }) => (transition as { reason: string }).reason);

test("--token-budget: a model that stops well short is nudged until it has done the work", async () => {
  const script: Script = { steps: ["Is that enough?", "word ".repeat(3_000)] };
  const { code, messages, requests } = await run(script, ["--token-budget", "3k", "Write a lot."]);
  expect(code).toBe(0);
  expect(transitions(messages)).toEqual(["token_budget_continuation"]);
  expect(JSON.stringify(requests[1]?.body["messages"])).toMatch(/of the 3000 tokens of work asked for/);
  expect(messages.at(-1)).toMatchObject({ type: "result", subtype: "success" });
});

test("--token-budget: three nudges with little result end the run with a notice", async () => {
  const { code, messages, requests } = await run({ fallback: "Done." }, ["--token-budget", "500k", "Write a lot."]);
  expect([code, requests.length]).toEqual([0, 4]);
  expect(transitions(messages)).toEqual(Array(3).fill("token_budget_continuation"));
  expect(JSON.stringify(messages)).toMatch(/Stopped at \d+ of the 500000 tokens of work asked for/);
});

test("--task-budget and --speed are sent to a model that supports them, each with its beta", async () => {
  const args = ["--model", "claude-opus-5-5", "--task-budget", "64k", "--speed", "fast", "Go."];
  const { requests, stderr } = await run({ fallback: "Done." }, args);
  expect(requests).toMatchObject([
    {
      body: { speed: "fast", output_config: { task_budget: { type: "tokens", total: 64_000 } } },
      beta: "task-budgets-2026-03-13,fast-mode-2026-02-01",
    },
  ]);
  expect(stderr).not.toMatch(/takes no|has no/);
});

test("unsupported model settings are reported on stderr, and the answer still comes", async () => {
  const args = [
    "--model",
    "claude-haiku-4-5",
    "--task-budget",
    "64k",
    "--effort",
    "max",
    "--thinking",
    "adaptive",
    "Go.",
  ];
  const { code, requests, stderr } = await run({ fallback: "Done." }, args);
  expect(code).toBe(0);
  expect(requests[0]?.body).not.toHaveProperty("output_config");
  expect(stderr).toContain("claude-haiku-4-5 does not support task budgets");
  expect(stderr).toContain("claude-haiku-4-5 has no effort setting: max is not sent.");
  expect(stderr).toContain("claude-haiku-4-5 only thinks within a token budget");
});

test("an image on stdin is scaled down before it is sent, whatever media type its sender states", async () => {
  const data = plainPng(2600, 300).toString("base64");
  const content = [
    { type: "image", source: { type: "base64", media_type: "image/jpg", data } },
    { type: "text", text: "What is it?" },
  ];
  const line = JSON.stringify({ type: "user", message: { role: "user", content } });
  const { code, messages, requests } = await run({ fallback: "Grey." }, ["--input-format", "stream-json"], `${line}\n`);
  expect([code, messages.at(-1)]).toMatchObject([0, { subtype: "success", result: "Grey." }]);
  const sent = (
    requests[0]!.body["messages"] as { content: { type: string; source?: { data: string; media_type: string } }[] }[]
  )[0]!.content;
  const source = sent.find(({ type }) => type === "image")?.source;
  expect([source?.media_type, pictureSize(Buffer.from(source?.data ?? "", "base64"))]).toEqual([
    "image/png",
    { width: 2000, height: 231 },
  ]);
  expect(JSON.stringify(sent)).toContain("scaled down from 2600 × 300 to 2000 × 231 pixels");
});

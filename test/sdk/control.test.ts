// What can be asked of a query while it runs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { query, type PromptInput, type Query } from "../../src/index.ts";
import type { SDKMessage, SDKResultMessage } from "../../src/protocol/sdk.ts";
import { clearGroundsAfterwards, disposeAll, layGround, optionsFor, scripted } from "../session/support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const stalled = { content: ["Wait.", { text: "never" }], pace: { delayMs: 3_600_000 } };

/** Prompts handed out one by one, as the test goes. */
function inlet() {
  const waiting: PromptInput[] = [];
  let isOver = false;
  let wake = (): void => {};
  async function* prompts(): AsyncGenerator<PromptInput> {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else if (isOver) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  return {
    prompts: prompts(),
    say: (prompt: PromptInput) => {
      waiting.push(prompt);
      wake();
    },
    end: () => {
      isOver = true;
      wake();
    },
  };
}

async function untilResult(running: Query): Promise<SDKResultMessage> {
  for (;;) {
    const { value } = await running.next();
    if (value === undefined) throw new Error("over without a result");
    if (value.type === "result") return value;
  }
}

describe("interrupt()", () => {
  test("returns a receipt at once, ends the turn, and leaves the session usable", async () => {
    const model = scripted({ steps: [stalled, "Next."] });
    const { prompts, say, end } = inlet();
    const running = query({ prompt: prompts, options: optionsFor(layGround(), model) });
    say("one");
    let message: SDKMessage | void;
    do ({ value: message } = await running.next());
    while (message?.type !== "system" || message.subtype !== "status");
    const rest = untilResult(running);
    expect(await running.interrupt()).toEqual({ still_queued: [] });
    expect(await rest).toMatchObject({ is_error: true, terminal_reason: "aborted_streaming" });
    say({ type: "user", message: { role: "user", content: "two" }, parent_tool_use_id: null });
    expect(await untilResult(running)).toMatchObject({ result: "Next." });
    end();
    expect(await running.next()).toEqual({ done: true, value: undefined });
    await expect(running.supportedModels()).rejects.toThrow("This query is over");
  });

  test("before the first turn ends that turn", async () => {
    const model = scripted({ steps: ["Never."] });
    const running = query({ prompt: "one", options: optionsFor(layGround(), model) });
    await running.interrupt();
    expect(await untilResult(running)).toMatchObject({ terminal_reason: "aborted_streaming" });
    await running.close();
  });
});

test("model, mode and thinking can be changed, and the session queried, before and between turns", async () => {
  const model = scripted({ steps: ["One.", "Two."] });
  const { prompts, say, end } = inlet();
  await using running = query({ prompt: prompts, options: { ...optionsFor(layGround(), model), model: "opus" } });
  const { commands, models, output_style } = await running.initializationResult();
  expect([commands.length > 0, models.length > 5, output_style]).toEqual([true, true, "default"]);
  expect(await running.supportedCommands()).toEqual(commands);
  expect(await running.supportedModels()).toEqual(models);
  expect(models.find(({ value }) => value === "sonnet")).toMatchObject({
    resolvedModel: "claude-sonnet-5-5",
    displayName: "sonnet (claude-sonnet-5-5)",
    supportsEffort: true,
    supportedEffortLevels: ["low", "medium", "high"],
    supportsAdaptiveThinking: true,
  });
  expect(models.find(({ value }) => value === "claude-sonnet-5-5")).toMatchObject({ displayName: "claude-sonnet-5-5" });
  expect((await running.supportedAgents()).map(({ name }) => name)).toEqual(["general-purpose", "Explore", "Plan"]);
  expect(await running.mcpServerStatus()).toEqual([]);
  expect(await running.accountInfo()).toMatchObject({ apiProvider: "firstParty" });
  await running.setModel("haiku");
  await running.setPermissionMode("plan");
  await running.setMaxThinkingTokens(0);
  say("one");
  const first = await running.next();
  expect(first.value).toMatchObject({
    subtype: "init",
    permissionMode: "plan",
    model: expect.stringMatching(/haiku/u),
  });
  await untilResult(running);
  expect((await running.getContextUsage()).totalTokens).toBeGreaterThan(0);
  await running.setModel();
  await running.setMaxThinkingTokens(null);
  const more = inlet();
  const taken = running.streamInput(more.prompts);
  end();
  more.say("two");
  const second = await running.next();
  expect(second.value).toMatchObject({ subtype: "init", model: expect.stringMatching(/opus/u) });
  await untilResult(running);
  more.end();
  expect((await running.next()).done).toBe(true);
  await taken;
});

test("a query fails if the source of added prompts fails", async () => {
  async function* failing(): AsyncGenerator<PromptInput> {
    yield "two";
    throw new Error("no more prompts");
  }
  const running = query({ prompt: "one", options: optionsFor(layGround(), scripted({ steps: ["One.", "Two."] })) });
  const taken = running.streamInput(failing());
  await untilResult(running);
  await untilResult(running);
  await expect(running.next()).rejects.toThrow("no more prompts");
  await taken;
});

test("files can be read and rewound, and unreadable ones are refused", async () => {
  const write = { content: [{ tool: "Write", input: { file_path: "new.txt", content: "new" } }] };
  const ground = layGround();
  const { prompts, say } = inlet();
  const options = {
    ...optionsFor(ground, scripted({ steps: [write, "Done."] })),
    permissionMode: "acceptEdits" as const,
  };
  const running = query({ prompt: prompts, options });
  const uuid = "0b0b0b0b-1111-4222-8333-444444444444";
  say({ type: "user", message: { role: "user", content: "write" }, parent_tool_use_id: null, uuid });
  await untilResult(running);
  const path = join(ground.work, "new.txt");
  expect(await running.readFile("new.txt")).toEqual({ contents: "new", absPath: path, lossy: false });
  expect(await running.readFile("/etc/hostname")).toBeNull();
  expect(await running.rewindFiles(uuid)).toMatchObject({ canRewind: true, filesChanged: [path] });
  expect(() => readFileSync(path)).toThrow("ENOENT");
  for (const name of ["new.txt", "nul\0", "long".repeat(200)])
    await expect(running.seedReadState(name, 1)).rejects.toMatchObject({ code: "file_unreadable" });
  expect(await running.stopTask("b1")).toBeUndefined();
  await running.close();
});

test("close() ends a turn that is being read, and a query that was never read", async () => {
  const running = query({ prompt: "one", options: optionsFor(layGround(), scripted({ steps: [stalled] })) });
  await running.next();
  await running.next();
  const waiting = (async () => {
    for await (const _ of running);
  })();
  await running.close();
  await waiting;
  const unread = query({ prompt: "one", options: optionsFor(layGround(), scripted({ steps: [] })) });
  await unread.supportedModels();
  await unread.close();
  await unread.close();
  expect((await unread.next()).done).toBe(true);
});

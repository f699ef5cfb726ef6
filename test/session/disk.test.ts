// A disk that takes no more: the run stops with a clear error, nothing runs unrecorded, and what is there stays good.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, statSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { tool } from "../../src/session/tools/custom-tool.ts";
import type { Reply, RequestView } from "../../src/testing/index.ts";
import { OutputCollector } from "../../src/tools/shell/output.ts";
import { readSession } from "../../src/transcript/index.ts";
import { calls, clearGrounds, disposeAll, layGround, openOn, scripted, turn, type Ground } from "./support.ts";

afterEach(async () => {
  await disposeAll();
  clearGrounds();
});

/** Mounts stay until all tests are over. Seen: a sandbox that was being set up in another test as one went away did not stand. */
const groundToMountIn = (): Ground => layGround({ isKept: true });

interface SmallDisk {
  fill(blocksLeft?: number): void;
  empty(): void;
}

/** Mounts a small file system as the session's home; undefined where this machine does not let us. */
function smallDisk(ground: Ground): SmallDisk | undefined {
  mkdirSync(ground.pawlHome);
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=128k", "tmpfs", ground.pawlHome]);
  if (status !== 0) return undefined;
  const filler = join(ground.pawlHome, "filler");
  return {
    fill(blocksLeft = 0) {
      const { bavail, bsize } = statfsSync(ground.pawlHome);
      writeFileSync(filler, Buffer.alloc((bavail - blocksLeft) * bsize));
    },
    empty: () => rmSync(filler),
  };
}

const long = "x".repeat(20_000);

/** A tool that fills the disk, and has more to say than is left. */
const filling = (disk: SmallDisk, blocksLeft = 0) =>
  tool("Fill", "Fills the disk.", { type: "object" }, async () => {
    disk.fill(blocksLeft);
    return long;
  });

describe("a full disk", () => {
  test("before a prompt: the prompt is not recorded, no model is asked, and the session can go on later", async (context) => {
    const ground = groundToMountIn();
    const disk = smallDisk(ground);
    if (disk === undefined) return context.skip("no file system can be mounted here");
    const model = scripted({ fallback: `${"word ".repeat(2_000)}` });
    const engine = await openOn(ground, model);
    await turn(engine, "1");
    const before = engine.getMessages().length;
    disk.fill();
    // What is left of the last block may still take a line or two.
    const { result } = await turn(engine, "x".repeat(5_000));
    expect(result).toMatchObject({ subtype: "error_during_execution", terminal_reason: "model_error" });
    expect("errors" in result && result.errors[0]).toMatch(/disk is full.*--resume/s);
    expect(calls(model)).toHaveLength(1);
    expect(engine.getMessages()).toHaveLength(before);
    disk.empty();
    expect((await turn(engine, "2")).result.subtype).toBe("success");
    const stored = readSession(engine.getTranscriptPath()!);
    expect(stored.messages).toEqual(JSON.parse(JSON.stringify(engine.getMessages())));
  });

  test("in the folder of long outputs does not keep them from being saved again once there is room", async (context) => {
    const ground = groundToMountIn();
    const disk = smallDisk(ground);
    if (disk === undefined) return context.skip("no file system can be mounted here");
    const call = { content: [{ tool: "Bash", input: { command: "seq 1 20000" } }] };
    const model = scripted({ steps: [call, { content: ["1"] }, call], fallback: "2" });
    const env = { CLAUDE_CODE_TMPDIR: ground.pawlHome };
    const options = { env, persistSession: false, permissionMode: "bypassPermissions" as const };
    const engine = await openOn(ground, model, options);
    disk.fill();
    await turn(engine, "1");
    disk.empty();
    await turn(engine, "2");
    const places = calls(model).map(({ body }) => /here; ([^…]*) …/u.exec(JSON.stringify(body?.messages.at(-1)))?.[1]);
    expect(places).toEqual([
      undefined,
      expect.stringMatching(/^the output could not be saved: ENOSPC/u),
      undefined,
      expect.any(String),
    ]);
    expect(places[3]).toMatch(/^all of it is in /u);
  });

  test("is not what the output of a command leaves: the part that was saved is removed, and the session goes on", async (context) => {
    const ground = groundToMountIn();
    if (smallDisk(ground) === undefined) return context.skip("no file system can be mounted here");
    const call = { content: [{ tool: "Bash", input: { command: "head -c 8000000 /dev/zero | tr '\\0' x" } }] };
    const model = scripted({ steps: [call], fallback: "Done." });
    const engine = await openOn(ground, model, { permissionMode: "bypassPermissions" });
    expect((await turn(engine, "Go.")).result.subtype).toBe("success");
    expect(JSON.stringify(calls(model)[1]?.body?.messages.at(-1))).toContain("the output could not be saved: ENOSPC");
  });

  test("that keeps even the part of an output from being removed does not end pawl", (context) => {
    const ground = groundToMountIn();
    const disk = smallDisk(ground);
    if (disk === undefined) return context.skip("no file system can be mounted here");
    const path = join(ground.pawlHome, "output");
    const output = new OutputCollector({ memory: 10, file: 1e6, total: 1e6 }, () => path);
    output.push("stdout", Buffer.alloc(20));
    // In place of what such a file system does.
    rmSync(path);
    mkdirSync(path);
    disk.fill();
    output.push("stdout", Buffer.alloc(100_000));
    expect(output.fileError).toMatch(/^ENOSPC.*; nor could its part be removed: /u);
    expect(output.path).toBe(path);
  });

  test("in a turn: no further tool runs, and the session can be resumed", async (context) => {
    const ground = groundToMountIn();
    const disk = smallDisk(ground);
    if (disk === undefined) return context.skip("no file system can be mounted here");
    const ran: string[] = [];
    const fill = tool("Fill", "Fills the disk.", { type: "object" }, async () => {
      ran.push("Fill");
      disk.fill();
      return "x".repeat(20_000);
    });
    const late = tool("Late", "Runs later.", { type: "object" }, async () => {
      ran.push("Late");
      return "ran";
    });
    const model = scripted({ steps: [{ content: [{ tool: "Fill" }, { tool: "Late" }] }], fallback: "Never." });
    const engine = await openOn(ground, model, { customTools: [fill, late], allowedTools: ["Fill", "Late"] });
    const { result } = await turn(engine, "Go.");
    expect(result).toMatchObject({
      subtype: "error_during_execution",
      errors: [expect.stringMatching(/disk is full/)],
    });
    expect(ran).toEqual(["Fill"]);
    expect(calls(model)).toHaveLength(1);
    await engine.dispose();
    disk.empty();
    const next = scripted({ fallback: "Going on." });
    const resumed = await openOn(ground, next, { resume: engine.getSessionId() });
    expect((await turn(resumed, "And?")).result.subtype).toBe("success");
    expect(next.violations).toEqual([]);
  });

  // Seen: a process that was killed before its next prompt lost the result, though there was room again before the turn had ended.
  test("a result that could not be written is recorded at the end of its turn once there is room", async (context) => {
    const ground = groundToMountIn();
    const disk = smallDisk(ground);
    if (disk === undefined) return context.skip("no file system can be mounted here");
    const fill = filling(disk);
    const model = scripted({ steps: [{ content: [{ tool: "Fill" }] }] });
    const engine = await openOn(ground, model, { customTools: [fill], allowedTools: ["Fill"] });
    for await (const message of engine.submitMessage("Go.")) if (message.type === "user") disk.empty();
    expect(JSON.stringify(readSession(engine.getTranscriptPath()!).messages)).toContain(long);
  });

  test.for([
    ["the next prompt", {}],
    ["a resume", { isResumed: true }],
    ["a copy of the session", { isCopied: true }],
    ["a compaction by hand", { before: ["/compact"] }],
    ["the next prompt that is taken, where there is room for a prompt and not for it", { blocksLeft: 2 }],
  ] as const)("a result that could not be written is recorded before %s", async ([, how], context) => {
    const none = { isResumed: false, isCopied: false, before: [], blocksLeft: 0 };
    const { isResumed, isCopied, before, blocksLeft } = { ...none, ...how };
    const ground = groundToMountIn();
    const disk = smallDisk(ground);
    if (disk === undefined) return context.skip("no file system can be mounted here");
    const fill = filling(disk, blocksLeft);
    const model = scripted({ steps: [{ content: [{ tool: "Fill" }] }], fallback: "Going on." });
    const engine = await openOn(ground, model, { customTools: [fill], allowedTools: ["Fill"] });
    expect((await turn(engine, "Go.")).result.terminal_reason).toBe("model_error");
    if (blocksLeft > 0) expect((await turn(engine, "On?")).result.terminal_reason).toBe("model_error");
    disk.empty();
    for (const prompt of before) {
      await turn(engine, prompt);
      expect(JSON.stringify(engine.getMessages())).toContain(long);
    }
    if (isCopied) await engine.branch();
    if (isResumed) await engine.dispose();
    const next = isResumed ? await openOn(ground, model, { resume: engine.getSessionId() }) : engine;
    const { messages, result } = await turn(next, "And?");
    expect(result.subtype).toBe("success");
    expect(JSON.stringify(messages)).not.toContain("history_mended");
    const results = next.getMessages().flatMap((message) => (message.type === "user" ? message.content : []));
    expect(results.flatMap((block) => (block.type === "tool_result" ? [block.content] : []))).toEqual([long]);
    const sent = JSON.stringify(calls(model).at(-1)?.body?.messages);
    expect([sent.includes(long), sent.includes("outcome is unknown")]).toEqual([true, false]);
    expect(readSession(engine.getTranscriptPath()!).report).toMatchObject({ repaired: [], gaps: [] });
  });

  // Seen: the model was told that the session had ended before it was recorded.
  test("a result of a resumed deferred call that could not be written is recorded later", async (context) => {
    const ground = groundToMountIn();
    const disk = smallDisk(ground);
    if (disk === undefined) return context.skip("no file system can be mounted here");
    const fill = filling(disk);
    const decisions = ["defer", "allow"];
    const output = () => ({ hookEventName: "PreToolUse", permissionDecision: decisions.shift() });
    const hooks = { PreToolUse: [{ callback: async () => ({ hookSpecificOutput: output() }) }] };
    const model = scripted({ steps: [{ content: [{ tool: "Fill" }] }], fallback: "Going on." });
    const engine = await openOn(ground, model, { customTools: [fill], allowedTools: ["Fill"], hooks });
    await turn(engine, "Go.");
    expect((await turn(engine, "Go on.")).result.terminal_reason).toBe("model_error");
    disk.empty();
    expect((await turn(engine, "And?")).result.subtype).toBe("success");
    const sent = JSON.stringify(calls(model).at(-1)?.body?.messages);
    expect([sent.includes(long), sent.includes("outcome is unknown")]).toEqual([true, false]);
  });

  // Seen: the model waited for the agent for the rest of the session.
  test("a background agent's report that could not be written is sent with the next prompt", async (context) => {
    const ground = groundToMountIn();
    const disk = smallDisk(ground);
    if (disk === undefined) return context.skip("no file system can be mounted here");
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const wait = tool("Wait", "Waits.", { type: "object" }, async () => {
      await released;
      return "";
    });
    const reply = ({ systemText, turns }: RequestView): Reply | string => {
      if (systemText.includes("You are an agent"))
        return turns === 0 ? { content: [{ tool: "Wait" }] } : `What it found. ${"word ".repeat(4_000)}`;
      const input = { description: "a task", prompt: "Do it.", run_in_background: true };
      return turns === 0 ? { content: [{ tool: "Agent", input }] } : "Going on.";
    };
    const model = scripted({ fallback: reply });
    const engine = await openOn(ground, model, { tools: ["Agent"], customTools: [wait], allowedTools: ["Wait"] });
    await turn(engine, "Go.");
    release();
    await engine.whenAgentsEnd();
    // The prompt is taken, and what the agent said is not.
    disk.fill(1);
    expect((await turn(engine, "1")).result.terminal_reason).toBe("model_error");
    expect(JSON.stringify(engine.getMessages())).not.toContain("has ended:");
    disk.empty();
    await turn(engine, "2");
    const last = JSON.stringify(calls(model).at(-1)?.body?.messages);
    expect(last.split("has ended: completed")).toHaveLength(2);
    await turn(engine, "3");
    expect(JSON.stringify(calls(model).at(-1)?.body?.messages).split("has ended: completed")).toHaveLength(2);
  });
});

test("the first turn ends before the model is asked if the transcript cannot be created", async () => {
  const ground = layGround();
  const model = scripted({ fallback: "Never." });
  const engine = await openOn(ground, model);
  mkdirSync(engine.getTranscriptPath()!);
  const { result } = await turn(engine, "Go.");
  expect(result).toMatchObject({ subtype: "error_during_execution", errors: [expect.stringMatching(/transcript/)] });
  expect(calls(model)).toHaveLength(0);
  expect(engine.getMessages()).toEqual([]);
  expect(statSync(dirname(engine.getTranscriptPath()!)).isDirectory()).toBe(true);
});

// A permission that was answered after the process had died: its call runs or is refused once, on resume.
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { PermissionAnswer } from "../../src/protocol/permission.ts";
import type { Part } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  linesOf,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const touch = (name: string, id: string): Part => ({ tool: "Bash", input: { command: `touch ${name}` }, id });
const idOf = (part: Part): string => (typeof part === "object" && "id" in part ? String(part.id) : "");
const asked = "toolu_asked";

/** A home as a death left it while a question was open, and the folder the session worked in. */
async function death(
  content: Part[] = [touch("made", asked)],
  begun: EngineOptions = {},
): Promise<{ ground: Ground; resume: string }> {
  const [before, after] = [layGround(), layGround()];
  const isOpen = Promise.withResolvers<void>();
  const engine = await openOn(before, scripted({ steps: [{ content }] }), {
    headless: false,
    ask: () => {
      isOpen.resolve();
      return new Promise(() => undefined);
    },
    ...begun,
  });
  const running = turn(engine, "Make it.");
  await isOpen.promise;
  // A question may be open before the message has all of its calls.
  const isWhole = (): boolean => content.every((part) => JSON.stringify(linesOf(engine)).includes(idOf(part)));
  while (!isWhole()) await new Promise((resolve) => setImmediate(resolve));
  const path = engine.getTranscriptPath()!;
  const copy = join(after.home, relative(before.home, path));
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(path, copy);
  engine.interrupt();
  await running;
  await engine.dispose();
  return { ground: { ...after, work: before.work }, resume: engine.getSessionId() };
}

async function resumed(
  answer: PermissionAnswer,
  content?: Part[],
  options: EngineOptions = {},
  begun: EngineOptions = {},
) {
  const { ground, resume } = await death(content, begun);
  const model = scripted({ fallback: "Done." });
  const notices: string[] = [];
  const engine = await openOn(ground, model, {
    resume,
    orphanedPermission: { toolUseId: asked, answer },
    onNotice: (text) => notices.push(text),
    ...options,
  });
  const ran = await turn(engine, "Go on.");
  expect(model.violations).toEqual([]);
  const sent = JSON.stringify(calls(model)[0]?.body?.messages);
  return { ...ran, ground, engine, model, notices, sent, isMade: existsSync(join(ground.work, "made")) };
}

describe("an allowing answer to an open permission question", () => {
  test("runs the intended input, as the call would have run", async () => {
    const content: Part[] = [{ tool: "Bash", input: { command: "touch made", timeout: "5000" }, id: asked }];
    expect((await resumed({ behavior: "allow" }, content)).isMade).toBe(true);
  });

  test("runs the call once, before the model is asked, and the model sees its result", async () => {
    const { isMade, sent, engine, messages, ground, notices } = await resumed({ behavior: "allow" });
    expect(isMade).toBe(true);
    expect(sent).toContain("printed nothing");
    expect(sent).not.toContain("Interrupted: the session ended");
    expect(notices).toEqual([]);
    const results = messages.filter((message) => message.type === "user" && !message.isSynthetic);
    expect(JSON.stringify(results)).toContain(asked);
    const started = linesOf(engine).filter(({ type }) => type === "tool_started");
    expect(started).toMatchObject([{ data: { toolUseId: asked } }]);
    await turn(engine, "And again.");
    expect(linesOf(engine).filter(({ type }) => type === "tool_started")).toHaveLength(1);
    await engine.dispose();
    const later = await openOn(ground, scripted({ fallback: "." }), {
      resume: engine.getSessionId(),
      orphanedPermission: { toolUseId: asked, answer: { behavior: "allow" } },
      onNotice: (text) => notices.push(text),
    });
    await turn(later, "Once more.");
    expect(notices).toEqual([expect.stringContaining("does not wait for a permission")]);
    expect(linesOf(later).filter(({ type }) => type === "tool_started")).toHaveLength(1);
  });

  test("approves a plan even though the resumed session is no longer in plan mode", async () => {
    const content: Part[] = [{ tool: "ExitPlanMode", input: { plan: "Dig." }, id: asked }];
    const answer: PermissionAnswer = { behavior: "allow", updatedInput: { plan: "Dig here." } };
    const ask = async (): Promise<PermissionAnswer> => ({ behavior: "deny" });
    const { sent, engine } = await resumed(answer, content, { ask }, { permissionMode: "plan" });
    expect(sent).toContain("The plan is approved: do the work now. The permission mode is default. It was changed");
    expect(sent).toContain("Dig here.");
    expect(engine.getPermissionMode()).toBe("default");
  });

  test("does not override a deny rule", async () => {
    const { isMade, result } = await resumed({ behavior: "allow" }, undefined, { disallowedTools: ["Bash(touch *)"] });
    expect(isMade).toBe(false);
    expect(result.permission_denials).toHaveLength(1);
  });

  test("applies to its call only: other calls of the same message are reported as not run", async () => {
    const both = [touch("made", asked), touch("other", "toolu_other")];
    const { isMade, sent, ground } = await resumed({ behavior: "allow" }, both);
    expect([isMade, existsSync(join(ground.work, "other"))]).toEqual([true, false]);
    expect(sent).toContain("it has not run");
  });
});

test("a refusing answer reaches the model with its text, and is listed as a denial", async () => {
  const { isMade, sent, result } = await resumed({ behavior: "deny", message: "Not today." });
  expect(isMade).toBe(false);
  expect(sent).toContain("Not today.");
  expect(result).toMatchObject({ subtype: "success", permission_denials: [{ tool_use_id: asked }] });
});

test("an answer that interrupts ends the turn like an interrupt while tools run, and the next prompt works", async () => {
  const { result, engine, model } = await resumed({ behavior: "deny", interrupt: true });
  expect(result.terminal_reason).toBe("aborted_tools");
  expect(calls(model)).toHaveLength(0);
  expect((await turn(engine, "Go on.")).result.subtype).toBe("success");
  expect(JSON.stringify(calls(model)[0]?.body?.messages)).toContain("[Request interrupted by user for tool use]");
  expect(model.violations).toEqual([]);
});

test("the conversation stays valid when the consumer leaves while the call runs", async () => {
  const { ground, resume } = await death([{ tool: "Bash", input: { command: "touch made; sleep 100" }, id: asked }]);
  const model = scripted({ fallback: "Done." });
  const engine = await openOn(ground, model, {
    resume,
    orphanedPermission: { toolUseId: asked, answer: { behavior: "allow" } },
  });
  const messages = engine.submitMessage("Go on.");
  await messages.next();
  const next = messages.next();
  while (!existsSync(join(ground.work, "made"))) await new Promise((resolve) => setImmediate(resolve));
  engine.interrupt();
  await next;
  await messages.return();
  expect((await turn(engine, "Again.")).result.subtype).toBe("success");
  expect(model.violations).toEqual([]);
});

test("an answer also applies to the newest session, named by continue", async () => {
  const named = { resume: undefined, continue: true };
  expect((await resumed({ behavior: "allow" }, undefined, named)).isMade).toBe(true);
});

test("an answer without a session to resume is refused", async () => {
  const answer = { toolUseId: asked, answer: { behavior: "allow" as const } };
  await expect(openOn(layGround(), scripted({}), { orphanedPermission: answer })).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringContaining("needs resume or continue") as string,
  });
});

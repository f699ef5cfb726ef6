// Prompts whose process was killed while their hooks were asked: nobody has let them in, and a resume has them judged.
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  compact,
  disposeAll,
  layGround,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const refuses = { decision: "block", reason: "No." };
type Answer = object | undefined;

function hooksOf(answer: (prompt: string) => Answer | Promise<Answer>): NonNullable<EngineOptions["hooks"]> {
  return { UserPromptSubmit: [{ callback: async (input) => (await answer(String(input["prompt"]))) as undefined }] };
}

/** A session that was killed while hooks were asked about the prompt, or while the model was where none were. */
async function killed(ground: Ground, prompt: string, isAsked = true): Promise<string> {
  let left = "";
  const path = (): string => engine.getTranscriptPath()!;
  const keep = (): void => void (left = readFileSync(path(), "utf8"));
  const asked = () => {
    if (isAsked) keep();
    return isAsked ? refuses : undefined;
  };
  const step = () => {
    keep();
    return "Done.";
  };
  const engine = await openOn(ground, scripted({ steps: [step] }), { hooks: hooksOf(asked) });
  await turn(engine, prompt);
  await engine.dispose();
  writeFileSync(path(), left);
  return engine.getSessionId();
}

async function resumed(ground: Ground, resume: string, answer: (prompt: string) => Answer) {
  const asked: string[] = [];
  const model = scripted({ fallback: "Done." });
  const hooks = hooksOf((prompt) => {
    asked.push(prompt);
    return answer(prompt);
  });
  const engine = await openOn(ground, model, { resume, hooks });
  return { engine, asked, sent: () => JSON.stringify(calls(model).at(-1)?.body?.messages ?? []) };
}

const refusesSesame = (prompt: string): Answer => (prompt.includes("sesame") ? refuses : undefined);

test.each([refuses, { continue: false, stopReason: "No." }])(
  "a prompt cut off while hooks were asked reaches the model only if they let it in: %j",
  async (no) => {
    const ground = layGround();
    const { engine, asked, sent } = await resumed(ground, await killed(ground, "My password is sesame."), (prompt) =>
      prompt.includes("sesame") ? no : undefined,
    );
    const { result, messages } = await turn(engine, "Hello.");
    expect(asked).toEqual(["My password is sesame.", "Hello."]);
    expect(result.subtype).toBe("success");
    expect(JSON.stringify(messages)).toContain("A hook blocked the prompt that the session was cut off at: No.");
    expect(sent()).toContain("Hello.");
    expect(sent()).not.toContain("sesame");
    await turn(engine, "Again.");
    expect(asked).toHaveLength(3);
  },
);

test("a prompt whose hooks ran when the process was told to terminate is judged again", async () => {
  const ground = layGround();
  const engine = await openOn(ground, scripted({ fallback: "Done." }), {
    hooks: hooksOf(() => {
      engine.interrupt("terminate");
      return undefined;
    }),
  });
  for await (const message of engine.submitMessage("My password is sesame.")) expect(message.type).not.toBe("result");
  await engine.dispose();
  const kept = readFileSync(engine.getTranscriptPath()!, "utf8");
  expect(kept).not.toMatch(/interrupted by user|taken out/u);
  const { engine: again, asked, sent } = await resumed(ground, engine.getSessionId(), () => undefined);
  await turn(again, "Continue from where you left off.", { isMeta: true });
  expect(asked[0]).toBe("My password is sesame.");
  expect(sent()).toMatch(/sesame.*left off/u);
});

test("a prompt that hooks let in after the resume stays, with what they add", async () => {
  const ground = layGround();
  const said = { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "It is Friday." } };
  const { engine, sent } = await resumed(ground, await killed(ground, "Good morning."), (prompt) =>
    prompt === "Good morning." ? said : undefined,
  );
  await turn(engine, "Hello.");
  expect(sent()).toMatch(/Good morning\..*Hello\./u);
  expect(sent()).toContain("It is Friday.");
});

test("a session that continues by itself ends its turn if hooks block the prompt", async () => {
  const ground = layGround();
  const { engine, sent } = await resumed(ground, await killed(ground, "My password is sesame."), refusesSesame);
  const { result } = await turn(engine, "Continue from where you left off.", { isMeta: true });
  expect([result.terminal_reason, sent()]).toEqual(["stop_hook_prevented", "[]"]);
  await turn(engine, "Hello.");
  expect(sent()).not.toMatch(/sesame|left off/u);
});

test("a prompt that is cut off again is judged with the next prompt after that", async () => {
  const ground = layGround();
  const { engine, asked, sent } = await resumed(ground, await killed(ground, "My password is sesame."), (prompt) => {
    if (asked.length === 1) engine.interrupt();
    return refusesSesame(prompt);
  });
  await turn(engine, "Hello.");
  expect(sent()).toBe("[]");
  await turn(engine, "Good morning.");
  expect(sent()).toContain("Good morning.");
  expect(sent()).not.toMatch(/sesame|Hello/u);
});

test("the same prompt under its own id is judged once", async () => {
  const ground = layGround();
  const resume = await killed(ground, "Good morning.");
  const { engine, asked, sent } = await resumed(ground, resume, () => undefined);
  const uuid = engine.getMessages().at(-1)!.uuid;
  await turn(engine, "Good morning.", { uuid });
  expect(asked).toEqual(["Good morning."]);
  expect(sent().match(/Good morning\./gu)).toHaveLength(1);
});

test("a rewound prompt does not keep the conversation from being compacted", async () => {
  const ground = layGround();
  let left = "";
  const hooks = hooksOf((prompt) => {
    if (prompt === "Hello.") return undefined;
    left = readFileSync(path(), "utf8");
    return refuses;
  });
  const path = (): string => engine.getTranscriptPath()!;
  const engine = await openOn(ground, scripted({ fallback: "Done." }), { hooks });
  await turn(engine, "Hello.");
  const resumeSessionAt = engine.getMessages().findLast(({ type }) => type === "assistant")!.uuid;
  await turn(engine, "My password is sesame.");
  await engine.dispose();
  writeFileSync(path(), left);
  const [model, resume] = [scripted({ fallback: "Done." }), engine.getSessionId()];
  const earlier = await openOn(ground, model, { resume, resumeSessionAt, hooks });
  await expect(compact(earlier)).rejects.toThrow("too little to leave out");
});

test("hooks are not asked again about prompts they let in, nor about appended ones", async () => {
  const ground = layGround();
  const { engine, asked, sent } = await resumed(ground, await killed(ground, "First.", false), () => undefined);
  await turn(engine, "Second.");
  engine.append("Added.");
  await engine.dispose();
  const later = await resumed(ground, engine.getSessionId(), () => undefined);
  await turn(later.engine, "Third.");
  expect([asked, later.asked]).toEqual([["Second."], ["Third."]]);
  expect(sent()).toContain("First.");
  expect(later.sent()).toContain("Added.");
});

test("no side question and no summary contains a prompt before its hooks have let it in", async () => {
  const ground = layGround();
  const { engine, sent } = await resumed(ground, await killed(ground, "My password is sesame."), refusesSesame);
  await engine.sideQuestion("What time is it?");
  expect(sent()).toContain("What time is it?");
  expect(sent()).not.toContain("sesame");
  await expect(compact(engine)).rejects.toThrow("hooks have to judge the last prompt first");
  await turn(engine, "Hello.");
  await engine.sideQuestion("And now?");
  expect(sent()).toMatch(/Hello\..*And now/u);
});

test("a side question during the hooks of a prompt is answered without the prompt", async () => {
  const ground = layGround();
  const model = scripted({ fallback: "Done." });
  const hooks = hooksOf(async (prompt) => {
    if (prompt.includes("sesame")) await engine.sideQuestion("What time is it?");
    return undefined;
  });
  const engine = await openOn(ground, model, { hooks });
  await turn(engine, "Hello.");
  await turn(engine, "My password is sesame.");
  const [, beside, last] = calls(model).map(({ body }) => JSON.stringify(body?.messages));
  expect(beside).toContain("What time is it?");
  expect(beside).not.toContain("sesame");
  expect(last).toContain("sesame");
});

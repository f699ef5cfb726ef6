// Turns that are cut off while hooks are asked: who was ended has not answered, and nothing counts as let in.
import { existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import type { HookEvent } from "../../src/protocol/hook.ts";
import type { Reply } from "../../src/testing/index.ts";
import { put } from "../support/put.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const never = new Promise<undefined>(() => undefined);
const refuses = { decision: "block", reason: "No." };

interface Opened {
  engine: QueryEngine;
  ground: Ground;
  /** What the hooks were asked. */
  asked: string[];
  /** All that the model was sent last. */
  sent: () => string;
}

/** The hooks of each event answer with the first of the list, then with the next; `interrupt`: the turn is interrupted, and they do not. */
async function open(
  answers: Partial<Record<HookEvent, ("interrupt" | object)[]>>,
  prepare?: (ground: Ground) => unknown,
  steps: (Reply | string | (() => string))[] = [],
  more: EngineOptions = {},
): Promise<Opened> {
  const ground = layGround();
  prepare?.(ground);
  const asked: string[] = [];
  const hooks: EngineOptions["hooks"] = {};
  for (const [event, list] of Object.entries(answers))
    hooks[event as HookEvent] = [
      {
        async callback() {
          asked.push(event);
          const answer = list.shift();
          if (answer !== "interrupt") return answer as undefined;
          engine.interrupt();
          return await never;
        },
      },
    ];
  const model = scripted({ steps, fallback: "Done." });
  const engine = await openOn(ground, model, { ...more, hooks, includeHookEvents: true });
  return { engine, ground, asked, sent: () => JSON.stringify(calls(model).at(-1)?.body?.messages ?? []) };
}

const skill = ({ pawlHome }: Ground): string =>
  put(join(pawlHome, "skills/sing/SKILL.md"), "---\nname: sing\ndescription: Sings.\n---\nSing of $ARGUMENTS.");

describe("a prompt whose UserPromptSubmit hooks were interrupted", () => {
  test("is removed, and the next prompt goes to the model without it", async () => {
    const { engine, sent } = await open({ UserPromptSubmit: ["interrupt"] });
    const { result, messages } = await turn(engine, "My password is sesame.");
    expect(result).toMatchObject({ terminal_reason: "aborted_streaming" });
    expect(JSON.stringify(messages)).toContain("The prompt was removed");
    await turn(engine, "Hello.");
    expect(sent()).toContain("Hello.");
    expect(sent()).not.toContain("sesame");
  });

  test("is removed with everything it names, including a skill's text and files", async () => {
    const { engine, ground, sent } = await open({ UserPromptSubmit: ["interrupt", "interrupt"] }, skill);
    ground.file("notes.txt", "a secret of the file");
    await turn(engine, "See @notes.txt there.");
    await turn(engine, "/sing sesame");
    await turn(engine, "Hello.");
    expect(sent()).not.toMatch(/secret of the file|sesame|Sing of/u);
    await turn(engine, "See @notes.txt there.");
    expect(sent()).toContain("a secret of the file");
  });

  test("is removed if its reader left before the hooks ran, but not after they had answered", async () => {
    const { engine, asked, sent } = await open({ UserPromptSubmit: [] });
    for await (const { type } of engine.submitMessage("My password is sesame.")) if (type === "system") break;
    expect(asked).toEqual([]);
    await turn(engine, "Hello.");
    expect(sent()).not.toContain("sesame");
    for await (const { type } of engine.submitMessage("Good morning.")) if (type === "assistant") break;
    await turn(engine, "Hello.");
    expect(sent()).toContain("Good morning.");
  });

  test("can be sent again under its own id", async () => {
    const { engine, sent } = await open({ UserPromptSubmit: ["interrupt"] });
    const uuid = "00000000-0000-4000-8000-000000000001";
    await turn(engine, "First.", { uuid });
    expect((await turn(engine, "First.", { uuid })).result.subtype).toBe("success");
    expect(sent().match(/First\./gu)).toHaveLength(1);
  });

  test("is recorded when it is sent again under its own id", async () => {
    const { engine, ground } = await open({ UserPromptSubmit: ["interrupt"] });
    const uuid = "00000000-0000-4000-8000-000000000001";
    await turn(engine, "First.", { uuid });
    await turn(engine, "First.", { uuid });
    await engine.dispose();
    const model = scripted({ fallback: "Done." });
    await turn(await openOn(ground, model, { resume: engine.getSessionId() }), "Second.");
    expect(JSON.stringify(calls(model).at(-1)?.body?.messages).match(/First\./gu)).toHaveLength(1);
  });

  test("is recognized by its id once it was answered, also after a resume", async () => {
    const { engine, ground, sent } = await open({ UserPromptSubmit: ["interrupt"] });
    const uuid = "00000000-0000-4000-8000-000000000001";
    const refused = { errors: [expect.stringContaining(`The message ${uuid} was answered already`)] };
    await turn(engine, "First.", { uuid });
    expect((await turn(engine, "First.", { uuid })).result.subtype).toBe("success");
    expect((await turn(engine, "First.", { uuid })).result).toMatchObject(refused);
    expect(sent().match(/First\./gu)).toHaveLength(1);
    await engine.dispose();
    const resumed = await openOn(ground, scripted({ fallback: "Done." }), { resume: engine.getSessionId() });
    expect((await turn(resumed, "First.", { uuid })).result).toMatchObject(refused);
  });

  test("stays if no hook would be asked about it, or if it was only appended", async () => {
    const { engine, sent } = await open({ UserPromptExpansion: [], UserPromptSubmit: [] });
    engine.append("Added.");
    for await (const { type } of engine.submitMessage("")) if (type === "result") break;
    await turn(engine, "Hello.");
    expect(sent()).toContain("Added.");
    const plain = await open({ UserPromptExpansion: [] });
    for await (const { type } of plain.engine.submitMessage("Good morning.")) if (type === "system") break;
    await turn(plain.engine, "Hello.");
    expect(plain.sent()).toContain("Good morning.");
  });
});

describe("a prompt that its hooks have let in", () => {
  const sent = ({ pawlHome }: Ground): string =>
    put(join(pawlHome, "skills/send/SKILL.md"), "---\nname: send\ndescription: Sends.\ncontext: fork\n---\nSend it.");

  test("stays if the turn is interrupted while its skill is carried out", async () => {
    const opened = await open({ UserPromptSubmit: [{}], UserPromptExpansion: [{}] }, sent, [
      () => {
        opened.engine.interrupt();
        return "Sending.";
      },
    ]);
    const { result, messages } = await turn(opened.engine, "/send the letter");
    expect(result).toMatchObject({ terminal_reason: "aborted_streaming" });
    expect(JSON.stringify(messages)).not.toContain("taken out");
    await turn(opened.engine, "Hello.");
    expect(opened.sent()).toContain("/send the letter");
  });
});

test("an interrupt of a skill's shell line ends the turn as interrupted, and the prompt stays", async () => {
  const slow = ({ pawlHome }: Ground): string => {
    const head = "---\nname: wait\ndescription: Waits.\nallowed-tools: Bash\n---\n";
    return put(join(pawlHome, "skills/wait/SKILL.md"), `${head}Waited: !\`touch begun; sleep 60\``);
  };
  const { engine, ground, sent } = await open({}, slow);
  const watching = watch(ground.work, () => engine.interrupt());
  const { result } = await turn(engine, "/wait for it");
  watching.close();
  expect(result).toMatchObject({ terminal_reason: "aborted_streaming", failure: { code: "interrupted" } });
  await turn(engine, "Hello.");
  expect(sent()).toContain("/wait for it");
});

test("a blocked prompt does not make files count as unread", async () => {
  const edit: Reply = {
    content: [{ tool: "Edit", input: { file_path: "notes.txt", old_string: "one", new_string: "two" } }],
  };
  const { engine, ground } = await open({ UserPromptSubmit: [{}, refuses, {}] }, undefined, ["Read.", edit], {
    permissionMode: "acceptEdits",
  });
  const path = ground.file("notes.txt", "one");
  await turn(engine, "See @notes.txt there.");
  await turn(engine, "My password is sesame.");
  await turn(engine, "Make it two.");
  expect(readFileSync(path, "utf8")).toBe("two");
});

test("what hooks said about a skill that cannot start is not added to the next prompt", async () => {
  const hookSpecificOutput = { hookEventName: "UserPromptExpansion", additionalContext: "Sing it low." };
  const { engine, sent } = await open({ UserPromptExpansion: [{ hookSpecificOutput }] }, ({ pawlHome }) =>
    put(join(pawlHome, "skills/make/SKILL.md"), "---\ndescription: Makes.\n---\nMade: !`touch made`"),
  );
  expect((await turn(engine, "/make")).result.subtype).toBe("error_during_execution");
  await turn(engine, "Hello.");
  expect(sent()).toContain("Hello.");
  expect(sent()).not.toContain("Sing it low.");
});

test("a skill does not start if its hooks were interrupted", async () => {
  const { engine, sent } = await open({ UserPromptExpansion: ["interrupt"] }, skill);
  await turn(engine, "/sing sesame");
  await turn(engine, "Hello.");
  expect(sent()).toContain("Hello.");
  expect(sent()).not.toMatch(/sesame|Sing of/u);
});

test("a blocked prompt is removed with the skill it started and the files it names", async () => {
  const { engine, ground, sent } = await open({ UserPromptSubmit: [refuses, refuses] }, skill);
  ground.file("notes.txt", "a secret of the file");
  expect((await turn(engine, "/sing sesame")).result.subtype).toBe("success");
  await turn(engine, "See @notes.txt there.");
  await turn(engine, "Hello.");
  expect(sent()).not.toMatch(/sesame|Sing of|secret of the file/u);
  await turn(engine, "See @notes.txt there.");
  expect(sent()).toContain("a secret of the file");
});

test("a blocked prompt runs nothing: neither a skill's shell lines nor its agent", async () => {
  const own = ({ pawlHome }: Ground): void => {
    const head = "---\ndescription: Makes.\nallowed-tools: Bash(touch:*)\n";
    put(join(pawlHome, "skills/make/SKILL.md"), `${head}---\nMade: !\`touch made\``);
    put(join(pawlHome, "skills/send/SKILL.md"), `${head}context: fork\n---\nSend it.`);
  };
  const { engine, ground, asked, sent } = await open({ UserPromptSubmit: [refuses, refuses] }, own);
  for (const prompt of ["/make", "/send"])
    expect((await turn(engine, prompt)).result.terminal_reason).toBe("stop_hook_prevented");
  expect([existsSync(join(ground.work, "made")), sent()]).toEqual([false, "[]"]);
  await turn(engine, "/make");
  expect([existsSync(join(ground.work, "made")), asked.length]).toEqual([true, 3]);
});

test("what hooks added to a prompt is removed with it if its skill is blocked", async () => {
  const said = { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "The word is sesame." } };
  const { engine, asked, sent } = await open({ UserPromptSubmit: [said], UserPromptExpansion: [refuses] }, skill);
  await turn(engine, "/sing loudly");
  expect(asked).toEqual(["UserPromptSubmit", "UserPromptExpansion"]);
  await turn(engine, "Hello.");
  expect(sent()).not.toMatch(/sesame|loudly/u);
});

describe("SessionStart hooks", () => {
  const context = { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "It is Friday." } };

  test("that were interrupted are asked again with the next prompt, until they have answered", async () => {
    const { engine, asked, sent } = await open({ SessionStart: ["interrupt", context], SessionEnd: [] });
    await turn(engine, "One.");
    await turn(engine, "Two.");
    expect(sent()).toContain("It is Friday.");
    await turn(engine, "Three.");
    await engine.dispose();
    expect(asked).toEqual(["SessionStart", "SessionStart", "SessionEnd"]);
  });

  test("that have answered are not asked again if a reader leaves at their message", async () => {
    const { engine, asked, sent } = await open({ SessionStart: [{ ...context, systemMessage: "Welcome." }] });
    for await (const message of engine.submitMessage("One."))
      if (message.type === "system" && JSON.stringify(message).includes("Welcome.")) break;
    await turn(engine, "Two.");
    expect(sent().match(/It is Friday\./gu)).toHaveLength(1);
    expect(asked).toEqual(["SessionStart"]);
  });

  test("that were interrupted are followed by SessionEnd hooks", async () => {
    const { engine, asked } = await open({ SessionStart: ["interrupt"], SessionEnd: [] });
    await turn(engine, "One.");
    await engine.dispose();
    expect(asked).toEqual(["SessionStart", "SessionEnd"]);
  });
});

test("a changed settings file does not apply if its ConfigChange hooks were interrupted: they are asked again", async () => {
  const own = ({ pawlHome }: Ground): string => join(pawlHome, "settings.json");
  const touch: Reply = { content: [{ tool: "Bash", input: { command: "touch a" } }] };
  const answers = { ConfigChange: ["interrupt" as const, refuses, {}] };
  const { engine, ground, asked } = await open(answers, undefined, ["One.", touch, "Done.", touch]);
  await turn(engine, "1");
  put(own(ground), { permissions: { allow: ["Bash(touch a)"] } });
  await turn(engine, "2");
  await turn(engine, "3");
  expect([asked.length, existsSync(join(ground.work, "a"))]).toEqual([2, false]);
  put(own(ground), { permissions: { allow: ["Bash(touch a)"] }, language: "Latin" });
  await turn(engine, "4");
  expect([asked.length, existsSync(join(ground.work, "a"))]).toEqual([3, true]);
});

test("reports no start or end of hooks that come after an interrupt", async () => {
  const { engine, asked } = await open({ SessionStart: ["interrupt"], UserPromptSubmit: [] });
  const { messages } = await turn(engine, "Hello.");
  const told = messages.filter((message) => "subtype" in message && message.subtype.startsWith("hook_"));
  expect(told).toMatchObject([
    { subtype: "hook_started", hook_event: "SessionStart" },
    { subtype: "hook_response", hook_event: "SessionStart", outcome: "cancelled" },
  ]);
  expect(asked).toEqual(["SessionStart"]);
});

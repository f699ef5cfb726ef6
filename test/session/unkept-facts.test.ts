// What a user says of a session is on record when it is said to be so. Seen: on a full disk "/goal clear" was answered as done, and a
// resume went on with the goal.
import { afterEach, expect, test, vi } from "vitest";
import type { Rule } from "../../src/testing/index.ts";
import { nodeFileSystem } from "../../src/transcript/file-system.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const real = nodeFileSystem.write.bind(nodeFileSystem);
const unmet: Rule = { name: "judge", when: { model: /haiku/ }, reply: '{"ok": false, "reason": "Not yet."}' };

async function begun(prompt: string) {
  const ground = layGround();
  const model = scripted({ rules: [unmet], fallback: "I am done." });
  const engine = await openOn(ground, model, { maxTurns: 1 });
  await turn(engine, prompt);
  return { ground, engine };
}

/** While the disk is full. */
async function unwritten<T>(work: () => Promise<T>): Promise<T> {
  const full = vi.spyOn(nodeFileSystem, "write").mockImplementation(() => {
    throw Object.assign(new Error("no space"), { code: "ENOSPC" });
  });
  try {
    return await work();
  } finally {
    full.mockRestore();
  }
}

test.each(["/goal clear", "/rename Another", "/tag release"])(
  "%s fails if it cannot be recorded, and works once it can",
  async (command) => {
    const { ground, engine } = await begun("/goal All is well.");
    const { result } = await unwritten(async () => await turn(engine, command));
    expect(result).toMatchObject({ is_error: true, result: expect.stringMatching(/disk is full/u) });
    for (const again of ["/rename Another", "/tag release"])
      expect((await turn(engine, again)).result).toMatchObject({ is_error: false });
    expect((await turn(engine, "/goal clear")).result).toMatchObject({ is_error: false });
    expect((await turn(engine, "/tag")).result).toMatchObject({
      result: expect.stringContaining("has the tag release"),
    });
    await engine.dispose();
    const resumed = await openOn(ground, scripted({ rules: [unmet] }), { resume: engine.getSessionId() });
    expect(resumed.desk.title).toBe("Another");
    expect((await turn(resumed, "/goal")).result).toMatchObject({ result: expect.stringMatching(/^No goal is set/u) });
  },
);

test("a host's title is refused if it cannot be recorded", async () => {
  const { engine } = await begun("Hello.");
  const given = unwritten(async () => engine.desk.setTitle("Another"));
  await expect(given).rejects.toMatchObject({ name: "SessionError", code: "not_recorded" });
});

test("a goal that cannot be recorded is not started", async () => {
  const { engine } = await begun("Hello.");
  const write = vi.spyOn(nodeFileSystem, "write").mockImplementation((descriptor, bytes, ...rest) => {
    if (Buffer.from(bytes).includes('"type":"goal"')) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    return real(descriptor, bytes, ...rest);
  });
  const { result } = await turn(engine, "/goal All is well.");
  write.mockRestore();
  expect(result).toMatchObject({ is_error: true, errors: [expect.stringMatching(/disk is full/u)] });
  expect((await turn(engine, "/goal")).result).toMatchObject({ result: expect.stringMatching(/^No goal is set/u) });
});

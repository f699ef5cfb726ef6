// How much effort small questions to a model ask for: never more than the model's own, and little if the user wants little.
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const question = "Is it fine?";

/** Returns the body of the question that a prompt hook asked. */
async function askedBody(options: EngineOptions, { before, settings }: { before?: "low"; settings?: object } = {}) {
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: "prompt", prompt: question }] }] };
  const model = scripted({ rules: [{ when: { lastUserText: question }, reply: '{"ok": true}' }], fallback: "Done." });
  const engine = await openOn(layGround(), model, { ...options, settings: JSON.stringify({ hooks, ...settings }) });
  if (before !== undefined) engine.setEffort(before);
  await turn(engine, "Go.");
  expect(model.violations).toEqual([]);
  const [first, ...others] = calls(model).map(({ body }) => body);
  expect(others.length).toBeGreaterThan(0);
  return first;
}

const always = { env: { ANTHROPIC_DEFAULT_HAIKU_MODEL: "claude-opus-5-5" } };
const effortOf = (body: Awaited<ReturnType<typeof askedBody>>): unknown =>
  (body?.["output_config"] as { effort?: unknown } | undefined)?.effort;

describe("a question to the small model", () => {
  test("asks for the model's own effort, without thinking", async () => {
    const body = await askedBody({});
    expect(body).toMatchObject({ model: "claude-haiku-5-5", thinking: { type: "disabled" } });
    expect(body).not.toHaveProperty("output_config");
  });

  test("asks for the user's effort if that is less than the model's own", async () => {
    expect(effortOf(await askedBody({ effort: "low" }))).toBe("low");
    expect(effortOf(await askedBody({}, { before: "low" }))).toBe("low");
  });

  test("asks for no more effort because the user wants more for their own work", async () => {
    expect(effortOf(await askedBody({ effort: "max" }))).toBeUndefined();
  });

  test("asks for no more effort than settings allow", async () => {
    const settings = { maxEffortLevel: "low" };
    expect(effortOf(await askedBody({ effort: "high" }, { settings }))).toBe("low");
  });

  test("asks for little thinking, which nobody is shown, if the model cannot do without", async () => {
    const body = await askedBody({ ...always, effort: "high" });
    expect(body).toMatchObject({ model: "claude-opus-5-5", thinking: { type: "adaptive", display: "omitted" } });
    expect(effortOf(body)).toBe("low");
  });
});

test("the judge of auto mode thinks no less because the user wants little effort", async () => {
  const touch = { content: [{ tool: "Bash", input: { command: "dd if=/dev/null of=a status=none" } }] };
  const isJudge = (text: string): boolean => text.includes("You guard a coding agent");
  const reply = ({ systemText, turns }: { systemText: string; turns: number }) =>
    isJudge(systemText) ? '{"decision": "allow"}' : ([touch][turns] ?? "Done.");
  const model = scripted({ rules: [{ when: {}, reply }] });
  const engine = await openOn(layGround(), model, { permissionMode: "auto", effort: "low" });
  await turn(engine, "Make the file.");
  const bodies = calls(model).map(({ body }) => body);
  const judged = bodies.filter((body) => isJudge(JSON.stringify(body?.["system"])));
  expect(judged).toHaveLength(1);
  expect(judged[0]).not.toHaveProperty("output_config");
  expect(bodies.at(-1)).toMatchObject({ output_config: { effort: "low" } });
});

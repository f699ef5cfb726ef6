// How a fallback model is asked: as if it had been chosen, whatever was asked of the model that it replaces.
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { Part } from "../../src/testing/index.ts";
import { recorded, replay } from "./replay/support.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const look: Part = { tool: "Glob", input: { pattern: "*" } };
const thinksAndLooks = { content: [{ thinking: "hm" }, look] };
const plainLook = { content: [look] };
const gone = { content: [], fault: { kind: "not_found" as const } };

const settings: NonNullable<EngineOptions["thinking"]>[] = [
  { type: "auto" },
  { type: "enabled", budgetTokens: 2_000 },
  { type: "disabled" },
];
const models = ["claude-sonnet-5-5", "claude-opus-5", "claude-haiku-4-5", "claude-opus-4-6"];
const pairs = models.flatMap((model) =>
  models.filter((other) => other !== model).map((fallbackModel) => ({ model, fallbackModel })),
);
const cases = pairs.flatMap((pair) => settings.map((thinking) => ({ ...pair, thinking })));

describe("a fallback model", () => {
  test.each(cases)("is asked as if it had been chosen ($model, $fallbackModel, $thinking.type)", async (options) => {
    const { fallbackModel, thinking } = options;
    const chosen = scripted({ steps: ["Yes."] });
    await turn(await openOn(layGround(), chosen, { model: fallbackModel, thinking }), "Go.");
    const [asked] = calls(chosen);
    const replaced = scripted({ steps: [gone, "Yes."] });
    const { result } = await turn(await openOn(layGround(), replaced, options), "Go.");
    expect(result.subtype).toBe("success");
    const { model, thinking: form, output_config, max_tokens } = calls(replaced)[1]!.body!;
    const { body } = asked!;
    expect({ model, form, output_config, max_tokens }).toEqual({
      model: fallbackModel,
      form: body?.["thinking"],
      output_config: body?.["output_config"],
      max_tokens: body?.["max_tokens"],
    });
  });

  test.each(cases)("can go on with a turn ($model, $fallbackModel, $thinking.type)", async (options) => {
    const reply = options.thinking.type === "disabled" ? plainLook : thinksAndLooks;
    const model = scripted({ steps: [reply, gone, plainLook, "Done.", "Yes."] });
    const engine = await openOn(layGround(), model, options);
    expect((await turn(engine, "Go.")).result).toMatchObject({ subtype: "success", num_turns: 3 });
    expect((await turn(engine, "And?")).result.subtype).toBe("success");
    const { fallbackModel: other } = options;
    expect(calls(model).map(({ body }) => body?.model)).toEqual([
      options.model,
      options.model,
      other,
      other,
      options.model,
    ]);
    expect(model.requests.flatMap(({ violations }) => violations)).toEqual([]);
  });

  test("has no higher effort than settings allow, whatever its own is", async () => {
    const options = { model: "claude-opus-5-5", fallbackModel: "claude-sonnet-5-5" };
    const model = scripted({
      steps: [gone, plainLook, { content: [], fault: "prompt_too_long" }, "Sum.", "Done.", "Yes."],
    });
    const engine = await openOn(layGround(), model, { ...options, settings: '{ "maxEffortLevel": "medium" }' });
    await turn(engine, "Go.");
    await turn(engine, "And?");
    const asked = calls(model).map(({ body }) => [
      body?.model,
      (body?.["output_config"] as { effort?: string })?.effort,
    ]);
    const [first, ...rest] = asked;
    expect(first).toEqual(["claude-opus-5-5", undefined]);
    expect(rest.slice(0, -1)).toEqual(rest.slice(0, -1).map(() => ["claude-sonnet-5-5", "medium"]));
    expect(rest.at(-1)).toEqual(["claude-opus-5-5", undefined]);
  });

  test("does not think if the user does not want it to, although the model before it always thinks", async () => {
    const model = scripted({ steps: [gone, "Yes."] });
    const options = { model: "claude-sonnet-5-5", fallbackModel: "claude-haiku-5-5" };
    await turn(await openOn(layGround(), model, { ...options, thinking: { type: "disabled" } }), "Go.");
    expect(calls(model).map(({ body }) => body?.["thinking"])).toEqual([
      expect.objectContaining({ type: "adaptive" }),
      { type: "disabled" },
    ]);
  });

  test.each(settings)("answers in a replay of the session too ($type thinking)", async (thinking) => {
    const overloaded = {
      content: [look],
      fault: { kind: "error_event" as const, at: "before_stop" as const, type: "overloaded_error" },
    };
    for (const failed of [gone, overloaded]) {
      const script = { steps: [thinksAndLooks, failed, thinksAndLooks, "Done."], fallback: "Yes." };
      const options = { model: "claude-sonnet-5-5", fallbackModel: "claude-haiku-5-5,claude-haiku-4-5" };
      const session = await recorded(script, { ...options, thinking }, ["Go.", "And?"]);
      expect(await replay(session, session.sessionId)).toMatchObject({ same: 2, differs: 0, skipped: 0 });
    }
  });
});

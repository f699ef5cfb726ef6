// Which models settings leave to a session, wherever one is named.
import { afterEach, describe, expect, test } from "vitest";
import { modelRefusal } from "../../src/session/model/model-limits.ts";
import { resolveModel } from "../../src/model/model-names.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const idOf = (name: string): string => resolveModel(name, {});
const settingsOf = (lists: object): string => JSON.stringify(lists);

describe("an entry in a list of models", () => {
  test.each([
    ["opus", "claude-opus-4-1", true],
    ["opus", "claude-opus-5-5", true],
    ["claude-opus-5", "claude-opus-5-5", true],
    ["claude-opus-5", "claude-opus-50", false],
    ["claude-opus-5-5", "us.anthropic.claude-opus-5-5-v1:0", true],
    ["claude-opus-5-5-20260101", "claude-opus-5-5", true],
    ["Claude-Opus-5-5[1m]", "claude-opus-5-5", true],
    ["haiku", "claude-sonnet-5-5", false],
    ["", "claude-sonnet-5-5", false],
    ["c", "claude-sonnet-5-5", false],
  ])("%j matches %s: %s", (entry, id, isMeant) => {
    expect(modelRefusal(id, { deniedModels: [entry] }, idOf) !== undefined).toBe(isMeant);
    expect(modelRefusal(id, { availableModels: [entry] }, idOf) === undefined).toBe(isMeant);
  });

  test("matches only itself with exact matching, and a denied model stays denied even if it is allowed", () => {
    const exact = { availableModels: ["claude-opus-5", "sonnet"], availableModelsMatch: "exact" as const };
    expect(modelRefusal("claude-opus-5-5", exact, idOf)).toContain("allow only claude-opus-5, sonnet");
    expect(modelRefusal("claude-sonnet-5-5", exact, idOf)).toBeUndefined();
    const both = { availableModels: ["opus"], deniedModels: ["claude-opus-5-5"] };
    expect(modelRefusal("claude-opus-5-5", both, idOf)).toContain("deniedModels");
  });
});

test("an unavailable model is refused at the start, by /model and by set_model, and is not listed", async () => {
  const ground = layGround();
  const settings = settingsOf({ availableModels: ["sonnet", "haiku"], deniedModels: ["haiku"] });
  const model = scripted({ steps: [], fallback: "Done." });
  await expect(openOn(ground, model, { settings, model: "opus" })).rejects.toThrow(
    "The model claude-opus-5-5 is not available: the settings (availableModels) allow only sonnet, haiku.",
  );
  const engine = await openOn(ground, model, { settings, model: "sonnet" });
  await turn(engine, "/model haiku");
  expect(() => engine.setModel("opus")).toThrow("is not available");
  await turn(engine, "Which?");
  expect(model.requests.map(({ body }) => body?.model)).toEqual(["claude-sonnet-5-5"]);
});

test("a session without a chosen model gets the first available one; an unavailable fallback is reported and left out", async () => {
  const ground = layGround();
  const notices: string[] = [];
  const model = scripted({ steps: [], fallback: "Done." });
  const settings = settingsOf({ availableModels: ["claude-haiku-5-5"], fallbackModel: ["opus"] });
  const engine = await openOn(ground, model, {
    settings,
    model: undefined,
    onNotice: (text) => void notices.push(text),
  });
  await turn(engine, "Hi.");
  expect(model.requests.map(({ body }) => body?.model)).toEqual(["claude-haiku-5-5"]);
  expect(notices).toEqual([expect.stringContaining("The fallback model claude-opus-5-5 was left out")]);
});

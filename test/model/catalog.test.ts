// What models are, what they are called, and what they cost.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { modelsJson } from "../../scripts/gen-models.ts";
import { createCatalog, defaultModel, readCatalogOverrides } from "../../src/model/index.ts";
import { noUsage } from "../../src/protocol/usage.ts";

const catalog = createCatalog();

test("models.json is what scripts/gen-models.ts writes", () => {
  expect(readFileSync(new URL("../../src/model/models.json", import.meta.url), "utf8")).toBe(modelsJson());
});

describe("the built-in models", () => {
  test.each(catalog.ids())("include complete figures for %s", (id) => {
    const info = catalog.info(id);
    expect(info).toMatchObject({ id, known: true });
    expect(info.maxOutputTokens).toBeLessThan(info.contextWindow);
    expect(info.maxImages).toBe(info.contextWindow > 200_000 ? 600 : 100);
    if (info.efforts.length > 0) expect(info.efforts).toContain(info.defaultEffort);
    for (const tier of info.prices ?? []) {
      expect(tier.cacheRead).toBeLessThan(tier.input);
      expect(tier.cacheWrite5m).toBeGreaterThan(tier.input);
      expect(tier.cacheWrite1h).toBeGreaterThan(tier.cacheWrite5m);
    }
    expect(info.prices?.at(-1)?.upToInputTokens).toBeUndefined();
  });

  test.each([
    ["claude-fable-5-2", 8, 40, 10, 16, 0.2],
    ["claude-opus-5-5", 4, 20, 5, 8, 0.2],
    ["claude-sonnet-5-5", 2, 10, 2.5, 4, 0.2],
    ["claude-fable-5-1", 10, 50, 12.5, 20, 0.25],
    ["claude-fable-5", 10, 50, 12.5, 20, 1],
    ["claude-opus-5", 5, 25, 6.25, 10, 0.5],
    ["claude-opus-4-5", 5, 25, 6.25, 10, 0.5],
    ["claude-sonnet-5", 2, 10, 2.5, 4, 0.2],
    ["claude-sonnet-4-6", 3, 15, 3.75, 6, 0.3],
    ["claude-haiku-4-5", 1, 5, 1.25, 2, 0.1],
  ])("have the listed prices: %s", (id, input, output, cacheWrite5m, cacheWrite1h, cacheRead) => {
    expect(catalog.info(id).prices).toEqual([{ input, output, cacheWrite5m, cacheWrite1h, cacheRead }]);
  });

  test("bind thinking to its prefix exactly where documented", () => {
    const bound = catalog.ids().filter((id) => catalog.info(id).thinkingBoundToPrefix);
    expect(bound.sort()).toEqual(
      [
        "claude-fable-5-1",
        "claude-fable-5-2",
        "claude-haiku-5-5",
        "claude-mythos-5-1",
        "claude-mythos-5-2",
        "claude-opus-5-5",
        "claude-sonnet-5-5",
      ].sort(),
    );
  });

  test("write summaries on demand, except the oldest", () => {
    const without = catalog.ids().filter((id) => catalog.info(id).compaction !== true);
    expect(without.sort()).toEqual(["claude-haiku-4-5", "claude-opus-4-5", "claude-sonnet-4-5"]);
  });

  test("state the source and date of their figures", () => {
    const { source, date } = JSON.parse(modelsJson());
    expect(source).toContain(date);
    expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });
});

describe("an unknown model", () => {
  test("has known: false, assumed limits and no prices", () => {
    expect(catalog.info("qwen3:32b")).toMatchObject({
      id: "qwen3:32b",
      known: false,
      contextWindow: 200_000,
      maxOutputTokens: 32_000,
      thinking: "none",
      efforts: [],
    });
    expect(catalog.info("qwen3:32b")).not.toHaveProperty("prices");
    expect(catalog.costOf("qwen3:32b", { ...noUsage, inputTokens: 1_000_000 })).toEqual({ usd: 0, known: false });
  });

  test.each(["__proto__", "constructor", ""])("may have the name %j", (id) => {
    expect(catalog.info(id).known).toBe(false);
  });
});

describe("spellings of one id", () => {
  test.each([
    "claude-opus-5-5",
    "claude-opus-5-5-20260922",
    "claude-opus-5-5-latest",
    "Claude-Opus-5-5",
    "claude-opus-5-5[1m]",
    "anthropic/claude-opus-5-5",
    "anthropic/claude-opus-5.5",
    "openrouter/anthropic/claude-opus-5.5:beta",
    "us.anthropic.claude-opus-5-5-20260922-v1:0",
    "us-gov.anthropic.claude-opus-5-5-v1",
    "anthropic.claude-opus-5-5",
    "claude-opus-5-5@20260922",
  ])("include %s", (id) => {
    expect(catalog.info(id)).toMatchObject({ id, known: true, contextWindow: 1_000_000, maxOutputTokens: 128_000 });
    expect(catalog.costOf(id, { ...noUsage, inputTokens: 1_000_000 })).toEqual({ usd: 4, known: true });
  });

  test.each(["claude-opus-5-50", "my-claude-opus-5-5", "claude-opus", "claude-opus-5-5-preview"])(
    "do not include %s",
    (id) => {
      expect(catalog.info(id).known).toBe(false);
    },
  );
});

describe("resolving a model name", () => {
  test.each<[string | undefined, Record<string, string>, string]>([
    [undefined, {}, defaultModel],
    ["", {}, defaultModel],
    ["default", {}, "claude-sonnet-5-5"],
    ["sonnet", {}, "claude-sonnet-5-5"],
    ["OPUS", {}, "claude-opus-5-5"],
    ["haiku", {}, "claude-haiku-5-5"],
    ["fable", {}, "claude-fable-5-2"],
    ["best", {}, "claude-fable-5-2"],
    ["opusplan", {}, "claude-opus-5-5"],
    ["sonnet[1m]", {}, "claude-sonnet-5-5"],
    [" claude-opus-4-6[1M] ", {}, "claude-opus-4-6"],
    ["qwen3:32b", {}, "qwen3:32b"],
    ["constructor", {}, "constructor"],
    [undefined, { ANTHROPIC_MODEL: "opus" }, "claude-opus-5-5"],
    [undefined, { ANTHROPIC_DEFAULT_MODEL: "m" }, "m"],
    ["sonnet", { ANTHROPIC_MODEL: "opus" }, "claude-sonnet-5-5"],
    ["default", { ANTHROPIC_DEFAULT_MODEL: "m" }, "m"],
    ["sonnet", { ANTHROPIC_DEFAULT_SONNET_MODEL: "gateway/sonnet[1m]" }, "gateway/sonnet"],
    // Guides for other providers set the variables of the short names alone, and no model.
    [undefined, { ANTHROPIC_DEFAULT_SONNET_MODEL: "theirs" }, "theirs"],
    ["default", { ANTHROPIC_DEFAULT_SONNET_MODEL: "theirs" }, "theirs"],
    ["default", { ANTHROPIC_DEFAULT_SONNET_MODEL: "theirs", ANTHROPIC_DEFAULT_MODEL: "m" }, "m"],
    ["opus", { ANTHROPIC_DEFAULT_OPUS_MODEL: "o" }, "o"],
    [undefined, { ANTHROPIC_DEFAULT_MODEL: "haiku", ANTHROPIC_DEFAULT_HAIKU_MODEL: "h" }, "h"],
    ["opus", { ANTHROPIC_DEFAULT_OPUS_MODEL: "opus" }, "opus"],
    ["opus", { ANTHROPIC_DEFAULT_OPUS_MODEL: "fable", ANTHROPIC_DEFAULT_FABLE_MODEL: "opus" }, "opus"],
    ["best", { ANTHROPIC_DEFAULT_FABLE_MODEL: "f" }, "f"],
    ["haiku", { ANTHROPIC_SMALL_FAST_MODEL: "small" }, "small"],
    ["haiku", { ANTHROPIC_SMALL_FAST_MODEL: "small", ANTHROPIC_DEFAULT_HAIKU_MODEL: "h" }, "h"],
    ["sonnet", { ANTHROPIC_DEFAULT_SONNET_MODEL: " " }, "claude-sonnet-5-5"],
  ])("turns %j with %j into %s", (name, environment, id) => {
    expect(catalog.resolveModel(name, environment)).toBe(id);
  });

  test("prefers the user's own aliases", () => {
    const own = createCatalog({ aliases: { sonnet: "mine", fast: "small", quick: "haiku" } });
    expect(own.resolveModel("sonnet", {})).toBe("mine");
    expect(own.resolveModel(undefined, { ANTHROPIC_MODEL: "fast" })).toBe("small");
    expect(own.resolveModel("quick", {})).toBe("claude-haiku-5-5");
  });
});

describe("the cost of a response", () => {
  const million = 1_000_000;

  test("has a price for each kind of token, and separate prices for cache writes", () => {
    const usage = {
      inputTokens: million,
      outputTokens: million,
      cacheReadInputTokens: million,
      cacheCreationInputTokens: 3 * million,
      cacheCreation5mInputTokens: million,
      cacheCreation1hInputTokens: 2 * million,
    };
    expect(catalog.costOf("claude-opus-5", usage).usd).toBeCloseTo(5 + 25 + 0.5 + 6.25 + 20, 9);
    expect(catalog.costOf("claude-opus-5", { ...noUsage, cacheCreationInputTokens: million }).usd).toBeCloseTo(6.25, 9);
    expect(catalog.costOf("claude-opus-5", { ...noUsage, inputTokens: million, inferenceGeo: "us" }).usd).toBeCloseTo(
      5.5,
      9,
    );
  });

  test("uses the price tier of the whole prompt, cached parts included", () => {
    const at = (prompt: number): number =>
      catalog.costOf("claude-haiku-5-5", {
        ...noUsage,
        inputTokens: 1,
        cacheReadInputTokens: prompt - 1,
        outputTokens: million,
      }).usd;
    expect(at(100_000)).toBeCloseTo(0.5 + 0.001, 3);
    expect(at(100_001)).toBeCloseTo(2.5 + 0.005, 3);
  });

  test("is never negative and grows with every kind of token", () => {
    const tokens = fc.nat(2_000_000);
    fc.assert(
      fc.property(
        fc.constantFrom(...catalog.ids()),
        tokens,
        tokens,
        tokens,
        tokens,
        tokens,
        (id, inputTokens, outputTokens, read, write, more) => {
          const usage = { inputTokens, outputTokens, cacheReadInputTokens: read, cacheCreationInputTokens: write };
          const { usd } = catalog.costOf(id, usage);
          expect(usd).toBeGreaterThanOrEqual(0);
          expect(catalog.costOf(id, { ...usage, inputTokens: inputTokens + more }).usd).toBeGreaterThanOrEqual(usd);
        },
      ),
    );
  });
});

describe("the user's own model figures", () => {
  test("describe a new model; missing prices are assumed at the high side", () => {
    const own = createCatalog({
      models: { "qwen3:32b": { contextWindow: 131_072, prices: { input: 0.3, output: 1.2 } } },
    });
    expect(own.info("qwen3:32b")).toMatchObject({
      known: true,
      status: "custom",
      contextWindow: 131_072,
      maxOutputTokens: 32_000,
      prices: [{ input: 0.3, output: 1.2, cacheWrite5m: 0.375, cacheWrite1h: 0.6, cacheRead: 0.3 }],
    });
  });

  test("override parts of a built-in model, under any spelling of its id", () => {
    const own = createCatalog({ models: { "anthropic/claude-opus-5.5": { contextWindow: 400_000 } } });
    expect(own.info("anthropic/claude-opus-5.5")).toMatchObject({
      contextWindow: 400_000,
      maxOutputTokens: 128_000,
      thinking: "adaptive_always",
    });
    expect(own.info("claude-opus-5-5").contextWindow).toBe(1_000_000);
  });

  test("are read from a file, and unusable parts are reported", () => {
    const { overrides, problems } = readCatalogOverrides({
      models: {
        good: {
          contextWindow: 1000,
          thinking: "enabled",
          efforts: ["low"],
          prices: [
            { input: 1, output: 2, upToInputTokens: 10 },
            { input: 3, output: 4 },
          ],
        },
        bad: { contextWindow: -1, colour: "red", thinking: "deep", prices: { input: 1 } },
        worse: 5,
      },
      aliases: { fast: "good", broken: 7 },
    });
    expect(overrides).toEqual({
      models: {
        good: {
          contextWindow: 1000,
          thinking: "enabled",
          efforts: ["low"],
          prices: [
            { input: 1, output: 2, upToInputTokens: 10 },
            { input: 3, output: 4 },
          ],
        },
        bad: {},
      },
      aliases: { fast: "good" },
    });
    expect(problems).toHaveLength(6);
    expect(problems.join("\n")).toContain("models.bad.prices needs input and output");
  });

  test.each([
    [[], "is empty"],
    [{ input: 1, output: -2 }, "cannot be used for output"],
    [{ input: 1, output: 2, cheap: 3 }, "unknown field cheap"],
    [
      [
        { input: 1, output: 2 },
        { input: 1, output: 2 },
      ],
      "on every tier but the last",
    ],
    [{ input: 1, output: 2, upToInputTokens: 10 }, "on every tier but the last"],
    [
      [
        { input: 1, output: 2, upToInputTokens: 10 },
        { input: 1, output: 2, upToInputTokens: 5 },
        { input: 1, output: 2 },
      ],
      "not ascending",
    ],
    [["x"], "is not an object"],
  ])("with an invalid price list lose the whole list: %j", (prices, problem) => {
    const { overrides, problems } = readCatalogOverrides({ models: { m: { prices } } });
    expect(overrides.models).toEqual({ m: {} });
    expect(problems[0]).toContain(problem);
  });

  test.each([null, [], "x", { models: 5, aliases: [] }])(
    "from a file of the wrong shape change nothing: %j",
    (value) => {
      const { overrides, problems } = readCatalogOverrides(value);
      expect(problems.length).toBeGreaterThan(0);
      expect(createCatalog(overrides).ids()).toEqual(catalog.ids());
    },
  );
});

describe('the section "Models of your own" in docs/settings.md', () => {
  const page = readFileSync(new URL("../../docs/settings.md", import.meta.url), "utf8");
  const section = page.split(/^##+ /mu).find((part) => part.startsWith("Models of your own")) ?? "";

  test("shows an example that works unchanged", () => {
    const given = JSON.parse(/```json\n(.*?)```/su.exec(section)?.[1] ?? "") as unknown;
    const { overrides, problems } = readCatalogOverrides(given);
    expect(problems).toEqual([]);
    expect(overrides.models).toMatchObject({ "my-model": { contextWindow: 131_072, prices: [{ input: 0.3 }] } });
    expect(createCatalog(overrides).resolveModel("fast", {})).toBe("my-model");
  });

  test("has exactly one row for each field", () => {
    const source = readFileSync(new URL("../../src/model/catalog-overrides.ts", import.meta.url), "utf8");
    const checks = /const fieldChecks[^{]*\{(.*?)^\};/msu.exec(source)?.[1] ?? "";
    const fields = [...checks.matchAll(/^ {2}(\w+):/gmu)].map(([, name = ""]) => name);
    const cells = [...section.matchAll(/^\| (`[^|]*) \|/gmu)].flatMap(([, cell = ""]) => cell.split(", "));
    expect(cells.map((cell) => cell.slice(1, -1)).toSorted()).toEqual([...fields, "prices"].toSorted());
  });
});

// docs/context.md tells users of every layer and every switch: those of the code, no others, with the code's figures.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { contextPolicy, defaultPolicy, layers, policyProblems, type ContextPolicy } from "../../src/context/index.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/context.md"), "utf8");

/** Cells of the table rows that begin with a name in backquotes, under a heading. */
function rows(heading: string): string[][] {
  const section = page.split(/^## /mu).find((part) => part.startsWith(heading)) ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
}

const names = (cell: string | undefined): string[] =>
  [...(cell ?? "").matchAll(/`([^`]+)`/gu)].map((match) => match[1] ?? "");

describe("the documented table of layers", () => {
  const table = rows("What happens");

  test("contains all layers in their order, and no others", () => {
    expect(table.map((cells) => names(cells[1])[0])).toEqual(layers.map(({ name }) => name));
  });

  test.each(layers)("says whether and how $name can be switched off", (layer) => {
    const { name } = layer;
    const cells = table.find((row) => row[1] === `\`${name}\``);
    const isOff = (policy: ContextPolicy): boolean => !layer.enabled(policy);
    const isNamed = isOff(contextPolicy({}, { PAWL_LAYERS_OFF: name }));
    const switches = names(cells?.at(-2));
    expect(switches.includes("PAWL_LAYERS_OFF")).toBe(isNamed);
    for (const written of switches.filter((text) => text !== "PAWL_LAYERS_OFF")) {
      const [key = "", value = ""] = written.replaceAll('"', "").split(/=|: /u);
      const policy = written.includes("=")
        ? contextPolicy({}, { [key]: value })
        : contextPolicy({ [key]: value !== "false" });
      expect([written, isOff(policy)]).toEqual([written, true]);
    }
  });

  test("names all switches of the code", () => {
    const source = readFileSync(join(import.meta.dirname, "../../src/context/policy.ts"), "utf8");
    const variables = [...source.matchAll(/environment\["([A-Z_]+)"\]/gu)].map((match) => match[1] ?? "");
    const settings = [...source.matchAll(/settings\.(\w+)/gu)].map((match) => match[1] ?? "");
    const layerNames = [...source.matchAll(/^ {2}\["(\w+)", "\w+"\],$/gmu)].map((match) => match[1] ?? "");
    expect(variables.length + settings.length + layerNames.length).toBeGreaterThan(20);
    const told = page.replaceAll(/=1`|: false`/gu, "`");
    for (const name of new Set([...variables, ...settings, ...layerNames]))
      expect(told).toMatch(new RegExp(`["\`]${name}["\`]`, "u"));
  });
});

test("the documented figures equal the code's", () => {
  const figures = [
    `${defaultPolicy.warnPercent} %`,
    `${defaultPolicy.collapsePercent} %`,
    `${defaultPolicy.autoCompactPercent} %`,
    `${defaultPolicy.resultCharsPerMessage.toLocaleString("en")} characters`,
    `${defaultPolicy.previewChars.toLocaleString("en")} characters`,
    `${defaultPolicy.minimumClearing.tokens.toLocaleString("en")} tokens`,
    `${defaultPolicy.reattachTokens.toLocaleString("en")} tokens`,
    `${defaultPolicy.keepRecent.tokens.toLocaleString("en")} tokens`,
  ];
  for (const figure of figures) expect(page).toContain(figure);
  expect([defaultPolicy.refillsUntilStop, defaultPolicy.refillTurns, defaultPolicy.failuresUntilStop]).toEqual([
    3, 2, 3,
  ]);
});

test("ignored settings and variables are reported, and nothing else", () => {
  const fine = { PAWL_LAYERS_OFF: " snip, auto_compact,", PAWL_COLLAPSE_PCT: "50", CLAUDE_CODE_MAX_CONTEXT_TOKENS: "" };
  expect(policyProblems({ autoCompactWindow: 200_000 }, fine)).toEqual([]);
  const wrong = { PAWL_LAYERS_OFF: "snip,autocompact", CLAUDE_CODE_AUTO_COMPACT_WINDOW: "50k" };
  const told = policyProblems({ autoCompactWindow: 50_000 }, wrong);
  expect(told.map((text) => /^\w+/u.exec(text)?.[0])).toEqual([
    "CLAUDE_CODE_AUTO_COMPACT_WINDOW",
    "autoCompactWindow",
    "PAWL_LAYERS_OFF",
  ]);
  expect(told[2]).toContain('"autocompact"');
  expect(told[2]).toContain("auto_compact");
});

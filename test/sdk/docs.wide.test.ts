// Every example of docs/library.md compiles, runs, and prints what the page says.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as library from "../../src/index.ts";
import { checkConventionNames, checkOptionNames } from "../../src/session/options/option-names.ts";
import type { Script } from "../../src/testing/index.ts";
import { clearGroundsAfterwards, layGround, scripted } from "../session/support.ts";
import { complaintsAbout } from "./compile.ts";
import * as world from "./docs-world.ts";

clearGroundsAfterwards();
afterEach(() => vi.restoreAllMocks());

const page = readFileSync(join(import.meta.dirname, "../../docs/library.md"), "utf8");
const examples = page
  .split(/^##? /mu)
  .slice(1)
  .flatMap((section) => {
    const blocks = [...section.matchAll(/^```(\w+)\n(.*?)^```$/gmsu)];
    return blocks.flatMap(([, language, code = ""], index) =>
      language === "ts"
        ? [{ heading: section.slice(0, section.indexOf("\n")), code, output: blocks[index + 1]?.[2] ?? "" }]
        : [],
    );
  });

const readSettings = { content: [{ tool: "Read", input: { file_path: "app.toml" } }] };
/** What the model does, by the heading the example stands under. */
const scripts: Record<string, Script> = {
  "pawl as a library": { steps: [readSettings, "It sets port 8080."] },
  "A session over many turns": {
    steps: [
      readSettings,
      { content: [{ tool: "Edit", input: { file_path: "app.toml", old_string: "8080", new_string: "9090" } }] },
      "The port is 9090 now.",
      "The port, in app.toml.",
    ],
  },
  "A side question": { steps: [readSettings, "Port 8080.", "Yes."] },
  "What goes wrong": {},
  "Tools of your own": {
    steps: [
      { content: [{ tool: "lookup", input: { id: "17" } }] },
      ({ toolResults }) => (toolResults[0]?.text === "customer 17: Ada" ? "It is Ada." : "Nobody."),
    ],
  },
  "MCP servers": {
    steps: [
      { content: [{ tool: "mcp__weather__now", input: { city: "Bergen" } }] },
      ({ toolResults }) => (toolResults[0]?.text === "rain" ? "Yes, it rains." : "No."),
    ],
  },
  Permissions: {
    steps: [
      { content: [{ tool: "Bash", input: { command: "echo ready" } }] },
      { content: [{ tool: "Bash", input: { command: "npm publish" } }] },
      "Then not.",
    ],
  },
  "Hooks as functions": { steps: [readSettings, "I may not look."] },
  Limits: { steps: [{ content: ["one, ".repeat(2_000)], pace: { deltaCharacters: 16, delayMs: 1 } }] },
  "Steering a query": { steps: [readSettings, "It sets port 8080."] },
  "Structured output": {
    steps: [readSettings, { content: [{ tool: "StructuredOutput", input: { port: 8080 } }] }],
  },
  "Resume and fork": { fallback: "I do." },
  "The window": {
    rules: [{ when: { compacts: true }, reply: "Birds were noted." }],
    fallback: { content: "Noted. ".repeat(400) },
  },
  "In a server": { steps: [{ content: [{ tool: "Bash", input: { command: "npm publish" } }] }, "Then not."] },
  "Many at once": { fallback: "Yes." },
  "From another agent SDK": {
    steps: [{ content: [{ tool: "Bash", input: { command: "npm publish" } }] }, "Then not."],
  },
  "Testing what you build": {},
};

test("every section with an example has a script, and every script a section", () => {
  expect([...new Set(examples.map(({ heading }) => heading))]).toEqual(Object.keys(scripts));
});

test("the examples can import everything that the library exports", () => {
  expect(Object.keys(world)).toEqual(expect.arrayContaining(Object.keys(library)));
});

describe("the example under", () => {
  test.each(examples)("$heading runs and prints what the page says", async ({ heading, code, output }) => {
    const ground = layGround();
    ground.file("app.toml", "port = 8080\n");
    const model = scripted(scripts[heading] ?? {});
    world.enter(ground, model);
    const file = ground.file("example.ts", located(code));
    const printed: string[] = [];
    vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
      printed.push(values.map((value) => (typeof value === "string" ? value : inspect(value))).join(" "));
    });
    await import(/* @vite-ignore */ pathToFileURL(file).href);
    expect(`${printed.join("\n")}\n`).toBe(output);
    model.assertDone();
  });
});

function located(code: string): string {
  return code
    .replaceAll('"pawl"', JSON.stringify(join(import.meta.dirname, "docs-world.ts")))
    .replaceAll('"pawl/testing"', JSON.stringify(join(import.meta.dirname, "../../src/testing/index.ts")));
}

test("the examples compile", { timeout: 60_000 }, () => {
  const sources = examples.map(({ code }, index): [string, string] => [`example-${index}`, code]);
  for (const name of ["sessions", "replay"]) {
    const [, code = ""] =
      /^```ts\n(.*?)^```$/msu.exec(readFileSync(join(import.meta.dirname, `../../docs/${name}.md`), "utf8")) ?? [];
    expect(code).toContain('from "pawl"');
    sources.push([name, code]);
  }
  expect(complaintsAbout(Object.fromEntries(sources))).toEqual([]);
});

test("every option that the page names exists", () => {
  const named = [...page.matchAll(/`(\w+)(?:: [^`]+)?`/gu)].map((match) => match[1] ?? "");
  const options = named.filter((name) =>
    /^(?:max(?!Tokens|_)|persist|fork|token|task(?!_)|verbatim|include|add|on[A-Z]|system[A-Z]|append|fallback|session(?!_)|continue)/u.test(
      name,
    ),
  );
  expect(options.length).toBeGreaterThan(12);
  for (const name of options) {
    const given = { [name]: Symbol("of no kind") };
    const check = (): void => (checkConventionNames(given), checkOptionNames(given, () => undefined));
    expect(check).toThrow(/^The option \w+ must be /u);
  }
});

test("the page names every message type", () => {
  const files = ["sdk", "sdk-commands", "sdk-history", "sdk-hooks", "sdk-task"];
  const sources = files.map((name) => readFileSync(join(import.meta.dirname, `../../src/protocol/${name}.ts`), "utf8"));
  const names = [...sources.join("\n").matchAll(/^ {2}(?:sub)?type: "(\w+)";$/gmu)].map((match) => match[1] ?? "");
  expect(new Set(names).size).toBeGreaterThan(25);
  const section = page.slice(page.indexOf("## Messages"), page.indexOf("## What goes wrong"));
  for (const name of names) if (name !== "message") expect(section).toContain(`\`${name}\``);
});

// docs/sdk.md says for every option of the convention what it does here.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isFlagNotBuilt } from "../../../src/cli/not-built.ts";
import { checkConventionNames, checkOptionNames } from "../../../src/session/options/option-names.ts";
import { query } from "../../../src/index.ts";
import { fieldsWithoutEffect } from "../../../src/surface/stdio/initialize.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/sdk.md"), "utf8");
const rows = [...page.matchAll(/^\| `(\w+)` \| (.*?) \| (.*?) \|$/gmu)].map(
  ([, name = "", wire = "", library = ""]) => ({
    name,
    wire,
    library,
  }),
);

/** What the library says of an option of a kind that none has. */
function libraryOn(name: string): string {
  const notices: string[] = [];
  try {
    checkConventionNames({ [name]: Symbol("of no kind") });
    checkOptionNames({ [name]: Symbol("of no kind") }, (text) => notices.push(text));
    return notices.join();
  } catch (error) {
    return (error as Error).message;
  }
}

test("docs/sdk.md lists each option once, and the library does what the column says", () => {
  expect(rows.length).toBeGreaterThan(65);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  for (const { name, library } of rows) {
    const said = libraryOn(name);
    if (library.startsWith("not yet")) expect(said).toMatch(/is not built yet/u);
    else if (library.startsWith("no effect")) expect(said).toMatch(/means nothing here/u);
    else expect(said).toMatch(/^The option \w+ must be (?:a|an|true)/u);
  }
});

test("docs/sdk.md promises no refused flag, and names initialize fields without an effect as such", () => {
  const flags: Record<string, string> = {
    agent: "--agent",
    includeHookEvents: "--include-hook-events",
    mcpServers: "--mcp-config",
    outputFormat: "--json-schema",
    permissionPrompts: "--permission-prompts",
    plugins: "--plugin-dir",
    projectConfigRoot: "--project-config-root",
    resumeDropsTurn: "--resume-drops-turn",
    resumeSessionAt: "--resume-session-at",
    sessionStore: "--session-mirror",
    settingSources: "--setting-sources",
  };
  for (const [name, flag] of Object.entries(flags)) {
    const wire = rows.find((row) => row.name === name)?.wire ?? "";
    expect([name, wire.startsWith("not yet")]).toEqual([name, isFlagNotBuilt(flag)]);
  }
  for (const name of fieldsWithoutEffect) {
    const row = rows.find((each) => each.name === name);
    if (row !== undefined) expect(row.wire).toMatch(/^no effect/u);
  }
});

test("a query has the methods that docs/sdk.md names", () => {
  const section = page.slice(page.indexOf("## Methods"));
  const running = query({ prompt: "x" });
  for (const [, name = ""] of section.slice(0, section.indexOf(" are there")).matchAll(/`(\w+)`/gu))
    expect(typeof running[name as keyof typeof running]).toBe("function");
});

// The papers name flags and variables: those that are there; and every variable that is read is named somewhere.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { diskPaths } from "../../src/permissions/paths/path-forms.ts";
import { parseRule } from "../../src/permissions/rules/rule.ts";
import { permissionModes } from "../../src/protocol/permission.ts";
import { keyRules } from "../../src/settings/keys.ts";
import { sectionKeys } from "../../src/settings/section-keys.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
const papers = ["README.md", "SECURITY.md", ...pages.map((name) => `docs/${name}`)];
const helpOf = (...words: string[]): string => {
  const parsed = parseArguments([...words, "--help"]);
  return parsed.kind === "help" ? parsed.text : "";
};
const help = [helpOf(), helpOf("sessions")].join("\n");
const all = [help, ...papers.map(read)].join("\n");

test("the help names every flag of the README", () => {
  const pawls = read("README.md")
    .split("\n")
    .filter((line) => !/\b(?:npm|git|node) /u.test(line) || line.includes("pawl"));
  const named = [...pawls.join("\n").matchAll(/(?<=[\s`"(])--[a-z][a-z-]+/gu)].map(([flag]) => flag);
  expect(named.length).toBeGreaterThan(20);
  const elsewhere = new Set(["--script", "--port", "--json", "--test"]);
  for (const flag of named) if (!elsewhere.has(flag)) expect(help).toContain(flag);
});

test("every help fits into 80 columns", () => {
  const commands = "sessions config mcp plugin trust hooks replay doctor mock permissions".split(" ");
  for (const text of [helpOf(), ...commands.map((name) => helpOf(name))]) {
    const wide = text.split("\n").filter((line) => line.length > 80 && !line.startsWith("Usage: "));
    expect([text !== "", wide]).toEqual([true, []]);
  }
});

test("the documentation names every environment variable that the code reads", () => {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const names = sources.flatMap((name) => [
    ...read(join("src", name)).matchAll(/"((?:ANTHROPIC|BASH|CLAUDE|DISABLE|MAX|PAWL)_[A-Z_]+)"/gu),
  ]);
  const inside = new Set(["PAWL_TASK", "PAWL_HOOK", "BASH_ENV"]);
  const untold = new Set(
    names.map((match) => match[1] ?? "").filter((name) => !inside.has(name) && !all.includes(name)),
  );
  expect([...untold]).toEqual([]);
});

const firstCells = (section: string): string[] => {
  const text =
    read("docs/settings.md")
      .split(/^##+ /mu)
      .find((part) => part.startsWith(section)) ?? "";
  return [...text.matchAll(/^\| (`[^|]*) \|/gmu)].map((match) => match[1] ?? "");
};

test("the settings page has a row for each permission mode", () => {
  expect(firstCells("Permission modes").map((cell) => /\w+/u.exec(cell)?.[0])).toEqual([...permissionModes]);
});

test("the example rules of the settings page are valid rules", () => {
  const rules = firstCells("How rules are written").flatMap((cell) =>
    cell.split(", ").map((rule) => rule.slice(1, -1)),
  );
  expect(rules.length).toBeGreaterThan(15);
  const places = { cwd: root, home: root, reader: diskPaths };
  for (const rule of rules)
    expect(parseRule({ rule, source: "the page" }, "allow", places)).toMatchObject({ rule: { rule }, problems: [] });
});

test("the settings page names every setting that has an effect", () => {
  const page = read("docs/settings.md");
  const keys = Object.keys({ ...keyRules, ...sectionKeys });
  expect(keys.length).toBeGreaterThan(50);
  const untold = keys.filter((key) => !page.includes(`\`${key}\``) && !page.includes(`\`.${key.split(".").at(-1)}\``));
  expect(untold).toEqual([]);
});

// What an entry exports, in one file: neither more nor less than it is made of.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { changedLines } from "../../scripts/api/changes.ts";
import { referencePage } from "../../scripts/api/reference.ts";
import { rollup } from "../../scripts/api/rollup.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** The rollup of `index.d.ts` among these files, without its first line. */
function rolled(files: Record<string, string>): string[] {
  return made(files).text.trimEnd().split("\n").slice(1);
}

function made(files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "pawl-api-"));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return rollup(join(folder, "index.d.ts"));
}

test("the rollup contains what is exported and all it depends on, and nothing else", () => {
  const lines = rolled({
    "index.d.ts": 'export { make, type Made as Thing } from "./make.ts";\n',
    "make.d.ts":
      'import type { Part } from "./rooms/part.ts";\n/** A thing. */\nexport interface Made {\n    part: Part;\n}\nexport declare function make(): Made;\nexport declare function hidden(): void;\n',
    "rooms/part.d.ts":
      "/** The file. */\n\n/** One. */\nexport type Part = Own[];\ninterface Own {\n    a: 1;\n}\nexport type Other = 2;\n",
  });
  expect(lines).toEqual([
    "/** A thing. */",
    "interface Made {",
    "    part: Part;",
    "}",
    "interface Own {",
    "    a: 1;",
    "}",
    "/** One. */",
    "type Part = Own[];",
    "export declare function make(): Made;",
    "export type { Made as Thing };",
    "export {};",
  ]);
});

test("values exported as types stay types, through star exports and overloads", () => {
  const lines = rolled({
    "index.d.ts": 'export type * from "./words.ts";\n',
    "words.d.ts":
      "export declare const names: readonly string[];\nexport declare function say(a: string): void;\nexport declare function say(a: number): void;\nexport type Name = (typeof names)[number];\n",
  });
  expect(lines).toEqual([
    "export type Name = (typeof names)[number];",
    "declare const names: readonly string[];",
    "declare function say(a: string): void;",
    "declare function say(a: number): void;",
    "export type { names };",
    "export type { say };",
    "export {};",
  ]);
});

test("equal names from two files are told apart, and types that tsc inferred get a name", () => {
  const lines = rolled({
    "index.d.ts": 'export type { A } from "./a.ts";\nexport type { B } from "./b.ts";\n',
    "a.d.ts": 'interface Base {\n    Base: 1;\n}\nexport interface A extends Base {\n    c: import("./c.ts").C;\n}\n',
    "b.d.ts": "interface Base {\n    b: 2;\n}\nexport interface B extends Base {\n}\n",
    "c.d.ts": "export type C = 3;\n",
  });
  expect(lines.join("\n")).toContain("interface A extends Base {\n    c: C;\n}");
  expect(lines.join("\n")).toContain("interface B extends Base_2 {\n}");
  expect(lines).toContain("    Base: 1;");
  expect(lines).toContain("type C = 3;");
});

test("a type of a package that is not a dependency is refused; one of Node is imported", () => {
  const node = 'import type { Readable } from "node:stream";\nexport type A = Readable;\n';
  expect(rolled({ "index.d.ts": node })[0]).toBe('import type { Readable } from "node:stream";');
  const other = 'import type { Client } from "somewhere";\nexport type A = Client;\n';
  expect(() => made({ "index.d.ts": other })).toThrow("somewhere");
});

test("the reference has each export with its comment, and links for types of the protocol", () => {
  const both = made({
    "index.d.ts":
      "/**\n * Says it.\n * Loudly.\n */\nexport declare function say(): Word;\nexport type Word = string;\n",
  });
  const page = referencePage({ name: "index", rollup: both }, new Set(["Word"]));
  expect(page).toContain("### say\n\nSays it.\nLoudly.\n\n```ts\nfunction say(): Word;\n```");
  expect(page).toContain("[Word](protocol.md#word)");
  expect(page).not.toContain("### Word");
});

test("a difference is reported by its lines", () => {
  expect(changedLines("a\nb\nb\n", "a\nb\nc\n")).toEqual(["  - b", "  + c"]);
});

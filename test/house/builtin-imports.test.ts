// The build's one change to what is imported: built-in modules come without a namespace.
import { expect, test } from "vitest";
import { replaceCreateRequire, replaceBuiltinImports } from "../../scripts/builtin-imports.ts";

test("every form of a static import becomes a constant, and nothing else changes", () => {
  const code = [
    'import whole from "node:path";',
    'import * as space from "node:os";',
    'import { join, sep as separator } from "node:path";',
    'import both, { EOL } from "node:os";',
    'import "node:fs";',
    'import own from "./own.js";',
    "const text = 'import { join } from \"node:path\";';",
    'const later = () => import("node:http");',
  ].join("\n");
  expect(replaceBuiltinImports(code).split("\n")).toEqual([
    'const whole = process.getBuiltinModule("node:path");',
    'const space = process.getBuiltinModule("node:os");',
    'const { "join": join, "sep": separator } = process.getBuiltinModule("node:path");',
    'const both = process.getBuiltinModule("node:os");',
    'const { "EOL": EOL } = process.getBuiltinModule("node:os");',
    "",
    'import own from "./own.js";',
    "const text = 'import { join } from \"node:path\";';",
    'const later = () => import("node:http");',
  ]);
});

// A second bundler takes import.meta.url away.
test("a bundled package requires built-in modules without import.meta.url, and no others", () => {
  const given = [
    'import { createRequire } from "node:module";',
    "var __require = /* #__PURE__ */ (() => createRequire(import.meta.url))();",
    'const fs = __require("node:fs");',
  ].join("\n");
  expect(replaceCreateRequire(given).split("\n")).toEqual([
    "var __require = /* #__PURE__ */ process.getBuiltinModule;",
    'const fs = __require("node:fs");',
  ]);
  expect(() => replaceCreateRequire('__require("left-pad")')).toThrow("A package requires left-pad");
});

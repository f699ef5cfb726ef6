// A program that was made one file with the library, as extensions of editors and functions in a cloud are.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startScriptedServer } from "../../src/testing/index.ts";
import { plainPng, paintQuarters } from "../support/pictures.ts";

const run = promisify(execFile);

const program = `
import { query } from "pawl";
console.log("begun");
async function main() {
  for await (const message of query({ prompt: "x", options: { allowedTools: ["Grep", "Read"], persistSession: false } }))
    if (message.type === "result") console.log(message.subtype, message.result);
}
void main();
`;

async function bundle(folder: string, kind: "cjs" | "mjs" | "moved.mjs", source = program): Promise<string> {
  const entry = join(folder, "program.js");
  writeFileSync(entry, source);
  const file = join(folder, `one.${kind}`);
  await run(process.execPath, [fileURLToPath(new URL("./bundle.ts", import.meta.url)), entry, file]);
  return file;
}

test.each(["mjs", "cjs", "moved.mjs"] as const)(
  "a program bundled with the library (%s) runs once, searches, and reads large images",
  async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-bundled-"));
    const picture = join(folder, "large.png");
    writeFileSync(picture, plainPng(3000, 1500, paintQuarters(3000, 1500)));
    writeFileSync(join(folder, "note.txt"), "a needle\n");
    const model = await startScriptedServer({
      steps: [
        {
          content: [
            { tool: "Grep", input: { pattern: "needle", path: join(folder, "note.txt") } },
            { tool: "Read", input: { file_path: picture } },
          ],
        },
        ({ toolResults }) => toolResults.map(({ text }) => text.split("\n")[0]).join("; "),
      ],
    });
    try {
      const file = await bundle(folder, kind);
      // Rollup runs what is imported later at once; ripgrep's package throws there where its program did not come along.
      expect(readFileSync(file, "utf8")).not.toContain("Could not find ${platformPkg}");
      const env = { PATH: "/usr/bin:/bin", HOME: folder, ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url };
      const { stdout, stderr } = await run(process.execPath, [file], { cwd: folder, env });
      expect(stderr).toBe("");
      expect(stdout).toMatch(/^begun\nsuccess note\.txt; \[The image was scaled down from 3000 × 1500 to [^\n]*\n$/u);
    } finally {
      await model.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

const writing = `
import { query } from "pawl";
const options = { permissionMode: "acceptEdits", persistSession: false };
(async () => {
  for await (const message of query({ prompt: "x", options })) if (message.type === "result") console.log(message.result);
})();
`;

/** Jest runs each test file so: with Node's own modules, and with an `Error` that is not theirs. */
const inContext = `
const vm = require("node:vm");
const { readFileSync } = require("node:fs");
const context = vm.createContext({});
const own = new Set(vm.runInContext("Object.getOwnPropertyNames(globalThis)", context));
for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(globalThis)))
  if (!own.has(name)) Object.defineProperty(context, name, property);
context.console = console;
const path = process.argv[2];
const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
const code = "(function (require, module, exports, __filename) {" + readFileSync(path, "utf8") + "\\n})";
vm.runInContext(code, context, { importModuleDynamically })(require, module, exports, path);
`;

test("a bundle in a vm context, as in jest, reports a missing file and writes one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-context-"));
  const [note, gone] = [join(folder, "new/note.txt"), join(folder, "gone.txt")];
  const model = await startScriptedServer({
    steps: [
      {
        content: [
          { tool: "Read", input: { file_path: gone } },
          { tool: "Write", input: { file_path: note, content: "hello" } },
        ],
      },
      ({ toolResults }) => toolResults.map(({ text }) => text.split("\n")[0]).join("; "),
    ],
  });
  try {
    const file = await bundle(folder, "cjs", writing);
    const runner = join(folder, "runner.cjs");
    writeFileSync(runner, inContext);
    const env = { PATH: "/usr/bin:/bin", HOME: folder, ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url };
    const { stdout } = await run(process.execPath, [runner, file], { cwd: folder, env });
    expect(stdout).toBe("File not found: gone.txt. Find it with Glob.; Created new/note.txt.\n");
    expect(readFileSync(note, "utf8")).toBe("hello");
  } finally {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

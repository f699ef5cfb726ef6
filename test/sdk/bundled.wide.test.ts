// A program that was made one file with the library, as extensions of editors and functions in a cloud are.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startScriptedServer } from "../../src/testing/index.ts";
import { plainPng, quarters } from "../support/pictures.ts";

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

async function bundle(folder: string, kind: "cjs" | "mjs" | "moved.mjs"): Promise<string> {
  const entry = join(folder, "program.js");
  writeFileSync(entry, program);
  const file = join(folder, `one.${kind}`);
  await run(process.execPath, [fileURLToPath(new URL("./bundle.ts", import.meta.url)), entry, file]);
  return file;
}

test.each(["mjs", "cjs", "moved.mjs"] as const)(
  "as one file (%s) it runs once, searches, and sees large pictures",
  async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-bundled-"));
    const picture = join(folder, "large.png");
    writeFileSync(picture, plainPng(3000, 1500, quarters(3000, 1500)));
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

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contentFaults, httpFaults, transportFaults } from "../../src/testing/script/faults.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { loadScript } from "../../src/testing/script/load.ts";
import { Conversation, readTool, resultsFor } from "./support.ts";

const page = await readFile(new URL("../../docs/testing.md", import.meta.url), "utf8");
const entry = new URL("../../src/testing/index.ts", import.meta.url).href;
const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map((match) => ({
  language: match[1] as string,
  code: match[2] as string,
}));
const programs = blocks.flatMap(({ language, code }, index) => {
  if (language !== "ts") return [];
  const next = blocks[index + 1];
  return [{ code, output: next?.language === "text" ? next.code : undefined }];
});
const scripts = blocks.filter(({ language }) => language === "json");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pawl-docs-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("the examples of docs/testing.md", () => {
  it("include programs and JSON scripts", () => {
    expect(programs.length).toBeGreaterThanOrEqual(3);
    expect(scripts.length).toBeGreaterThanOrEqual(3);
  });

  it.each(programs.map((program, index) => [index + 1, program] as const))(
    "program %i runs and prints what the page says",
    async (index, { code, output }) => {
      const file = join(folder, `example-${index}.ts`);
      await writeFile(file, code.replaceAll('"pawl/testing"', JSON.stringify(entry)));
      const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 50_000 });
      if (output !== undefined) expect(stdout).toBe(output);
    },
  );

  it.each(scripts.map(({ code }, index) => [index + 1, code] as const))("script %i is valid", async (index, code) => {
    const file = join(folder, `script-${index}.json`);
    await writeFile(file, code);
    await expect(loadScript(file)).resolves.toBeTypeOf("object");
  });

  it("do the same in the JSON script and in the program", async () => {
    const model = createScriptedModel(JSON.parse(scripts[0]?.code ?? "{}") as object);
    const conversation = new Conversation(model, { tools: [readTool] });
    const first = await conversation.say("Which port?");
    conversation.messages.push(resultsFor(first.message, "port = 8080"));
    expect((await conversation.resend()).status).toBe(529);
    const last = await conversation.resend();
    expect(last.message.content).toEqual([{ type: "text", text: "The port is 8080." }]);
    model.assertDone();
  });

  it("name every fault", () => {
    const section = page.slice(page.indexOf("## Faults"), page.indexOf("## What is checked"));
    for (const kind of [...Object.keys(httpFaults), ...transportFaults, ...contentFaults])
      expect(section).toContain(`\`${kind}\``);
    for (const [kind, { status }] of Object.entries(httpFaults)) expect(section).toContain(`\`${kind}\` ${status}`);
  });
});

// Makes the first start of a clone as fast as later ones: runs the built command once against the scripted model, so that it
// caches its compiled code.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startScriptedServer, type Step } from "../src/testing/index.ts";

/** Returns steps that call each tool that nearly every run uses. */
function warmUpSteps(folder: string): Step[] {
  const file = join(folder, "note.txt");
  return [
    {
      content: [
        { thinking: "First a look." },
        "I look around.",
        { tool: "Read", input: { file_path: file } },
        { tool: "Grep", input: { pattern: "first", path: folder } },
        { tool: "Glob", input: { pattern: "*.txt", path: folder } },
      ],
    },
    {
      content: [
        { tool: "Edit", input: { file_path: file, old_string: "first", new_string: "second" } },
        { tool: "Write", input: { file_path: join(folder, "new.txt"), content: "new\n" } },
        { tool: "Bash", input: { command: "cat note.txt && ls" } },
      ],
    },
    "That is all.",
  ];
}

/** Returns what went wrong, or undefined. Without this step, only the first start is a little slower. */
export async function warmCommand(): Promise<string | undefined> {
  const base = mkdtempSync(join(tmpdir(), "pawl-warm-"));
  const folder = join(base, "work");
  mkdirSync(folder);
  writeFileSync(join(folder, "note.txt"), "the first note\n");
  const { PATH = "/usr/bin:/bin" } = process.env;
  // Most runs are in a repository. Without git, those after the build compile what they need there themselves.
  // In a hook of git, variables of the environment name another repository.
  spawnSync("git", ["init", "--quiet", folder], { stdio: "ignore", env: { PATH, HOME: base } });
  const script = [...warmUpSteps(folder), ...warmUpSteps(folder)];
  const server = await startScriptedServer({ steps: script });
  try {
    const env = { PATH, HOME: base, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "warm" };
    const child = spawn(process.execPath, [join(import.meta.dirname, "warm-command.cjs"), folder], {
      env,
      stdio: ["ignore", "ignore", "pipe"],
      timeout: 20_000,
    });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    const [code] = (await once(child, "close")) as [number | null];
    return code === 0 ? undefined : `it ended with ${code ?? "a signal"}: ${errors}`;
  } finally {
    await server.close();
    rmSync(base, { recursive: true, force: true });
  }
}

// Programs of a repository named like others, in folders that npx, npm run and direnv put on the PATH.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Part } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "../session/support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const folder = "node_modules/.bin";

function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}

test.each(["absolute", "relative"])("never run when somebody starts a session there: %s", async (kind) => {
  const ground = layGround();
  const { home, work } = ground;
  mkdirSync(join(work, folder), { recursive: true });
  const sung = join(home, "sung");
  for (const name of ["bash", "sh", "rg", "git", "ls", "timeout", "npx", "touch"])
    writeFileSync(join(work, folder, name), `#!/bin/sh\n: > ${sung}\n`, { mode: 0o755 });
  mkdirSync(join(home, ".pawl"), { recursive: true });
  const marked = join(home, "hooked");
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, "bin/npx"), `#!/bin/sh\n: > ${home}/served\n`, { mode: 0o755 });
  const mcpServers = { own: { command: "npx", args: ["server"] } };
  const hooked = [
    { type: "command", command: `: > ${marked}` },
    { type: "command", command: "touch", args: [`${marked} too`] },
  ];
  const hooks = { SessionStart: [{ hooks: hooked }] };
  writeFileSync(join(home, ".pawl/settings.json"), JSON.stringify({ hooks, mcpServers }));
  const path = [kind === "absolute" ? join(work, folder) : folder, join(home, "bin"), process.env["PATH"]].join(":");
  const steps: Part[] = [
    { tool: "Bash", input: { command: "ls" } },
    { tool: "Bash", input: { command: "timeout 5 wc -c a" } },
    { tool: "Bash", input: { command: "git status" } },
    { tool: "Bash", input: { command: "echo spoken; true" } },
    { tool: "Grep", input: { pattern: "x" } },
    { tool: "Glob", input: { pattern: "*" } },
  ];
  const model = scripted({ steps: [{ content: steps }], fallback: "Done." }, { validate: "light" });
  const engine = await openOn(ground, model, { env: { PATH: path, HOME: home } });
  await turn(engine, "Look around.");
  await engine.dispose();
  expect(existsSync(sung)).toBe(false);
  expect([marked, `${marked} too`].map((path) => existsSync(path))).toEqual([true, true]);
  expect(existsSync(join(home, "served"))).toBe(true);
  const told = JSON.stringify(calls(model).at(-1)?.body);
  expect(told).toContain(`may be ${join(work, folder, "ls")} here`);
  expect(told).toContain("spoken");
});

test("never run for the user's own lines, hooks, helpers and servers, which use the machine's programs", async () => {
  const ground = layGround();
  const { home, work } = ground;
  const said = join(home, "said");
  const program = (path: string, line: string): void => put(path, `#!/bin/sh\n${line}\n`, 0o755);
  for (const name of ["tell", "node"]) program(join(work, folder, name), `echo brought >> ${said}`);
  program(join(work, folder, "only"), `echo only >> ${said}`);
  program(join(home, "bin/tell"), `echo "machine $1" >> ${said}; echo '{"x-a":"b"}'`);
  program(join(home, "bin/node"), `echo "machine node" >> ${said}`);
  put(join(home, "bin/serve"), "#!/usr/bin/env node\n", 0o755);
  const hooks = {
    SessionStart: [{ hooks: [{ type: "command", command: "tell line; only" }] }],
    UserPromptSubmit: [{ hooks: [{ type: "command", command: "serve", args: [] }] }],
  };
  const mcpServers = {
    process: { command: "serve" },
    far: { type: "http", url: "http://127.0.0.1:1/", headersHelper: "tell headers" },
  };
  put(join(home, ".pawl/settings.json"), JSON.stringify({ hooks, mcpServers, apiKeyHelper: "tell key" }));
  const path = [join(work, folder), folder, join(home, "bin"), process.env["PATH"]].join(":");
  const env = { PATH: path, HOME: home, ANTHROPIC_API_KEY: "" };
  const engine = await openOn(ground, scripted({ fallback: "Done." }), { env });
  await turn(engine, "x");
  await engine.dispose();
  const lines = readFileSync(said, "utf8").trimEnd().split("\n");
  const expected = ["machine headers", "machine key", "machine line", "machine node", "only"];
  expect([...new Set(lines)].toSorted()).toEqual(expected);
});

test("are started if the folder's own hooks name them", async () => {
  const ground = layGround();
  const { home, work } = ground;
  const hooked = join(home, "hooked");
  for (const place of [folder, ".pawl"]) mkdirSync(join(work, place), { recursive: true });
  writeFileSync(join(work, folder, "lint-it"), `#!/bin/sh\n: > ${hooked}\n`, { mode: 0o755 });
  const hooks = { SessionStart: [{ hooks: [{ type: "command", command: "lint-it", args: [] }] }] };
  writeFileSync(join(work, ".pawl/settings.json"), JSON.stringify({ hooks }));
  const env = { PATH: `${join(work, folder)}:${process.env["PATH"]}`, HOME: home };
  const engine = await openOn(ground, scripted({ fallback: "Done." }), { env, trust: true });
  await turn(engine, "x");
  await engine.dispose();
  expect(existsSync(hooked)).toBe(true);
});

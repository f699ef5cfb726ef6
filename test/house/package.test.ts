import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { inspect, promisify } from "node:util";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { startScriptedServer } from "../../src/testing/index.ts";
import { sharedTemporaryFolder } from "../support/temporary-folder.ts";

const root = join(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  version: string;
  scripts: Record<string, string>;
  exports: Record<string, string | Record<string, string>>;
};

const folder = sharedTemporaryFolder();
let tarball: string;
let files: string[];

/** Runs a program with the Node of this test first on the PATH; fails with its output when it fails. */
function run(program: string, args: string[], cwd = folder): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}` },
  });
  expect(status, `${program} ${args.join(" ")}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

beforeAll(() => {
  if (!existsSync(join(root, "dist/command/main.cjs"))) throw new Error("dist/ is missing: `npm run build` first");
  const packed = run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], root);
  // A list in npm 10 and 11, a record by name in npm 12.
  const [only] = Object.values(JSON.parse(packed) as Record<string, { filename: string; files: { path: string }[] }>);
  tarball = join(folder, only?.filename ?? "");
  files = (only?.files ?? []).map(({ path }) => path);
});

test("the tarball holds the built package and nothing else", () => {
  const built = /^dist\/(chunks\/.*\.js|command\/.*\.cjs|types\/.*\.d\.ts)$/;
  const fixed = files.filter((path) => !built.test(path) && !/^docs\/(api\/)?[\w-]+\.md$/.test(path));
  const command = ["bin/compiled.js", "bin/package.json", "bin/pawl.js", "bin/start.js"];
  const library = [
    "dist/index.js",
    "dist/loop.js",
    "dist/protocol.js",
    "dist/testing.js",
    "package.json",
    "schema/settings.json",
  ];
  // Seen: npm install <the folder it was unpacked to>, and npm link in it, ended in a stack trace, as npm runs this there.
  const run = ["scripts/prepare.mjs"];
  const names = ["ARCHITECTURE", "CHANGELOG", "CONTRIBUTING", "README", "SECURITY"];
  const papers = [...names.map((name) => `${name}.md`), "LICENSE", "dist/THIRD-PARTY-LICENSES.txt"];
  expect(fixed.toSorted()).toEqual([...command, ...library, ...run, ...papers, "examples/loop.ts"].toSorted());
});

// One other character, and the text of its file takes twice the memory for as long as the process lives.
test("all built code is ASCII", () => {
  const code = files.filter((path) => /^dist\/.*\.c?js$/u.test(path));
  expect(code.filter((path) => /[^\0-\x7f]/u.test(readFileSync(join(root, path), "utf8")))).toEqual([]);
  expect(code.filter((path) => path.startsWith("dist/chunks/")).length).toBeGreaterThan(20);
});

// What only some sessions need is loaded when they do.
test("the chunks that every start reads stay below 1.1 MB", () => {
  const read = files.filter((path) =>
    /^dist\/command\/(?:main|rolldown-runtime-.{8}|start-.{8}|session-.{8})\.cjs$/u.test(path),
  );
  const sizes = read.map((path) => statSync(join(root, path)).size);
  expect(read.length).toBe(4);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_100_000);
});

// Seen: through two slash commands, the whole code for a session's context was read for --help as well.
test("the chunk that every command reads first stays below 200 KB", () => {
  const first = files.filter((path) => /^dist\/command\/start-.{8}\.cjs$/u.test(path));
  expect(first.length).toBe(1);
  for (const path of first) expect(statSync(join(root, path)).size).toBeLessThan(200_000);
});

// Seen: with the line breaks, the comments stayed, and the download grew by a tenth.
test("the library's code has no comments of its declarations", () => {
  const code = files.filter((path) => /^dist\/(?:chunks\/)?[^/]+\.js$/u.test(path));
  expect(code.filter((path) => /^\s*\/\*\*/mu.test(readFileSync(join(root, path), "utf8")))).toEqual([]);
});

// Each of them loads a dozen more, which a start otherwise does without.
test("a start loads neither file streams nor fs/promises before its first request", async () => {
  const probe = join(folder, "probe.cjs");
  const answer = join(folder, "loaded.json");
  writeFileSync(
    probe,
    `require("node:diagnostics_channel").subscribe("http.client.request.start", () =>
      require("node:fs").writeFileSync(process.env.ANSWER, JSON.stringify(process.moduleLoadList)));`,
  );
  const model = await startScriptedServer({ steps: ["Hi.", "Hi."] });
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: folder, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "any", ANSWER: answer };
  const args = ["--require", probe, join(root, "bin/pawl.js"), "-p", "go", "--no-session-persistence"];
  try {
    for (const stdin of ["ignore", "pipe"] as const) {
      const child = spawn(process.execPath, args, { cwd: folder, env, stdio: [stdin, "ignore", "inherit"] });
      child.stdin?.end();
      const [code] = (await once(child, "close")) as [number];
      expect(code).toBe(0);
      const loaded = JSON.parse(readFileSync(answer, "utf8")) as string[];
      expect(loaded).toContain("NativeModule http");
      expect(loaded.filter((name) => /internal\/fs\/(?:streams|promises)$/u.test(name))).toEqual([]);
    }
  } finally {
    await model.close();
  }
});

test("the thread that scales images down can be loaded by Node alone", () => {
  const [chunk = ""] = files.filter((path) => /^dist\/command\/shrink-.*\.cjs$/u.test(path));
  expect(readFileSync(join(root, chunk), "utf8")).toContain("thread.cjs");
  expect(files).toContain("dist/command/thread.cjs");
  const thread = readFileSync(join(root, "dist/command/thread.cjs"), "utf8");
  expect(thread).not.toMatch(/\brequire\("\./u);
  const loaded = createRequire(import.meta.url)(join(root, "dist/command/thread.cjs")) as object;
  expect(loaded).toHaveProperty("shrink", expect.any(Function));
});

test("every page that a page links to is in the package", () => {
  const pages = files.filter((path) => path.endsWith(".md"));
  const missing = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?![a-z]+:)([^)#\s]+)/gu)]
      .map(([, link = ""]) => join(dirname(page), link))
      .filter((path) => !files.some((file) => file === path || file.startsWith(`${path}/`)))
      .map((path) => `${page}: ${path}`),
  );
  expect(missing).toEqual([]);
  expect(pages.length).toBeGreaterThan(25);
});

test("the compiled code of the command is beside it, and not in the tarball", () => {
  const beside = join(root, "dist/command/compiled");
  const kept = readdirSync(beside, { recursive: true }).map(String);
  for (const chunk of ["start-", "session-", "process-", "shell-"])
    expect(kept.filter((path) => path.includes(`/${chunk}`)).length).toBeGreaterThan(0);
  expect(files.filter((path) => path.includes("compiled/"))).toEqual([]);
});

/** Runs the built command and prints, for each chunk, the bytes of compiled code at the end over those that were kept. */
const growthSource = `"use strict";
const vm = require("node:vm");
const chunks = [];
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    if (options.cachedData && !this.cachedDataRejected) chunks.push([this, options.cachedData.length]);
  }
};
const [, , root, ...args] = process.argv;
const { main } = require(root + "/bin/compiled.js").loadCommand(root + "/dist/command/main.cjs");
const growth = () => chunks.map(([script, kept]) => script.createCachedData().length / kept);
main(args).then(() => process.stdout.write("\\n" + Math.max(...growth()) + "\\n"));
`;

// Seen: what reads a repository and records a session was compiled anew with each start.
test("a start in a repository compiles next to nothing that the build's own run did not", async () => {
  const copy = join(folder, "copy");
  // Runs of other tests add to what is kept beside the built command.
  const isKept = (path: string): boolean => path.includes("compiled/");
  for (const path of ["bin", "dist/command", "scripts/warm-command.cjs", "scripts/warm-command.ts", "package.json"])
    cpSync(join(root, path), join(copy, path), { recursive: true, filter: (from) => !isKept(relative(root, from)) });
  symlinkSync(join(root, "src"), join(copy, "src"));
  // As in a hook of git, in a work tree that was added.
  const other = join(folder, "other");
  const warm = `process.env.GIT_DIR=${JSON.stringify(other)};import(${JSON.stringify(join(copy, "scripts/warm-command.ts"))}).then((it) => it.warmCommand()).then(console.log)`;
  expect(run(process.execPath, ["-e", warm]).trim()).toBe("undefined");
  expect(existsSync(other)).toBe(false);
  const repository = join(folder, "repository");
  run("git", ["init", "--quiet", repository]);
  const program = join(folder, "growth.cjs");
  writeFileSync(program, growthSource);
  const server = await startScriptedServer({ steps: ["Hello."] });
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: folder, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "none" };
  onTestFinished(async () => await server.close());
  const started = promisify(execFile)(process.execPath, [program, copy, "-p", "hi"], { cwd: repository, env });
  started.child.stdin?.end();
  const { stdout } = await started;
  expect(stdout).toMatch(/^Hello\./);
  const grown = Number(stdout.trim().split("\n").at(-1));
  expect(grown).toBeLessThan(1.01);
  // Nothing kept would be no growth either.
  expect(grown).toBeGreaterThan(0);
});

// Seen: P [UsageError], and the type P in a log.
test("the library's error classes keep their names", async () => {
  const library = (await import(join(root, "dist/index.js"))) as Record<string, new () => object>;
  const thrown = ["AbortError", "PawlError", "SessionError", "SnipError", "UsageError"];
  expect(thrown.map((name) => library[name]?.name)).toEqual(thrown);
  expect(inspect(new library["UsageError"]!())).toMatch(/^UsageError\b/u);
});

// Seen: Node shows the line of code that threw, which was the whole file, and the sentence came after pages of code.
test("an uncaught error of the library is shown with one line of code", () => {
  const program = `import { createEngine } from "./dist/index.js"; await createEngine({ maxTurns: 0 });`;
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stderr).toContain("UsageError: maxTurns must be a whole number of at least 1.\n");
  expect(stderr.split("\n").filter((line) => line.length > 200)).toEqual([]);
});

test("installing it runs no script", () => {
  const names = Object.keys(manifest.scripts);
  expect(names.filter((name) => /^(?:pre|post)?install$/u.test(name))).toEqual([]);
});

test("every file that package.json exports is in the package", () => {
  const promised = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === "string" ? [entry] : Object.values(entry),
  );
  expect(files).toEqual(expect.arrayContaining(promised.map((path) => path.slice(2))));
});

test("installed globally without a network, the command runs", () => {
  const prefix = join(folder, "prefix");
  run("npm", ["install", "--global", "--offline", "--omit=optional", "--prefix", prefix, tarball]);
  expect(run(join(prefix, "bin/pawl"), ["--version"])).toBe(`${manifest.version}\n`);
  expect(run(join(prefix, "bin/pawl"), ["--help"])).toMatch(/usage: pawl/i);
  const beside = join(prefix, "lib/node_modules/pawl/node_modules");
  const packages = existsSync(beside) ? readdirSync(beside).filter((name) => !name.startsWith(".")) : [];
  // Only what is optional, where npm found it in its cache.
  expect(packages.filter((name) => name !== "@vscode")).toEqual([]);
});

test("if the chunk that judges calls is missing, each call is denied, and a hook with a condition runs", async () => {
  const cut = join(folder, "cut");
  const work = join(cut, "work");
  mkdirSync(work, { recursive: true });
  run("tar", ["-xzf", tarball], cut);
  const chunks = join(cut, "package/dist/command");
  const judging = readdirSync(chunks).filter((name) => /^shell-.{8}\.cjs$/u.test(name));
  expect(judging.length).toBe(1);
  rmSync(join(chunks, judging.join("")));
  const input = { file_path: join(work, "a.txt"), content: "a" };
  const command = { type: "command", command: "touch asked", if: "Write(*.md)" };
  const settings = { hooks: { PreToolUse: [{ matcher: "Write", hooks: [command] }] } };
  const model = await startScriptedServer({ steps: [{ content: [{ tool: "Write", input }] }, "Denied."] });
  try {
    const pawl = join(cut, "package/bin/pawl.js");
    const args = [pawl, "-p", "go", "--dangerously-skip-permissions", "--settings", JSON.stringify(settings)];
    const env = { PATH: process.env["PATH"], HOME: cut, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "any" };
    const running = promisify(execFile)(process.execPath, args, { cwd: work, env });
    running.child.stdin?.end();
    const { stdout, stderr } = await running;
    expect(stdout).toBe("Denied.\n");
    expect(stderr).toContain("Permission denied: the permission check failed (A part of pawl is missing");
    expect(readdirSync(work)).toEqual(["asked"]);
  } finally {
    await model.close();
  }
});

test("a project that installs it can import all entries, and their types hold", () => {
  const project = join(folder, "project");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module", private: true }));
  run("npm", ["install", "--offline", "--omit=optional", tarball], project);
  const entries = ["pawl", "pawl/loop", "pawl/protocol", "pawl/testing"];
  const lines = entries.map(
    (entry, index) => `import * as entry${index} from "${entry}";\nconsole.log(typeof entry${index});`,
  );
  writeFileSync(join(project, "use.ts"), lines.join("\n"));
  expect(run(process.execPath, ["use.ts"], project)).toBe("object\n".repeat(entries.length));
  const example = readFileSync(join(root, "examples/loop.ts"), "utf8");
  expect(example.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
  writeFileSync(join(project, "loop.ts"), example);
  expect(run(process.execPath, ["loop.ts"], project).split("\n").slice(1)).toEqual([
    JSON.stringify({ type: "text", text: 'It is "5".' }),
    "completed",
    "",
  ]);
  const types = { types: ["node"], typeRoots: [join(root, "node_modules/@types")], skipLibCheck: false };
  const compilerOptions = { module: "nodenext", target: "es2024", strict: true, noEmit: true, ...types };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts", "loop.ts"] }));
  run(join(root, "node_modules/.bin/tsc"), ["-p", project], project);
});

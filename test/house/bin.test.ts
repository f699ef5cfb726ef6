import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { unprivilegedShellLine } from "../support/faults/system.ts";
import { chunkScript } from "../../scripts/chunk-script.ts";
import { version } from "../../src/lib/version.ts";
import { put as putFile } from "../support/put.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = join(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  version: string;
  engines: { node: string };
};

let folder: string;
beforeEach(() => {
  // A package of its own: the real bin/, and whatever a test puts into dist/ and src/.
  folder = temporaryFolder();
  cpSync(join(root, "bin"), join(folder, "bin"), { recursive: true });
  cpSync(join(root, "package.json"), join(folder, "package.json"));
});

const putAsIs = (path: string, content: string): string => putFile(join(folder, path), content);

/** A chunk of the command is put as the build makes it. */
const put = (path: string, content: string): string =>
  putAsIs(path, path.startsWith("dist/") && path.endsWith(".cjs") ? built(content) : content);
const built = (code: string): string => chunkScript("a.cjs", code);

interface Run {
  args?: string[];
  node?: string;
  nodeOptions?: string[];
  env?: Record<string, string>;
  cwd?: string;
}

function pawl({ args = [], node = process.execPath, nodeOptions = [], env = {}, cwd }: Run = {}) {
  const { status, stdout, stderr } = spawnSync(node, [...nodeOptions, join(folder, "bin/pawl.js"), ...args], {
    encoding: "utf8",
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: join(folder, "home"), ...env },
  });
  return { status, stdout, stderr };
}

/** Options that make Node state another version than it has. */
function pretending(node: string): string[] {
  const file = put(
    "pretend.cjs",
    `Object.defineProperty(process.versions, "node", { value: ${JSON.stringify(node)} });`,
  );
  return ["--require", file];
}

function olderNode(): string | undefined {
  const candidates = (process.env["PATH"] ?? "").split(delimiter).map((path) => join(path, "node"));
  return candidates
    .filter((file) => existsSync(file))
    .find((file) => {
      const [major = 0, minor = 0] = spawnSync(file, ["-p", "process.versions.node"], { encoding: "utf8" })
        .stdout.split(".")
        .map(Number);
      return major < 22 || (major === 22 && minor < 19);
    });
}

const main = "dist/command/main.cjs";
const reached = 'exports.main = async (argv) => console.log("reached", JSON.stringify(argv));';

describe("a Node version that is too old", () => {
  test.each(["10.24.1", "20.20.2", "22.18.9"])("%s prints one line with the required version and its own", (node) => {
    put(main, reached);
    const { status, stdout, stderr } = pawl({ args: ["--version"], nodeOptions: pretending(node) });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe(`pawl needs Node.js 22.19 or newer; this is Node.js ${node} (${process.execPath}).\n`);
  });

  test.each(["22.19.0", "23.0.0", "26.10.0"])("%s is new enough", (node) => {
    put(main, reached);
    expect(pawl({ nodeOptions: pretending(node) })).toEqual({ status: 0, stdout: "reached []\n", stderr: "" });
  });

  test("prints the same line if it is a real one", (context) => {
    const node = olderNode();
    if (node === undefined) return context.skip("no Node older than 22.19 is on the PATH");
    const { status, stdout, stderr } = pawl({ node });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^pawl needs Node\.js 22\.19 or newer; this is Node\.js \d+\.\d+\.\d+ \(.*\)\.\n$/);
  });

  test("is one below the version in package.json", () => {
    expect(manifest.engines.node).toBe(">=22.19");
  });
});

describe("--version", () => {
  test.each(["--version", "-v"])("%s prints the version and loads nothing", (flag) => {
    put(main, 'throw new Error("loaded");');
    expect(pawl({ args: [flag] })).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: "" });
    expect(existsSync(join(folder, "home"))).toBe(false);
  });

  test.skipIf(!existsSync("/dev/full"))("a full disk is reported in one sentence, without a stack", () => {
    const words = [process.execPath, join(folder, "bin/pawl.js"), "--version"];
    const { status, stderr } = spawnSync("sh", ["-c", 'exec "$@" > /dev/full', "sh", ...words], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^pawl: the output could not be written: [^\n]+\n$/u);
  });

  test("is passed to the command if there are more arguments", () => {
    put(main, reached);
    expect(pawl({ args: ["--version", "x"] }).stdout).toBe('reached ["--version","x"]\n');
  });

  test("is the version of the constant in the sources", () => {
    expect(version).toBe(manifest.version);
  });
});

describe("the command", () => {
  test("runs from the sources in a clone that was not built", () => {
    put("src/cli/main.ts", "export async function main(argv: string[]): Promise<void> { console.log(argv.length); }");
    expect(pawl({ args: ["a", "b"] })).toEqual({ status: 0, stdout: "2\n", stderr: "" });
  });

  test("runs from the build if there is one", () => {
    put(main, reached);
    put("src/cli/main.ts", 'throw new Error("loaded");');
    expect(pawl({ args: ["-p", "two words"] }).stdout).toBe('reached ["-p","two words"]\n');
  });

  // Seen: pkill -f of a word of the prompt, or pkill node, ended it.
  test("has the process title pawl, whatever its arguments", () => {
    put(main, "exports.main = async () => console.log(JSON.stringify([process.title, process.argv.slice(2)]));");
    const args = ["-p", "restart vite"];
    expect(JSON.parse(pawl({ args }).stdout)).toEqual(["pawl", args]);
  });

  test("prints an uncaught error as one line without a stack", () => {
    put(main, 'exports.main = async () => { throw new Error("the disk is full"); };');
    expect(pawl()).toEqual({ status: 1, stdout: "", stderr: "pawl: the disk is full\n" });
  });
});

describe("chunks", () => {
  test("are loaded once, relative to the chunk that requires them, with Node's modules and imports", () => {
    put(
      main,
      'console.log(require("./a.cjs").path === require("./below/b.cjs").path); exports.main = require("./a.cjs").main;',
    );
    put(
      "dist/command/a.cjs",
      'exports.path = require("node:path"); exports.main = async () => console.log((await importModule(require("node:url").pathToFileURL(require("node:path").join(__dirname, "c.mjs")).href)).default);',
    );
    put("dist/command/below/b.cjs", 'module.exports = require("../a.cjs");');
    put("dist/command/c.mjs", 'export default "imported";');
    expect(pawl()).toEqual({ status: 0, stdout: "true\nimported\n", stderr: "" });
  });

  const missing = (path: string): string =>
    `A part of pawl is missing, as after an update while it ran: ${join(folder, path)}. Start it again; where that does not help, install it again.`;
  const lazily =
    "async () => { for (const _ of [1, 2]) try { require('./a.cjs') } catch (error) { console.log(error.name, error.message) } }";

  test.each([
    ["gone", undefined],
    ["empty", ""],
    ["cut short", built("exports.a = function () { return 1; };").slice(0, -20)],
    ["cut short behind a statement", built("exports.a = 1;").slice(0, -3)],
  ])("a chunk that is %s is reported each time it is required", (_name, text) => {
    put(main, `exports.main = ${lazily};`);
    if (text !== undefined) putAsIs("dist/command/a.cjs", text);
    const told = `MissingPart ${missing("dist/command/a.cjs")}\n`;
    expect(pawl()).toEqual({ status: 0, stdout: told + told, stderr: "" });
  });

  test("a chunk that misses a chunk of its own does not count as loaded", () => {
    put(main, `exports.main = ${lazily};`);
    put("dist/command/a.cjs", 'require("./b.cjs"); exports.a = 1;');
    const told = `MissingPart ${missing("dist/command/b.cjs")}\n`;
    expect(pawl().stdout).toBe(told + told);
  });

  test.each([
    ["without its command", undefined],
    ["with a truncated command", built("exports.main = async () => {};").slice(0, -5)],
  ])("a package %s reports that it is incomplete", (_name, text) => {
    if (text !== undefined) putAsIs(main, text);
    expect(pawl()).toEqual({ status: 1, stdout: "", stderr: `pawl: ${missing(main)}\n` });
  });

  test("an error names the file, its line and its column", () => {
    const code = 'exports.main = async () => { console.log(new Error("x").stack.split("\\n")[1]); };';
    put(main, code);
    expect(pawl().stdout).toContain(`${join(folder, main)}:1:${built(code).indexOf("new Error") + 1}`);
  });
});

describe("compiled code", () => {
  const tell = "exports.main = async (argv) => { console.log(first()); }; function first() { return 1; }";
  const beside = (): string => join(folder, "dist/command/compiled");
  const users = (): string => join(folder, "home/.cache/pawl/compile");

  /** What is kept, by name. */
  function kept(cache = beside()): Record<string, Buffer> {
    if (!existsSync(cache) || !statSync(cache).isDirectory()) return {};
    const files = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return Object.fromEntries(files.map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name))]));
  }

  function keptFile(cache = beside()): string {
    const [only] = readdirSync(cache, { recursive: true }).filter((path) => basename(String(path)) === "main.cjs");
    return join(cache, String(only));
  }

  /** As if another user owns the command: nothing can be stored next to it. */
  function forbidBeside(): void {
    rmSync(beside(), { recursive: true, force: true });
    put("dist/command/compiled", "a file");
  }

  test("is kept beside the command, and not in the user's folders", () => {
    put(main, tell);
    pawl();
    expect(Object.keys(kept())).toEqual(["main.cjs"]);
    expect(statSync(keptFile()).mode & 0o777).toBe(0o644);
    expect(existsSync(join(folder, "home"))).toBe(false);
  });

  test("is kept in a private folder of the user if it cannot be kept beside the command", () => {
    put(main, tell);
    forbidBeside();
    pawl();
    expect(Object.keys(kept(users()))).toEqual(["main.cjs"]);
    expect(statSync(users()).mode & 0o777).toBe(0o700);
    const bytes = readFileSync(keptFile(users()));
    bytes[30] = (bytes[30] ?? 0) ^ 0xff;
    writeFileSync(keptFile(users()), bytes);
    pawl();
    expect(readFileSync(keptFile(users())).equals(bytes)).toBe(false);
  });

  test.runIf(process.getuid?.() === 0)("is read, but not written, if the command has another owner", () => {
    put(main, tell);
    pawl();
    const other = 12345;
    for (const path of [main, "dist/command/compiled", keptFile().slice(folder.length + 1)]) {
      chownSync(join(folder, path), other, other);
    }
    const theirs = dirname(keptFile());
    chownSync(theirs, other, other);
    const bytes = readFileSync(keptFile());
    pawl();
    expect(readFileSync(keptFile()).equals(bytes)).toBe(true);
    expect(kept(users())).toEqual({});
    // Somebody who owns neither the command nor the process: what he left is not taken.
    chownSync(theirs, other + 1, other + 1);
    pawl();
    expect(Object.keys(kept(users()))).toEqual(["main.cjs"]);
  });

  test("has the functions that were called, and stays unchanged if a run calls no others", () => {
    const body = `{ ${"globalThis.x = [1, 2, 3]; ".repeat(200)} }`;
    put(main, `exports.main = async ([how]) => { if (how) more(); }; function more() ${body}`);
    pawl();
    const without = kept()["main.cjs"]?.length ?? 0;
    rmSync(beside(), { recursive: true });
    pawl({ args: ["more"] });
    const first = kept()["main.cjs"] ?? Buffer.alloc(0);
    expect(first.length).toBeGreaterThan(without + 1000);
    pawl();
    expect(kept()["main.cjs"]?.equals(first)).toBe(true);
  });

  test("is extended by a run that calls much more", () => {
    const body = `{ ${"globalThis.x = [1, 2, 3]; ".repeat(20_000)} }`;
    // As much is computed either way: the first run compiles what it calls, too.
    const burn = "const until = process.cpuUsage().user + 3e5; while (process.cpuUsage().user < until);";
    put(main, `exports.main = async ([how]) => { ${burn} if (how) more(); }; function more() ${body}`);
    pawl();
    const small = kept()["main.cjs"]?.length ?? 0;
    pawl({ args: ["more"] });
    const large = kept()["main.cjs"]?.length ?? 0;
    expect(large).toBeGreaterThan(small + 1000);
    pawl();
    expect(kept()["main.cjs"]?.length).toBe(large);
  });

  test.each([
    ["its beginning", 20],
    ["its middle", 300],
    ["its checksum", 5],
  ])("is replaced if it is damaged at %s", (_, at) => {
    put(main, tell);
    pawl();
    const file = keptFile();
    const bytes = readFileSync(file);
    expect(bytes.length).toBeGreaterThan(at);
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    writeFileSync(file, bytes);
    expect(pawl()).toEqual({ status: 0, stdout: "1\n", stderr: "" });
    expect(readFileSync(file).equals(bytes)).toBe(false);
  });

  test.each([0, 10, 16, 200])("is replaced if it is cut off after %i bytes", (length) => {
    put(main, tell);
    pawl();
    const file = keptFile();
    truncateSync(file, length);
    expect(pawl()).toEqual({ status: 0, stdout: "1\n", stderr: "" });
    expect(statSync(file).size).toBeGreaterThan(length);
  });

  test("is not used for another text of the same length", () => {
    put(main, 'exports.main = require("./part.cjs").main;');
    const part = put("dist/command/part.cjs", tell);
    pawl();
    writeFileSync(part, built(tell.replace("return 1", "return 2")));
    expect(pawl().stdout).toBe("2\n");
    expect(pawl().stdout).toBe("2\n");
  });

  test("is kept for each set of flags", () => {
    put(main, tell);
    pawl();
    expect(pawl({ nodeOptions: ["--no-opt"] })).toEqual({ status: 0, stdout: "1\n", stderr: "" });
    expect(pawl({ env: { NODE_OPTIONS: "--max-old-space-size=300" } })).toEqual({
      status: 0,
      stdout: "1\n",
      stderr: "",
    });
    expect(readdirSync(beside())).toHaveLength(3);
  });

  test("is kept for a limited number of flags", () => {
    put(main, tell);
    for (let size = 300; size < 312; size++) pawl({ env: { NODE_OPTIONS: `--max-old-space-size=${size}` } });
    const folders = readdirSync(beside());
    expect(folders).toHaveLength(8);
    pawl({ env: { NODE_OPTIONS: "--max-old-space-size=311" } });
    expect(readdirSync(beside())).toEqual(folders);
  });

  test("is removed from the user's folder for versions that were not run for long", () => {
    put(main, tell);
    forbidBeside();
    const old = put("home/.cache/pawl/compile/v22.0.0-x64-1/main.cjs", "");
    chmodSync(users(), 0o700);
    utimesSync(dirname(old), 1, 1);
    pawl();
    expect(existsSync(dirname(old))).toBe(false);
    expect(Object.keys(kept(users()))).toEqual(["main.cjs"]);
  });

  test("does not bring back a build that was removed during the run", () => {
    put(
      main,
      `const { rmSync } = require("node:fs"); ${tell} rmSync(require("node:path").join(__dirname, ".."), { recursive: true });`,
    );
    expect(pawl().stdout).toBe("1\n");
    expect(existsSync(join(folder, "dist"))).toBe(false);
  });

  test("follows XDG_CACHE_HOME if that is absolute", () => {
    put(main, tell);
    forbidBeside();
    pawl({ env: { XDG_CACHE_HOME: join(folder, "xdg") } });
    expect(Object.keys(kept(join(folder, "xdg/pawl/compile")))).toEqual(["main.cjs"]);
    expect(kept(users())).toEqual({});
    pawl({ env: { XDG_CACHE_HOME: "relative" } });
    expect(Object.keys(kept(users()))).toEqual(["main.cjs"]);
  });

  test.each(["NODE_DISABLE_COMPILE_CACHE", "NODE_V8_COVERAGE"])("is not kept with %s", (name) => {
    put(main, tell);
    expect(pawl({ env: { [name]: join(folder, "coverage") } }).stdout).toBe("1\n");
    expect({ ...kept(), ...kept(users()) }).toEqual({});
  });

  test("is not kept if neither folder can be written", () => {
    put(main, tell);
    forbidBeside();
    const home = put("file", "not a folder");
    expect(pawl({ env: { HOME: home } })).toEqual({ status: 0, stdout: "1\n", stderr: "" });
  });

  // Relative to the current folder, which anybody may write to.
  test.each(["", "home"])("is not kept if HOME is %j", (home) => {
    put(main, tell);
    forbidBeside();
    const cwd = dirname(put("work/file", ""));
    mkdirSync(join(cwd, "home"));
    expect(pawl({ env: { HOME: home }, cwd })).toEqual({ status: 0, stdout: "1\n", stderr: "" });
    expect([readdirSync(cwd), readdirSync(join(cwd, "home"))]).toEqual([["file", "home"], []]);
  });

  const line = unprivilegedShellLine();
  test.skipIf(line === null)("is not kept if the user may not search the home folder", () => {
    put(main, tell);
    forbidBeside();
    const shut = dirname(put("shut/file", ""));
    chmodSync(folder, 0o755);
    chmodSync(shut, 0);
    // A bash at a socket reads the home's .bashrc, and says that it may not.
    const words = ["--norc", "-c", line ?? "", "bash", process.execPath, join(folder, "bin/pawl.js")];
    const env = { PATH: process.env["PATH"] ?? "", HOME: shut, XDG_CACHE_HOME: join(shut, "cache") };
    const { status, stdout, stderr } = spawnSync("bash", words, { encoding: "utf8", env });
    chmodSync(shut, 0o755);
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "1\n", stderr: "" });
  });

  test("is not kept if others may write to its folder", () => {
    put(main, tell);
    forbidBeside();
    mkdirSync(users(), { recursive: true });
    chmodSync(users(), 0o777);
    expect(pawl()).toEqual({ status: 0, stdout: "1\n", stderr: "" });
    expect(kept(users())).toEqual({});
  });

  test("is not read from a folder that others may write to", () => {
    put(main, tell);
    pawl();
    const first = readFileSync(keptFile());
    chmodSync(dirname(keptFile()), 0o777);
    const damaged = Buffer.from(first);
    damaged[30] = (damaged[30] ?? 0) ^ 0xff;
    writeFileSync(keptFile(), damaged);
    expect(pawl().stdout).toBe("1\n");
    expect(readFileSync(keptFile()).equals(damaged)).toBe(true);
    expect(Object.keys(kept(users()))).toEqual(["main.cjs"]);
  });
});

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { version } from "../../src/cli/version.ts";

const root = join(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  version: string;
  engines: { node: string };
};

let folder: string;
beforeEach(() => {
  // A package of its own: the real bin/, and whatever a test puts into dist/ and src/.
  folder = mkdtempSync(join(tmpdir(), "pawl-bin-"));
  cpSync(join(root, "bin"), join(folder, "bin"), { recursive: true });
  cpSync(join(root, "package.json"), join(folder, "package.json"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string, content: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

interface Run {
  args?: string[];
  node?: string;
  nodeOptions?: string[];
  env?: Record<string, string>;
}

function pawl({ args = [], node = process.execPath, nodeOptions = [], env = {} }: Run = {}) {
  const { status, stdout, stderr } = spawnSync(node, [...nodeOptions, join(folder, "bin/pawl.js"), ...args], {
    encoding: "utf8",
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

const reached = 'export const main = async (argv) => console.log("reached", JSON.stringify(argv));';

describe("on a Node that is too old", () => {
  test.each(["10.24.1", "20.20.2", "22.18.9"])("%s: one line says which is needed and which this is", (node) => {
    put("dist/cli.js", reached);
    const { status, stdout, stderr } = pawl({ args: ["--version"], nodeOptions: pretending(node) });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe(`pawl needs Node.js 22.19 or newer; this is Node.js ${node} (${process.execPath}).\n`);
  });

  test.each(["22.19.0", "23.0.0", "26.10.0"])("%s is new enough", (node) => {
    put("dist/cli.js", reached);
    expect(pawl({ nodeOptions: pretending(node) })).toEqual({ status: 0, stdout: "reached []\n", stderr: "" });
  });

  test("a real one reads the file and says so", (context) => {
    const node = olderNode();
    if (node === undefined) return context.skip("no Node older than 22.19 is on the PATH");
    const { status, stdout, stderr } = pawl({ node });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^pawl needs Node\.js 22\.19 or newer; this is Node\.js \d+\.\d+\.\d+ \(.*\)\.\n$/);
  });

  test("the version that is asked for is the one in package.json", () => {
    expect(manifest.engines.node).toBe(">=22.19");
  });
});

describe("--version", () => {
  test.each(["--version", "-v"])("%s prints the version and loads nothing", (flag) => {
    put("dist/cli.js", 'throw new Error("loaded");');
    expect(pawl({ args: [flag] })).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: "" });
    expect(existsSync(join(folder, "home"))).toBe(false);
  });

  test.skipIf(!existsSync("/dev/full"))("a full disk is said in one sentence, without a stack", () => {
    const words = [process.execPath, join(folder, "bin/pawl.js"), "--version"];
    const { status, stderr } = spawnSync("sh", ["-c", 'exec "$@" > /dev/full', "sh", ...words], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^pawl: the output could not be written: [^\n]+\n$/u);
  });

  test("with more arguments it is the command's to read", () => {
    put("dist/cli.js", reached);
    expect(pawl({ args: ["--version", "x"] }).stdout).toBe('reached ["--version","x"]\n');
  });

  test("the constant in the sources is the version of the package", () => {
    expect(version).toBe(manifest.version);
  });
});

describe("what is run", () => {
  test("the sources of a clone that was not built", () => {
    put("src/cli/main.ts", "export async function main(argv: string[]): Promise<void> { console.log(argv.length); }");
    expect(pawl({ args: ["a", "b"] })).toEqual({ status: 0, stdout: "2\n", stderr: "" });
  });

  test("the built command, when there is one", () => {
    put("dist/cli.js", reached);
    put("src/cli/main.ts", 'throw new Error("loaded");');
    expect(pawl({ args: ["-p", "two words"] }).stdout).toBe('reached ["-p","two words"]\n');
  });

  test("an error that the command lets through is one line without a stack", () => {
    put("dist/cli.js", 'export const main = async () => { throw new Error("the disk is full"); };');
    expect(pawl()).toEqual({ status: 1, stdout: "", stderr: "pawl: the disk is full\n" });
  });
});

describe("the compile cache", () => {
  const tell =
    'import { getCompileCacheDir } from "node:module"; export const main = async () => console.log(getCompileCacheDir());';

  test("is in a folder of the user that nobody else can read or write", () => {
    put("dist/cli.js", tell);
    const cache = join(folder, "home/.cache/pawl/compile");
    expect(pawl().stdout.startsWith(cache)).toBe(true);
    expect(statSync(cache).mode & 0o777).toBe(0o700);
  });

  test("follows XDG_CACHE_HOME when that is absolute", () => {
    put("dist/cli.js", tell);
    expect(pawl({ env: { XDG_CACHE_HOME: join(folder, "xdg") } }).stdout.startsWith(join(folder, "xdg/pawl"))).toBe(
      true,
    );
    expect(pawl({ env: { XDG_CACHE_HOME: "relative" } }).stdout.startsWith(join(folder, "home/.cache"))).toBe(true);
  });

  test("is left out when the home cannot be written", () => {
    put("dist/cli.js", tell);
    const home = put("file", "not a folder");
    expect(pawl({ env: { HOME: home } })).toEqual({ status: 0, stdout: "undefined\n", stderr: "" });
  });

  test("is left out when others may write to its folder", () => {
    put("dist/cli.js", tell);
    const cache = join(folder, "home/.cache/pawl/compile");
    mkdirSync(cache, { recursive: true });
    chmodSync(cache, 0o777);
    expect(pawl()).toEqual({ status: 0, stdout: "undefined\n", stderr: "" });
  });
});

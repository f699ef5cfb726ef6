// sandbox-runtime as the engine: a double of the package as the user would install it, and the package itself if it is installed.
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSandbox, type OpenedSandbox, type SandboxOptions } from "../../../src/permissions/sandbox/sandbox.ts";
import { runtimeFilesystem } from "../../../src/permissions/sandbox/runtime-engine.ts";
import { findProgram } from "../../../src/permissions/sandbox/programs.ts";
import { findRuntime } from "../../../src/permissions/sandbox/runtime-package.ts";
import { makePlace, openBox, optionsOf, put, type Place } from "./support.ts";

interface Noted {
  configs: Record<string, Record<string, unknown>>[];
  wrapped: { command: string; filesystem: Record<string, string[]>; cwd: string }[];
  ask?: (host: { host: string; port: number }) => Promise<boolean>;
  ended: string[];
}

const double = (place: string, more = ""): string => `
const noted = (globalThis.pawlRuntimeDouble ??= {})[${JSON.stringify(place)}] = { configs: [], wrapped: [], ended: [] };
export const SandboxManager = {
  isSupportedPlatform: () => true,
  initialize: async (config, ask) => { noted.configs.push(config); noted.ask = ask; },
  wrapWithSandboxArgv: async (command, shell, { filesystem }, signal, cwd) => {
    noted.wrapped.push({ command, filesystem, cwd });
    return { argv: ["/bin/sh", "-c", command], env: { HTTPS_PROXY: "http://double", OTHER_SECRET: "secret" } };
  },
  annotateStderrWithSandboxFailures: () => "\\n<sandbox_violations>\\ndeny file-write /x\\ndeny network-outbound a:1\\n</sandbox_violations>",
  cleanupAfterCommand: () => void noted.ended.push("command"),
  reset: async () => void noted.ended.push("session"),
  ${more}
};`;

function install(place: Place, root: string, more?: string): string {
  const folder = join(root, "lib/node_modules/@anthropic-ai/sandbox-runtime");
  put(join(folder, "dist/index.js"), double(place.root, more));
  put(join(folder, "dist/cli.js"), "");
  put(
    join(folder, "package.json"),
    '{"name":"@anthropic-ai/sandbox-runtime","type":"module","main":"./dist/index.js"}',
  );
  mkdirSync(join(root, "bin"), { recursive: true });
  symlinkSync(join(folder, "dist/cli.js"), join(root, "bin/srt"));
  return folder;
}

const notedIn = ({ root }: Place): Noted =>
  (globalThis as unknown as { pawlRuntimeDouble: Record<string, Noted> }).pawlRuntimeDouble[root] as Noted;

const withPath = (root: string): Partial<SandboxOptions> => ({
  environment: { PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}` },
  moduleFolder: "/nowhere/pawl",
});

async function opened(place: Place, wishes = {}, more: Partial<SandboxOptions> = {}): Promise<OpenedSandbox> {
  const found = await openSandbox({ ...optionsOf(place, wishes), ...withPath(join(place.root, "user")), ...more });
  return found;
}

describe("an installed sandbox-runtime package", () => {
  test("confines a command to the session's places, and passes on none of the process's environment", async () => {
    const place = makePlace();
    install(place, join(place.root, "user"));
    put(join(place.home, ".ssh/id"));
    const found = await opened(place);
    if (!found.ok) throw new Error(found.why);
    const input = { command: "x" };
    const call = { input, toolUseId: "t", cwd: place.repo, file: "/bin/bash", args: ["-c", "it's"] };
    const command = await found.sandbox.enter(call);
    const { wrapped, configs, ended } = notedIn(place);
    expect(configs[0]?.["network"]).toMatchObject({
      allowedDomains: ["no-host-of-anybody.pawl.invalid"],
      allowAllUnixSockets: false,
    });
    expect(wrapped[0]?.command).toBe(`export TMPDIR='${place.base}/tmp'; exec '/bin/bash' '-c' 'it'\\''s'`);
    expect(wrapped[0]?.filesystem["allowWrite"]).toEqual(expect.arrayContaining([place.repo, `${place.base}/tmp`]));
    expect(wrapped[0]?.filesystem["denyRead"]).toEqual([join(place.home, ".ssh")]);
    expect(wrapped[0]?.filesystem["denyWrite"]).toEqual(
      expect.arrayContaining([join(place.repo, ".claude"), join(place.repo, ".pawl")]),
    );
    const environment = command.environment({ A: "b", HTTP_PROXY: "http://outside" });
    expect(environment).toEqual({ A: "b", TMPDIR: `${place.base}/tmp`, HTTPS_PROXY: "http://double" });
    expect(command.explain({ exitCode: 1, stderr: "" })).toContain("it refused deny file-write /x.");
    command.release();
    command.release();
    found.sandbox.dispose();
    expect(ended).toEqual(["command", "session"]);
  });

  test("may create empty placeholders, which are not taken for files of the command", async () => {
    const place = makePlace();
    install(place, join(place.root, "user"));
    const found = await opened(place);
    if (!found.ok) throw new Error(found.why);
    const call = { input: { command: "x" }, toolUseId: "t", cwd: place.repo, file: "/bin/sh", args: [] };
    const command = await found.sandbox.enter(call);
    put(join(place.repo, ".bashrc"), "");
    mkdirSync(join(place.repo, ".vscode"));
    put(join(place.repo, ".npmrc"), "script-shell=./x");
    expect(command.explain({ exitCode: 0, stderr: "" })).toContain(
      ".npmrc, which can make other programs run something",
    );
    command.release();
    found.sandbox.dispose();
    const left = [".bashrc", ".bashrc.refused", ".vscode", ".npmrc", ".npmrc.refused"];
    expect(left.filter((name) => existsSync(join(place.repo, name)))).toEqual([".bashrc", ".vscode", ".npmrc.refused"]);
  });

  test("asks about hosts under the session's rules, and only while a command runs", async () => {
    const place = makePlace();
    install(place, join(place.root, "user"));
    const asked: string[] = [];
    const found = await opened(
      place,
      { network: { allowedDomains: ["a.example"], deniedDomains: ["b.example"] } },
      {
        askAboutHost: async ({ host, command }) => {
          asked.push(`${host} for ${command}`);
          return { behavior: "allow", reason: { type: "user" } };
        },
      },
    );
    if (!found.ok) throw new Error(found.why);
    const reach = async (host: string): Promise<boolean | undefined> => await notedIn(place).ask?.({ host, port: 443 });
    expect(await reach("a.example")).toBe(false);
    const call = { input: { command: "get" }, toolUseId: "t", cwd: place.repo, file: "/bin/sh", args: [] };
    const command = await found.sandbox.enter(call);
    expect([await reach("a.example"), await reach("b.example"), await reach("c.example")]).toEqual([true, false, true]);
    expect([await reach("localhost"), await reach("169.254.169.254")]).toEqual([false, false]);
    expect(asked).toEqual(["c.example for get"]);
    expect(command.explain({ exitCode: 1, stderr: "" })).toContain("refused to b.example:443");
    command.release();
    found.sandbox.dispose();
  });

  test("serves one session at a time; the next one gets bubblewrap and a notice", async () => {
    const place = makePlace();
    install(place, join(place.root, "user"));
    const first = await opened(place);
    const other = makePlace();
    install(other, join(other.root, "user"));
    const second = await opened(other, { provider: "sandbox-runtime" });
    expect(second).toMatchObject({
      ok: false,
      why: expect.stringContaining("another session of this process is using it"),
    });
    if (first.ok) first.sandbox.dispose();
    const third = await opened(other, { provider: "sandbox-runtime" });
    expect(third.ok).toBe(true);
    if (third.ok) third.sandbox.dispose();
  });

  test("that fails or lacks a function is named, and bubblewrap is used instead", async () => {
    const failing = makePlace();
    install(failing, join(failing.root, "user"), 'initialize: async () => { throw new Error("no rg") }');
    const wishes = { bwrapPath: "/nowhere/bwrap" };
    expect(await opened(failing, wishes)).toMatchObject({
      why: expect.stringMatching(/no rg, and bwrap was not found/u),
    });
    const odd = makePlace();
    install(odd, join(odd.root, "user"), "reset: undefined");
    expect(await opened(odd, wishes)).toMatchObject({ why: expect.stringContaining("its version offers no reset") });
  });
});

test("a sandbox-runtime package in the working folder is never loaded, however PATH leads there", async () => {
  const place = makePlace();
  install(place, place.repo);
  const ways = { PATH: `${place.repo}/bin:${place.repo}/lib/node_modules/.bin` };
  symlinkSync(join(place.repo, "bin"), join(place.root, "way"));
  for (const searchPath of [ways.PATH, join(place.root, "way"), "bin:."])
    expect(
      findRuntime({ searchPath, folders: [place.repo], moduleFolder: join(place.repo, "lib/node_modules/pawl/dist") }),
    ).toBe(undefined);
  const found = await openSandbox({
    ...optionsOf(place, { provider: "sandbox-runtime" }),
    environment: ways,
    moduleFolder: "/nowhere/pawl",
  });
  expect(found).toMatchObject({ ok: false, why: expect.stringContaining("is not installed") });
});

test("a package in an added working directory is not loaded", async () => {
  const place = makePlace();
  const added = join(place.root, "added");
  install(place, added);
  const found = await openSandbox({
    ...optionsOf(place, { provider: "sandbox-runtime" }),
    ...withPath(added),
    folders: () => [place.repo, "../added"],
  });
  expect(found).toMatchObject({ ok: false, why: expect.stringContaining("is not installed") });
});

test("a program in the working folder is never used for the sandbox, however PATH leads there", () => {
  const place = makePlace();
  const program = join(place.repo, "bin/pawl-trial");
  put(program, "#!/bin/sh\n");
  chmodSync(program, 0o755);
  const way = join(place.root, "way");
  symlinkSync(join(place.repo, "bin"), way);
  for (const searchPath of [join(place.repo, "bin"), way, "bin:."])
    expect(findProgram("pawl-trial", { searchPath, folders: [place.repo] })).toBe(undefined);
  expect(findProgram("pawl-trial", { searchPath: way, folders: [] })).toBe(program);
});

test("a package beside pawl is found, unless anybody may write to it or it has another name", () => {
  const place = makePlace();
  const folder = install(place, join(place.root, "prefix"));
  const beside = join(place.root, "prefix/lib/node_modules/pawl/dist");
  expect(findRuntime({ searchPath: "", folders: [place.repo], moduleFolder: beside })).toBe(folder);
  chmodSync(folder, 0o777);
  expect(findRuntime({ searchPath: "", folders: [place.repo], moduleFolder: beside })).toBe(undefined);
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "package.json"), '{"name":"another"}');
  expect(findRuntime({ searchPath: "", folders: [place.repo], moduleFolder: beside })).toBe(undefined);
});

test("mounts are translated into read and write lists of sandbox-runtime", () => {
  const hold = {
    isDiskOpen: false,
    absent: ["/w/.npmrc"],
    mounts: [
      { path: "/w", kind: "writable" },
      { path: "/w/.git/config", kind: "readable" },
      { path: "/home/u", kind: "passage" },
      { path: "/home/u/shown", kind: "readable" },
      { path: "/own", kind: "readable" },
      { path: "/own/tmp", kind: "writable" },
      { path: "/w/.env", kind: "hidden file" },
    ],
  } as const;
  expect(runtimeFilesystem(hold, "/nowhere")).toEqual({
    allowWrite: ["/w", "/own/tmp"],
    denyWrite: ["/w/.git/config", "/w/.npmrc"],
    denyRead: ["/home/u", "/w/.env"],
    allowRead: ["/home/u/shown"],
  });
  expect(runtimeFilesystem({ ...hold, isDiskOpen: true }, "/nowhere").allowWrite).toEqual(["/"]);
});

const installed = findRuntime({ searchPath: process.env["PATH"], folders: [] });
if (installed === undefined)
  process.stdout.write(
    "test/permissions/sandbox: sandbox-runtime is not installed, so only a double of it is tested\n",
  );

describe.skipIf(installed === undefined)("the real sandbox-runtime package", () => {
  const ripgrep = async (): Promise<string> => (await import("@vscode/ripgrep")).rgPath;
  const wishes = { provider: "sandbox-runtime" as const };

  test("confines a command as bubblewrap does: writing, reading, hosts, links, /proc and leftovers", async () => {
    const place = makePlace();
    put(join(place.home, ".ssh/id_rsa"), "SECRET");
    put(join(place.repo, ".git/config"), "[core]\n");
    symlinkSync(place.home, join(place.repo, "way"));
    const { run, repo, home } = await openBox(wishes, { findRipgrep: ripgrep }, place);
    expect(await run("echo a > in.txt && echo b > $TMPDIR/t && cat in.txt $TMPDIR/t")).toBe("a\nb");
    expect(await run(`echo x > ${home}/out; echo x > way/out; echo x > /tmp/pawl-escape`)).toContain("Read-only");
    expect([`${home}/out`, "/tmp/pawl-escape"].filter((path) => existsSync(path))).toEqual([]);
    for (const way of [home, "way", "/proc/self/root" + home, "/proc/1/root" + home])
      expect(await run(`cat ${way}/.ssh/id_rsa`)).not.toContain("SECRET");
    await run("echo hooked >> .git/config; mkdir -p .claude; echo {} > .claude/settings.json");
    expect(readFileSync(join(repo, ".git/config"), "utf8")).toBe("[core]\n");
    expect(existsSync(join(repo, ".claude/settings.json"))).toBe(false);
    expect(await run("curl -sS -m 5 http://localhost:1/ http://other.example/")).toContain(
      "the network was refused to",
    );
    await run("(sleep 30; touch late) >/dev/null 2>&1 &\ntrue");
    expect(await run("ps ax 2>/dev/null | grep -c '[s]leep 30'")).toContain("0");
  });
});

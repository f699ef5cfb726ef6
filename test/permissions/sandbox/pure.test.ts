// What can be tested without a sandbox: mounts, arguments, the kernel filter, exclusions and explanations.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { confinedCommand, type Profile } from "../../../src/permissions/sandbox/bubblewrap.ts";
import { excludedPatterns, isExcluded } from "../../../src/permissions/sandbox/excluded.ts";
import { hooksFolder } from "../../../src/permissions/sandbox/guarded-places.ts";
import {
  stableMounts,
  mountArguments,
  planMounts,
  type Mount,
  type MountPlaces,
} from "../../../src/permissions/sandbox/mounts.ts";
import { guardedNames, moveAside, findNewcomers } from "../../../src/permissions/sandbox/newcomers.ts";
import { socketFilter } from "../../../src/permissions/sandbox/seccomp.ts";
import { explainViolations, type Violations } from "../../../src/permissions/sandbox/violations.ts";
import { openSandbox } from "../../../src/permissions/sandbox/sandbox.ts";
import { makePlace, optionsOf } from "./support.ts";

const nothing: MountPlaces = {
  writable: [],
  readOnly: [],
  pinned: [],
  unmoved: [],
  hidden: [],
  readable: [],
  ownFolder: "/tmp/own",
};
const planned = (places: Partial<MountPlaces>): string[] =>
  planMounts({ ...nothing, ...places })
    .filter(({ path }) => !path.startsWith("/tmp/own"))
    .map(({ path, kind }) => `${kind} ${path}`);

describe("mounts", () => {
  test("are ordered outer ones first, with read-only places over writable ones", () => {
    expect(
      planned({
        writable: ["/w", "/data/x"],
        readOnly: ["/w/.git/config", "/elsewhere/y"],
        pinned: ["/w/.git"],
        unmoved: ["/w/a/b/secret"],
        hidden: [{ path: "/w/a/b/secret", isFolder: false }],
      }),
    ).toEqual([
      "writable /w",
      "writable /data/x",
      "writable /w/.git",
      "writable /w/a",
      "readable /w/.git/config",
      "writable /w/a/b",
      "hidden file /w/a/b/secret",
    ]);
  });

  test("keep a read-only place read-only, whatever opens it", () => {
    expect(planned({ writable: ["/w", "/w/keep/out"], readOnly: ["/w/keep"] })).toEqual([
      "writable /w",
      "readable /w/keep",
    ]);
    expect(planned({ writable: ["/w"], readOnly: ["/w"] })).toEqual(["readable /w"]);
  });

  test("show only what is opened in a hidden folder, and keep hidden places hidden", () => {
    const home = { path: "/home", isFolder: true };
    expect(planned({ hidden: [home], writable: ["/home/me/repo"], readable: ["/home/me/doc"] })).toEqual([
      "passage /home",
      "readable /home/me/doc",
      "writable /home/me/repo",
    ]);
    const inner = { path: "/home/me/repo/private", isFolder: true };
    expect(
      planned({ hidden: [home, inner], writable: ["/home/me/repo"], readOnly: ["/home/me/repo/private/.git/config"] }),
    ).toEqual(["passage /home", "writable /home/me/repo", "hidden /home/me/repo/private"]);
  });

  test("hide a place that is both hidden and opened", () => {
    expect(planned({ hidden: [{ path: "/a", isFolder: true }], readable: ["/a"], writable: ["/a"] })).toEqual([
      "hidden /a",
    ]);
  });

  test("of the whole disk do not cover the command's own /proc and /dev, and never open those", () => {
    const mounts = planMounts({ ...nothing, writable: ["/", "/proc/self", "/dev", "/dev/shm"] });
    expect(mounts.map(({ path }) => path)).toEqual(["/", "/dev/shm", "/tmp/own", "/tmp/own/tmp"]);
    expect(lineOf({ bwrap: "/usr/bin/bwrap" }, { mounts })).toMatch(
      /--bind \/ \/ --proc \/proc --dev \/dev (?:--ro-bind-try (\/proc\/\S+) \1 )+--bind \/dev\/shm/u,
    );
    expect(lineOf({ bwrap: "/usr/bin/bwrap" }, { mounts })).not.toContain("--dev /dev --bind / /");
    expect(() => planned({ hidden: [{ path: "/", isFolder: true }] })).toThrow("the whole disk");
  });

  test("make only tmp writable in the sandbox's own folder, even inside a working folder", () => {
    const mounts = planMounts({ ...nothing, writable: ["/tmp"], ownFolder: "/tmp/own" });
    expect(mounts.flatMap(mountArguments)).toEqual(
      "--bind /tmp /tmp --ro-bind /tmp/own /tmp/own --bind /tmp/own/tmp /tmp/own/tmp".split(" "),
    );
  });
});

const profile: Profile = {
  mounts: [],
  isDiskOpen: false,
  cwd: "/w",
  filter: "/own/filter",
  keepsProc: false,
  mayNest: false,
  portBridges: [],
};
const lineOf = (programs: { bwrap: string; socat?: string }, changes: Partial<Profile>): string => {
  const { file, args } = confinedCommand(programs, { ...profile, ...changes }, "/bin/bash", ["-c", "x"]);
  return [file, ...args].join(" ");
};

describe("bubblewrap's arguments", () => {
  const both = { bwrap: "/usr/bin/bwrap", socat: "/usr/bin/so'cat" };
  const ways = [{ port: 3128, socket: "/own/net1.http" }];

  test("close the network in the command's own sandbox if there is no bridge", () => {
    const line = lineOf(both, {});
    expect(line).toMatch(/^\/bin\/sh -c exec "\$@" 9<"\$0" \/own\/filter \/usr\/bin\/bwrap --unshare-user /u);
    for (const part of [
      "--unshare-pid",
      "--unshare-net",
      "--unshare-ipc",
      "--die-with-parent",
      "--new-session",
      "--cap-drop ALL",
      "--disable-userns",
      "--ro-bind / / --proc /proc --dev /dev",
      "--ro-bind-try /proc/sys /proc/sys",
      "--seccomp 9",
      "--chdir /w -- /bin/bash -c x",
    ])
      expect(line).toContain(` ${part}`);
  });

  test("put the bridge into an outer sandbox, whose network the inner one shares", () => {
    const line = lineOf(both, { portBridges: ways });
    const [outer = "", inner = ""] = line.split('exec "$@"');
    expect(outer).toContain("--unshare-net --die-with-parent --dev-bind / / -- /bin/sh -c");
    expect(outer).toContain(
      String.raw`'/usr/bin/so'\''cat' TCP-LISTEN:3128,bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:'/own/net1.http' </dev/null`,
    );
    expect(inner).not.toContain("--unshare-net");
    expect(inner).toContain("--disable-userns");
  });

  test("open no network without socat", () => {
    expect(lineOf({ bwrap: "/usr/bin/bwrap" }, { portBridges: ways })).toContain("--unshare-net");
  });

  test("weaken only what the user's settings weaken", () => {
    expect(lineOf(both, { keepsProc: true })).not.toContain("--proc");
    expect(lineOf(both, { mayNest: true })).not.toContain("--disable-userns");
    expect(lineOf(both, { isDiskOpen: true })).toContain("--bind / / ");
  });
});

/** Runs the filter as the kernel does. */
function verdict(filter: Buffer, call: { machine: number; number: number; argument?: number }): string {
  const data: Record<number, number> = { 0: call.number, 4: call.machine, 16: call.argument ?? 0 };
  let held = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const [code, value] = [filter.readUInt16LE(at * 8), filter.readUInt32LE(at * 8 + 4)];
    if (code === 0x06) return value === 0x7fff0000 ? "allow" : `errno ${value - 0x00050000}`;
    if (code === 0x20) held = data[value] ?? 0;
    else at += filter[at * 8 + ((code === 0x15 ? held === value : held >= value) ? 2 : 3)] ?? 0;
  }
  return "end";
}

describe("the kernel filter", () => {
  const cases: [string, number, number, number[]][] = [
    ["x64", 0xc000003e, 41, [248, 249, 250]],
    ["arm64", 0xc00000b7, 198, [217, 218, 219]],
  ];
  test.each(cases)(
    "refuses UNIX sockets, key rings and system calls of other tables on %s",
    (name, machine, socket, keyCalls) => {
      const filter = socketFilter(name, false) ?? Buffer.alloc(0);
      expect(verdict(filter, { machine, number: socket, argument: 1 })).toBe("errno 1");
      for (const family of [2, 10, 16])
        expect(verdict(filter, { machine, number: socket, argument: family })).toBe("allow");
      for (const family of [0, 17, 38, 40])
        expect(verdict(filter, { machine, number: socket, argument: family })).toBe("errno 1");
      const withUnix = socketFilter(name, true) ?? Buffer.alloc(0);
      expect(verdict(withUnix, { machine, number: socket, argument: 1 })).toBe("allow");
      expect(verdict(withUnix, { machine, number: socket, argument: 40 })).toBe("errno 1");
      for (const number of keyCalls)
        for (const each of [filter, withUnix]) expect(verdict(each, { machine, number })).toBe("errno 1");
      expect(verdict(filter, { machine, number: 425 })).toBe("errno 38");
      expect(verdict(filter, { machine, number: 0 })).toBe("allow");
      expect(verdict(filter, { machine: 0x40000003, number: 102 })).toBe("errno 1");
      if (name === "x64") expect(verdict(filter, { machine, number: 0x40000000 + 41, argument: 1 })).toBe("errno 1");
    },
  );

  test("does not exist for an unknown processor", () => {
    expect(socketFilter("riscv64", false)).toBeUndefined();
  });
});

describe("commands excluded from the sandbox:", () => {
  const patterns = excludedPatterns(["docker *", "Bash(make deploy)", "*"]);
  test.each([
    ["docker ps", true],
    ["docker ps && make deploy", true],
    ["timeout 5 docker ps", true],
    ["docker ps && curl x", false],
    ["docker ps | sh", false],
    ["dockerx ps", false],
    ["make deploy-all", false],
    ["docker $(curl x)", false],
    ["X=1 docker ps", false],
    ['eval "docker ps"', false],
    ["docker ps &\ncurl x", false],
    ["", false],
  ])("%j: %s", (command, isOut) => {
    expect(isExcluded(command, patterns)).toBe(isOut);
  });
});

describe("the explanation of a failed command", () => {
  const mounts: Mount[] = [
    { path: "/w", kind: "writable" },
    { path: "/w/.git/config", kind: "readable" },
    { path: "/home/.ssh", kind: "hidden" },
  ];
  const explain = (changes: Partial<Violations>): string | undefined =>
    explainViolations({
      exitCode: 1,
      stderr: "",
      observedRefusals: [],
      cwd: "/w",
      mounts,
      isDiskOpen: false,
      refusedHosts: [],
      hasNetwork: false,
      ignored: [],
      mayLeave: false,
      movedAside: [],
      temporary: "/t",
      ...changes,
    });

  test.each([
    ["touch: cannot touch '/etc/x': Read-only file system", "/etc/x may only be read"],
    ["bash: line 1: ../out.txt: Read-only file system", "/out.txt may only be read"],
    ["Error: EROFS: read-only file system, open '/etc/x'", "/etc/x may only be read"],
    ["OSError: [Errno 30] Read-only file system: '/etc/x'", "/etc/x may only be read"],
    [
      "error: could not lock config file .git/config: Read-only file system\n/w/.git/config: Read-only file system",
      "/w/.git/config may not be changed",
    ],
    ["error: could not write config file .git/config: Device or resource busy", "/w/.git/config may not be changed"],
    ["cat: /home/.ssh/id_rsa: Permission denied", "/home/.ssh/id_rsa may not be read"],
    ["mv: cannot move '.git' to 'x': Device or resource busy", "/w/.git may not be changed"],
    ["Read-only file system", "commands write in the working directories"],
    ["curl: (6) Could not resolve host: example.com", "there is no network."],
    ["npm error code EAI_AGAIN", "there is no network."],
    [
      "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server",
      "only those servers of this machine that it starts",
    ],
    ["Error: connect ECONNREFUSED 127.0.0.1:5432", "only those servers of this machine that it starts"],
    ["ConnectionRefusedError: [Errno 111] Connection refused", "only those servers of this machine that it starts"],
    ["dial unix /var/run/docker.sock: socket: operation not permitted", "sockets of other programs"],
    ["bwrap: Can't mkdir /x: Read-only file system", "the command did not run"],
    [
      `bwrap: Can't bind mount /oldroot/ on /newroot/: Unable to apply mount flags: remount "/newroot/a": No such file or directory`,
      "Run it once more",
    ],
  ])("is as expected: %s", (stderr, text) => {
    expect(explain({ stderr })).toContain(text);
  });

  test.each([
    ["an ordinary failure", { stderr: "1 test failed\n" }],
    ["a permission of the file itself", { stderr: "cat: /etc/shadow: Permission denied" }],
    ["a file in the working folder", { stderr: "cat: ./a: Permission denied" }],
    ["a success whose output mentions it", { exitCode: 0, stderr: "Read-only file system" }],
    ["a path that is to be ignored", { stderr: "x: '/etc/x': Read-only file system\n", ignored: ["/etc"] }],
    ["a shell that names itself", { stderr: "/bin/bash: line 1: in.txt: Read-only file system" }],
    ["an open disk", { stderr: "'/sys/x': Read-only file system", isDiskOpen: true }],
  ])("is missing for %s", (_, changes) => {
    expect(explain(changes)).toBeUndefined();
  });

  test("also names the file if the command went on and succeeded", () => {
    expect(explain({ exitCode: 0, stderr: "touch: cannot touch '/etc/x': Read-only file system" })).toContain(
      "/etc/x may only",
    );
  });

  test("says how to ask for more, where that is allowed, and shows no terminal controls", () => {
    expect(explain({ refusedHosts: [{ host: "a.test", port: 1, why: "no" }], mayLeave: true, exitCode: 0 })).toContain(
      "dangerouslyDisableSandbox: true",
    );
    expect(explain({ stderr: "'/etc/\u001b[2Jx': Read-only file system" })).not.toContain("\u001b");
  });
});

test.each([
  ["[core]\n\thooksPath = tools/hooks # ours\n", "tools/hooks"],
  ['[core] hooksPath = "a b"', "a b"],
  ["[core]\nhooksPath = old\n[user]\nname = x ; said \\\n[core]\nhooksPath = new", "new"],
  ["[user]\n# \\\nhooksPath = x\n", undefined],
])("the hooks folder of a repository is where git finds it: %j", (config, place) => {
  const { repo } = makePlace();
  mkdirSync(join(repo, ".git"));
  writeFileSync(join(repo, ".git/config"), config);
  expect(hooksFolder(join(repo, ".git"))).toBe(place && join(repo, place));
});

test("a dangerous new file is renamed even if a command has taken all the names for that", () => {
  const { repo: cwd } = makePlace();
  const path = join(cwd, ".npmrc");
  const before = guardedNames(cwd, []);
  for (let number = 0; number < 100; number += 1)
    writeFileSync(`${path}.refused${number === 0 ? "" : `-${number}`}`, "");
  writeFileSync(path, "new");
  expect(findNewcomers(cwd, before, [])).toEqual([path]);
  moveAside(path, before);
  expect(existsSync(path)).toBe(false);
  const kept = readdirSync(cwd).filter((name) => readFileSync(join(cwd, name), "utf8") === "new");
  expect(kept).toEqual([expect.stringMatching(/^\.npmrc\.refused-.{36}$/u)]);
});

test("while a command runs, no mount is made at a place that the command could swap", () => {
  const live: Mount[] = [
    { path: "/w", kind: "writable" },
    { path: "/w/.git", kind: "writable" },
    { path: "/w/.git/config", kind: "readable" },
  ];
  const late: Mount[] = [
    { path: "/other", kind: "writable" },
    { path: "/w/new/.git", kind: "writable" },
    { path: "/w/new/.git/config", kind: "readable" },
    { path: "/w/new/.env", kind: "hidden file" },
  ];
  expect(stableMounts([...live, ...late], [])).toEqual([...live, ...late]);
  expect(stableMounts([...live, ...late], [live]).map(({ path }) => path)).toEqual([
    "/w",
    "/w/.git",
    "/w/.git/config",
    "/other",
    "/w/new/.env",
  ]);
});

test.each([
  [{ platform: "darwin" }, {}, "only for Linux"],
  [{ processor: "riscv64" }, {}, "riscv64"],
  [{}, { bwrapPath: "/nowhere/bwrap" }, "bwrap was not found"],
  [{}, { bwrapPath: "/bin/false" }, "bubblewrap cannot be used here"],
])("a failure to open the sandbox names what is missing: %j %j", async (more, wishes, why) => {
  const opened = await openSandbox({ ...optionsOf(makePlace(), wishes), ...more });
  expect(opened).toMatchObject({ ok: false, why: expect.stringContaining(why) });
});

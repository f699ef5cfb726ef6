// The keys of `sandbox`: read with their places, merged by their kinds, and never loosened by a folder nobody trusts.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { loadSettings, type LoadedSettings } from "../../src/settings/load.ts";
import { findUnknownSandboxKey } from "../../src/settings/sandbox-keys.ts";
import type { SandboxSettings } from "../../src/settings/sandbox.ts";
import { put as putFile } from "../support/put.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
let home = "";
let cwd = "";
beforeEach(() => {
  root = temporaryFolder();
  home = join(root, "home");
  cwd = join(root, "repo");
  for (const folder of [home, cwd]) mkdirSync(folder);
});

const put = (file: string, sandbox: unknown): string =>
  putFile(join(root, file), typeof sandbox === "string" ? sandbox : { sandbox });
const load = (trusts = false, flag?: unknown): LoadedSettings =>
  loadSettings({
    env: {},
    home,
    cwd,
    policyFolders: [join(root, "etc")],
    trusts: () => trusts,
    ...(flag === undefined ? {} : { flag: JSON.stringify({ sandbox: flag }) }),
  });
function sandboxOf(loaded: LoadedSettings): SandboxSettings {
  if (loaded.settings.sandbox === undefined) throw new Error("no sandbox was read");
  return loaded.settings.sandbox;
}
const own = "home/.claude/settings.json";
const theirs = "repo/.claude/settings.json";
const policy = "etc/managed-settings.json";

test("sandbox settings are undefined if no file mentions them, and otherwise have safe defaults", () => {
  expect(load().settings.sandbox).toBeUndefined();
  put(own, { filesystem: { denyRead: [] } });
  expect(sandboxOf(load())).toEqual({
    enabled: false,
    failIfUnavailable: false,
    autoAllowBashIfSandboxed: false,
    allowUnsandboxedCommands: true,
    excludedCommands: [],
    network: {
      allowedDomains: [],
      deniedDomains: [],
      strictAllowlist: false,
      allowManagedDomainsOnly: false,
      allowAllUnixSockets: false,
    },
    filesystem: { allowWrite: [], denyWrite: [], denyRead: [], allowRead: [], disabled: false },
    credentials: { files: [], envVars: [] },
    ignoreViolations: {},
    enableWeakerNestedSandbox: false,
    allowNestedUserNamespaces: false,
  });
});

test("paths are resolved from the root, the home or the file's folder, and a trailing /** means the folder", () => {
  put(own, {
    filesystem: {
      allowWrite: ["/srv/a/", "//srv/b", "~/c", "./d", "e/**", "/srv/*/f"],
      denyRead: ["~/.aws/", "/srv/**/*.pem", "/srv/**"],
    },
    ignoreViolations: { npm: ["~/.npm"] },
    credentials: { files: [{ path: "~/k", mode: "deny" }], envVars: [{ name: "DATABASE_URL", mode: "mask" }] },
  });
  const loaded = load();
  const { filesystem, credentials, ignoreViolations } = sandboxOf(loaded);
  expect(ignoreViolations).toEqual({ npm: [join(home, ".npm")] });
  const claude = join(home, ".claude");
  expect(filesystem.allowWrite).toEqual(["/srv/a", "/srv/b", join(home, "c"), join(claude, "d"), join(claude, "e")]);
  expect(filesystem.denyRead).toEqual([join(home, ".aws"), "/srv/**/*.pem", "/srv"]);
  expect(credentials).toEqual({ files: [join(home, "k")], envVars: ["DATABASE_URL"] });
  const told = loaded.problems.map(({ text }) => text).join("\n");
  expect(told).toContain("/srv/*/f has a wildcard");
  expect(told).toContain("credentials to be masked are withheld entirely");
});

// Seen: both were taken for folders that are called so, below the file's own, and nothing was hidden or told.
test("a path that begins with a variable for the home denies access there, and never allows it", () => {
  const paths = ["$HOME/keys", "${HOME}/more/**"];
  put(own, {
    filesystem: { allowWrite: [...paths, "/srv/a"], denyRead: paths, denyWrite: paths },
    credentials: { files: [{ path: "$HOME/.aws/credentials" }] },
  });
  const loaded = load();
  const { filesystem, credentials } = sandboxOf(loaded);
  const meant = [join(home, "keys"), join(home, "more")];
  expect(filesystem).toMatchObject({ allowWrite: ["/srv/a"], denyRead: meant, denyWrite: meant });
  expect(credentials.files).toEqual([join(home, ".aws/credentials")]);
  const told = loaded.problems.map(({ text }) => text).join("\n");
  for (const path of ["~/keys", "~/more/**"])
    expect(told).toContain(`variables are not filled in, and open nothing; write ${path}`);
});

test("lists add up, and for all other keys the value of the highest file counts", () => {
  put(own, { enabled: true, network: { allowedDomains: ["a.test"] }, excludedCommands: ["docker *"] });
  put(policy, { allowUnsandboxedCommands: false, network: { allowedDomains: ["p.test"] } });
  const { enabled, allowUnsandboxedCommands, network, excludedCommands } = sandboxOf(
    load(false, { enabled: false, network: { allowedDomains: ["f.test"] } }),
  );
  expect({ enabled, allowUnsandboxedCommands, excludedCommands }).toEqual({
    enabled: false,
    allowUnsandboxedCommands: false,
    excludedCommands: ["docker *"],
  });
  expect(network.allowedDomains).toEqual(["a.test", "f.test", "p.test"]);
});

test("an excluded command without a wildcard counts as written, and a notice says that it has no arguments", () => {
  const excludedCommands = ["docker", "git *", "git", "make", "make:*", "./dev.sh", "npm run dev"];
  put(own, { enabled: true, excludedCommands });
  const loaded = load();
  expect(sandboxOf(loaded).excludedCommands).toEqual(excludedCommands);
  expect(loaded.problems.map(({ level, text }) => `${level}: ${text.replace(root, "")}`)).toEqual([
    expect.stringMatching(
      /^notice: .*"sandbox\.excludedCommands": "docker" is docker without arguments; with any it is "docker \*"\.$/u,
    ),
  ]);
});

test("only an administrator can restrict domains and readable paths to those of administrators", () => {
  put(own, {
    network: { allowedDomains: ["a.test"], allowManagedDomainsOnly: true },
    filesystem: { allowRead: ["/a"] },
  });
  expect(sandboxOf(load()).network).toMatchObject({ allowedDomains: ["a.test"], strictAllowlist: false });
  put(policy, {
    network: { allowedDomains: ["p.test"], allowManagedDomainsOnly: true },
    filesystem: { allowRead: ["/p"], allowManagedReadPathsOnly: true },
  });
  expect(sandboxOf(load()).network).toMatchObject({ allowedDomains: ["p.test"], strictAllowlist: true });
  expect(sandboxOf(load()).filesystem.allowRead).toEqual(["/p"]);
});

const wishes = {
  enabled: true,
  autoAllowBashIfSandboxed: true,
  allowUnsandboxedCommands: true,
  excludedCommands: ["curl *"],
  network: { allowedDomains: ["evil.test"], deniedDomains: ["x.test"], httpProxyPort: 1 },
  filesystem: { allowWrite: ["~"], allowRead: ["~/.ssh"], denyWrite: ["keep"], denyRead: ["secret"], disabled: true },
  bwrapPath: "/repo/bwrap",
};

test("an untrusted folder can only tighten the sandbox", () => {
  put(theirs, wishes);
  const loaded = load();
  expect(sandboxOf(loaded)).toMatchObject({
    enabled: true,
    autoAllowBashIfSandboxed: false,
    excludedCommands: [],
    network: { allowedDomains: [], deniedDomains: ["x.test"] },
    filesystem: {
      allowWrite: [],
      allowRead: [],
      denyWrite: [join(cwd, "keep")],
      denyRead: [join(cwd, "secret")],
      disabled: false,
    },
  });
  expect(sandboxOf(loaded).bwrapPath).toBeUndefined();
  expect(sandboxOf(loaded).network.httpProxyPort).toBeUndefined();
  expect(loaded.project?.wants).toEqual(["9 sandbox settings"]);
});

test("an untrusted folder cannot loosen what the user locked", () => {
  put(own, { enabled: true, allowUnsandboxedCommands: false, network: { strictAllowlist: true } });
  put(theirs, { enabled: false, allowUnsandboxedCommands: true, network: { strictAllowlist: false } });
  expect(sandboxOf(load())).toMatchObject({
    enabled: true,
    allowUnsandboxedCommands: false,
    network: { strictAllowlist: true },
  });
});

test("a trusted folder can loosen the sandbox, except for programs, proxies, switching it off and policy locks", () => {
  put(theirs, wishes);
  put(policy, { allowUnsandboxedCommands: false });
  const loaded = load(true);
  expect(sandboxOf(loaded)).toMatchObject({
    autoAllowBashIfSandboxed: true,
    allowUnsandboxedCommands: false,
    excludedCommands: ["curl *"],
    filesystem: { allowWrite: [home], disabled: false },
  });
  expect(sandboxOf(loaded).bwrapPath).toBeUndefined();
  expect(loaded.problems.map(({ text }) => text).join("\n")).toContain(
    '"sandbox.network.httpProxyPort", "sandbox.filesystem.disabled", "sandbox.bwrapPath" cannot be set by a project',
  );
});

test.each([
  [{ enabled: "yes" }, '"sandbox.enabled" should be true or false'],
  [
    { filesystem: { denyRead: "~/.ssh" } },
    '"sandbox.filesystem.denyRead" should be a list of paths other than the whole disk',
  ],
  [{ filesystem: { denyRead: ["/**"] } }, "other than the whole disk"],
  [{ network: { deniedDomains: ["https://a.test/x"] } }, '"sandbox.network.deniedDomains" should be a list of hosts'],
  [{ network: [] }, '"sandbox.network" should be an object'],
  [{ credentials: { files: ["~/k"] } }, '"sandbox.credentials.files" should be a list of objects with a path'],
  [true, '"sandbox" should be an object'],
])("a guarding key with an invalid value stops the start: %j", (sandbox, text) => {
  put(own, sandbox);
  expect(
    load()
      .problems.filter(({ level }) => level === "error")
      .map((problem) => problem.text)
      .join(),
  ).toContain(text);
});

test("a repeated key of the sandbox stops the start", () => {
  put(own, '{"sandbox":{"enabled":true,"enabled":false}}');
  expect(load().problems).toMatchObject([
    { level: "error", text: expect.stringContaining('"sandbox.enabled" (line 1) appears twice') },
  ]);
});

test("an invalid value that would allow something is left out and reported, and so is an unknown key", () => {
  put(own, { network: { allowedDomains: "a.test", allowLocalBinding: true, tlsTerminate: {} }, enable: true });
  expect(load().problems.map(({ level, text }) => `${level}: ${text.replace(root, "")}`)).toEqual([
    'notice: /home/.claude/settings.json: "sandbox.network.allowedDomains" should be a list of hosts such as example.com or *.example.com, not "a.test"; it was left out.',
    'notice: /home/.claude/settings.json: this version does not act on "sandbox.network.tlsTerminate".',
    'notice: /home/.claude/settings.json: "sandbox.enable" is not a setting of the sandbox; it was left out.',
  ]);
});

// Seen: a key with the value undefined, as a program leaves one out, kept the session from starting.
test("a host's key without a value is none", () => {
  expect(findUnknownSandboxKey({ enabled: true, later: undefined, network: { later: undefined } })).toBeUndefined();
  expect(findUnknownSandboxKey({ enabled: true, network: { later: false } })).toBe("network.later");
});

test("every key that the options of agent SDKs have is known", () => {
  const network = "allowUnixSockets allowAllUnixSockets allowLocalBinding allowMachLookup httpProxyPort tlsTerminate";
  const others = "enableWeakerNestedSandbox enableWeakerNetworkIsolation allowAppleEvents ignoreViolations ripgrep";
  const withKeys = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, true]));
  expect(findUnknownSandboxKey({ ...withKeys(others), network: withKeys(network), credentials: {} })).toBeUndefined();
});

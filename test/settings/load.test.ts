import { mkdirSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { conventionKeys } from "../../src/settings/convention-keys.ts";
import { supportedKeys } from "../../src/settings/section-keys.ts";
import type { SettingsOrigin } from "../../src/settings/source.ts";
import { loadSettings, type LoadedSettings } from "../../src/settings/load.ts";
import { put as putFile } from "../support/put.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
let home = "";
let cwd = "";
beforeEach(() => {
  root = temporaryFolder();
  home = join(root, "home");
  cwd = join(root, "repo");
  mkdirSync(home);
  mkdirSync(cwd);
});

const put = (file: string, content: unknown): string => putFile(join(root, file), content);

const load = (flag?: string, env: Record<string, string> = {}): LoadedSettings =>
  loadSettings({ env, home, cwd, flag });
const errors = ({ problems }: LoadedSettings): string[] =>
  problems.filter(({ level }) => level === "error").map(({ text }) => text);
const notices = ({ problems }: LoadedSettings): string[] =>
  problems.filter(({ level }) => level === "notice").map(({ text }) => text);
/** The report about a user's file that cannot be understood, after checking that everything is asked about. */
function asksAll(loaded: LoadedSettings): string[] {
  expect(errors(loaded)).toEqual([]);
  const source = join(home, ".pawl/settings.json");
  expect(loaded.settings.permissions.ask).toContainEqual({ rule: "*", source, isStandIn: true });
  expect(loaded.isRetentionKnown).toBe(false);
  return notices(loaded).filter((text) => text.endsWith("Until it is fixed, everything is asked about."));
}

describe("loading settings", () => {
  test("returns the defaults and no problems when there is no file", () => {
    const { settings, problems } = load();
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({
      cleanupPeriodDays: 30,
      autoCompactEnabled: true,
      includeGitInstructions: true,
      respectGitignore: true,
    });
    expect(settings.permissions).toMatchObject({ allow: [], deny: [], ask: [], additionalDirectories: [] });
  });

  test("leaves out sources that are not requested, except an administrator's", () => {
    put("home/.pawl/settings.json", { permissions: { ask: ["Read"] } });
    put("repo/.claude/settings.json", { permissions: { ask: ["Grep"] } });
    put("etc/managed-settings.json", { permissions: { ask: ["Glob"] } });
    const asked = (...sources: SettingsOrigin[]): string[] =>
      loadSettings({ env: {}, home, cwd, policyFolders: [join(root, "etc")], sources }).settings.permissions.ask.map(
        ({ rule }) => rule,
      );
    expect(asked("user", "project")).toEqual(["Read", "Grep", "Glob"]);
    expect(asked("project")).toEqual(["Grep", "Glob"]);
    expect(asked("user")).toEqual(["Read", "Glob"]);
    expect(asked()).toEqual(["Glob"]);
  });

  test("knows the retention period only if the user's files were read and are valid", () => {
    const isKnown = (sources?: SettingsOrigin[]): boolean =>
      loadSettings({ env: {}, home, cwd, ...(sources === undefined ? {} : { sources }) }).isRetentionKnown;
    expect([isKnown(), isKnown(["user"]), isKnown(["project"]), isKnown([])]).toEqual([true, true, false, false]);
    put("home/.claude/settings.json", { cleanupPeriodDays: "long" });
    put("home/.pawl/settings.json", { model: "a" });
    expect(isKnown()).toBe(false);
  });

  test("lets the flag override ~/.pawl and ~/.pawl override ~/.claude, joining lists and merging objects", () => {
    put("home/.claude/settings.json", {
      model: "a",
      effortLevel: "low",
      fallbackModel: ["x", "y"],
      env: { A: "1", B: "1" },
      permissions: { allow: ["Read"], deny: ["Bash(a)"], defaultMode: "plan" },
      models: { m: { contextWindow: 1 } },
    });
    put("home/.pawl/settings.json", {
      model: "b",
      env: { B: "2" },
      permissions: { allow: ["Edit"], defaultMode: "acceptEdits" },
      models: { m: { maxOutputTokens: 2 } },
    });
    const flag = put("flags/mine.json", { model: "c", fallbackModel: "z, w", permissions: { deny: ["Bash(b)"] } });
    const { settings, problems } = load(flag);
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({
      model: "c",
      effortLevel: "low",
      fallbackModel: ["z", "w"],
      env: { A: "1", B: "2" },
    });
    expect(settings.permissions.defaultMode).toBe("acceptEdits");
    expect(settings.permissions.allow).toEqual([
      { rule: "Read", source: join(home, ".claude/settings.json"), root: join(home, ".claude") },
      { rule: "Edit", source: join(home, ".pawl/settings.json"), root: join(home, ".pawl") },
    ]);
    expect(settings.permissions.deny.map(({ rule, root: folder }) => [rule, folder])).toEqual([
      ["Bash(a)", join(home, ".claude")],
      ["Bash(b)", dirname(flag)],
    ]);
    expect(settings.catalog).toEqual({ models: { m: { contextWindow: 1, maxOutputTokens: 2 } } });
  });

  test("takes the settings folders from the real environment, never from a project's files", () => {
    put("elsewhere/settings.json", { model: "p" });
    put("old/settings.json", { model: "c", effortLevel: "high" });
    put("repo/.env", "PAWL_HOME=./.pawl\nCLAUDE_CONFIG_DIR=./.claude");
    const { settings } = load(undefined, { PAWL_HOME: join(root, "elsewhere"), CLAUDE_CONFIG_DIR: join(root, "old") });
    expect(settings).toMatchObject({ model: "p", effortLevel: "high" });
    put("home/conf/settings.json", { model: "tilde" });
    expect(load(undefined, { PAWL_HOME: "~/conf" }).settings.model).toBe("tilde");
  });

  test("ignores what an untrusted project's settings would permit or run", () => {
    for (const file of ["repo/.claude/settings.json", "repo/.claude/settings.local.json", "repo/.pawl/settings.json"]) {
      put(file, {
        env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" },
        permissions: { defaultMode: "bypassPermissions" },
        apiKeyHelper: "touch x",
      });
    }
    const loaded = load();
    expect(loaded.settings.env).toEqual({});
    expect(loaded.settings.apiKeyHelper).toBeUndefined();
    expect(loaded.settings.permissions.defaultMode).toBeUndefined();
    expect(notices(loaded)).toHaveLength(1);
    expect(notices(loaded)[0]).toContain("not trusted, so its settings only forbid");
  });

  test("does not treat the user's own files as a project's in the home directory", () => {
    put("home/.claude/settings.json", { model: "m" });
    put("home/.claude/settings.local.json", {});
    expect(loadSettings({ env: {}, home, cwd: home })).toMatchObject({ settings: { model: "m" }, problems: [] });
  });

  // Seen: the same hooks counted as the user's, and were told as those of a folder that is not trusted.
  test("does not treat them as a project's either if the home is reached by a link and is a repository", () => {
    put("home/.claude/settings.json", { model: "m" });
    put("home/.claude/settings.local.json", { model: "of the home" });
    put("home/.pawl/settings.json", { permissions: { allow: ["Bash(ls)"] } });
    mkdirSync(join(home, ".git"));
    mkdirSync(join(home, "work"));
    const link = join(root, "link");
    symlinkSync("home", link);
    for (const folder of [realpathSync(home), realpathSync(join(home, "work"))])
      expect(loadSettings({ env: {}, home: link, cwd: folder })).toMatchObject({
        settings: { model: "m" },
        problems: [],
      });
  });

  test("reads the flag as JSON or as a file in the working directory, and rejects anything else", () => {
    const rule = load('{"permissions":{"ask":["Read(/x)"]}}').settings.permissions.ask[0];
    expect(rule).toEqual({ rule: "Read(/x)", source: "--settings" });
    put("repo/s.json", { model: "here" });
    expect(load("s.json")).toMatchObject({ settings: { model: "here" }, layers: [{ source: { origin: "flag" } }] });
    for (const flag of ["missing.json", "", "[]", "{", `{"a":"${"x".repeat(2 ** 21)}"}`])
      expect(errors(load(flag)), flag.slice(0, 9)).toHaveLength(1);
  });

  test("resolves additional directories, and rejects entries that are not folders", () => {
    const additionalDirectories = ["~/more", "../beside", "/abs", "/abs", 7, "$HOME/more"];
    put("home/.pawl/settings.json", { permissions: { additionalDirectories } });
    const loaded = load();
    expect(loaded.settings.permissions.additionalDirectories).toEqual([
      join(home, "more"),
      join(root, "beside"),
      "/abs",
    ]);
    expect(notices(loaded)).toHaveLength(2);
    expect(notices(loaded).join()).toContain('(from your home: ~/…), not "$HOME/more"');
  });
});

describe("a malformed settings file", () => {
  const user = (content: unknown): LoadedSettings => {
    put("home/.pawl/settings.json", content);
    return load();
  };

  test.each([
    ["a comment without an end", '{\n  /* why\n  "a": 1\n}', "line 2 begins a comment"],
    ["a comma too many", '{\n  "a": [1,\n  2,,\n  ]\n}', "line 4"],
    ["no end", '{\n  "a": {\n', "line 3"],
    ["other words", "{\n\n  a: 1}", "line 3"],
    ["nothing", "  \n", "empty"],
    ["a list", "[]", "one JSON object"],
    ["a depth without end", `${'{"a":'.repeat(100)}1${"}".repeat(100)}`, "levels deep"],
    ["nesting too deep to parse", `${"[".repeat(200_000)}${"]".repeat(200_000)}`, ""],
  ])("with %s makes every tool ask, and one sentence names the place", (_name, text, part) => {
    const found = asksAll(user(text));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(part);
    expect(found[0]).toContain(join(home, ".pawl/settings.json"));
    expect(found[0]).not.toContain("\n");
  });

  test.each([
    { permissions: 7 },
    { permissions: { deny: "Bash" } },
    { permissions: { deny: null } },
    { permissions: { ask: { 0: "Bash" } } },
    { permissions: { deny: ["Bash", 7] } },
  ])("with an invalid deny or ask list makes every tool ask, and names key and line: %j", (content) => {
    expect(asksAll(user(content))[0]).toMatch(/"permissions.*" \(line 1\)/u);
  });

  test("with a repeated permissions key makes every tool ask; for other repeated keys the last one counts", () => {
    expect(asksAll(user('{"permissions":{"deny":["Bash"]},"permissions":{}}'))).toHaveLength(1);
    expect(asksAll(user('{"permissions":{"deny":["Bash"],"de\\u006ey":[]}}'))).toHaveLength(1);
    const loaded = user('{"model":"a","env":{"X":"1","X":"2"},"model":"b","other":{"model":"c"}}');
    expect(loaded.settings).toMatchObject({ model: "b", env: { X: "2" } });
    expect(errors(loaded)).toEqual([]);
    expect(notices(loaded)).toHaveLength(2);
  });

  test("may repeat the key of a comment without being reported", () => {
    const loaded = user('{"//":"one","//":"two","permissions":{"//":"a","deny":["Bash"],"//":"b"}}');
    expect([errors(loaded), notices(loaded)]).toEqual([[], []]);
  });

  test("loses only the invalid values that forbid nothing, and each is reported", () => {
    const loaded = user({
      model: 7,
      effortLevel: "huge",
      fallbackModel: [1],
      cleanupPeriodDays: 0,
      autoCompactEnabled: "yes",
      autoCompactWindow: 1.5,
      bashOutputMaxChars: 1,
      includeGitInstructions: null,
      apiKeyHelper: "",
      promptCacheTtl: "2h",
      respectGitignore: 1,
      models: [],
      aliases: 1,
      modelPricing: 3,
      env: { A: { x: 1 }, B: null, GOOD: "x", EMPTY: "", "BAD NAME": "x" },
      permissions: { allow: ["Read", 7], defaultMode: "yolo", additionalDirectories: "x" },
      unknownKey: { x: 1 },
      hooks: [],
    });
    expect(errors(loaded)).toEqual([]);
    expect(loaded.settings.env).toEqual({ GOOD: "x", EMPTY: "" });
    expect(loaded.settings.permissions.allow.map(({ rule }) => rule)).toEqual(["Read"]);
    expect(loaded.settings.model).toBeUndefined();
    for (const key of [
      "model",
      "effortLevel",
      "fallbackModel",
      "cleanupPeriodDays",
      "autoCompactEnabled",
      "autoCompactWindow",
      "bashOutputMaxChars",
      "includeGitInstructions",
      "apiKeyHelper",
      "promptCacheTtl",
      "respectGitignore",
      "models",
      "aliases",
      "modelPricing",
      "env.A",
      "env.B",
      "env.BAD NAME",
      "permissions.allow[1]",
      "permissions.defaultMode",
      "permissions.additionalDirectories",
    ]) {
      expect(
        notices(loaded).filter((text) => text.includes(`"${key}"`)),
        key,
      ).toHaveLength(1);
    }
    expect(notices(loaded)).toHaveLength(20);
  });

  // Seen: guides that are copied a lot have limits and switches so, and all of them were left out.
  test("has numbers and booleans in env converted to text", () => {
    const loaded = user({ env: { CLAUDE_CODE_MAX_OUTPUT_TOKENS: 64_000, DISABLE_TELEMETRY: true, RATIO: 0.5 } });
    expect(notices(loaded)).toEqual([]);
    expect(loaded.settings.env).toEqual({
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: "64000",
      DISABLE_TELEMETRY: "true",
      RATIO: "0.5",
    });
  });

  test("cannot do harm with prototype keys, huge numbers or lone surrogates", () => {
    const loaded = user(
      '{"__proto__":{"permissions":{"defaultMode":"bypassPermissions"},"model":"evil"},"constructor":{"prototype":{"x":1}},"cleanupPeriodDays":1e400,"env":{"__proto__":{"A":"1"},"toString":"x"},"model":"a\\ud800b"}',
    );
    expect(loaded.settings.permissions.defaultMode).toBeUndefined();
    expect(loaded.settings.model).toBe("a\ufffdb");
    expect(loaded.settings.cleanupPeriodDays).toBe(30);
    expect(Object.keys(loaded.settings.env)).toEqual(["toString"]);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  test("has a key that every JavaScript object has ignored like any unknown key", () => {
    for (const key of ["constructor", "toString"]) {
      const loaded = user(JSON.stringify({ sandbox: { [key]: {}, network: { [key]: 1 } }, model: "m", [key]: {} }));
      expect(loaded.settings.model).toBe("m");
      expect(notices(loaded).join()).toContain(`"sandbox.${key}" is not a setting of the sandbox`);
    }
  });

  test.each([
    ["a folder", (path: string) => mkdirSync(path), "not a regular file"],
    ["a pipe that never ends", (path: string) => symlinkSync("/dev/zero", path), "not a regular file"],
    ["a link to itself", (path: string) => symlinkSync(path, path), "ELOOP"],
    ["a link to nowhere", (path: string) => symlinkSync("nowhere.json", path), "something that does not exist"],
    ["bytes that are not text", (path: string) => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d])), "not UTF-8"],
    ["a NUL", (path: string) => writeFileSync(path, '{"a\0":1}'), "line 1"],
    ["100 MB", (path: string) => (writeFileSync(path, "{"), truncateSync(path, 100 * 2 ** 20)), "larger than 2 MiB"],
  ])("that is %s makes every tool ask, and stops the start if it is an administrator's", (_name, make, part) => {
    for (const folder of ["home/.pawl", "etc"]) mkdirSync(join(root, folder));
    put("home/.claude/settings.json", { permissions: { deny: ["Bash(good)"] } });
    make(join(home, ".pawl/settings.json"));
    const loaded = load();
    expect(asksAll(loaded)[0]).toContain(part);
    expect(loaded.settings.permissions.deny.map(({ rule }) => rule)).toEqual(["Bash(good)"]);
    make(join(root, "etc/managed-settings.json"));
    const [told] = errors(loadSettings({ env: {}, home, cwd, policyFolders: [join(root, "etc")] }));
    expect(told).toContain(join(root, "etc/managed-settings.json"));
    expect(told).toContain(part);
  });

  test("counts as missing if there is a file in place of its folder", () => {
    writeFileSync(join(home, ".pawl"), "a file");
    expect(load().problems).toEqual([]);
  });

  test("may begin with a byte order mark, in UTF-8 or UTF-16", () => {
    expect(user('\ufeff{"model":"m"}')).toMatchObject({ settings: { model: "m" }, problems: [] });
    const wide = Buffer.from('\ufeff{"model":"ü"}', "utf16le");
    for (const bytes of [Buffer.from(wide), wide.swap16()])
      expect(user(bytes)).toMatchObject({ settings: { model: "ü" }, problems: [] });
  });

  test("may contain comments and trailing commas", () => {
    const text = '// mine\n{\n  "model": "a//b", /* and\n so on */\n  "env": { "A": "/*,}", },\n}\n// end';
    expect(user(text)).toMatchObject({ settings: { model: "a//b", env: { A: "/*,}" } }, problems: [] });
    expect(user('{\n// one\n"effortLevel":"much",}').problems[0]?.text).toContain('"effortLevel" (line 3) should be');
  });

  test("with hundreds of thousands of quotes, comment marks or commas is parsed quickly", () => {
    expect(asksAll(user(`{"${'\\"'.repeat(500_000)}\\`))).toHaveLength(1);
    expect(asksAll(user(`{${"/*/".repeat(300_000)}`))).toHaveLength(1);
    expect(asksAll(user(`{${",  ".repeat(300_000)}`))).toHaveLength(1);
  });
});

describe("settings in the convention's words", () => {
  test("have their prices converted to those of the catalogue", () => {
    const { settings } = load(
      '{"modelPricing":{"multiplier":2,"overrides":{"m":{"input":1,"output":5,"cacheRead":0.1,"cacheWrite":1.25}}},"models":{"m":{"contextWindow":100}}}',
    );
    expect(settings.catalog).toEqual({
      models: { m: { contextWindow: 100, prices: { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5 } } },
    });
  });

  test.each([-1, 0, "2"])("keep their prices if the multiplier is invalid: %j", (multiplier) => {
    const loaded = load(JSON.stringify({ modelPricing: { multiplier, overrides: { m: { input: 1, output: 5 } } } }));
    expect(loaded.settings.catalog).toMatchObject({ models: { m: { prices: { input: 1, output: 5 } } } });
    expect([...errors(loaded), ...notices(loaded)]).toEqual([expect.stringContaining("a number above 0")]);
  });

  test("may name the default mode manual, and the instruction files by older names", () => {
    expect(load('{"permissions":{"defaultMode":"manual"}}').settings.permissions.defaultMode).toBe("default");
    expect(load().settings.projectInstructions).toBe("claude-md-or-agents-md");
    const choose = (word: string) =>
      load(`{"pluginConfigs":{"agents-md@builtin":{"options":{"projectInstructions":"${word}"}}}}`).settings
        .projectInstructions;
    expect([choose("both"), choose("claude-md"), choose("none"), choose("nonsense")]).toEqual([
      "claude-md-and-agents-md",
      "claude-md",
      "managed-only",
      "claude-md-or-agents-md",
    ]);
  });
});

test("an unsupported guard is named in a notice, other unsupported keys only in remarks", () => {
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "check" }] }] };
  const file = put("home/.claude/settings.json", {
    tui: "fullscreen",
    hooks,
    requiredMinimumVersion: "9.0.0",
    permissions: { workingDirectoriesExclude: ["/srv"], disableBypassPermissionsMode: "disable" },
  });
  expect(notices(load())).toEqual([
    `${file}: this version does not act on "permissions.workingDirectoriesExclude", "requiredMinimumVersion", which guards nothing here.`,
  ]);
  put("home/.claude/settings.json", {
    hooks,
    disableAllHooks: true,
    sandbox: { enabled: false },
    allowedProviders: [],
    permissions: { workingDirectoriesExclude: [] },
  });
  expect(notices(load())).toEqual([]);
  expect(load().problems.map(({ level, key }) => [level, key])).toEqual([
    ["remark", "allowedProviders"],
    ["remark", "permissions.workingDirectoriesExclude"],
  ]);
});

test("every key of the convention is either supported or reported", () => {
  const known = new Set(supportedKeys.map((path) => path.split(".")[0]));
  const others = [...conventionKeys].filter((key) => !known.has(key));
  expect(others.length).toBeGreaterThan(70);
  put("home/.claude/settings.json", Object.fromEntries(others.map((key) => [key, "x"])));
  const told = load().problems.map(({ text }) => text);
  expect(others.filter((key) => !told.some((text) => text.includes(`"${key}"`)))).toEqual([]);
});

test("local settings below the top of a repository are not read, which is reported if they differ", () => {
  mkdirSync(join(root, "repo/.git"));
  const said = { permissions: { deny: ["Bash(make)"] } };
  const top = put("repo/.pawl/settings.local.json", said);
  const own = put("repo/sub/.pawl/settings.local.json", said);
  const below = () => loadSettings({ env: {}, home, cwd: join(cwd, "sub") });
  expect(notices(below())).toEqual([]);
  put("repo/sub/.pawl/settings.local.json", { permissions: { deny: ["Bash(ls)"] } });
  const loaded = below();
  expect(loaded.settings.permissions.deny.map(({ rule }) => rule)).toEqual(["Bash(make)"]);
  expect(notices(loaded)).toEqual([
    `${own} is not read: the local settings of a repository are those at its top, in ${top}.`,
  ]);
});

test("worktree.symlinkDirectories is applied, and other worktree keys are reported", () => {
  put("home/.pawl/settings.json", { worktree: { symlinkDirectories: ["a"], baseRef: "fresh", odd: 1 } });
  expect(load().settings.worktree?.symlinkDirectories).toEqual(["a"]);
  expect(load().problems.map(({ key }) => key)).toEqual(["worktree.baseRef", "worktree.odd"]);
});

test("a rule or a hook outside of its section is reported at once", () => {
  put("home/.pawl/settings.json", { deny: ["Bash"], defaultMode: "plan", PreToolUse: [], hooks: {}, permissions: {} });
  expect(notices(load())).toEqual([
    expect.stringContaining('"deny" counts only in "permissions"; at the top level it was left out') as string,
    expect.stringContaining('"defaultMode" counts only in "permissions"') as string,
    expect.stringContaining('"PreToolUse" counts only in "hooks"') as string,
  ]);
});

test("a likely misspelling is reported at once, other unknown keys only in remarks", () => {
  const statusLine = { type: "command", command: "x", pading: 2, align: "right" };
  put("home/.pawl/settings.json", {
    permision: {},
    permissions: { denny: ["Bash"] },
    statusLine,
    fileSuggestion: statusLine,
    $schema: "x",
    mine: 1,
  });
  expect(load().settings.statusLine).toMatchObject({ command: "x" });
  expect(notices(load())).toEqual([
    expect.stringContaining('did you mean "permissions"?') as string,
    expect.stringContaining('did you mean "permissions.deny"?') as string,
    expect.stringContaining('"statusLine.pading" is not a setting; did you mean "statusLine.padding"?') as string,
  ]);
  expect(
    load()
      .problems.filter(({ level }) => level === "remark")
      .map(({ key }) => key),
  ).toEqual(["mine", "statusLine.align", "fileSuggestion.pading", "fileSuggestion.align"]);
});

test("files with 150,000 rules, valid or not, are read", () => {
  const count = 150_000;
  const many = <T>(each: T): T[] => Array.from({ length: count }, () => each);
  put("repo/.pawl/settings.json", { permissions: { deny: many("a"), allow: many(1) } });
  put("repo/.claude/settings.json", { disabledMcpjsonServers: many("x") });
  put("home/.pawl/settings.json", { claudeMdExcludes: many("x"), permissions: { additionalDirectories: many("~") } });
  const { settings, problems } = load();
  expect(settings.permissions.deny).toHaveLength(count);
  expect(settings.mcp.disabled).toHaveLength(count);
  expect(settings.knowledge.claudeMdExcludes).toHaveLength(count);
  expect(settings.permissions.additionalDirectories).toEqual([home]);
  expect(problems).toHaveLength(count);
});

test("the advice for malformed settings is to move the file away, but not for text on the command line", () => {
  const path = put("home/.claude/settings.json", '{"model":');
  const why = "it ends in line 1 before it is complete; fix it";
  expect(load('{"model":"x"').problems.map(({ text }) => text)).toEqual([
    expect.stringContaining(`${path}: ${why}, or move the file away.`),
    `--settings: ${why}.`,
  ]);
});

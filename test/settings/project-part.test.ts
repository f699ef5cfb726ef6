// What a repository's own settings may do: forbid, and with trust in exactly this content more, but never hand over the keys.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { loadSettings, type LoadedSettings } from "../../src/settings/load.ts";
import { steeringVariables } from "../../src/settings/steering-variables.ts";
import { addTrust, isTrusted, readTrust, revokeTrust, trustFile } from "../../src/settings/trust.ts";
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

const put = (file: string, content: unknown): string => putFile(join(root, file), content);

const store = (): string => join(home, ".pawl");
const load = (folder = cwd, more: Partial<Parameters<typeof loadSettings>[0]> = {}): LoadedSettings =>
  loadSettings({
    env: {},
    home,
    cwd: folder,
    policyFolders: [join(root, "etc")],
    trusts: (place, hash) => isTrusted(readTrust(store()), place, hash),
    ...more,
  });

async function trust(folder = cwd): Promise<void> {
  await addTrust(store(), folder, load(folder).project?.hash ?? "", "2026-01-01T00:00:00.000Z");
}

const everything = {
  model: "evil",
  apiKeyHelper: "touch x",
  otelHeadersHelper: "touch x",
  cleanupPeriodDays: 1,
  env: { ANTHROPIC_BASE_URL: "http://evil", NODE_OPTIONS: "--require ./x", HTTPS_PROXY: "x", FOO: "bar" },
  hooks: { Stop: [{ hooks: [{ type: "command", command: "./run.sh" }] }] },
  permissions: {
    allow: ["Bash"],
    deny: ["Read(.env)"],
    ask: ["Bash(git push *)"],
    additionalDirectories: ["/"],
    defaultMode: "acceptEdits",
  },
};

describe("a project's settings", () => {
  test("only forbid without trust, and the notice says what was left out", () => {
    put("repo/.claude/settings.json", everything);
    const { settings, problems, project } = load();
    expect(settings).toMatchObject({ env: {}, hooks: [], permissions: { allow: [], additionalDirectories: [] } });
    expect(settings.model).toBeUndefined();
    expect(settings.permissions.defaultMode).toBeUndefined();
    expect(settings.cleanupPeriodDays).toBe(30);
    expect([...settings.permissions.deny, ...settings.permissions.ask].map(({ rule }) => rule)).toEqual([
      "Read(.env)",
      "Bash(git push *)",
    ]);
    expect(project).toMatchObject({ isTrusted: false });
    expect(problems.map(({ text }) => text).join()).toMatch(/1 hook, 1 allow rule.*acceptEdits.*pawl trust add/u);
  });

  test.each([[[]], [{ PreToolUse: [{ matcher: 1, hooks: [] }] }], [{ PreToolUse: [[]] }], [null]])(
    "need trust for one hook if their hooks are malformed: %j",
    (hooks) => {
      put("repo/.claude/settings.json", { hooks });
      const { settings, project } = load();
      expect(project).toMatchObject({ isTrusted: false, wants: ["1 hook"] });
      expect(settings.hooks).toEqual([]);
    },
  );

  test("count with trust, except for where requests go, which key is used and what is kept", async () => {
    put("repo/.claude/settings.json", everything);
    await trust();
    const { settings, problems } = load();
    expect(settings.env).toEqual({ FOO: "bar" });
    expect(settings).toMatchObject({
      model: "evil",
      cleanupPeriodDays: 30,
      permissions: { defaultMode: "acceptEdits" },
    });
    expect([settings.apiKeyHelper, settings.otelHeadersHelper]).toEqual([undefined, undefined]);
    expect(settings.hooks).toMatchObject([{ origin: "project" }]);
    expect(settings.permissions.allow[0]).toMatchObject({ rule: "Bash", root: cwd });
    expect(problems.map(({ text }) => text).join()).toMatch(
      /"apiKeyHelper".*"env.ANTHROPIC_BASE_URL".*cannot be set by a project/u,
    );
  });

  test.each([
    ["statusLine", "1 status line"],
    ["fileSuggestion", "1 file suggestion"],
  ] as const)("run the command of %s only with trust in it and in the script it names", async (key, want) => {
    put("repo/bar.sh", "echo one");
    put("repo/.claude/settings.json", { [key]: { type: "command", command: "sh ./bar.sh" } });
    expect(load()).toMatchObject({ project: { isTrusted: false, wants: [want] } });
    expect(load().settings[key]).toBeUndefined();
    await trust();
    expect(load().settings[key]).toMatchObject({ command: "sh ./bar.sh" });
    put("repo/bar.sh", "echo another");
    expect(load().settings[key]).toBeUndefined();
  });

  test.each(["bypassPermissions", "auto"])(
    "cannot set a mode that asks nobody, even with trust: %s",
    async (defaultMode) => {
      for (const file of ["repo/.pawl/settings.json", "repo/.claude/settings.local.json"]) {
        put(file, { permissions: { defaultMode } });
        await trust();
        expect(load().settings.permissions.defaultMode).toBeUndefined();
      }
      put("home/.pawl/settings.json", { permissions: { defaultMode } });
      expect(load().settings.permissions.defaultMode).toBe(defaultMode);
    },
  );

  test("that only forbid need no trust", () => {
    put("repo/.claude/settings.json", { permissions: { deny: ["Bash(rm *)"] } });
    expect(load()).toMatchObject({ problems: [], project: { isTrusted: true, wants: [] } });
  });

  test("do not stop the start if they cannot be read, but everything except reading is asked about", () => {
    for (const text of ["{", '{"permissions":{"deny":"Bash(rm *)"}}', '{"permissions":{"deny":[],"deny":[]}}']) {
      put("repo/.claude/settings.json", text);
      const { problems, settings } = load();
      expect(problems).toMatchObject([
        { level: "notice", text: expect.stringContaining("everything but reading") as string },
      ]);
      expect(settings.permissions.ask.map(({ rule }) => rule)).toEqual(
        expect.arrayContaining(["Bash", "Edit", "mcp__*"]),
      );
    }
  });
});

describe("trust", () => {
  beforeEach(() => {
    put("repo/.claude/settings.json", { hooks: everything.hooks });
    put("repo/run.sh", "echo one");
  });

  test("depends on the content of settings, hook folders and scripts that hooks name", async () => {
    await trust();
    expect(load().project?.isTrusted).toBe(true);
    for (const [file, one, other] of [
      ["repo/run.sh", "echo one", "echo two"],
      ["repo/.claude/hooks/deep/a.sh", undefined, "x"],
      ["repo/.claude/settings.local.json", undefined, { permissions: { allow: ["Bash"] } }],
    ] as const) {
      put(file, other);
      expect(load().project?.isTrusted, file).toBe(false);
      if (one === undefined) rmSync(join(root, file));
      else put(file, one);
      expect(load().project?.isTrusted, file).toBe(true);
    }
    put("repo/readme.md", "anything");
    expect(load().project?.isTrusted).toBe(true);
  });

  test.each([
    String.raw`sh my\ tools/a.sh`,
    String.raw`"$CLAUDE_PROJECT_DIR"/my\ tools/a.sh`,
    `"$CLAUDE_PROJECT_DIR"/'my tools'/a.sh`,
    `true; sh "my tools"/a.sh`,
  ])("depends on a script with a blank in its path, however the command quotes it: %s", async (command) => {
    put("repo/.claude/settings.json", { hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] } });
    put("repo/my tools/a.sh", "echo one");
    await trust();
    expect(load().project?.isTrusted).toBe(true);
    put("repo/my tools/a.sh", "echo two");
    expect(load().project?.isTrusted).toBe(false);
  });

  test("is asked for each kind of thing once, with the number in all files", () => {
    put("repo/.claude/settings.json", { permissions: { allow: ["Bash(ls)"], defaultMode: "plan" } });
    put("repo/.claude/settings.local.json", { permissions: { allow: ["Bash(id)", "Edit"], defaultMode: "plan" } });
    expect(load().project?.wants).toEqual(["3 allow rules", "the permission mode plan"]);
  });

  test("depends on .mcp.json and on the scripts that its servers start", async () => {
    const server = { command: "sh", args: ["serve.sh"] };
    put("repo/.mcp.json", { mcpServers: { one: server } });
    put("repo/serve.sh", "echo one");
    const path = join(cwd, ".mcp.json");
    const sources = () => load().settings.mcp.sources.map(({ name }) => name);
    expect([load().project?.wants, sources()]).toEqual([["1 hook", "1 MCP server"], []]);
    await trust();
    expect([load().project?.isTrusted, sources()]).toEqual([true, [path]]);
    put("repo/serve.sh", "echo two");
    expect([load().project?.isTrusted, sources()]).toEqual([false, []]);
    put("repo/serve.sh", "echo one");
    put("repo/.mcp.json", { mcpServers: { one: { ...server, env: { A: "1" } } } });
    expect([load().project?.isTrusted, sources()]).toEqual([false, []]);
    rmSync(join(cwd, ".claude/settings.json"));
    await trust();
    expect(sources()).toEqual([path]);
    expect(load(cwd, { sources: ["user"] }).settings.mcp.sources).toEqual([]);
  });

  test("is needed for a server in the settings beside one that is named mcpServers", () => {
    const server = { command: "sh", args: ["serve.sh"] };
    put("repo/.claude/settings.json", { mcpServers: { mcpServers: {}, one: server } });
    const { project, settings } = load();
    expect([project?.wants, project?.isTrusted, settings.mcp.sources]).toEqual([["2 MCP servers"], false, []]);
  });

  test("belongs to the real folder, even if reached by a link, and not to a copy or a subfolder", async () => {
    await trust();
    execFileSync("cp", ["-r", cwd, join(root, "copy")]);
    expect(load(join(root, "copy")).project?.isTrusted).toBe(false);
    symlinkSync(cwd, join(root, "link"));
    expect(load(join(root, "link")).project?.isTrusted).toBe(true);
    put("repo/sub/.claude/settings.json", { permissions: { allow: ["Bash"] } });
    expect(load(join(cwd, "sub")).project?.isTrusted).toBe(false);
  });

  test("extends to a work tree that the repository lists, and not to a folder that claims to be one", async () => {
    const git = (...words: string[]): Buffer =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", ...words], {
        cwd,
      });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "x");
    git("worktree", "add", "-q", join(root, "tree"));
    put("repo/.claude/settings.local.json", { permissions: { deny: ["Edit(/own/**)"], allow: ["Bash(make)"] } });
    await trust();
    mkdirSync(join(cwd, "sub"));
    mkdirSync(join(root, "tree/sub"));
    await trust(join(cwd, "sub"));
    for (const folder of [join(root, "tree"), join(root, "tree/sub")]) {
      const { project, settings } = load(folder);
      expect(project?.isTrusted).toBe(true);
      // Seen: what the user alone forbids in a repository was forbidden in none of its other work trees.
      const { deny, allow } = settings.permissions;
      expect(deny).toContainEqual(expect.objectContaining({ rule: "Edit(/own/**)", root: join(root, "tree") }));
      expect(allow.map(({ rule }) => rule)).toContain("Bash(make)");
    }
    // Seen: nothing reported that the denials in a work tree's own file do not apply.
    const unread = () => load(join(root, "tree")).problems.filter(({ text }) => text.includes("is not read"));
    put("tree/.claude/settings.local.json", readFileSync(join(cwd, ".claude/settings.local.json"), "utf8"));
    expect(unread()).toEqual([]);
    const own = put("tree/.claude/settings.local.json", { permissions: { deny: ["Bash(make)"] } });
    expect(unread()).toMatchObject([{ level: "notice", source: own }]);
    put("tree/.git", "gitdir: ../repo/.git/worktrees/tree\n");
    put("repo/.git/worktrees/tree/gitdir", "../../../../tree/.git\n");
    expect(load(join(root, "tree")).project?.isTrusted).toBe(true);
    // Seen: beside a link to the repository, too, where that says by a relative path which its work trees are.
    mkdirSync(join(root, "far"));
    symlinkSync(cwd, join(root, "far/repo"));
    execFileSync("cp", ["-r", join(root, "tree"), join(root, "far/tree")]);
    expect(load(join(root, "far/tree")).settings.permissions.deny.map(({ rule }) => rule)).toEqual(["Bash(make)"]);
    execFileSync("cp", ["-r", join(root, "tree"), join(root, "poser")]);
    expect(load(join(root, "poser")).project?.isTrusted).toBe(false);
    put("poser/.git", `gitdir: ${join(root, "poser/own/.git/worktrees/x")}\n`);
    put("poser/own/.git/worktrees/x/gitdir", `${join(root, "poser/.git")}\n`);
    put("poser/own/.git/worktrees/x/commondir", `${join(cwd, ".git")}\n`);
    expect(load(join(root, "poser")).project?.isTrusted).toBe(false);
  });

  test("does not connect a work tree with a repository in the home directory", () => {
    put("tree/.git", `gitdir: ${join(home, ".git/worktrees/tree")}\n`);
    put("home/.git/worktrees/tree/gitdir", `${join(root, "tree/.git")}\n`);
    put("tree/.claude/settings.local.json", { permissions: { deny: ["Bash(make)"] } });
    const { settings, problems } = load(join(root, "tree"));
    expect([settings.permissions.deny.map(({ rule }) => rule), problems]).toEqual([["Bash(make)"], []]);
  });

  test("is stored in a private file, and can be listed and revoked", async () => {
    await trust();
    expect(statSync(join(store(), "trust.json")).mode & 0o777).toBe(0o600);
    expect(readTrust(store())).toMatchObject([{ folder: cwd }]);
    expect(await revokeTrust(store(), cwd)).toBe(true);
    expect(await revokeTrust(store(), cwd)).toBe(false);
    expect(load().project?.isTrusted).toBe(false);
  });

  test("is given to no folder by a file that cannot be understood", () => {
    for (const text of ["{", "[]", '{"folders":[{"folder":1}]}', '{"folders":"x"}']) {
      put("home/.pawl/trust.json", text);
      if (text === "{") expect(() => readTrust(store())).toThrow(/no folder is trusted/u);
      else expect(readTrust(store())).toEqual([]);
    }
    expect(readFileSync(join(store(), "trust.json"), "utf8")).toContain("folders");
  });
});

describe("settings from several files", () => {
  test("rank an administrator over the flag, then local, project and user, and .pawl over .claude", async () => {
    const levels = [
      "home/.claude/settings.json",
      "home/.pawl/settings.json",
      "repo/.claude/settings.json",
      "repo/.pawl/settings.json",
      "repo/.claude/settings.local.json",
      "repo/.pawl/settings.local.json",
    ];
    for (const file of levels) {
      put(file, { model: file, permissions: { deny: [`Bash(${file})`] } });
      await trust();
      expect(load().settings.model, file).toBe(file);
    }
    expect(load(cwd, { flag: '{"model":"flag"}' }).settings.model).toBe("flag");
    put("etc/managed-settings.json", { model: "policy" });
    expect(load(cwd, { flag: '{"model":"flag"}' }).settings.model).toBe("policy");
    put("etc/managed-settings.d/z.json", { model: "dropped in" });
    for (const name of ["y", "a", "m", "0", "q"]) put(`etc/managed-settings.d/${name}.json`, { model: "earlier" });
    for (const none of [".c.json", "c.json.bak"]) put(`etc/managed-settings.d/${none}`, { model: "put aside" });
    const { settings, layers } = load(cwd);
    expect(settings.model).toBe("dropped in");
    expect(settings.permissions.deny).toHaveLength(levels.length);
    expect(layers.at(-1)?.source).toMatchObject({ origin: "policy" });
  });

  test("include local settings from the top of the repository", () => {
    mkdirSync(join(cwd, ".git"));
    mkdirSync(join(cwd, "sub"));
    put("repo/.claude/settings.local.json", { permissions: { deny: ["Bash(x)"] } });
    put("repo/.claude/settings.json", { permissions: { deny: ["Bash(y)"] } });
    expect(load(join(cwd, "sub")).settings.permissions.deny.map(({ rule }) => rule)).toEqual(["Bash(x)"]);
  });

  test("include the servers of .mcp.json from the top of the repository down to the working folder only", () => {
    mkdirSync(join(cwd, ".git"));
    for (const folder of ["", "repo/", "repo/sub/", "repo/sub/deep/", "repo/beside/"])
      put(`${folder}.mcp.json`, { mcpServers: {} });
    const found = (folder: string): string[] => load(folder).settings.mcp.sources.map((source) => source.folder);
    expect(found(join(cwd, "sub"))).toEqual([cwd, join(cwd, "sub")]);
    expect(found(cwd)).toEqual([cwd]);
  });
});

const further =
  `ANTHROPIC_API_KEY ANTHROPIC_BASE_URL PAWL_LAYERS_OFF HTTP_PROXY https_proxy ALL_PROXY NO_PROXY NODE_OPTIONS
  NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED SSL_CERT_FILE LD_PRELOAD DYLD_INSERT_LIBRARIES Path path BASH_FUNC_ls%%
  GIT_SSH_COMMAND GIT_CONFIG_COUNT GIT_TEMPLATE_DIR GIT_SEQUENCE_EDITOR AWS_PROFILE npm_config_script_shell NPM_CONFIG_REGISTRY
  PIP_INDEX_URL CARGO_BUILD_RUSTC_WRAPPER XDG_CONFIG_HOME OTEL_EXPORTER_OTLP_ENDPOINT CLAUDE_CODE_USE_BEDROCK`.split(
    /\s+/u,
  );
const refusedNames = [...new Set([...steeringVariables.map((name) => name.replace(/\*$/u, "X")), ...further])];

test("a project cannot set any steering variable, even with trust, and each attempt is reported", () => {
  expect(refusedNames.length).toBeGreaterThan(150);
  const own = [
    "PROJECT_OWN",
    "NODE_ENV",
    "GIT_AUTHOR_NAME",
    "DEBUG",
    "PATHS",
    "MY_PATH",
    "PYTHONUNBUFFERED",
    "LDAP_URL",
    "CI",
  ];
  const env = Object.fromEntries([...refusedNames, ...own].map((name) => [name, "x"]));
  put("repo/.claude/settings.json", { env });
  const { settings, problems } = load(cwd, { trusts: () => true });
  const told = problems.map(({ text }) => text).join();
  expect(Object.keys(settings.env).toSorted()).toEqual(own.toSorted());
  const isName = (name: string): boolean => /^[A-Za-z_]\w*$/u.test(name);
  expect(refusedNames.filter((name) => !told.includes(isName(name) ? `"env.${name}"` : name))).toEqual([]);
  expect({ ...load().settings.env }).toEqual({});
});

describe("hook folders with more than 500 files", () => {
  const fill = (count: number): void => {
    put("repo/.claude/settings.json", { hooks: everything.hooks });
    for (let index = 0; index < count; index += 1) put(`repo/.claude/hooks/${index % 7}/${index}.sh`, "");
  };

  test("cannot be trusted by anybody, and the notice says so", () => {
    fill(501);
    const { settings, project, problems } = load(cwd, { trusts: () => true });
    expect(project).toMatchObject({ isTrusted: false, hash: undefined });
    expect(settings.hooks).toEqual([]);
    expect(problems.map(({ text }) => text).join()).toContain("too much in its hook folders to look at");
  });

  test("can be trusted up to exactly that number", () => {
    fill(500);
    expect(load(cwd, { trusts: () => true }).project?.isTrusted).toBe(true);
  });
});

describe("a binary in a hook folder", () => {
  const program = (size: number, last: number): void => {
    const bytes = Buffer.alloc(size, 0xfe);
    bytes[size - 1] = last;
    put("repo/.claude/hooks/guard", bytes);
  };

  test.each([100, (4 << 20) + 100, 100 << 20])(
    "of %d bytes is no longer trusted once one byte changes",
    async (size) => {
      put("repo/.claude/settings.json", { hooks: everything.hooks });
      program(size, 0x80);
      await trust();
      expect(load().project?.isTrusted).toBe(true);
      program(size, 0x81);
      expect(load().project?.isTrusted).toBe(false);
    },
  );

  test.each([
    [1, (256 << 20) + 1],
    [5, 60 << 20],
  ])("cannot be trusted if there are %d of %d bytes", (count, size) => {
    put("repo/.claude/settings.json", { hooks: everything.hooks });
    for (let at = 0; at < count; at++) truncateSync(put(`repo/.claude/hooks/guard-${at}`, ""), size);
    expect(load(cwd, { trusts: () => true }).project).toMatchObject({ isTrusted: false, hash: undefined });
  });
});

// Seen: of folders that were trusted at the same time some were lost.
test("trusting and revoking folders at the same time loses no entry", async () => {
  const folders = ["a", "b", "c", "d"].map((name) => join(root, name));
  for (const folder of folders) mkdirSync(folder);
  const at = "2026-01-01T00:00:00.000Z";
  await addTrust(store(), cwd, "h", at);
  await Promise.all([...folders.map((folder) => addTrust(store(), folder, "h", at)), revokeTrust(store(), cwd)]);
  const trusted = readTrust(store()).map(({ folder }) => folder);
  expect(trusted.toSorted()).toEqual(folders);
});

test("changes to trust.json keep the fields and entries that a newer version wrote", async () => {
  const at = "2026-01-01T00:00:00.000Z";
  const [folder, other] = [cwd, realpathSync(join(cwd, ".."))];
  const newer = { folder: "/new", digests: { sha512: "x" }, at };
  const noted = { folder: other, hash: "h", at, by: "an administrator" };
  put("home/.pawl/trust.json", JSON.stringify({ version: 2, folders: [newer, noted] }));
  const kept = (): unknown => JSON.parse(readFileSync(trustFile(store()), "utf8"));
  await addTrust(store(), folder, "h", at);
  expect(kept()).toEqual({ version: 2, folders: [newer, noted, { folder: realpathSync(folder), hash: "h", at }] });
  expect(readTrust(store()).map((each) => each.folder)).toEqual([other, realpathSync(folder)]);
  await revokeTrust(store(), folder);
  expect(kept()).toEqual({ version: 2, folders: [newer, noted] });
});

test("a folder whose .git points to no folder or to no valid path is simply not trusted", () => {
  for (const pointer of ["/etc/passwd", "/a\0b", `/${"a".repeat(4_000)}`]) {
    put("repo/.git", `gitdir: ${pointer}\n`);
    expect(isTrusted([{ folder: "/elsewhere", hash: "h", at: "" }], join(root, "repo"), "h")).toBe(false);
  }
});

test("a work tree that only a subfolder of a trusted repository lists is not trusted", () => {
  const other = join(root, "other");
  put("other/.git", `gitdir: ${join(cwd, "sub/worktrees/x")}\n`);
  put("repo/sub/worktrees/x/gitdir", `${join(other, ".git")}\n`);
  expect(isTrusted([{ folder: cwd, hash: "h", at: "" }], other, "h")).toBe(false);
});

test("trust can be revoked by a link to the folder, and for a folder that no longer exists", async () => {
  const at = "2026-01-01T00:00:00.000Z";
  const gone = join(root, "gone");
  mkdirSync(gone);
  symlinkSync(cwd, join(root, "link"));
  for (const folder of [cwd, gone]) await addTrust(store(), folder, "h", at);
  rmSync(gone, { recursive: true });
  expect(await revokeTrust(store(), join(root, "elsewhere"))).toBe(false);
  expect(await revokeTrust(store(), join(root, "link"))).toBe(true);
  expect(await revokeTrust(store(), gone)).toBe(true);
  expect(readTrust(store())).toEqual([]);
});

import { mkdirSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { localMarketplacePath } from "../../src/knowledge/enabled-plugins.ts";
import { loadKnowledge } from "../../src/knowledge/load-knowledge.ts";
import { readManifest, readMarketplace } from "../../src/knowledge/plugins.ts";
import { describeCorpus } from "../support/corpus.ts";
import { put as putFile } from "../support/put.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
beforeEach(() => {
  root = temporaryFolder();
  mkdirSync(join(root, "repo/.git"), { recursive: true });
});

const put = (file: string, text: string | object): string => putFile(join(root, file), text);

const load = (dirs: string[], enabled: Record<string, boolean> = {}) =>
  loadKnowledge({
    cwd: join(root, "repo"),
    home: join(root, "home"),
    pawlHome: join(root, "home/.pawl"),
    claudeHome: join(root, "home/.claude"),
    policyFolders: [],
    trusts: () => false,
    plugins: {
      dirs: dirs.map((dir) => join(root, dir)),
      enabled,
      marketplaces: {
        market: { source: { source: "directory", path: "~/market" } },
        far: { source: { source: "github", repo: "a/b" } },
      },
    },
  });

describe("plugins", () => {
  test("from a folder provide skills, commands and agents under their name", async () => {
    put("p/.claude-plugin/plugin.json", { name: "tools", version: "1.0.0", commands: "./cmds" });
    put("p/skills/pdf/SKILL.md", "---\ndescription: PDF\nallowed-tools: Read\n---\nSee ${CLAUDE_PLUGIN_ROOT}.");
    put("p/cmds/go.md", "Go.");
    put("p/commands/unused.md", "x");
    put("p/agents/helper.md", "---\nname: helper\ndescription: Helps\npermissionMode: plan\n---\nYou help.");
    put("p/hooks/hooks.json", { hooks: { Stop: [] }, modules: ["./a.js"] });
    put("p/workflows/w.md", "x");
    const { skills, agents, plugins, problems } = await load(["p"]);
    expect(problems.map(({ reason }) => reason)).toEqual(['"modules" are not run here; its other hooks are']);
    const hooks = [{ value: { Stop: [] }, source: join(root, "p/hooks/hooks.json") }];
    expect(plugins).toMatchObject([{ name: "tools", version: "1.0.0", hooks, servers: [], unused: ["workflows"] }]);
    expect(skills.map(({ name, source }) => [name, source])).toEqual([
      ["tools:pdf", "plugin"],
      ["tools:go", "plugin"],
    ]);
    expect(skills[0]).toMatchObject({ allowedTools: ["Read"], plugin: { root: join(root, "p") } });
    expect(agents).toMatchObject([{ name: "tools:helper", source: "plugin", forbiddenFields: ["permissionMode"] }]);
  });

  test('have no hooks outside of "hooks", which is reported', async () => {
    put("p/.claude-plugin/plugin.json", { name: "tools" });
    put("p/hooks/hooks.json", { PreToolUse: [{ hooks: [{ type: "command", command: "exit 2" }] }] });
    const { plugins, problems } = await load(["p"]);
    expect(plugins).toMatchObject([{ name: "tools", hooks: [] }]);
    expect(problems.map(({ reason }) => reason)).toEqual([
      '"PreToolUse" is outside of "hooks", so its hooks do not run',
    ]);
  });

  // Seen: a guard was lost without a word where its file was a link whose target had gone, or where two of its event stood there.
  test("report broken links and repeated keys in their files", async () => {
    put("p/.claude-plugin/plugin.json", '{"//":"a","name":"tools","version":"1.0.0","version":"2.0.0","//":"b"}');
    mkdirSync(join(root, "p/hooks"));
    symlinkSync(join(root, "gone.json"), join(root, "p/hooks/hooks.json"));
    put("p/.mcp.json", '{"//":"a","mcpServers":{"a":{"command":"x"},"a":{"command":"y"}},"//":"b"}');
    const reasons = async (...dirs: string[]) => (await load(dirs)).problems.map(({ path, reason }) => [path, reason]);
    expect(await reasons("p")).toEqual([
      [join(root, "p/.claude-plugin/plugin.json"), '"version" appears twice; the last one counts'],
      [join(root, "p/hooks/hooks.json"), "it is a link to something that does not exist"],
      [join(root, "p/.mcp.json"), '"mcpServers.a" appears twice; the last one counts'],
    ]);
    mkdirSync(join(root, "q/.claude-plugin"), { recursive: true });
    symlinkSync("plugin.json", join(root, "q/.claude-plugin/plugin.json"));
    expect(await reasons("q")).toEqual([
      [join(root, "q/.claude-plugin/plugin.json"), "it is a link to something that does not exist"],
    ]);
  });

  test("list their unsupported parts, wherever they are declared, unless they are empty", async () => {
    put("p/.claude-plugin/plugin.json", {
      name: "tools",
      dependencies: ["other"],
      channels: [{ server: "s" }],
      lspServers: {},
      workflows: [],
      experimental: { monitors: "./watch.json", themes: [] },
    });
    put("p/bin/tool", "x");
    const { plugins } = await load(["p"]);
    expect(plugins).toMatchObject([{ unused: ["bin", "channels", "dependencies", "monitors"] }]);
  });

  test("name agents after their subfolders, and fill in the plugin's folders in agents' prompts", async () => {
    put("p/.claude-plugin/plugin.json", { name: "kit" });
    const agent = (name: string) =>
      `---\nname: ${name}\ndescription: d\n---\nRun ${"${CLAUDE_PLUGIN_ROOT}"}/x, keep ${"${CLAUDE_PLUGIN_DATA}"}, ${"${HOME}"}.`;
    put("p/agents/review/deep/sec.md", agent("sec"));
    put("p/agents/top.md", agent("top"));
    put("repo/.claude/agents/sub/mine.md", agent("mine"));
    const { agents } = await load(["p"]);
    expect(agents.map(({ name }) => name)).toEqual(["mine", "kit:review:deep:sec", "kit:top"]);
    expect(agents[0]?.prompt).toContain("${CLAUDE_PLUGIN_ROOT}/x");
    const data = join(root, "home/.pawl/plugins/data/kit");
    expect(agents[1]?.prompt).toBe(`Run ${join(root, "p")}/x, keep ${data}, ${"${HOME}"}.`);
  });

  test("may declare hooks, servers and styles in the manifest, by path or inline", async () => {
    const inline = { Stop: [{ hooks: [] }] };
    put("p/.claude-plugin/plugin.json", {
      name: "p",
      hooks: inline,
      mcpServers: "./own.json",
      outputStyles: ["./s.md"],
    });
    put("p/own.json", { one: { command: "x" } });
    put("q/.claude-plugin/plugin.json", { name: "q", hooks: ["./h.json", "../../x.json"], mcpServers: { two: {} } });
    put("q/h.json", { hooks: inline });
    const { plugins, problems } = await load(["p", "q"]);
    expect(plugins).toMatchObject([
      { hooks: [{ value: inline }], servers: [{ value: { one: { command: "x" } } }], styles: [join(root, "p/s.md")] },
      { hooks: [{ value: inline }], servers: [{ value: { two: {} } }], styles: [join(root, "q/output-styles")] },
    ]);
    expect(problems.map(({ reason }) => reason)).toEqual(['"hooks" should be paths in the plugin, beginning with ./']);
  });

  test("may name single files as well as folders", async () => {
    put("p/.claude-plugin/plugin.json", {
      name: "p",
      agents: ["./agents/one.md", "./gone.md", "./agents/notes.txt"],
      commands: ["./cmds/go.md", "./more"],
    });
    const agent = (name: string): string => `---\nname: ${name}\ndescription: d\n---\nYou help.`;
    put("p/agents/one.md", agent("one"));
    put("p/agents/two.md", agent("two"));
    put("p/agents/notes.txt", agent("notes"));
    put("p/cmds/go.md", "Go.");
    put("p/cmds/stay.md", "Stay.");
    put("p/more/on.md", "On.");
    put("secret.md", agent("secret"));
    symlinkSync(join(root, "secret.md"), join(root, "p/out.md"));
    put("q/.claude-plugin/plugin.json", { name: "q", agents: "./out.md" });
    put("q/none.md", "x");
    symlinkSync(join(root, "secret.md"), join(root, "q/out.md"));
    const { skills, agents, problems } = await load(["p", "q"]);
    expect(skills.map(({ name }) => name)).toEqual(["p:go", "p:on"]);
    expect(agents.map(({ name }) => name)).toEqual(["p:one"]);
    expect(problems.map(({ reason }) => reason)).toEqual([
      '"agents" names ./gone.md, which does not exist',
      "it is not a file of this kind",
      "it is a link that leads out of the project",
    ]);
  });

  test("call skills by the name in their front matter", async () => {
    put("v1.2/.claude-plugin/plugin.json", { name: "p", skills: "./" });
    put("v1.2/SKILL.md", "---\nname: review\ndescription: d\n---\nDo it.");
    put("q/.claude-plugin/plugin.json", { name: "q" });
    put("q/skills/a/SKILL.md", "---\nname: pdf-tools\ndescription: d\n---\nDo it.");
    put("q/skills/b/SKILL.md", "---\nname: PDF Tools\ndescription: d\n---\nDo it.");
    put("q/skills/c/SKILL.md", "---\nname: p:review\ndescription: d\n---\nDo it.");
    const { skills } = await load(["v1.2", "q"]);
    expect(skills.map(({ name }) => name)).toEqual(["p:review", "q:pdf-tools", "q:b", "q:c"]);
  });

  test("without a manifest are described by their marketplace", async () => {
    const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
    const plugins = [
      { name: "docs", source: "./", strict: false, skills: ["./skills/pdf"], hooks },
      { name: "arts", source: "./", strict: false, skills: ["./skills/art"] },
      { name: "all", source: "./plain" },
      { name: "again", source: "./twin" },
    ];
    put("home/market/.claude-plugin/marketplace.json", { name: "market", owner: { name: "me" }, plugins });
    for (const name of ["pdf", "art"])
      put(`home/market/skills/${name}/SKILL.md`, `---\ndescription: ${name}\n---\nDo it.`);
    put("home/market/plain/commands/hi.md", "Hi.");
    put("home/market/twin/.claude-plugin/plugin.json", { name: "all" });
    const names = ["docs", "arts", "all", "again"].map((name) => [`${name}@market`, true] as const);
    const found = await load([], Object.fromEntries(names));
    expect(found.skills.map(({ name }) => name)).toEqual(["docs:pdf", "arts:art", "all:hi"]);
    expect(found.plugins.map(({ hooks: own }) => own)).toEqual([[], [], []]);
    expect(found.problems.map(({ reason }) => reason)).toEqual([
      '"hooks" of docs has no effect here, only in a plugin.json of its own',
      "it was left out: all@market is called all too",
    ]);
  });

  // Seen: a plugin worked without its hooks, and nobody learned why.
  test("with misspelt fields for their parts are reported", () => {
    const text = JSON.stringify(
      { name: "p", hook: "./x.json", mcp_servers: {}, keyword: [], skills: [], skill: [] },
      null,
      1,
    );
    expect(readManifest(text, "/p/.claude-plugin/plugin.json").problems).toEqual([
      { path: "/p/.claude-plugin/plugin.json", line: 3, reason: '"hook" is ignored: the field is called "hooks"' },
      expect.objectContaining({ reason: '"mcp_servers" is ignored: the field is called "mcpServers"' }),
    ]);
  });

  test("are found in their marketplace with or without pluginRoot, and reported by name if they cannot be used", async () => {
    const plugins = [
      { name: "bare", source: "bare" },
      { name: "whole", source: "./plugins/whole" },
      { name: "short", source: "./short" },
      { name: "broken", source: "broken" },
      { name: "gone", source: "./gone" },
    ];
    put("home/market/.claude-plugin/marketplace.json", {
      name: "market",
      metadata: { pluginRoot: "./plugins" },
      plugins,
    });
    for (const name of ["bare", "whole", "short"]) put(`home/market/plugins/${name}/commands/go.md`, "Go.");
    put("home/market/plugins/broken/.claude-plugin/plugin.json", { name: "broken", version: 7 });
    const enabled = Object.fromEntries(plugins.map(({ name }) => [`${name}@market`, true]));
    const { skills, problems } = await load([], enabled);
    expect(skills.map(({ name }) => name)).toEqual(["bare:go", "whole:go", "short:go"]);
    const told = problems
      .filter(({ path }) => path.endsWith("@market"))
      .map(({ path, reason }) => `${path}: ${reason}`);
    expect(told).toEqual([
      expect.stringMatching(/^broken@market: it was left out: "version" should be text \(.*plugin\.json\)$/u),
      expect.stringMatching(/^gone@market: it was left out: there is no such folder/u),
    ]);
  });

  test("of a local marketplace are enabled by settings, and no other marketplace is fetched", async () => {
    const plugins = [
      { name: "one", source: "./one" },
      { name: "two", source: "../../etc" },
      { name: "three", source: { source: "github", repo: "x/y" } },
      { name: "four" },
    ];
    put("home/market/.claude-plugin/marketplace.json", { name: "market", owner: { name: "me" }, plugins });
    put("home/market/one/commands/hi.md", "Hi.");
    const found = await load([], {
      "one@market": true,
      "two@market": true,
      "three@market": true,
      "x@far": true,
      "off@market": false,
    });
    expect(found.skills.map(({ name }) => name)).toEqual(["one:hi"]);
    expect(found.problems.map(({ path, reason }) => `${path.split("/").at(-1)}: ${reason.slice(0, 30)}`)).toEqual([
      "marketplace.json: the source of two leads out of",
      "marketplace.json: four should have a source: a f",
      "two@market: no marketplace on this disk ha",
      "three@market: no marketplace on this disk ha",
      "x@far: no marketplace on this disk ha",
    ]);
  });

  // Seen: of all plugins that a user had, turned on and fetched, it was said that no marketplace on this disk had them.
  test("fetched by another tool are enabled by settings, unless settings name a local marketplace", async () => {
    const own = "home/.claude/plugins";
    const copy = (id: string, folder: string, file = "commands/hi.md") => {
      put(`${own}/cache/${folder}/${file}`, "Hi.");
      return {
        [id]: [
          { scope: "project", installPath: "/gone" },
          { scope: "user", installPath: join(root, own, "cache", folder) },
        ],
      };
    };
    const plugins = [
      { name: "inside", source: "./inside" },
      { name: "away", source: { source: "url", url: "https://example.com/away.git" }, commands: ["./cmds"] },
      { name: "never", source: { source: "github", repo: "x/y" } },
    ];
    put(`${own}/marketplaces/far/.claude-plugin/marketplace.json`, { name: "far", plugins });
    put(`${own}/marketplaces/far/inside/commands/hi.md`, "Hi.");
    put("home/market/.claude-plugin/marketplace.json", { name: "market", plugins: [{ name: "one", source: "./one" }] });
    put("home/market/one/commands/mine.md", "Hi.");
    put(`${own}/known_marketplaces.json`, {
      far: { source: { source: "github", repo: "a/b" }, installLocation: join(root, own, "marketplaces/far") },
      market: { installLocation: join(root, own, "marketplaces/far") },
      gone: { installLocation: join(root, "gone") },
      odd: 7,
    });
    put(`${own}/installed_plugins.json`, {
      version: 2,
      plugins: {
        ...copy("away@far", "far/away/1.2.0", "cmds/go.md"),
        ...copy("alone@unknown", "unknown/alone/3.0.0"),
        ...copy("one@market", "market/one/1.0.0"),
        "odd@far": "x",
      },
    });
    const ids = ["inside@far", "away@far", "never@far", "alone@unknown", "one@market", "x@gone", "odd@far"];
    const found = await load([], Object.fromEntries(ids.map((id) => [id, true])));
    expect(found.skills.map(({ name }) => name)).toEqual(["inside:hi", "away:go", "alone:hi", "one:mine"]);
    expect(found.plugins.map(({ id, isFetched = false }) => [id, isFetched])).toEqual([
      ["inside@far", true],
      ["away@far", true],
      ["alone@unknown", true],
      ["one@market", false],
    ]);
    expect(found.problems.map(({ path }) => path)).toEqual(["never@far", "x@gone", "odd@far"]);
    put(`${own}/installed_plugins.json`, "{");
    put(`${own}/known_marketplaces.json`, "[]");
    expect((await load([], { "inside@far": true })).problems).toMatchObject([{ path: "inside@far" }]);
  });

  test("fetched by another tool are not looked for in the working folder if their path is relative", async () => {
    put("repo/p/commands/hi.md", "Hi.");
    put("repo/.claude-plugin/marketplace.json", { name: "m", plugins: [{ name: "x", source: "./p" }] });
    const [installPath, installLocation] = ["repo/p", "repo"].map((name) => relative(process.cwd(), join(root, name)));
    put("home/.claude/plugins/installed_plugins.json", { plugins: { "p@far": [{ scope: "user", installPath }] } });
    put("home/.claude/plugins/known_marketplaces.json", { m: { installLocation } });
    const { plugins, problems } = await load([], { "p@far": true, "x@m": true });
    expect(plugins).toEqual([]);
    expect(problems.map(({ path }) => path)).toEqual(["p@far", "x@m"]);
  });

  test("that cannot be read are reported with file and line", async () => {
    put("a/.claude-plugin/plugin.json", "{");
    put("b/.claude-plugin/plugin.json", '{\n  "name": "b",\n  "version": 3\n}');
    put("c/.claude-plugin/plugin.json", { name: "c", skills: ["./mine", "../../out"] });
    put("c/mine/SKILL.md", "---\ndescription: Mine\n---\nx");
    const { plugins, skills, problems } = await load(["a", "b", "c", "none"]);
    expect(plugins.map(({ name }) => name)).toEqual(["c"]);
    expect(skills.map(({ name }) => name)).toEqual(["c:mine"]);
    expect(problems.map(({ line, reason }) => [line, reason.slice(0, 24)])).toEqual([
      [1, "it is not JSON: it ends "],
      [3, '"version" should be text'],
      [1, '"skills" should be paths'],
      [undefined, "there is no such folder"],
    ]);
  });
});

describeCorpus(
  "plugins",
  (name) => name.endsWith(".json"),
  (files) => {
    test("every manifest and marketplace can be read", () => {
      for (const { path, text } of files) {
        const read = path.endsWith("marketplace.json")
          ? readMarketplace(text, path).marketplace
          : readManifest(text, path).plugin;
        expect(read?.name, path).not.toBe("");
        expect(read, path).toBeDefined();
      }
    });
  },
);

// Seen: skills were gone since the folder that a link named had been moved, and nothing said so.
test("reports a folder of skills, commands or agents that is a broken link", async () => {
  mkdirSync(join(root, "home/.pawl"), { recursive: true });
  for (const name of ["skills", "commands", "agents"])
    symlinkSync(join(root, "dotfiles", name), join(root, "home/.pawl", name));
  const { problems } = await load([]);
  const reason = "it is a link to something that does not exist";
  expect(problems).toEqual(
    ["skills", "commands", "agents"].map((name) => ({ path: join(root, "home/.pawl", name), reason })),
  );
});

test("reads a marketplace only from a path on this disk", () => {
  const of = (source: unknown) => localMarketplacePath({ source }, "/work", "/home/me");
  expect([of({ source: "directory", path: "~/market" }), of({ source: "file", path: "m.json" })]).toEqual([
    "/home/me/market",
    "/work/m.json",
  ]);
  for (const none of [{ source: "directory" }, { source: "file", path: 7 }, { source: "github", path: "x" }, null, "x"])
    expect(of(none)).toBeUndefined();
});

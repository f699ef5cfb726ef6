import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadKnowledge } from "../../src/knowledge/load-knowledge.ts";
import { readManifest, readMarketplace } from "../../src/knowledge/plugins.ts";
import { describeCorpus } from "../support/corpus.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-plugins-")));
  mkdirSync(join(root, "repo/.git"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(file: string, text: string | object): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), typeof text === "string" ? text : JSON.stringify(text));
}

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
  test("of a folder bring skills, commands and agents under their name", async () => {
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
    expect(skills[0]).toMatchObject({ allowedTools: ["Read"], pluginRoot: join(root, "p") });
    expect(agents).toMatchObject([{ name: "tools:helper", source: "plugin", withheld: ["permissionMode"] }]);
  });

  test("name hooks, servers and styles in their manifest, by path or at once", async () => {
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

  test("of a marketplace on this disk are turned on by settings, and no other is fetched", async () => {
    const plugins = [
      { name: "one", source: "./one" },
      { name: "two", source: "../../etc" },
      { name: "three", source: { source: "github", repo: "x/y" } },
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
      "two@market: no marketplace on this disk ha",
      "three@market: no marketplace on this disk ha",
      "x@far: no marketplace on this disk ha",
    ]);
  });

  test("that cannot be read are told with file and line", async () => {
    put("a/.claude-plugin/plugin.json", "{");
    put("b/.claude-plugin/plugin.json", '{\n  "name": "b",\n  "version": 3\n}');
    put("c/.claude-plugin/plugin.json", { name: "c", skills: ["./mine", "../../out"] });
    put("c/mine/SKILL.md", "---\ndescription: Mine\n---\nx");
    const { plugins, skills, problems } = await load(["a", "b", "c", "none"]);
    expect(plugins.map(({ name }) => name)).toEqual(["c"]);
    expect(skills.map(({ name }) => name)).toEqual(["c:mine"]);
    expect(problems.map(({ line, reason }) => [line, reason.slice(0, 24)])).toEqual([
      [1, "it is not JSON: line 1 e"],
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
    test("every manifest and marketplace is read, or told with its file", () => {
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

// `pawl plugin`: plugins of marketplaces on this disk, turned on and off in settings.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { runPlugin } from "../../src/cli/plugin-command.ts";
import { put as putFile } from "../support/put.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
beforeEach(() => {
  root = temporaryFolder();
  put("work/a.txt", "a");
  put("market/.claude-plugin/marketplace.json", {
    name: "m",
    plugins: [
      { name: "one", source: "./one" },
      { name: "far", source: { source: "github", repo: "x/y" } },
    ],
  });
  put("market/one/commands/hi.md", "Hi.");
});

const put = (file: string, text: string | object): string => putFile(join(root, file), text);

async function pawl(...words: string[]): Promise<{ code: number; said: string }> {
  const command = parseArguments(["plugin", ...words]);
  if (command.kind !== "plugin") throw new Error(command.kind);
  const around = { cwd: join(root, "work"), home: join(root, "home"), env: {} };
  let said = "";
  const code = await runPlugin(command.plugin, around, async (text) => void (said += text));
  return { code, said };
}

test("adds a marketplace, lists its plugins, and turns one on and off", async () => {
  expect((await pawl("list")).said).toContain("There are no plugins.");
  await pawl("marketplace", "add", "../market");
  expect((await pawl("marketplace", "list")).said).toBe(`m ${join(root, "market")} (2 plugins)\n`);
  expect((await pawl("enable", "one@m")).said).toContain("enabledPlugins.one@m is written to");
  const { said } = await pawl();
  expect(said).toBe(`on one@m ${join(root, "market/one")}\noff far@m not on this disk, so it cannot be turned on\n`);
  const settings = JSON.parse(readFileSync(join(root, "home/.pawl/settings.json"), "utf8")) as unknown;
  expect(settings).toEqual({
    extraKnownMarketplaces: { m: { source: { source: "directory", path: join(root, "market") } } },
    enabledPlugins: { "one@m": true },
  });
  await pawl("disable", "one@m");
  expect((await pawl()).said).toContain("off one@m");
  await pawl("marketplace", "remove", "m");
  expect((await pawl("marketplace")).said).toContain("There are no marketplaces.");
});

test("removes the settings of a marketplace's plugins together with the marketplace", async () => {
  await pawl("marketplace", "add", "../market");
  await pawl("enable", "one@m");
  put("home/.claude/settings.json", { enabledPlugins: { "far@m": true } });
  await pawl("marketplace", "remove", "m");
  const settings = JSON.parse(readFileSync(join(root, "home/.pawl/settings.json"), "utf8")) as unknown;
  expect(settings).toEqual({ extraKnownMarketplaces: {}, enabledPlugins: {} });
});

test("removes a marketplace of an untrusted folder with its plugins", async () => {
  const source = { source: "directory", path: "../market" };
  const others = { "two@other": true };
  put("work/.pawl/settings.json", {
    extraKnownMarketplaces: { m: { source } },
    enabledPlugins: { "one@m": true, ...others },
  });
  await pawl("marketplace", "remove", "m", "--project");
  const settings = JSON.parse(readFileSync(join(root, "work/.pawl/settings.json"), "utf8")) as unknown;
  expect(settings).toEqual({ extraKnownMarketplaces: {}, enabledPlugins: others });
});

test("lists plugins that another tool has fetched, and turns them on and off", async () => {
  const own = join(root, "home/.claude/plugins");
  put("home/.claude/plugins/known_marketplaces.json", { m: { installLocation: join(root, "market") } });
  put("home/.claude/plugins/cache/m/far/1.0.0/commands/go.md", "Go.");
  const installPath = join(own, "cache/m/far/1.0.0");
  put("home/.claude/plugins/installed_plugins.json", { plugins: { "far@m": [{ scope: "user", installPath }] } });
  await pawl("enable", "far@m");
  expect((await pawl("list")).said).toBe(`off one@m ${join(root, "market/one")}\non far@m ${installPath}\n`);
  await pawl("disable", "far@m");
  expect((await pawl("list")).said).toContain("off far@m");
});

test("refuses to turn on a plugin that is not on this disk, and fetches nothing", async () => {
  await pawl("marketplace", "add", "../market");
  await expect(pawl("enable", "far@m")).rejects.toThrow("No marketplace on this disk has the plugin far@m");
  await expect(pawl("enable", "onr@m")).rejects.toThrow("Did you mean one@m?");
  await expect(pawl("marketplace", "add", "https://example.com/m")).rejects.toThrow(
    /is not a marketplace: there is no .*, and marketplaces elsewhere are not fetched\.$/u,
  );
});

test("validates a plugin or a marketplace with all its parts", async () => {
  expect(await pawl("validate", "../market")).toEqual({ code: 0, said: "Nothing is wrong with the marketplace m.\n" });
  put("market/one/hooks/hooks.json", "{");
  const wrong = await pawl("validate", "../market");
  expect(wrong).toMatchObject({ code: 1, said: expect.stringContaining("hooks.json:1: it is not JSON") });
  expect((await pawl("validate", "../market/one")).code).toBe(1);
  put("market/one/hooks/hooks.json", '{\n"hooks": {\n"Stop": 7, "NoSuch": []}}');
  put("market/one/.mcp.json", '{"mcpServers": {\n"odd": {"type": "pigeon"}}}');
  put("market/one/skills/s/SKILL.md", "---\ndescription: x\neffort: huge\n---\nx");
  put("market/one/agents/a.md", "---\nname: a\n---\nx");
  const all = (await pawl("validate", "../market/one")).said;
  for (const place of ["hooks.json:3: ", ".mcp.json:2: ", "SKILL.md:3: ", "a.md:1: "]) expect(all).toContain(place);
  mkdirSync(join(root, "bare"));
  expect(await pawl("validate", "../bare")).toMatchObject({
    code: 1,
    said: expect.stringContaining("contains no part of a plugin"),
  });
  put("gone/.claude-plugin/marketplace.json", {
    name: "m",
    owner: { name: "o" },
    plugins: [{ name: "p", source: "./p" }],
  });
  const gone = (await pawl("validate", "../gone")).said;
  expect(gone).toBe(`${join(root, "gone/p")}: there is no such folder\n`);
  await expect(pawl("validate", "../nothing")).rejects.toThrow("There is no plugin or marketplace at ../nothing.");
});

test("does not validate other files of the repository around a plugin", async () => {
  put("market/.git/HEAD", "ref: refs/heads/main\n");
  put("market/.claude/agents/nameless.md", "No name.");
  put("market/.claude/skills/s/SKILL.md", "---\ndescription: x\neffort: huge\n---\nx");
  for (const place of ["../market", "../market/one"]) expect((await pawl("validate", place)).code).toBe(0);
});

test("accepts a plugin with required user configuration that is not set", async () => {
  const userConfig = { KEY: { type: "string", title: "Key", description: "A key", required: true } };
  put("market/one/.claude-plugin/plugin.json", { name: "one", userConfig });
  for (const place of ["../market", "../market/one"]) expect((await pawl("validate", place)).code).toBe(0);
});

// Seen: four plugins of a marketplace that everybody has were wrong, since nobody had set CLAUDE_PLUGIN_ROOT.
test("accepts servers of a plugin that take unset variables from the environment", async () => {
  const files = { command: "bun", args: ["run", "--cwd", "${CLAUDE_PLUGIN_ROOT}"], env: { TOKEN: "${TFE_TOKEN}" } };
  const far = { type: "http", url: "${API_URL}/mcp", headers: { Authorization: "Bearer ${API_KEY}" } };
  const near = { type: "http", url: "${NEAR_URL:-http://127.0.0.1:3000}/mcp" };
  const own = { type: "http", url: "http://localhost:${PORT}/mcp" };
  const beside = { type: "http", url: "https://api.${DOMAIN}:${PORT}/mcp" };
  const asked = { type: "http", url: "${user_config.api-url}/mcp", headers: { Key: "${user_config.key}" } };
  put("market/one/.mcp.json", { mcpServers: { files, far, near, own, beside, asked } });
  for (const place of ["../market", "../market/one"]) expect((await pawl("validate", place)).code).toBe(0);
  put("market/one/.mcp.json", { mcpServers: { far: { ...far, url: "ftp://${API_URL}" } } });
  expect((await pawl("validate", "../market/one")).said).toContain('"url" should be a web address');
});

test.each([["enable"], ["list", "x"], ["marketplace", "add"], ["sing"], ["enable", "a@b", "--global"]])(
  "refuses %j and names the help",
  (...words) => {
    expect(() => parseArguments(["plugin", ...words])).toThrow(/pawl plugin/u);
  },
);

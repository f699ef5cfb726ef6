// Plugins in a session: their hooks, servers and styles run for the person who enabled them, and are distinguished from all others.
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { explicitPluginProblems } from "../../src/session/plugins/plugin-errors.ts";
import { readHookConfig } from "../../src/hooks/config.ts";
import { surveyHooks } from "../../src/hooks/survey.ts";
import type { EngineOptions } from "../../src/index.ts";
import { findPlugins } from "../../src/knowledge/enabled-plugins.ts";
import { createDoctorReport } from "../../src/session/desk/doctor.ts";
import { openHookDesk } from "../../src/session/desk/hook-desk.ts";
import { enabledExtraHooks, allPluginHooks } from "../../src/session/hooks/extra-hooks.ts";
import { openTrustDesk } from "../../src/session/permissions/project-trust.ts";
import type { SDKMessage, SDKSystemInit } from "../../src/protocol/sdk.ts";
import { pluginWishes } from "../../src/session/plugins/wishes.ts";
import { loadSettings } from "../../src/settings/load.ts";
import type { Reply } from "../../src/testing/index.ts";
import { serverOf } from "../mcp/support.ts";
import { put } from "../support/put.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openSession, turn, type Ground } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const hook = (command: string) => ({ PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] });

/** A plugin `p` in `folder`, with one of each. */
function plugin(folder: string, ground: Ground): string {
  put(join(folder, ".claude-plugin/plugin.json"), { name: "p" });
  const line = "sh ${CLAUDE_PLUGIN_ROOT}/scripts/note.sh";
  put(join(folder, "hooks/hooks.json"), { description: "notes", hooks: hook(line) });
  put(
    join(folder, "scripts/note.sh"),
    `echo "$CLAUDE_PLUGIN_ROOT $PAWL_PLUGIN_DATA" >> ${join(ground.home, "seen")}\n`,
  );
  const { command, args = [] } = serverOf();
  put(join(folder, ".mcp.json"), { mcpServers: { s: { command, args, env: { ROOT: "${CLAUDE_PLUGIN_ROOT}" } } } });
  put(join(folder, "output-styles/terse.md"), "---\nname: terse\ndescription: d\n---\nSPEAK TERSELY.");
  return folder;
}

const isInit = (told: SDKMessage): told is SDKSystemInit => told.type === "system" && told.subtype === "init";
const seen = ({ home }: Ground) => (existsSync(join(home, "seen")) ? readFileSync(join(home, "seen"), "utf8") : "");

async function run(ground: Ground, options: EngineOptions = {}) {
  const notices: string[] = [];
  const steps = [
    { content: [{ tool: "Bash", input: { command: "ls" } }] },
    { content: [{ tool: "mcp__plugin_p_s__echo", input: { text: "hello there" } }] },
  ];
  const told: EngineOptions = { onNotice: (text) => void notices.push(text), allowedTools: ["mcp__plugin_p_s"] };
  const { engine, model } = await openSession({ steps, fallback: "Done." }, { ...told, ...options }, ground);
  await turn(engine, "Go.");
  const { body } = calls(model).at(-1) ?? {};
  return { engine, notices, said: JSON.stringify(body?.messages), system: JSON.stringify(body?.system) };
}

const market = (folder: string) => ({
  extraKnownMarketplaces: { m: { source: { source: "directory", path: folder } } },
  enabledPlugins: { "p@m": true },
});

function marketplace(folder: string, ground: Ground): void {
  put(join(folder, ".claude-plugin/marketplace.json"), { name: "m", plugins: [{ name: "p", source: "./p" }] });
  plugin(join(folder, "p"), ground);
}

describe("when only an administrator's hooks are allowed", () => {
  test.each([
    ["the administrator's run", true, true],
    ["those from another's marketplace do not run, whoever enables them", false, true],
    ["those that somebody else enables do not run", true, false],
  ])("of the hooks of plugins, %s", (_, hasMarket, turnsOn) => {
    const ground = layGround();
    marketplace(join(ground.home, "market"), ground);
    const { extraKnownMarketplaces, enabledPlugins } = market(join(ground.home, "market"));
    const policyFolder = join(ground.home, "etc");
    put(join(policyFolder, "managed-settings.json"), {
      allowManagedHooksOnly: true,
      ...(hasMarket ? { extraKnownMarketplaces } : {}),
      ...(turnsOn ? { enabledPlugins } : {}),
    });
    put(join(ground.pawlHome, "settings.json"), { extraKnownMarketplaces, enabledPlugins, disableAllHooks: true });
    const places = { home: ground.home, cwd: ground.work, env: {}, policyFolders: [policyFolder] };
    const { settings } = loadSettings(places);
    const { plugins } = findPlugins(pluginWishes({}, settings), places);
    expect(plugins.map(({ id }) => id)).toEqual(["p@m"]);
    const brought = allPluginHooks(plugins, { settings, pawlHome: ground.pawlHome });
    const isRun = hasMarket && turnsOn;
    expect(enabledExtraHooks(brought, settings)).toHaveLength(isRun ? 1 : 0);
    const { hooks } = readHookConfig(brought[0]?.value, "plugin", "hooks.json", brought[0]?.place);
    const limits = { isTrusted: () => true, disableAllHooks: true, leavesToPolicy: true, endMs: 0 };
    expect(surveyHooks(hooks, limits)).toMatchObject([{ runs: isRun }]);
  });
});

describe("a plugin fetched by another tool", () => {
  const fetched = (ground: Ground): void => {
    const folder = plugin(join(ground.home, ".claude/plugins/cache/m/p/1.0.0"), ground);
    const plugins = { "p@m": [{ scope: "user", installPath: folder }] };
    put(join(ground.home, ".claude/plugins/installed_plugins.json"), { version: 2, plugins });
  };

  test("runs its hooks and servers if the user's settings turn it on", async () => {
    const ground = layGround();
    fetched(ground);
    put(join(ground.home, ".claude/settings.json"), { enabledPlugins: { "p@m": true } });
    const { said, engine, notices } = await run(ground);
    expect(seen(ground)).toContain(join(ground.home, ".claude/plugins/cache/m/p/1.0.0"));
    expect(said).toContain("hello there");
    expect(engine.mcpServerStatus()).toMatchObject([{ name: "plugin:p:s", status: "connected" }]);
    expect(notices).toEqual([]);
    const desk = openHookDesk({ home: ground.home, cwd: ground.work, env: {} });
    expect(desk.hooks).toMatchObject([{ runs: true }]);
  });

  test("does not count its hooks as an administrator's, even if the administrator turned it on", () => {
    const ground = layGround();
    fetched(ground);
    const policyFolder = join(ground.home, "etc");
    put(join(policyFolder, "managed-settings.json"), {
      allowManagedHooksOnly: true,
      extraKnownMarketplaces: { m: { source: { source: "github", repo: "a/b" } } },
      enabledPlugins: { "p@m": true },
    });
    const places = { home: ground.home, cwd: ground.work, env: {}, policyFolders: [policyFolder] };
    const { settings } = loadSettings(places);
    const claudeHome = join(ground.home, ".claude");
    const { plugins } = findPlugins(pluginWishes({}, settings), { ...places, claudeHome });
    const brought = allPluginHooks(plugins, { settings, pawlHome: ground.pawlHome });
    expect([brought.length, enabledExtraHooks(brought, settings)]).toEqual([1, []]);
  });
});

describe("a plugin", () => {
  test("runs its hooks and servers, and offers its output style", async () => {
    const ground = layGround();
    const folder = plugin(join(ground.home, "p"), ground);
    const settings = '{"outputStyle": "p:terse"}';
    const { said, system, engine } = await run(ground, { pluginDirs: [folder], settings });
    expect(seen(ground)).toBe(`${folder} ${join(ground.pawlHome, "plugins/data/p")}\n`);
    expect(said).toContain("hello there");
    expect(system).toContain("SPEAK TERSELY.");
    expect(engine.mcpServerStatus()).toMatchObject([{ name: "plugin:p:s", status: "connected" }]);
  });

  test.each([
    ["as a list", '["Bash(${CLAUDE_PLUGIN_ROOT}/scripts/set-up.sh:*)"]'],
    ["in quotes", 'Bash("${CLAUDE_PLUGIN_ROOT}/scripts/set-up.sh":*)'],
    ["after another program", 'Bash(sh "${CLAUDE_PLUGIN_ROOT}/scripts/set-up.sh" *)'],
  ])("can use its folder in the permission rules of its commands: %s", async (_, rules) => {
    const ground = layGround();
    const folder = join(ground.home, "p(1)");
    const runner = rules.includes("sh ") ? "sh " : "";
    const text = `---\nallowed-tools: ${rules}\n---\nX\n\n\`\`\`!\n${runner}"\${CLAUDE_PLUGIN_ROOT}/scripts/set-up.sh" $ARGUMENTS\n\`\`\`\n`;
    put(join(folder, ".claude-plugin/plugin.json"), { name: "p" });
    put(join(folder, "commands/loop.md"), text);
    put(join(folder, "scripts/set-up.sh"), '#!/bin/sh\necho "set up <$1>"\n');
    chmodSync(join(folder, "scripts/set-up.sh"), 0o755);
    const { engine, model } = await openSession({ steps: [], fallback: "Done." }, { pluginDirs: [folder] }, ground);
    const { result } = await turn(engine, "/p:loop 'a b'");
    expect(result).toMatchObject({ subtype: "success" });
    expect(JSON.stringify(calls(model)[0]?.body?.messages)).toContain("set up <a b>");
  });

  test("can use its folders and the project in the permission rules of its files", async () => {
    const ground = layGround();
    const folder = join(ground.home, "p");
    const rules =
      "allowed-tools: Edit(${CLAUDE_PLUGIN_ROOT}/out/**)\ndisallowed-tools: Read(${CLAUDE_PROJECT_DIR}/kept.txt)";
    put(join(folder, ".claude-plugin/plugin.json"), { name: "p" });
    put(join(folder, "commands/loop.md"), `---\n${rules}\n---\nX\n`);
    const made = join(folder, "out/made.txt");
    const kept = ground.file("kept.txt", "of nobody's business");
    const steps: Reply[] = [
      { content: [{ tool: "Write", input: { file_path: made, content: "x" } }] },
      { content: [{ tool: "Read", input: { file_path: kept } }] },
    ];
    const { engine, model } = await openSession({ steps, fallback: "Done." }, { pluginDirs: [folder] }, ground);
    await turn(engine, "/p:loop");
    expect(existsSync(made)).toBe(true);
    expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).not.toContain("of nobody's business");
  });

  test("without servers still brings everything else", async () => {
    const ground = layGround();
    const folder = plugin(join(ground.home, "p"), ground);
    const { said, engine } = await run(ground, { pluginDirsWithoutServers: [folder] });
    expect(seen(ground)).toContain(folder);
    expect(said).toContain("No such tool available: mcp__plugin_p_s__echo");
    expect(engine.mcpServerStatus()).toEqual([]);
    expect(engine.desk.plugins()).toMatchObject([{ name: "p", path: folder }]);
  });

  test("runs no hook if hooks are switched off or left to an administrator", async () => {
    const ground = layGround();
    const folder = plugin(join(ground.home, "p"), ground);
    await run(ground, { pluginDirs: [folder], settings: '{"disableAllHooks": true}' });
    expect(seen(ground)).toBe("");
  });

  test.each(["pluginDirs", "pluginDirsWithoutServers"])(
    "named by %s is reported if it does not exist or is invalid",
    async (option) => {
      const ground = layGround();
      const [broken, none] = [join(ground.home, "broken"), join(ground.home, "none")];
      put(join(broken, ".claude-plugin/plugin.json"), "{oops");
      const { notices } = await run(ground, { [option]: [broken, none] });
      expect(notices.join("\n")).toContain(`The plugin ${join(broken, ".claude-plugin/plugin.json")}: `);
      expect(notices.join("\n")).toContain(`The plugin ${none}: there is no such folder.`);
    },
  );

  test("with unreadable hooks is reported at the start, as is a missing plugin", async () => {
    const ground = layGround();
    const folder = plugin(join(ground.home, "p"), ground);
    put(join(folder, "hooks/hooks.json"), "{");
    put(join(ground.pawlHome, "settings.json"), { enabledPlugins: { "gone@nowhere": true } });
    const { notices, engine } = await run(ground, { pluginDirs: [folder] });
    expect(notices.join("\n")).toContain("hooks/hooks.json: it is not JSON");
    expect(notices.join("\n")).toContain("The plugin gone@nowhere: no marketplace on this disk has it");
    const errors = async () =>
      (await turn(engine, "Again.")).messages.flatMap((told) => (isInit(told) ? told.plugin_errors : []));
    expect(await errors()).toEqual([
      { plugin: join(folder, "hooks/hooks.json"), type: "generic-error", message: expect.stringContaining("not JSON") },
      { plugin: "gone@nowhere", type: "generic-error", message: expect.stringContaining("no marketplace") },
    ]);
    put(join(folder, "hooks/hooks.json"), { hooks: {} });
    put(join(folder, "skills/odd/SKILL.md"), "---\nallowedTools: Read\n---\nx");
    await engine.desk.reloadPlugins();
    expect((await errors()).map((error) => error?.plugin)).toEqual(["gone@nowhere"]);
  });

  test("does not get the problems of a folder whose name begins like its own", () => {
    const problem = (path: string) => ({ path, reason: "it is not JSON" });
    const knowledge = {
      plugins: [{ root: "/x/foo" }],
      problems: [problem("/x/foo-bar/a.json"), problem("/x/foo/a.json")],
    };
    expect(explicitPluginProblems(knowledge as never, []).map(({ path }) => path)).toEqual(["/x/foo/a.json"]);
  });

  // Seen: told again with each agent, and with each skill that brought hooks; so was what memory files hold that cannot be seen.
  test("with faulty hooks or memory is reported once in a session with agents", async () => {
    const ground = layGround();
    const folder = plugin(join(ground.home, "p"), ground);
    const hooks = { PostToolUse: [{ matcher: "Bash", once: true, hooks: [{ type: "command", command: "true" }] }] };
    put(join(folder, "hooks/hooks.json"), { hooks });
    put(join(ground.work, "CLAUDE.md"), "Be\u200b kind.");
    const agent = { content: [{ tool: "Agent", input: { description: "d", prompt: "Say hello." } }] };
    const rules = [{ when: { lastUserText: "Say hello." }, reply: "Hello." }];
    const notices: string[] = [];
    const options: EngineOptions = { pluginDirs: [folder], onNotice: (text) => void notices.push(text) };
    const { engine } = await openSession({ rules, steps: [agent, agent, "Done."] }, options, ground);
    await turn(engine, "Go.");
    const faults = notices.map((text) => /once has no effect|invisible/u.exec(text)?.[0]);
    expect(faults).toEqual(["once has no effect", "invisible"]);
  });

  // Seen: each start wrote a line for each of two hundred that a folder's settings turn on.
  test("that is missing is reported together with all other missing plugins", async () => {
    const ground = layGround();
    const ids = Array.from({ length: 12 }, (_, at) => `p${String(at)}@nowhere`);
    put(join(ground.pawlHome, "settings.json"), { enabledPlugins: Object.fromEntries(ids.map((id) => [id, true])) });
    const { notices } = await run(ground);
    const told = `${ids.slice(0, 10).join(", ")} and 2 more, which "pawl doctor" lists`;
    expect(notices).toEqual([
      `Each of the plugins ${told}: no marketplace on this disk has it; others are not fetched.`,
    ]);
  });

  test("with an unreadable guard hook prevents the start", async () => {
    const ground = layGround();
    const folder = plugin(join(ground.home, "p"), ground);
    put(join(folder, "hooks/hooks.json"), { hooks: { PreToolUse: {} } });
    await expect(run(ground, { pluginDirs: [folder] })).rejects.toThrow("hooks.PreToolUse should be a list");
  });

  test("is listed with everything it brings by the doctor and by pawl hooks", async () => {
    const ground = layGround();
    const folder = plugin(join(ground.home, "p"), ground);
    const options = { cwd: ground.work, home: ground.home, env: {}, pluginDirs: [folder] };
    const report = await createDoctorReport(options);
    expect(report.plugins).toMatchObject([{ name: "p", unused: [], brings: { hooks: 1, servers: 1 } }]);
    expect(report.styles.found).toMatchObject([{ name: "p:terse", source: "plugin" }]);
    expect(report.servers).toMatchObject([{ name: "plugin:p:s", starts: true }]);
    const { hooks } = openHookDesk(options);
    expect(hooks).toMatchObject([{ event: "PreToolUse", origin: "plugin", runs: true }]);
  });

  test("with hooks that prevent the start is listed by the doctor, which says that no session would start", async () => {
    const ground = layGround();
    const folder = join(ground.home, "p");
    put(join(folder, ".claude-plugin/plugin.json"), { name: "p" });
    put(join(folder, "hooks/hooks.json"), { hooks: [{ event: "Stop", command: "true" }] });
    const options = { cwd: ground.work, home: ground.home, env: {}, pluginDirs: [folder] };
    const told = async (settings: string) => (await createDoctorReport({ ...options, settings })).settings.problems;
    expect(await told("{}")).toMatchObject([
      { level: "error", text: expect.stringContaining(`${join(folder, "hooks/hooks.json")} (p): "hooks" should be`) },
    ]);
    expect(await told('{"disableAllHooks": true}')).toEqual([]);
  });
});

describe("a plugin whose files lie in the project", () => {
  const told = { source: { source: "directory", path: "./market" } };
  const away = { source: { source: "github", repo: "a/b" } };
  const here = (ground: Ground) => ({ source: { source: "directory", path: join(ground.work, "market") } });

  test.each<[string, (ground: Ground) => { folders: object; own?: object; fetched?: object }]>([
    ["in the project's own marketplace", () => ({ folders: market("./market") })],
    [
      "in a marketplace that another tool has installed",
      (ground) => ({
        folders: { extraKnownMarketplaces: { m: away }, enabledPlugins: { "p@m": true } },
        fetched: { m: { ...here(ground), installLocation: join(ground.work, "market") } },
      }),
    ],
    [
      "in a marketplace that the user's settings locate in the project",
      (ground) => ({
        folders: { enabledPlugins: { "p@m": true } },
        own: { extraKnownMarketplaces: { m: here(ground) } },
      }),
    ],
    [
      "in a project marketplace that takes the place of the user's",
      () => ({
        folders: { extraKnownMarketplaces: { m: told } },
        own: { extraKnownMarketplaces: { m: away }, enabledPlugins: { "p@m": true } },
      }),
    ],
  ])("needs trust, which is lost when any of its files changes: %s", async (_, laid) => {
    const ground = layGround();
    const { folders, own = {}, fetched = {} } = laid(ground);
    const folder = join(ground.work, "market");
    marketplace(folder, ground);
    put(join(ground.work, ".pawl/settings.json"), folders);
    put(join(ground.pawlHome, "settings.json"), own);
    put(join(ground.home, ".claude/plugins/known_marketplaces.json"), fetched);
    await run(ground);
    expect(seen(ground)).toBe("");
    const around = { cwd: ground.work, home: ground.home, env: {} };
    await openTrustDesk(around).add();
    await run(ground);
    expect(seen(ground)).toContain(join(folder, "p"));
    put(join(folder, "p/scripts/note.sh"), `echo other >> ${join(ground.home, "seen")}\n`);
    expect(openTrustDesk(around).project?.isTrusted).toBe(false);
    await run(ground);
    expect(seen(ground)).not.toContain("other");
  });

  test("belongs to the user if it is a copy in the user's folder, so a new version needs no trust", async () => {
    const ground = layGround();
    put(join(dirname(ground.home), ".git/HEAD"), "ref: refs/heads/main");
    const folder = plugin(join(ground.home, ".claude/plugins/cache/m/p/1.0.0"), ground);
    const plugins = { "p@m": [{ scope: "user", installPath: folder }] };
    put(join(ground.home, ".claude/plugins/installed_plugins.json"), { version: 2, plugins });
    put(join(ground.work, ".pawl/settings.json"), { enabledPlugins: { "p@m": true } });
    await run(ground);
    expect(seen(ground)).toBe("");
    const around = { cwd: ground.work, home: ground.home, env: {} };
    await openTrustDesk(around).add();
    put(join(folder, "README.md"), "More.");
    await run(ground);
    expect(seen(ground)).toContain(folder);
  });
});

describe("a plugin's option", () => {
  const userConfig = {
    api_key: { type: "string", title: "Key", sensitive: true, required: true },
    level: { type: "number", title: "Level", default: 3 },
    note: { type: "string", title: "Note" },
  };
  const odd = `a "b" $(touch x) \`touch y\``;

  function laid(): Ground {
    const ground = layGround();
    const folder = join(ground.home, "market/p");
    marketplace(dirname(folder), ground);
    put(join(folder, ".claude-plugin/plugin.json"), { name: "p", userConfig });
    const { command, args = [] } = serverOf({ tools: [{ name: "env", inputSchema: { type: "object" } }] });
    const env = { GIVEN: "${user_config.api_key}/${user_config.level}/${user_config.note}" };
    put(join(folder, "serve.mjs"), "await import(process.argv.splice(2, 1)[0]);");
    const started = { command, args: ["serve.mjs", ...args], cwd: "." };
    put(join(folder, ".mcp.json"), { mcpServers: { s: { ...started, env } } });
    const line = `printf '%s' "\${user_config.api_key}|$CLAUDE_PLUGIN_OPTION_LEVEL|$CLAUDE_PLUGIN_OPTION_OTHER" > ${join(ground.home, "seen")}`;
    put(join(folder, "hooks/hooks.json"), { hooks: hook(line) });
    return ground;
  }

  const settings = (ground: Ground, options?: object) =>
    JSON.stringify({
      ...market(join(ground.home, "market")),
      ...(options === undefined ? {} : { pluginConfigs: { "p@m": { options } } }),
    });

  async function envOf(ground: Ground, extra: EngineOptions) {
    const notices: string[] = [];
    const steps = [
      { content: [{ tool: "Bash", input: { command: "ls" } }] },
      { content: [{ tool: "mcp__plugin_p_s__env", input: {} }] },
    ];
    const told = { onNotice: (text: string) => void notices.push(text), allowedTools: ["mcp__plugin_p_s"] };
    const { engine, model } = await openSession({ steps, fallback: "Done." }, { ...told, ...extra }, ground);
    await turn(engine, "Go.");
    return {
      notices,
      said: JSON.stringify(calls(model).at(-1)?.body?.messages.at(-1)),
      status: engine.mcpServerStatus(),
    };
  }

  test("from the user's own settings reaches its servers and hooks, and is never shell code", async () => {
    const ground = laid();
    const { said, notices } = await envOf(ground, { settings: settings(ground, { api_key: odd, other: "no" }) });
    for (const part of ["$(touch x)", "/3/"]) expect(said).toContain(part);
    expect(seen(ground)).toBe(`${odd}|3|`);
    expect(existsSync(join(ground.work, "x"))).toBe(false);
    expect(notices).toEqual([]);
  });

  test("that has no value keeps its server from starting, which is reported; a folder's settings cannot set it", async () => {
    const ground = laid();
    const own = { pluginConfigs: { "p@m": { options: { api_key: "the folder's" } } } };
    put(join(ground.work, ".claude/settings.json"), own);
    const { notices, status } = await envOf(ground, { settings: settings(ground), trust: true });
    expect(notices.join("\n")).toContain("needs the plugin's option api_key, which pluginConfigs in your own settings");
    const { problems } = await createDoctorReport({
      cwd: ground.work,
      home: ground.home,
      env: {},
      settings: settings(ground),
    });
    expect(problems.map(({ reason }) => reason)).toContain(
      'it needs the option api_key: set pluginConfigs["p@m"].options.api_key in your own settings',
    );
    expect(status).toMatchObject([{ status: "failed", error: expect.stringContaining("option api_key") }]);
    expect(seen(ground)).not.toContain("the folder's");
  });
});

test("a plugin's skill requested by its bare name is suggested by its full name", async () => {
  const ground = layGround();
  const folder = plugin(join(ground.home, "p"), ground);
  put(join(folder, "skills/look/SKILL.md"), "---\nname: look\ndescription: d\n---\nLook well.");
  const steps = ["look", "p:look"].map((skill) => ({ content: [{ tool: "Skill", input: { skill } }] }));
  const { engine, model } = await openSession({ steps, fallback: "Done." }, { pluginDirs: [folder] }, ground);
  await turn(engine, "Go.");
  const said = (at: number): string => JSON.stringify(calls(model)[at]?.body?.messages);
  expect(said(1)).toContain("Did you mean p:look?");
  expect(said(2)).toContain("Look well.");
});

// Settings that the host of a running session changes.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Reply, RequestView } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const bash = (command: string): Reply => ({ content: [{ tool: "Bash", input: { command } }] });

describe("applyFlagSettings", () => {
  test("allows from the next prompt on, key by key instead of --settings, until null removes the key", async () => {
    const ground = layGround();
    const steps = [bash("touch a"), "1", bash("touch b"), "2", bash("touch c"), "3", bash("touch d"), "4"];
    const settings = JSON.stringify({ permissions: { allow: ["Bash(touch a)"] }, env: { KEPT: "kept" } });
    const engine = await openOn(ground, scripted({ steps }), { settings });
    const isMade = (name: string): boolean => existsSync(join(ground.work, name));
    await turn(engine, "1");
    await engine.desk.applyFlagSettings({ permissions: { allow: ["Bash(touch b)", "Bash(touch c)"] } });
    await turn(engine, "2");
    expect(["a", "b"].map(isMade)).toEqual([true, true]);
    const { effective } = await engine.desk.settings();
    expect(effective).toMatchObject({
      permissions: { allow: ["Bash(touch b)", "Bash(touch c)"] },
      env: { KEPT: "kept" },
    });
    await engine.clear();
    await turn(engine, "3");
    expect(isMade("c")).toBe(true);
    await engine.desk.applyFlagSettings({ permissions: null });
    await turn(engine, "4");
    expect(isMade("d")).toBe(false);
  });

  test("denies from the next call on", async () => {
    const ground = layGround();
    const model = scripted({ steps: [bash("true"), bash("touch a"), "Ok."] });
    const engine = await openOn(ground, model, { allowedTools: ["Bash"] });
    await turn(engine, "1", {
      onMessage: (message) =>
        message.type === "user" && engine.desk.applyFlagSettings({ permissions: { deny: ["Bash(touch a)"] } }),
    });
    expect(existsSync(join(ground.work, "a"))).toBe(false);
  });

  // Seen: a hook of a widely copied guide was refused for a variable that is merely empty.
  test("accepts hooks that only have warnings", async () => {
    const engine = await openOn(layGround(), scripted({}));
    const command = 'echo "$CLAUDE_TOOL_INPUT" >> log';
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] };
    await engine.desk.applyFlagSettings({ hooks });
    expect((await engine.desk.settings()).effective).toMatchObject({ hooks });
  });

  // Seen: agents that began later, and the session after /clear, ran the hooks that were switched off.
  test("disables and enables hooks, also for agents that start later", async () => {
    const ground = layGround();
    const ran = () => readFileSync(join(ground.home, "ran"), "utf8").length;
    const hook = { type: "command", command: `printf x >> ${join(ground.home, "ran")}` };
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] };
    const agent: Reply = { content: [{ tool: "Agent", input: { description: "d", prompt: "Look." } }] };
    const reply = ({ lastUserText, turns }: RequestView): Reply =>
      lastUserText.includes("Look.") ? ([bash("ls")][turns] ?? { content: ["a"] }) : agent;
    const rules = [
      { when: { lastToolResult: { tool: "Agent" } }, reply: bash("ls -a") },
      { when: { lastToolResult: { tool: "Bash", text: "." } }, reply: "Done." },
      { when: {}, reply },
    ];
    const engine = await openOn(ground, scripted({ rules }), { settings: JSON.stringify({ hooks }) });
    await turn(engine, "1");
    expect(ran()).toBe(2);
    await engine.desk.applyFlagSettings({ disableAllHooks: true });
    await turn(engine, "2");
    await engine.clear();
    await turn(engine, "3");
    expect(ran()).toBe(2);
    await engine.desk.applyFlagSettings({ disableAllHooks: null });
    await turn(engine, "4");
    expect(ran()).toBe(4);
  });

  test("changes the model and the effort, and null restores those of the start", async () => {
    const notices: string[] = [];
    const model = scripted({ steps: ["1", "2"] });
    const engine = await openOn(layGround(), model, {
      model: "opus",
      effort: "low",
      onNotice: (text) => notices.push(text),
    });
    await engine.desk.applyFlagSettings({ model: "sonnet", effortLevel: "high" });
    await turn(engine, "1");
    await engine.desk.applyFlagSettings({ model: null, effortLevel: null });
    await turn(engine, "2");
    const sent = calls(model).map(({ body }) => [body?.model, (body as { output_config?: object }).output_config]);
    expect(sent).toEqual([
      [expect.stringMatching(/sonnet/u), expect.objectContaining({ effort: "high" })],
      [expect.stringMatching(/opus/u), expect.objectContaining({ effort: "low" })],
    ]);
    expect(notices.filter((text) => text.includes("next session"))).toEqual([]);
  });

  // Seen: it answered success without a word, so a host believed that its key had an effect.
  test("accepts keys that have no effect here, and says so", async () => {
    const notices: string[] = [];
    const engine = await openOn(layGround(), scripted({ steps: ["1"] }), { onNotice: (text) => notices.push(text) });
    await engine.desk.applyFlagSettings({ fastModePerSessionOptIn: true, quux: 1, gone: null, effortLevel: "low" });
    expect(notices).toEqual([
      'these settings: this version does not act on "fastModePerSessionOptIn".',
      'these settings: "quux" is not a known setting.',
    ]);
    expect((await engine.desk.settings()).effective).toMatchObject({ effortLevel: "low" });
  });

  // Seen: a host that reset several keys at once was refused because of one that it had never set.
  test("takes null for a key that is fixed only if the flag does not have that key", async () => {
    const engine = await openOn(layGround(), scripted({ steps: ["1"] }), { settings: '{"apiKeyHelper":"x"}' });
    await engine.desk.applyFlagSettings({ agent: null, sandbox: null, effortLevel: "low" });
    expect((await engine.desk.settings()).effective).toMatchObject({ effortLevel: "low" });
    await expect(engine.desk.applyFlagSettings({ apiKeyHelper: null })).rejects.toThrow("cannot be changed");
  });

  test.each([
    [{ sandbox: { enabled: true } }, "sandbox: cannot be changed while a session runs"],
    [{ apiKeyHelper: "x", model: "opus" }, "apiKeyHelper: cannot be changed while a session runs"],
    [{ permissions: { deny: "Bash" } }, "should be a list of rules"],
    [{ permissions: { deny: ["Bash(("] } }, "Nothing was changed"],
    [{ permissions: { allow: [7] } }, "should be"],
    [{ permissions: { defaultMode: "bypassPermissions" } }, "only applies to the start of a session"],
    [{ hooks: [] }, "Nothing was changed"],
    [{ hooks: { PreToolUse: [{ hooks: [{ type: "none" }] }] } }, "Nothing was changed"],
    [{ env: { "A B": "x" } }, "Nothing was changed"],
    [{ effortLevel: "huge" }, "should be one of"],
    [{ model: "" }, "should be"],
  ])("refuses %j as a whole", async (settings, said) => {
    const engine = await openOn(layGround(), scripted({ steps: ["1"] }));
    const before = await engine.desk.settings();
    await expect(engine.desk.applyFlagSettings({ env: { A: "a" }, ...settings })).rejects.toThrow(said);
    expect(await engine.desk.settings()).toEqual(before);
    expect(engine.getModel()).toMatch(/sonnet/u);
  });
});

describe("updateSettings", () => {
  test("writes keys of the user's own file, and removes them again", async () => {
    const ground = layGround();
    mkdirSync(ground.pawlHome);
    const path = join(ground.pawlHome, "settings.json");
    writeFileSync(path, '{\n  // mine\n  "env": {"A": "a"}\n}\n');
    const engine = await openOn(ground, scripted({}));
    await engine.desk.updateSettings("user", { effortLevel: "high", outputStyle: "Terse" });
    expect(readFileSync(path, "utf8")).toContain("// mine");
    // What a session has begun with counts in it until the next one.
    const { sources } = await engine.desk.settings();
    expect(sources.at(-1)?.settings).toMatchObject({ effortLevel: "high", outputStyle: "Terse" });
    await engine.desk.updateSettings("user", { effortLevel: null, model: null });
    expect(readFileSync(path, "utf8")).not.toContain("effortLevel");
    await engine.desk.updateSettings("local", { outputStyle: "default" });
    expect(readFileSync(join(ground.work, ".pawl/settings.local.json"), "utf8")).toContain('"outputStyle": "default"');
  });

  test("writes no key that runs or permits something, and names what was written before an invalid key", async () => {
    const ground = layGround();
    const engine = await openOn(ground, scripted({}));
    for (const settings of [{ apiKeyHelper: "x" }, { permissions: {} }, { hooks: {} }, { env: {} }, { nonsense: 1 }])
      await expect(engine.desk.updateSettings("user", settings)).rejects.toThrow("Nothing was changed");
    await expect(engine.desk.updateSettings("user", { model: "opus", effortLevel: "huge" })).rejects.toThrow(
      "Written before it: model.",
    );
    expect(JSON.parse(readFileSync(join(ground.pawlHome, "settings.json"), "utf8"))).toEqual({ model: "opus" });
  });
});

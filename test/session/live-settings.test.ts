// Settings that change while a session runs: what counts when, what is kept of a file that is broken, and who is asked.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import { openTrustDesk } from "../../src/session/permissions/project-trust.ts";
import type { Reply, ScriptedModel } from "../../src/testing/index.ts";
import { put } from "../support/put.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  optionsFor,
  scripted,
  turn,
  type Ground,
} from "./support.ts";
import { isAgent } from "../support/is-agent.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const bash = (...commands: string[]): Reply => ({
  content: commands.map((command) => ({ tool: "Bash", input: { command } })),
});

interface Opened {
  ground: Ground;
  own: string;
  folders: string;
  engine: QueryEngine;
  model: ScriptedModel;
  notices: string[];
}

async function open(
  steps: (Reply | string)[],
  options: EngineOptions = {},
  prepare?: (ground: Ground) => unknown,
): Promise<Opened> {
  const ground = layGround();
  await prepare?.(ground);
  const notices: string[] = [];
  const model = scripted({ steps, fallback: "Done." });
  const engine = await openOn(ground, model, { onNotice: (text) => void notices.push(text), ...options });
  const own = join(ground.pawlHome, "settings.json");
  return { ground, own, folders: join(ground.work, ".pawl/settings.json"), engine, model, notices };
}

/** What is done once, when the first result of a tool is there. */
function afterFirstResult(act: () => unknown): { onMessage: (message: SDKMessage) => void } {
  let isDone = false;
  return {
    onMessage(message) {
      if (isDone || message.type !== "user") return;
      isDone = true;
      act();
    },
  };
}

const made = ({ ground }: Opened, name: string): boolean => existsSync(join(ground.work, name));

// Reading it is an error of the disk. Seen: with each prompt it "changed and counts from now on", and it had not been read yet.
test.runIf(process.platform === "linux")(
  "a changed file that cannot be read is not reported as in force, until it can be read",
  async () => {
    const asked: unknown[] = [];
    const callback = async (input: unknown): Promise<void> => void asked.push(input);
    const hooks = { ConfigChange: [{ callback }] };
    const opened = await open(["1", "2", bash("touch a"), "3"], { hooks }, ({ pawlHome }) => {
      mkdirSync(pawlHome);
      symlinkSync("/proc/self/mem", join(pawlHome, "settings.json"));
    });
    const { engine, own, notices } = opened;
    await turn(engine, "1");
    await turn(engine, "2");
    expect(notices).toEqual([expect.stringContaining("cannot be read: the disk reported an error (EIO)")]);
    expect(asked).toEqual([]);
    rmSync(own);
    put(own, { permissions: { allow: ["Bash(touch a)"] } });
    await turn(engine, "3");
    expect(notices.slice(1)).toEqual([`${own} changed and counts from now on.`]);
    expect(asked).toMatchObject([{ file_path: own }]);
    expect(made(opened, "a")).toBe(true);
  },
);

test.each([
  [
    "throw",
    (): never => {
      throw new Error("the log is closed");
    },
  ],
  // Unhandled, it would end the process, and this run.
  ["reject", async () => Promise.reject(new Error("the log is closed"))],
])("a host whose log and notices %s still gets its turns, and changed settings still deny", async (_, deaf) => {
  const options = { onNotice: deaf, debug: deaf, allowedTools: ["Bash"] };
  const opened = await open(["Hello.", bash("touch made"), "Done."], options);
  const { engine, own } = opened;
  expect((await turn(engine, "1")).result.subtype).toBe("success");
  put(own, { permissions: { deny: ["Bash"] } });
  expect((await turn(engine, "2")).result.subtype).toBe("success");
  expect(made(opened, "made")).toBe(false);
});

test("the settings report shows the values in force beside what the files say now", async () => {
  const { engine, own } = await open(["1", "2"], {}, (ground) =>
    put(join(ground.pawlHome, "settings.json"), { effortLevel: "low", permissions: { allow: ["Bash(a)"] } }),
  );
  await turn(engine, "1");
  put(own, { effortLevel: "high", permissions: { allow: ["Bash(b)"] } });
  // What a host does with what it is shown is not shown next time.
  const shown = await engine.desk.settings();
  (shown.effective["permissions"] as { allow: string[] }).allow.push("Bash(c)");
  const before = await engine.desk.settings();
  expect(before.effective).toMatchObject({ effortLevel: "low", permissions: { allow: ["Bash(a)"] } });
  expect(before.sources).toMatchObject([{ settings: { effortLevel: "high" } }]);
  await turn(engine, "2");
  const { effective } = await engine.desk.settings();
  expect(effective).toMatchObject({ effortLevel: "low", permissions: { allow: ["Bash(b)"] } });
});

describe("a settings change", () => {
  test("in the file that --settings names takes effect as well", async () => {
    let file = "";
    const opened = await open(["1", bash("touch a", "touch b")], { settings: "flag.json" }, (ground) => {
      file = join(ground.work, "flag.json");
      put(file, { permissions: { allow: ["Bash(touch a)"] } });
    });
    await turn(opened.engine, "1");
    put(file, { permissions: { allow: ["Bash(touch b)"] } });
    await turn(opened.engine, "2");
    expect(["a", "b"].map((name) => made(opened, name))).toEqual([false, true]);
  });

  test("that denies takes effect with the next call, and one that allows with the next prompt and a notice", async () => {
    const opened = await open([bash("touch a"), bash("touch b"), bash("touch c"), "Ok.", bash("touch c")], {
      allowedTools: ["Bash(touch a)", "Bash(touch b)"],
    });
    const { engine, own, notices } = opened;
    const change = { permissions: { deny: ["Bash(touch b)"], allow: ["Bash(touch c)"] } };
    await turn(
      engine,
      "1",
      afterFirstResult(() => put(own, change)),
    );
    expect(["a", "b", "c"].map((name) => made(opened, name))).toEqual([true, false, false]);
    expect(notices).toEqual([]);
    await turn(engine, "2");
    expect(made(opened, "c")).toBe(true);
    expect(notices).toEqual([`${own} changed and counts from now on.`]);
    await turn(engine, "3");
    expect(notices).toHaveLength(1);
  });

  test("by removing a file does not allow what it denied while a turn runs", async () => {
    const opened = await open(
      [bash("true"), bash("touch a"), "Ok.", bash("touch a")],
      { allowedTools: ["Bash"] },
      (ground) => put(join(ground.pawlHome, "settings.json"), { permissions: { deny: ["Bash(touch a)"] } }),
    );
    await turn(
      opened.engine,
      "1",
      afterFirstResult(() => rmSync(opened.own)),
    );
    expect(made(opened, "a")).toBe(false);
    await turn(opened.engine, "2");
    expect(made(opened, "a")).toBe(true);
  });

  test("that rules out the current mode ends that mode with the next call", async () => {
    const opened = await open([bash("touch a"), bash("touch b")], { permissionMode: "bypassPermissions" });
    const { engine, own, notices } = opened;
    const lock = { permissions: { disableBypassPermissionsMode: "disable" } };
    await turn(
      engine,
      "1",
      afterFirstResult(() => put(own, lock)),
    );
    expect(["a", "b"].map((name) => made(opened, name))).toEqual([true, false]);
    expect(notices).toEqual([`${own} rules out the mode bypassPermissions: the mode is default from now on.`]);
  });

  test("reaches variables, folders and hooks with the next prompt, but not the model, as a notice says", async () => {
    const reply: Reply = {
      content: [
        { tool: "Bash", input: { command: 'echo "[$NEW|$OLD]" > a' } },
        { tool: "Read", input: { file_path: "../more/x" } },
      ],
    };
    const opened = await open(["Ok.", reply], { allowedTools: ["Bash"] }, (ground) => {
      put(join(ground.work, "../more/x"), "what is in there");
      put(join(ground.pawlHome, "settings.json"), { env: { OLD: "old" } });
    });
    const { engine, own, ground, notices } = opened;
    await turn(engine, "1");
    put(own, {
      model: "other",
      env: { NEW: "new" },
      permissions: { additionalDirectories: [join(ground.work, "../more")] },
      hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: `cat > ${join(ground.home, "seen")}` }] }] },
    });
    await turn(engine, "2");
    expect(readFileSync(join(ground.work, "a"), "utf8")).toBe("[new|]\n");
    expect(JSON.stringify(calls(opened.model).at(-1)?.body?.messages)).toContain("what is in there");
    expect(JSON.parse(readFileSync(join(ground.home, "seen"), "utf8"))).toMatchObject({ prompt: "2" });
    expect(notices).toEqual([`${own} changed and counts from now on. model: from the next session on.`]);
    expect(engine.getModel()).toBe("claude-sonnet-5-5");
  });

  test("that waits for the next session is named key by key, and is not reported as in force before", async () => {
    const { engine, own, notices } = await open(["Ok.", "Ok.", "Ok."], {}, (ground) =>
      put(join(ground.pawlHome, "settings.json"), { outputStyle: "concise" }),
    );
    await turn(engine, "1");
    put(own, {
      outputStyle: "explanatory",
      deniedModels: ["opus"],
      aliases: { short: "haiku" },
      sandbox: { network: { deniedDomains: ["a.example"] } },
      permissions: { defaultMode: "plan", deny: ["Bash(x)"] },
      disableAllHooks: false,
    });
    await turn(engine, "2");
    const later = "aliases, deniedModels, outputStyle, permissions.defaultMode, sandbox: from the next session on.";
    expect(notices).toEqual([`${own} changed and counts from now on. ${later}`]);
    const { effective } = await engine.desk.settings();
    expect(effective).toEqual({ outputStyle: "concise", permissions: { deny: ["Bash(x)"] }, disableAllHooks: false });
    await turn(engine, "3");
    expect(notices).toHaveLength(1);
  });

  test("that is invalid leaves the old settings in force, as one notice says until it is fixed", async () => {
    const opened = await open(["1", bash("touch a"), "3", bash("touch a")], { allowedTools: ["Bash"] }, (ground) =>
      put(join(ground.pawlHome, "settings.json"), { permissions: { deny: ["Bash(touch a)"] } }),
    );
    const { engine, own, notices } = opened;
    await turn(engine, "1");
    for (const text of ["", '{"permissions":{"deny":"x"}}', '{"permissions":{"deny":["Bash("]}}']) {
      put(own, text);
      await turn(engine, "2");
      expect(made(opened, "a")).toBe(false);
      expect(notices.splice(0)).toEqual([expect.stringContaining(`What ${own} said before still counts.`)]);
    }
    put(own, {});
    await turn(engine, "3");
    await turn(engine, "4");
    expect(notices).toEqual([`${own} changed and counts from now on.`]);
  });
});

test("a rule that denies meanwhile applies to running agents and to those that start later", async () => {
  const ground = layGround();
  const own = join(ground.pawlHome, "settings.json");
  const agent: Reply = { content: [{ tool: "Agent", input: { description: "a task", prompt: "Touch." } }] };
  let asked = 0;
  const model = scripted({
    rules: [
      {
        when: {},
        reply: ({ systemText, turns }) => {
          if (!isAgent({ systemText })) return turns < 2 ? agent : "Done.";
          asked += 1;
          if (asked === 2) put(own, { permissions: { deny: ["Bash(touch b)"] } });
          return turns < 2 ? bash(["touch a", "touch b"][turns] ?? "") : "Done.";
        },
      },
    ],
  });
  const engine = await openOn(ground, model, { allowedTools: ["Bash", "Agent"] });
  await turn(engine, "Go.");
  expect(asked).toBe(6);
  expect(["a", "b"].map((name) => existsSync(join(ground.work, name)))).toEqual([true, false]);
});

describe("a trusted folder", () => {
  const options = (opened: Pick<Opened, "ground" | "model">): EngineOptions => optionsFor(opened.ground, opened.model);
  const trusted = { permissions: { allow: ["Bash(touch a)", "Bash(touch z)"], deny: ["Bash(touch x)"] } };
  const changed = { permissions: { allow: ["Bash(touch *)"], deny: ["Bash(touch y)"], ask: ["Bash(touch z)"] } };

  test("that changes stays as it was plus its new denials until it is trusted again", async () => {
    const names = ["a", "b", "x", "y", "z"];
    const commands = names.map((name) => `touch ${name}`);
    const opened = await open(["1", bash(...commands), "3", bash(...commands)], {}, async (ground) => {
      put(join(ground.work, ".pawl/settings.json"), trusted);
      await openTrustDesk(optionsFor(ground, scripted({}))).add();
    });
    const { engine, folders, notices } = opened;
    await turn(engine, "1");
    put(folders, changed);
    await turn(engine, "2");
    expect(names.map((name) => made(opened, name))).toEqual([true, false, false, false, false]);
    expect(notices).toEqual([expect.stringContaining("is not trusted as it is now")]);
    await openTrustDesk(options(opened)).add();
    await turn(engine, "3");
    await turn(engine, "4");
    expect(names.map((name) => made(opened, name))).toEqual([true, true, true, false, false]);
  });

  test("that is trusted for one run is trusted as it was when the run began", async () => {
    const opened = await open(["1", bash("touch a", "touch b")], { trust: true }, (ground) =>
      put(join(ground.work, ".pawl/settings.json"), trusted),
    );
    await turn(opened.engine, "1");
    put(opened.folders, changed);
    await turn(opened.engine, "2");
    expect(["a", "b"].map((name) => made(opened, name))).toEqual([true, false]);
  });
});

describe("ConfigChange hooks", () => {
  function watching(answer?: object) {
    const seen: Record<string, unknown>[] = [];
    const callback = async (input: Record<string, unknown>) => {
      seen.push(input);
      return answer as undefined;
    };
    return { seen, hooks: { ConfigChange: [{ matcher: "user_settings", callback }] } as EngineOptions["hooks"] };
  }

  test("run once per change of a file", async () => {
    const { seen, hooks } = watching();
    const { engine, own, folders } = await open(["1", "2", "3"], { hooks });
    await turn(engine, "1");
    put(own, { env: { A: "1" } });
    put(folders, { permissions: { deny: ["Bash(x)"] } });
    await turn(engine, "2");
    await turn(engine, "3");
    expect(seen).toMatchObject([{ hook_event_name: "ConfigChange", source: "user_settings", file_path: own }]);
  });

  test("that block a change keep the old settings until the file changes again", async () => {
    const { seen, hooks } = watching({ decision: "block", reason: "No." });
    const opened = await open(["1", bash("touch a"), bash("touch a")], { hooks });
    await turn(opened.engine, "1");
    put(opened.own, { permissions: { allow: ["Bash(touch a)"] } });
    await turn(opened.engine, "2");
    expect(made(opened, "a")).toBe(false);
    expect(opened.notices).toEqual([]);
    expect(seen).toHaveLength(1);
    put(opened.own, { permissions: { allow: ["Bash(touch a)"] }, model: "x" });
    await turn(opened.engine, "3");
    expect(seen).toHaveLength(2);
    expect(JSON.stringify(calls(opened.model).at(-1)?.body?.messages)).not.toContain("No.");
  });
});

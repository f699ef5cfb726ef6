// The command of a status line, as a session runs it: what it is told, what it finds, and what becomes of it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import { systemClock } from "../../src/lib/system-clock.ts";
import { openTrustDesk } from "../../src/session/permissions/project-trust.ts";
import { isAlive } from "../tools/support.ts";
import {
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  optionsFor,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const place = { columns: 93, rows: 31 };
const never = new AbortController().signal;
const line = (command: string, more: object = {}) => ({ statusLine: { type: "command", command, ...more } });
const put = (path: string, content: unknown): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(content));
};

async function open(settings: unknown, options: EngineOptions = {}, ground = layGround()) {
  put(join(ground.pawlHome, "settings.json"), settings);
  const said: string[] = [];
  const model = scripted({ steps: ["Hello there."], fallback: "Again." });
  const engine = await openOn(ground, model, { debug: (text) => void said.push(text), ...options });
  const told = (): string[] => said.filter((text) => text.startsWith("statusLine"));
  return { ground, engine, model, told };
}

const text = (engine: QueryEngine): Promise<string> => engine.desk.statusLineText(place, never);

describe("the command of a status line", () => {
  test("gets the conventional description of the session, and its output is the answer", async () => {
    const { ground, engine } = await open(line("cat > told.json; echo one; echo two >&2"), {
      settings: '{"outputStyle":"explanatory"}',
    });
    expect(await text(engine)).toBe("one\n");
    const told = (): object => JSON.parse(readFileSync(join(ground.work, "told.json"), "utf8")) as object;
    const none = { total_input_tokens: 0, total_output_tokens: 0, context_window_size: 1_000_000, current_usage: null };
    expect(told()).toMatchObject({
      session_id: engine.getSessionId(),
      transcript_path: engine.getTranscriptPath(),
      cwd: ground.work,
      model: { id: "claude-sonnet-5-5", display_name: "Sonnet 5.5" },
      workspace: { current_dir: ground.work, project_dir: ground.work, added_dirs: [] },
      output_style: { name: "Explanatory" },
      cost: { total_cost_usd: 0, total_api_duration_ms: 0, total_lines_added: 0, total_lines_removed: 0 },
      context_window: { ...none, used_percentage: null, remaining_percentage: null },
      exceeds_200k_tokens: false,
      effort: { level: "high" },
      thinking: { enabled: true },
    });
    for (const key of ["session_name", "prompt_id", "rate_limits", "vim", "agent", "worktree", "pr"])
      expect(told()).not.toHaveProperty(key);
    const { result } = await turn(engine, "Hi.");
    engine.desk.setTitle("mine");
    await engine.desk.statusLineText({ ...place, worktree: "fix", vimMode: "NORMAL" }, never);
    const usage = result.modelUsage["claude-sonnet-5-5"]!;
    const input = usage.inputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
    expect(input).toBeGreaterThan(0);
    expect(told()).toMatchObject({
      session_name: "mine",
      prompt_id: expect.stringMatching(/^[\da-f-]{36}$/u) as string,
      cost: { total_cost_usd: result.total_cost_usd },
      context_window: {
        total_input_tokens: input,
        total_output_tokens: usage.outputTokens,
        current_usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
        used_percentage: Math.round(input / 10_000),
        remaining_percentage: 100 - Math.round(input / 10_000),
      },
      worktree: { name: "fix", path: ground.work },
      vim: { mode: "NORMAL" },
    });
  });

  test("gets the environment of hooks: the terminal's size, no key, and git without optional locks", async () => {
    const { ground, engine } = await open(line('env; echo "at $(pwd)"'));
    const found = (await text(engine)).split("\n");
    const wanted = ["COLUMNS=93", "LINES=31", "CLAUDECODE=1", "GIT_OPTIONAL_LOCKS=0", `at ${ground.work}`];
    expect(found).toEqual(expect.arrayContaining(wanted));
    expect(found.filter((each) => each.startsWith("ANTHROPIC_"))).toEqual([]);
  });

  test("shows nothing if it fails, which the debug log mentions once", async () => {
    const { engine, told } = await open(line("echo half; echo why >&2; exit 3"));
    expect([await text(engine), await text(engine)]).toEqual(["", ""]);
    expect(told()).toEqual(['statusLine failed: exit 3 stderr="why\\n"']);
  });

  test("does not exist in a bare session, and does not run if hooks are switched off", async () => {
    const bare = await open(line("touch ran"), { env: { CLAUDE_CODE_SIMPLE: "1" } });
    const off = await open({ ...line("touch ran"), disableAllHooks: true });
    for (const { ground, engine } of [bare, off]) {
      expect(engine.desk.statusLine).toBeUndefined();
      expect(await text(engine)).toBe("");
      await turn(engine, "Hi.");
      expect(existsSync(join(ground.work, "ran"))).toBe(false);
    }
  });

  test("from changed settings applies from the next prompt on", async () => {
    const { ground, engine } = await open({});
    expect(engine.desk.statusLine).toBeUndefined();
    put(join(ground.pawlHome, "settings.json"), line("echo new", { padding: 2 }));
    await turn(engine, "Hi.");
    expect(engine.desk.statusLine).toEqual({ type: "command", command: "echo new", padding: 2 });
    expect(await text(engine)).toBe("new\n");
    put(join(ground.pawlHome, "settings.json"), {});
    await turn(engine, "Hi.");
    expect(await text(engine)).toBe("");
  });

  test("of a folder runs only while the folder is trusted and the named script is unchanged", async () => {
    const ground = layGround();
    ground.file("bar.sh", "touch ran; echo one");
    put(join(ground.work, ".claude/settings.json"), line("sh bar.sh"));
    const asked = async (): Promise<string> => await text((await open({}, {}, ground)).engine);
    expect(await asked()).toBe("");
    expect(existsSync(join(ground.work, "ran"))).toBe(false);
    await openTrustDesk(optionsFor(ground, scripted({ steps: [] }))).add();
    expect(await asked()).toBe("one\n");
    ground.file("bar.sh", "echo evil");
    expect(await asked()).toBe("");
  });
});

describe("a status line command that does not end", () => {
  /** It says its process id, and ends for no signal that asks. */
  async function begun(signal: AbortSignal): Promise<Begun> {
    const ground = layGround();
    const pipe = join(ground.home, "begun");
    execFileSync("mkfifo", [pipe]);
    const limits: (() => void)[] = [];
    const timer: typeof systemClock.timer = (ms, onFire) => {
      if (ms === 5_000) limits.push(onFire);
      return systemClock.timer(ms === 5_000 ? 600_000 : ms, onFire);
    };
    const opened = await open(
      line(`trap '' TERM; echo $$ > ${pipe}; while :; do sleep 1; done`),
      {
        clock: { ...systemClock, timer },
      },
      ground,
    );
    const answer = opened.engine.desk.statusLineText(place, signal);
    // The code that aborts it awaits it.
    answer.catch(() => undefined);
    const pid = Number(await readFile(pipe, "utf8"));
    return { ...opened, answer, pid, isOverdue: () => limits.forEach((onFire) => onFire()) };
  }

  interface Begun {
    ground: Ground;
    engine: QueryEngine;
    told: () => string[];
    answer: Promise<string>;
    pid: number;
    isOverdue: () => void;
  }

  test("is stopped after 5 seconds, which the debug log mentions", async () => {
    const { engine, answer, pid, isOverdue, told } = await begun(never);
    isOverdue();
    expect(await answer).toBe("");
    expect(told()).toEqual(["statusLine was ended after 5 s"]);
    await engine.dispose();
    expect(isAlive(pid)).toBe(false);
  });

  test("is stopped when a newer one replaces it, which is no failure", async () => {
    const newer = new AbortController();
    const { engine, answer, pid, told } = await begun(newer.signal);
    newer.abort(new Error("newer"));
    await expect(answer).rejects.toThrow("newer");
    expect(told()).toEqual([]);
    await engine.dispose();
    expect(isAlive(pid)).toBe(false);
  });

  test("is stopped with the session", async () => {
    const { engine, answer, pid } = await begun(never);
    await engine.dispose();
    expect(await answer).toBe("");
    expect(isAlive(pid)).toBe(false);
  });
});

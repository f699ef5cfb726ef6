// Going on with a session, copying it, continuing the newest, and the one process that may.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import { createEngineIn } from "../../src/session/compose.ts";
import { surroundingsWithoutKey } from "../../src/session/surroundings/read-surroundings.ts";
import { thisMachine } from "../../src/session/surroundings/machine.ts";
import type { Script, ScriptedModel } from "../../src/testing/index.ts";
import { snapshotsFolder } from "../../src/transcript/paths.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  lastUserTexts,
  linesOf,
  listed,
  openOn,
  optionsFor,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const ownId = "7d1f0a52-9c31-4f7e-8a55-0d2f6c1e9b11";

/** A session of one turn, closed. */
async function past(ground: Ground, options: EngineOptions = {}, prompt = "First."): Promise<QueryEngine> {
  const engine = await openOn(ground, scripted({ fallback: "Answer." }), options);
  await turn(engine, prompt);
  await engine.dispose();
  return engine;
}

function texts(model: ScriptedModel): string {
  return JSON.stringify(calls(model).at(-1)!.body!.messages);
}

describe("resume", () => {
  test("continues in the same file under the same id", async () => {
    const ground = layGround();
    const before = await past(ground);
    const model = scripted({ steps: ["Second answer."] });
    const engine = await openOn(ground, model, { resume: before.getSessionId() });
    expect(engine.getSessionId()).toBe(before.getSessionId());
    expect(engine.getTranscriptPath()).toBe(before.getTranscriptPath());
    await turn(engine, "Second.");
    expect(texts(model)).toMatch(/First\..*Answer\..*Second\./);
    expect(linesOf(engine).filter((line) => line.type === "session")).toHaveLength(1);
    expect(linesOf(engine).filter((line) => line.type === "system_prompt")).toHaveLength(1);
  });

  test("with an unknown id fails with one sentence", async () => {
    const failing = openOn(layGround(), scripted({}), { resume: ownId });
    await expect(failing).rejects.toMatchObject({
      name: "UsageError",
      message: `No conversation found with session ID: ${ownId}`,
    });
  });

  test("finds a session of another folder by its id", async () => {
    const ground = layGround();
    const before = await past(ground);
    const elsewhere = layGround();
    const engine = await openOn({ ...elsewhere, home: ground.home, pawlHome: ground.pawlHome }, scripted({}), {
      resume: before.getSessionId().toUpperCase(),
    });
    expect(engine.getSessionId()).toBe(before.getSessionId());
  });

  test("after a prompt of several blocks keeps the cache marks within the API's limit", async () => {
    const ground = layGround();
    const before = await past(ground);
    const path = before.getTranscriptPath()!;
    const blocks = ["a", "b", "c", "d"].map((text) => ({ text, cacheBreakpoint: true }));
    const lines = readFileSync(path, "utf8").split("\n");
    const changed = lines.map((line) =>
      line.includes('"type":"system_prompt"') ? JSON.stringify({ ...JSON.parse(line), data: blocks }) : line,
    );
    writeFileSync(path, changed.join("\n"));
    const model = scripted({ fallback: "." });
    const engine = await openOn(ground, model, { resume: before.getSessionId() });
    expect((await turn(engine, "2")).result.subtype).toBe("success");
    expect(model.violations).toEqual([]);
  });

  test("closes the open calls of a dead process, tells the model what is known of them, and records it", async () => {
    const ground = layGround();
    const script: Script = {
      steps: [
        {
          content: [
            { tool: "Glob", input: { pattern: "*" } },
            { tool: "Write", input: { file_path: "x", content: "y" } },
          ],
        },
      ],
      fallback: "Done.",
    };
    const before = await openOn(ground, scripted(script), { permissionMode: "acceptEdits" });
    await turn(before, "Go.");
    await before.dispose();
    const lines = readFileSync(before.getTranscriptPath()!, "utf8").split("\n");
    const cut = lines.findLastIndex((line) => line.includes('"type":"tool_started"'));
    writeFileSync(before.getTranscriptPath()!, `${lines.slice(0, cut + 1).join("\n")}\n`);
    // Killed between the temporary file and the rename: no pid is as large as this one.
    const left = `.pawl-999999999-${"0a".repeat(9)}.tmp`;
    const snapshots = snapshotsFolder(before.getTranscriptPath()!);
    mkdirSync(snapshots, { recursive: true });
    const abandoned = [ground.file(left, "y"), join(snapshots, left)];
    writeFileSync(abandoned[1]!, "y");
    const model = scripted({ fallback: "Going on." });
    const engine = await openOn(ground, model, { resume: before.getSessionId() });
    expect(abandoned.map((path) => existsSync(path))).toEqual([false, false]);
    await turn(engine, "And?");
    expect(model.violations).toEqual([]);
    expect(texts(model)).toContain("outcome is unknown");
    await engine.dispose();
    // Killed in a snapshot at the end of a turn, or in one of an agent in the background.
    writeFileSync(abandoned[1]!, "y");
    const again = await openOn(ground, scripted({}), { resume: before.getSessionId() });
    expect(JSON.stringify(again.getMessages()).match(/outcome is unknown/g)).toHaveLength(1);
    expect(existsSync(abandoned[1]!)).toBe(false);
  });

  test("sends a changed system prompt only if one is requested", async () => {
    const ground = layGround();
    ground.file("CLAUDE.md", "Say please.");
    const before = await past(ground, { appendSystemPrompt: "Rhyme." });
    ground.file("CLAUDE.md", "Never say please.");
    const [same, other] = [scripted({ fallback: "." }), scripted({ fallback: "." })];
    const engine = await openOn(ground, same, { resume: before.getSessionId() });
    await turn(engine, "2");
    await engine.dispose();
    await turn(await openOn(ground, other, { resume: before.getSessionId(), systemPrompt: "Be brief." }), "3");
    expect(JSON.stringify(calls(same)[0]!.body!.system)).toContain("Rhyme.");
    expect(JSON.stringify(calls(other)[0]!.body!.system)).toContain("Be brief.");
    const [first, last] = [0, -1].map((at) => JSON.stringify(calls(same)[0]!.body!.messages.at(at)));
    expect(first).toContain("Say please.");
    expect(first).not.toContain("Never say please.");
    // What the file says by now comes behind.
    expect(last).toContain("Never say please.");
  });
});

describe("a prompt with the client's own id", () => {
  test("that was recorded but not answered is answered, and not recorded twice", async () => {
    const ground = layGround();
    const model = scripted({ fallback: "Answer." });
    const engine = await openOn(ground, model);
    for await (const message of engine.submitMessage("Once.", { uuid: ownId })) if (message.type === "system") break;
    await engine.dispose();
    const resumed = await openOn(ground, model, { resume: engine.getSessionId() });
    await turn(resumed, "Once.", { uuid: ownId });
    expect(lastUserTexts(calls(model)[0]!).filter((text) => text === "Once.")).toHaveLength(1);
    expect(linesOf(resumed).filter((line) => JSON.stringify(line).includes("Once."))).toHaveLength(1);
  });

  test("that is empty gets a new id", async () => {
    const ground = layGround();
    const engine = await openOn(ground, scripted({ fallback: "." }));
    await turn(engine, "Hi.", { uuid: "" });
    await engine.dispose();
    const resumed = await openOn(ground, scripted({}), { resume: engine.getSessionId() });
    expect(resumed.getMessages()).toEqual(JSON.parse(JSON.stringify(engine.getMessages())));
  });

  test("that was answered is refused, and the model is not asked", async () => {
    const ground = layGround();
    const model = scripted({ fallback: "Answer." });
    const engine = await openOn(ground, model);
    await turn(engine, "Once.", { uuid: ownId });
    const { result } = await turn(engine, "Once.", { uuid: ownId });
    expect(result).toMatchObject({
      subtype: "error_during_execution",
      errors: [expect.stringMatching(/answered already/)],
    });
    expect(calls(model)).toHaveLength(1);
  });
});

describe("a fork", () => {
  test("copies the history under a new id and leaves the original unchanged", async () => {
    const ground = layGround();
    const before = await past(ground);
    const original = readFileSync(before.getTranscriptPath()!, "utf8");
    const model = scripted({ steps: ["Second answer."] });
    const engine = await openOn(ground, model, { resume: before.getSessionId(), forkSession: true });
    expect(engine.getSessionId()).not.toBe(before.getSessionId());
    await turn(engine, "Second.");
    expect(texts(model)).toMatch(/First\..*Answer\..*Second\./);
    expect(readFileSync(before.getTranscriptPath()!, "utf8")).toBe(original);
    const known = new Set(before.getMessages().map(({ uuid }) => uuid));
    expect(engine.getMessages().some(({ uuid }) => known.has(uuid))).toBe(false);
  });

  test("takes the requested id, and can be resumed by it", async () => {
    const ground = layGround();
    const before = await past(ground);
    const given = ownId.toUpperCase();
    const options = { resume: before.getSessionId(), forkSession: true, sessionId: given };
    const engine = await openOn(ground, scripted({ fallback: "." }), options);
    expect(engine.getSessionId()).toBe(ownId);
    await turn(engine, "2");
    await engine.dispose();
    expect((await openOn(ground, scripted({}), { resume: ownId })).getMessages().length).toBeGreaterThan(4);
  });

  test("is possible while the original is open", async () => {
    const ground = layGround();
    const open = await openOn(ground, scripted({ fallback: "." }));
    await turn(open, "1");
    const copy = await openOn(ground, scripted({ fallback: "." }), { resume: open.getSessionId(), forkSession: true });
    expect((await turn(copy, "2")).result.subtype).toBe("success");
    expect((await turn(open, "2")).result.subtype).toBe("success");
  });
});

describe("continue", () => {
  test("resumes the newest session of the folder", async () => {
    const ground = layGround();
    await past(ground, { clock: at(1_000) }, "Older.");
    const newest = await past(ground, {}, "Newest.");
    const elsewhere = layGround();
    await past({ ...elsewhere, home: ground.home, pawlHome: ground.pawlHome }, {}, "Elsewhere.");
    const engine = await openOn(ground, scripted({}), { continue: true });
    expect(engine.getSessionId()).toBe(newest.getSessionId());
  });

  test("skips a session in which nothing was said", async () => {
    const ground = layGround();
    const spoken = await past(ground);
    const silent = await openOn(ground, scripted({}));
    silent.setModel("claude-haiku-5-5");
    silent.setPermissionMode("acceptEdits");
    await silent.dispose();
    const engine = await openOn(ground, scripted({}), { continue: true });
    expect(engine.getSessionId()).toBe(spoken.getSessionId());
  });

  test("says why the only session cannot be read", async () => {
    const ground = layGround();
    await past(ground);
    const open = (path: string): never => {
      throw Object.assign(new Error("no"), { code: "EACCES", path });
    };
    const machine = { ...thisMachine, files: { ...thisMachine.files, open } };
    const going = createEngineIn({ ...optionsFor(ground, scripted({})), continue: true }, async (options) => ({
      ...surroundingsWithoutKey(options),
      apiKey: "scripted",
      machine,
    }));
    await expect(going).rejects.toThrow(
      /^The transcript .*\.jsonl could not be opened: permission denied \(EACCES\)\.$/,
    );
  });

  test("says that there is no session", async () => {
    await expect(openOn(layGround(), scripted({}), { continue: true })).rejects.toMatchObject({
      name: "UsageError",
      message: expect.stringMatching(/no session of this folder/),
    });
  });
});

function at(ms: number): NonNullable<EngineOptions["clock"]> {
  return { now: () => ms, elapsed: () => 0, timestamp: () => new Date(ms).toISOString(), timer: () => () => undefined };
}

describe("a requested session id", () => {
  test("names the session and its file", async () => {
    const engine = await openOn(layGround(), scripted({ fallback: "." }), { sessionId: ownId });
    await turn(engine, "Hi.");
    expect(engine.getSessionId()).toBe(ownId);
    expect(engine.getTranscriptPath()).toMatch(new RegExp(`${ownId}\\.jsonl$`));
  });

  test("must be a new UUID, and cannot be combined with other sessions", async () => {
    const ground = layGround();
    const before = await past(ground);
    const wrong: EngineOptions[] = [
      { sessionId: "../../etc/passwd" },
      { sessionId: before.getSessionId() },
      { sessionId: ownId, resume: before.getSessionId() },
      { sessionId: ownId, continue: true },
      { resume: before.getSessionId(), continue: true },
      { forkSession: true },
    ];
    for (const options of wrong)
      await expect(openOn(ground, scripted({}), options), JSON.stringify(options)).rejects.toMatchObject({
        name: "UsageError",
      });
  });
});

describe("two engines on one session", () => {
  test("the second is refused while the first has it open, and works after that", async () => {
    const ground = layGround();
    const first = await openOn(ground, scripted({ fallback: "." }));
    await turn(first, "Hi.");
    await expect(openOn(ground, scripted({}), { resume: first.getSessionId() })).rejects.toMatchObject({
      name: "UsageError",
      message: expect.stringContaining(String(process.pid)),
    });
    await first.dispose();
    await openOn(ground, scripted({}), { resume: first.getSessionId() });
  });

  test("a failure after taking the lock releases the lock", async () => {
    const ground = layGround();
    const before = await past(ground);
    const broken: EngineOptions = { resume: before.getSessionId(), disallowedTools: ["Bash("] };
    await openOn(ground, scripted({}), broken).catch(() => undefined);
    await openOn(ground, scripted({}), { resume: before.getSessionId(), env: { ANTHROPIC_API_KEY: "" } }).catch(
      () => undefined,
    );
    const engine = await openOn(ground, scripted({}), { resume: before.getSessionId() });
    expect(engine.getMessages().length).toBeGreaterThan(0);
  });
});

describe("without persistence", () => {
  const options: EngineOptions = { persistSession: false };

  test("nothing is written at all", async () => {
    const ground = layGround();
    ground.file("a.txt", "text");
    const engine = await openOn(
      ground,
      scripted({ steps: [{ content: [{ tool: "Read", input: { file_path: `${ground.work}/a.txt` } }] }, "Done."] }),
      options,
    );
    await turn(engine, "Read a.");
    engine.setModel("claude-haiku-5-5");
    await engine.dispose();
    expect(engine.getTranscriptPath()).toBeUndefined();
    expect(listed(ground.home)).toEqual([]);
    expect(listed(ground.work)).toEqual(["a.txt"]);
  });

  test("a session can be resumed and forked, and its file stays unchanged", async () => {
    const ground = layGround();
    const before = await past(ground);
    const original = readFileSync(before.getTranscriptPath()!, "utf8");
    const files = listed(ground.home);
    for (const extra of [{}, { forkSession: true, sessionId: ownId }]) {
      const model = scripted({ fallback: "Second answer." });
      const engine = await openOn(ground, model, { ...options, ...extra, resume: before.getSessionId() });
      await turn(engine, "Second.");
      expect(texts(model)).toMatch(/First\..*Answer\..*Second\./);
      expect(engine.getSessionId()).toBe("sessionId" in extra ? ownId : before.getSessionId());
      await engine.dispose();
      expect(listed(ground.home)).toEqual(files);
      expect(readFileSync(before.getTranscriptPath()!, "utf8")).toBe(original);
    }
  });

  test("long results go to a folder that is removed at the end, also after a resume", async () => {
    const ground = layGround();
    const before = await past(ground);
    const files = listed(ground.home);
    let spilled = "";
    const model = scripted({
      steps: [
        { content: [{ tool: "Bash", input: { command: "seq 1 60000" } }] },
        (request) => {
          spilled = /\/\S+\/pawl-[\w/.-]+\w/.exec(request.lastToolResults[0]!.text)?.[0] ?? "";
          return { content: [{ tool: "Read", input: { file_path: spilled, offset: 30_000, limit: 1 } }] };
        },
        (request) => request.lastToolResults[0]!.text,
      ],
    });
    const engine = await openOn(ground, model, { ...options, resume: before.getSessionId(), allowedTools: ["Bash"] });
    const { result } = await turn(engine, "Count.");
    expect(result).toMatchObject({ result: expect.stringContaining("30000") });
    expect(spilled).not.toBe("");
    expect(() => readFileSync(spilled)).not.toThrow();
    expect(listed(ground.home)).toEqual(files);
    await engine.dispose();
    expect(() => readFileSync(spilled)).toThrow();
  });
});

test("an unwritable home prevents the start with a UsageError", async () => {
  const ground = layGround();
  mkdirSync(ground.pawlHome);
  writeFileSync(join(ground.pawlHome, "projects"), "a file");
  await expect(openOn(ground, scripted({}))).rejects.toMatchObject({ name: "UsageError" });
});

describe("choosing among sessions", () => {
  test("--continue skips sessions of pawl -p and programs in a conversation, but not in those themselves", async () => {
    const ground = layGround();
    const spoken = await past(ground, { headless: false });
    const printed = await past(ground, { headless: true });
    const took = async (options: EngineOptions): Promise<string> => {
      const engine = await openOn(ground, scripted({}), { continue: true, ...options });
      await engine.dispose();
      return engine.getSessionId();
    };
    expect(await took({ headless: false })).toBe(spoken.getSessionId());
    expect(await took({ headless: true })).toBe(printed.getSessionId());
    const other = layGround();
    await past(other, { headless: true });
    await expect(openOn(other, scripted({}), { continue: true, headless: false })).rejects.toThrow("pawl sessions");
  });

  test("an ambiguous title lists the candidates, each on its own line", async () => {
    const ground = layGround();
    await past(ground, { title: "Parser" }, "one way");
    await past(ground, { title: "Parser" }, "another way");
    await expect(openOn(ground, scripted({}), { resume: "Parser" })).rejects.toMatchObject({
      name: "UsageError",
      message: expect.stringContaining('Several sessions have the title "Parser"'),
      choices: [expect.stringMatching(/^[0-9a-f-]{36} {2}just now {6}Parser/), expect.stringContaining("Parser")],
    });
  });
});

describe("resumeSessionAt", () => {
  async function threeTurns(ground: Ground): Promise<{ engine: QueryEngine; ids: string[] }> {
    const ids = [1, 2, 3].map((n) => `7d1f0a52-9c31-4f7e-8a55-0d2f6c1e9b2${n}`);
    const script: Script = {
      steps: ["One.", { content: [{ tool: "Glob", input: { pattern: "*" } }] }, "Two.", "Three."],
    };
    const engine = await openOn(ground, scripted(script));
    for (const [at, uuid] of ids.entries()) await turn(engine, `Prompt ${at + 1}.`, { uuid });
    return { engine, ids };
  }

  test("continues after that message, in the same file at the same cost, also in later resumes", async () => {
    const ground = layGround();
    const { engine: before, ids } = await threeTurns(ground);
    const cost = before.getCost().totalUsd;
    const said = before.getMessages();
    const answer = said[said.findIndex(({ uuid }) => uuid === ids[1]) - 1]!;
    await before.dispose();
    const length = linesOf(before).length;
    const model = scripted({ fallback: "Other." });
    const notices: string[] = [];
    const about = { resume: before.getSessionId(), resumeSessionAt: answer.uuid };
    const engine = await openOn(ground, model, { ...about, onNotice: (text) => notices.push(text) });
    expect(notices.join()).toContain(`goes on after the message ${answer.uuid}`);
    expect(engine.getCost().totalUsd).toBe(cost);
    await turn(engine, "Prompt 4.");
    expect(texts(model)).toMatch(/Prompt 1\..*One\..*Prompt 4\./);
    expect(texts(model)).not.toMatch(/Prompt 2|Three/);
    expect(model.violations).toEqual([]);
    await engine.dispose();
    expect(linesOf(before).length).toBeGreaterThan(length);
    const again = await openOn(ground, scripted({}), { resume: before.getSessionId() });
    expect(JSON.stringify(again.getMessages())).not.toContain("Prompt 2");
    expect(again.getCost().totalUsd).toBeGreaterThan(cost);
    await again.dispose();
    // What was left is still there, and can be gone back to.
    const back = await openOn(ground, scripted({}), { resume: before.getSessionId(), resumeSessionAt: ids[2]! });
    expect(JSON.stringify(back.getMessages())).toContain("Prompt 3");
  });

  test("changes nothing for the last message, refuses an unknown one, and needs a session", async () => {
    const ground = layGround();
    const { engine: before } = await threeTurns(ground);
    const last = before.getMessages().at(-1)!.uuid;
    await before.dispose();
    const text = readFileSync(before.getTranscriptPath()!, "utf8");
    const resume = before.getSessionId();
    await (await openOn(ground, scripted({}), { resume, resumeSessionAt: last })).dispose();
    await expect(openOn(ground, scripted({}), { resume, resumeSessionAt: "nobody" })).rejects.toThrow(
      "The session has no message nobody.",
    );
    await expect(openOn(ground, scripted({}), { resumeSessionAt: last })).rejects.toThrow("needs resume or continue");
    await expect(openOn(ground, scripted({}), { resume: "x", continue: true })).rejects.toThrow("use only one");
    expect(readFileSync(before.getTranscriptPath()!, "utf8")).toBe(text);
    await (await openOn(ground, scripted({}), { resume })).dispose();
  });

  test("leaves the original unchanged in a fork and without persistence", async () => {
    const ground = layGround();
    const { engine: before, ids } = await threeTurns(ground);
    await before.dispose();
    const text = readFileSync(before.getTranscriptPath()!, "utf8");
    const about = { resume: before.getSessionId(), forkSession: true, resumeSessionAt: ids[1]!, title: "Other way" };
    for (const persistSession of [true, false]) {
      const model = scripted({ fallback: "Other." });
      const engine = await openOn(ground, model, { ...about, persistSession });
      await turn(engine, "Instead.");
      expect(texts(model)).toMatch(/Prompt 2\..*Instead/);
      expect(texts(model)).not.toContain("Two.");
      expect(model.violations).toEqual([]);
      await engine.dispose();
    }
    expect(readFileSync(before.getTranscriptPath()!, "utf8")).toBe(text);
    const copy = await openOn(ground, scripted({}), { resume: "Other way" });
    expect(copy.getSessionId()).not.toBe(before.getSessionId());
  });
});

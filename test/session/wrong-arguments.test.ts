// What a program without types hands over: a UsageError that names it, or an answer, never a raw TypeError.
import { afterEach, describe, expect, test } from "vitest";
import * as pawl from "../../src/index.ts";
import { errorText } from "../../src/lib/error-text.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, optionsFor, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const refuse = (): never => {
  throw new Error("not for you");
};

class Thing {
  readonly x = 1;
}

const wrongs: Record<string, () => unknown> = {
  null: () => null,
  "a number": () => 5,
  "no number": () => Number.NaN,
  "a text": () => "x",
  "a list": () => [null],
  "an object": () => ({}),
  "a function": () => () => {},
  "a symbol": () => Symbol("x"),
  "a big number": () => 5n,
  "an instance": () => new Thing(),
  "an object that holds itself": () => {
    const self: Record<string, unknown> = {};
    return Object.assign(self, { self });
  },
  "an object without a prototype": () => Object.create(null),
  "an object whose fields throw": () => Object.defineProperty({}, "dir", { enumerable: true, get: refuse }),
  "an object that does not let itself be read": () => new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse }),
};

type Loose = Record<string, (...args: unknown[]) => unknown>;

/** Undefined where it went well, or was refused as it has to be. */
async function fault(work: () => unknown): Promise<unknown> {
  try {
    const answer = await work();
    if (typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer)
      for await (const _ of answer as AsyncIterable<unknown>) continue;
    return undefined;
  } catch (error) {
    return error instanceof pawl.PawlError ? undefined : error;
  }
}

/** Each wrong value in each of the first places of the arguments. */
async function faults(target: Loose, names: readonly string[], first: readonly unknown[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of names)
    for (const [what, make] of Object.entries(wrongs))
      for (let count = 0; count <= first.length; count++) {
        const raw = await fault(() => target[name]?.(...first.slice(0, count), make()));
        if (raw !== undefined) found.push(`${name}(${"…, ".repeat(count)}${what}): ${errorText(raw)}`);
      }
  return found;
}

const id = "00000000-0000-4000-8000-000000000000";

describe("wrong arguments are a UsageError", () => {
  test("in functions for stored sessions", async () => {
    const names =
      "archiveSession deleteSession forkSession getSessionInfo getSessionMessages getSubagentMessages listSubagents renameSession tagSession unarchiveSession replaySession replaySessions";
    expect(await faults(pawl as unknown as Loose, names.split(" "), [id, "x"])).toEqual([]);
    expect(await faults(pawl as unknown as Loose, ["listSessions"], [])).toEqual([]);
  });

  test("in functions that make tools and snips", async () => {
    const loose = pawl as unknown as Loose;
    expect(await faults(loose, ["tool"], ["a", "b", { type: "object" }, async () => "x"])).toEqual([]);
    expect(await faults(loose, ["snipReplay"], [{ fromUuid: id, toUuid: id }])).toEqual([]);
    expect(await faults(loose, ["createSdkMcpServer"], [])).toEqual([]);
  });

  test("at the start of a session", async () => {
    const options = optionsFor(layGround(), scripted({ fallback: "Done." }));
    const names = "abortController agents env hooks limits mcpServers outputFormat sandbox settings thinking";
    for (const [what, make] of Object.entries(wrongs)) {
      if (what === "an object") continue;
      expect([what, await fault(() => pawl.createEngine(make() as never))]).toEqual([what, undefined]);
      expect([what, await fault(() => pawl.startup(make() as never))]).toEqual([what, undefined]);
      expect([what, await fault(() => pawl.query(make() as never))]).toEqual([what, undefined]);
      for (const name of names.split(" ")) {
        const begin = async () => (await pawl.createEngine({ ...options, [name]: make() })).dispose();
        expect([name, what, await fault(begin)]).toEqual([name, what, undefined]);
      }
    }
  });

  test("in methods of a session", async () => {
    const engine = await openOn(layGround(), scripted({ fallback: "Done." }));
    for await (const _ of engine.submitMessage("Go.")) continue;
    const own =
      "append compact enqueue interrupt rewindFiles setEffort setModel setPermissionMode sideQuestion snip submitMessage";
    expect(await faults(engine as unknown as Loose, own.split(" "), ["x"])).toEqual([]);
    const asked =
      "addDirectory applyFlagSettings backgroundTasks callMcpTool completePath onTaskEnd readFile readMcpResource reconnectMcpServer registerRepoRoot runCommand seedReadState setMaxThinkingTokens setMcpServers setTitle statusLineText stopTask suggestFiles taskOutput toggleMcpServer updateSettings";
    expect(await faults(engine.desk as unknown as Loose, asked.split(" "), ["x"])).toEqual([]);
  });

  test("or, in the blocks of a prompt, an error result that names the block", async () => {
    const engine = await openOn(layGround(), scripted({ fallback: "Done." }));
    const { result } = await turn(engine, [{ type: "text", text: 7 as never }]);
    expect(result).toMatchObject({
      errors: [expect.stringContaining("it has a text block with a missing or malformed field")],
    });
    expect(await turn(engine, "Go.")).toMatchObject({ result: { subtype: "success" } });
  });

  test("if the id of a prompt is wrong", async () => {
    const engine = await openOn(layGround(), scripted({ fallback: "Done." }));
    for (const act of ["append", "submitMessage"] as const)
      expect(() => engine[act]("Go.", { uuid: null as never })).toThrow("uuid must be a string, not null.");
    expect(() => engine.enqueue("Go.", 7 as never)).toThrow("uuid must be a string, not a number.");
    expect([engine.getMessages(), engine.takeQueued()]).toEqual([[], undefined]);
  });

  test("that names the argument", async () => {
    const engine = await openOn(layGround(), scripted({ fallback: "Done." }));
    const desk = engine.desk as unknown as Loose;
    await expect(desk["addDirectory"]?.(5)).rejects.toThrow("directory must be a string, not a number.");
    expect(() => engine.compact(5 as never)).toThrow("instructions must be a string, not a number.");
    await expect(pawl.startup(null as never)).rejects.toThrow("The argument of startup() must be an object, not null.");
    await expect(engine.sideQuestion("x", { signal: 5 as never })).rejects.toThrow("signal must be an AbortSignal");
    const mcpServers = wrongs["an object that holds itself"]?.() as never;
    const begin = openOn(layGround(), scripted({}), { mcpServers });
    await expect(begin).rejects.toThrow(/^mcpServers\.self cannot be used: it cannot be written as JSON \(.*\)\.$/);
    const options = wrongs["an object whose fields throw"]?.();
    await expect(pawl.listSessions(options as never)).rejects.toThrow("options cannot be read: not for you.");
  });
});

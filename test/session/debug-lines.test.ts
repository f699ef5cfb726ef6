// The debug log of a turn: its last line says what a session that stands still is waiting for.
import { afterEach, describe, expect, test } from "vitest";
import { tool } from "../../src/session/tools/custom-tool.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

describe("the debug log", () => {
  test("names a tool call before its tool works, and says how and after how long it ended", async () => {
    const lines: string[] = [];
    let lastLine: string | undefined;
    const look = tool("Look", "Looks.", { type: "object" }, async () => {
      lastLine = lines.at(-1);
      return "Nothing.";
    });
    const fail = tool("Fail", "Fails.", { type: "object" }, async () => ({ content: "No.", isError: true }));
    const drop = tool("Drop", "Throws.", { type: "object" }, () => Promise.reject(new Error("No.")));
    const names = ["Look", "Fail", "Drop"];
    const { engine } = await openSession(
      { steps: [...names.map((name) => ({ content: [{ tool: name, input: {} }] })), "Done."] },
      { customTools: [look, fail, drop], allowedTools: names, debug: (line) => lines.push(line) },
    );
    await turn(engine, "Look.");
    expect(lastLine).toBe("t1.tool.0: Look began");
    const about = lines.flatMap((line) => /^t\d\.tool\.0: .*/u.exec(line)?.[0].replace(/\d+ ms/u, "N ms") ?? []);
    expect(about).toEqual([
      "t1.tool.0: Look began",
      "t1.tool.0: Look ended after N ms",
      "t2.tool.0: Fail began",
      "t2.tool.0: Fail failed after N ms",
      "t3.tool.0: Drop began",
      "t3.tool.0: Drop threw after N ms",
    ]);
  });

  test("names what a call waits for", async () => {
    const lines: string[] = [];
    const { promise: waited, resolve } = Promise.withResolvers<void>();
    const debug = (line: string): void => {
      lines.push(line);
      if (line.includes("Waiting for")) resolve();
    };
    const { engine } = await openSession(
      { steps: [{ content: [{ tool: "Bash", input: { command: "mkdir made" } }] }, "Done."] },
      {
        debug,
        permissionMode: "default",
        ask: async () => {
          await waited;
          return { behavior: "allow" };
        },
      },
    );
    await turn(engine, "Make it.");
    const about = lines.filter((line) => line.includes(".tool."));
    expect(about).toEqual([
      expect.stringMatching(/^t1\.tool\.0\.permission: Waiting for permission \(Bash\), at most \d+/u),
      "t1.tool.0: Bash began",
      expect.stringMatching(/^t1\.tool\.0: Bash ended after \d+ ms$/u),
    ]);
  });

  // Seen: of two agents that ran at once, nobody could tell whose lines were whose.
  test("names the agent that a line is about, for an agent's agent only the inner one", async () => {
    const lines: string[] = [];
    const call = (prompt: string) => ({ content: [{ tool: "Agent", input: { description: "x", prompt } }] });
    const rules = [
      { when: { lastUserText: "Outer." }, reply: call("Inner."), times: 1 },
      { when: { lastUserText: "Inner." }, reply: { content: [{ tool: "Glob", input: { pattern: "*" } }] }, times: 1 },
    ];
    const { engine } = await openSession(
      { rules, steps: [call("Outer.")], fallback: "Done." },
      { debug: (line) => lines.push(line) },
    );
    await turn(engine, "Go.");
    const names: string[] = [];
    const about = lines.map((line) =>
      line.replace(/^agent ([0-9a-f]{16}) /u, (_, id: string) => {
        if (!names.includes(id)) names.push(id);
        return `${names.indexOf(id) === 0 ? "outer" : "inner"}: `;
      }),
    );
    const begun = about.flatMap((line) => /^.*(?:began|: tool_use|: end_turn)/u.exec(line) ?? []);
    // A tool may begin before or after the answer that calls it has ended.
    expect(begun.toSorted()).toEqual([
      "inner: t1.model: tool_use",
      "inner: t1.tool.0: Glob began",
      "inner: t2.model: end_turn",
      "outer: t1.model: tool_use",
      "outer: t1.tool.0: Agent began",
      "outer: t2.model: end_turn",
      "t1.model: tool_use",
      "t1.tool.0: Agent began",
      "t2.model: end_turn",
    ]);
  });

  // Seen: while a hook that judges the prompt took its time, the last line was the one of the session's start.
  test("names a hook that is waited for before the loop begins", async () => {
    const lines: string[] = [];
    const { promise: waited, resolve } = Promise.withResolvers<void>();
    const debug = (line: string): void => {
      lines.push(line);
      if (line.includes("Waiting for")) resolve();
    };
    const callback = async () => {
      await waited;
      return {};
    };
    const { engine } = await openSession({ steps: ["Done."] }, { debug, hooks: { UserPromptSubmit: [{ callback }] } });
    await turn(engine, "Go.");
    const about = lines.filter((line) => line.includes("Waiting for"));
    expect(about).toEqual(["t0.UserPromptSubmit: Waiting for hook (UserPromptSubmit), at most 10 min"]);
  });
});

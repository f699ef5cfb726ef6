import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "../session/support.ts";
import { calling, serverOf, toolNamed } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const url = "https://login.example/start?id=1";

interface Visit {
  /** How often the call is refused before it is not. */
  needed?: number;
  where?: unknown;
  onElicitation?: EngineOptions["onElicitation"];
}

async function calledWith({
  needed = 1,
  where = [{ elicitationId: "e1", url, message: "Log in" }],
  onElicitation,
}: Visit) {
  const script = calling({ tool: "mcp__test__visits", input: { needed, where } as never });
  const { engine } = await openSession(script, {
    mcpServers: { test: serverOf({ tools: [toolNamed("visits")] }) },
    allowedTools: ["mcp__test"],
    ...(onElicitation === undefined ? {} : { onElicitation }),
  });
  const { result } = await turn(engine, "call it");
  return result?.subtype === "success" ? result.result : result;
}

describe("a call that requires the user to visit a page", () => {
  test("is repeated once the user has visited it", async () => {
    const asked: unknown[] = [];
    const onElicitation: EngineOptions["onElicitation"] = async (question) => {
      asked.push(question);
      return { action: "accept" };
    };
    expect(await calledWith({ onElicitation })).toBe("It said: been there");
    expect(asked).toEqual([{ serverName: "test", message: "Log in", mode: "url", url, elicitationId: "e1" }]);
  });

  test("names the page if nobody visits it", async () => {
    const said = `wants its user to open ${url} in a browser first, and that is not done`;
    expect(await calledWith({})).toContain(said);
    expect(await calledWith({ onElicitation: async () => ({ action: "cancel" }) })).toContain(said);
  });

  test("asks only once, whatever happens then", async () => {
    let count = 0;
    const onElicitation: EngineOptions["onElicitation"] = async () => {
      count += 1;
      return { action: "accept" };
    };
    expect(await calledWith({ needed: 9, onElicitation })).toContain(`wants its user to open ${url}`);
    expect(count).toBe(1);
  });

  test.each([["file:///etc/passwd"], ["javascript:alert(1)"], [7]])("does not open %s", async (bad) => {
    const onElicitation: EngineOptions["onElicitation"] = async () => ({ action: "accept" });
    expect(await calledWith({ where: [{ url: bad, message: "Log in" }], onElicitation })).toContain("cannot be opened");
  });

  test("fails with the server's own words if it names no page", async () => {
    for (const where of [[], "there", [null]]) expect(await calledWith({ where })).toMatch(/failed: .*go there first/u);
  });
});

// A tool hears of a call before it is complete, from the wire on.
import { afterEach, expect, test } from "vitest";
import type { Tool } from "../../src/index.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

test("a host's own tool is announced once per call while its input still streams", async () => {
  const told: string[] = [];
  const slow: Tool = {
    name: "Slow",
    description: "Begins slowly.",
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    isConcurrencySafe: () => false,
    isReadOnly: () => true,
    replay: "safe",
    maxResultSizeChars: 1000,
    onAnnounced: () => void told.push("announced"),
    async call({ text }) {
      told.push(String(text));
      return { content: "ok" };
    },
  };
  const call = (text: string) => ({ tool: "Slow", input: { text } });
  const pace = { delayMs: 1, deltaCharacters: 4 };
  const steps = [{ content: [call("first"), call("second")], pace }, "Done."];
  const { engine } = await openSession({ steps }, { customTools: [slow], includePartialMessages: false });
  await turn(engine, "Go.");
  expect(told.filter((text) => text === "announced")).toHaveLength(2);
  expect(told.indexOf("announced")).toBeLessThan(told.indexOf("first"));
  expect(told.lastIndexOf("announced")).toBeLessThan(told.indexOf("second"));
});

// Blocks as API clients hand them on: null stands for what is not there.
import { afterEach, expect, test } from "vitest";
import { tool } from "../../src/index.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "../session/support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const source = { type: "text", media_type: "text/plain", data: "a heron" };
const blocks = [
  { type: "text", text: "Look.", citations: null },
  { type: "document", source, title: null, context: null },
];

test("a prompt may have null fields", async () => {
  const { engine, model } = await openSession({ steps: ["It is a heron."] });
  const { result } = await turn(engine, blocks as never);
  expect(result).toMatchObject({ subtype: "success", result: "It is a heron." });
  expect(JSON.stringify(model.requests.at(-1)!.body!.messages)).toContain("a heron");
});

test("a tool's answer may have null fields", async () => {
  const look = tool("Look", "Looks.", { type: "object" }, async () => ({ content: blocks }) as never);
  const { engine, model } = await openSession(
    { steps: [{ content: [{ tool: "Look" }] }, "Done."] },
    { customTools: [look], allowedTools: ["Look"] },
  );
  expect((await turn(engine, "go")).result.subtype).toBe("success");
  expect(JSON.stringify(model.requests.at(-1)!.body!.messages.at(-1))).toContain("a heron");
});

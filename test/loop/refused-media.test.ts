// An image that the API refuses, and that nothing could leave out: people are told which call it came with.
import { expect, test } from "vitest";
import { ofType, runWith } from "./support/harness.ts";
import { call, fail, toolUse } from "./support/script.ts";
import type { ContentBlock } from "../../src/protocol/message.ts";

const image: ContentBlock = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } };
const text: ContentBlock = { type: "text", text: "nothing to see" };

test("the error about a refused image names only the calls whose results hold an image or document", async () => {
  const answers = { Shot: [text, image], Words: [text], Read: [image] };
  const tools = Object.fromEntries(
    Object.entries(answers).map(([name, content]) => [name, { body: async () => ({ content }) }]),
  );
  const calls = [toolUse("Shot"), toolUse("Words"), toolUse("Read", { file_path: "a.png" })];
  const ran = await runWith({
    model: [call(toolUse("Read", { file_path: "before.png" })), call(...calls), fail("media", { message: "Refused." })],
    tools,
    context: { fitToolResult: async (content) => content },
  });
  expect(ran.terminal).toMatchObject({ reason: "image_error" });
  expect(ofType(ran.events, "assistant").at(-1)?.content).toEqual([
    { type: "text", text: "Refused. It came with Shot or a.png." },
  ]);
});

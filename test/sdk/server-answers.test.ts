// What a function of a server in this process answers besides text: the model and the client get it, as of any server.
import { afterEach, expect, test } from "vitest";
import { createSdkMcpServer, tool, type CustomToolAnswer, type SDKMessage } from "../../src/index.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "../session/support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const sound = Buffer.from([0x52, 0x49, 0x46, 0x46, 0xff, 0xfe, 0x00, 0x80]).toString("base64");
const pdf = Buffer.from("%PDF-1.4\n1 0 obj <</Type /Page>> endobj\n%%EOF").toString("base64");

/** What the model is told of it, as JSON, and the messages that clients get. */
async function answered(answer: CustomToolAnswer): Promise<{ told: string; messages: SDKMessage[] }> {
  const report = tool("report", "Reports.", { type: "object" }, async () => answer);
  const { engine, model } = await openSession(
    { steps: [{ content: [{ tool: "mcp__s__report" }] }, "Done."] },
    { mcpServers: { s: createSdkMcpServer({ name: "s", tools: [report] }) }, allowedTools: ["mcp__s"] },
  );
  const { result, messages } = await turn(engine, "go");
  expect(result.subtype).toBe("success");
  expect(model.violations).toEqual([]);
  return { told: JSON.stringify(model.requests.at(-1)!.body!.messages.at(-1)), messages };
}

test.each<[string, CustomToolAnswer, string]>([
  ["sound", { content: [{ type: "audio", data: sound, mimeType: "audio/wav" }] }, "audio.wav"],
  ["a file", { content: [{ type: "resource", resource: { uri: "x://a/notes.zip", blob: sound } }] }, "notes.zip"],
])("%s is saved under the right kind of name, and not as a PDF", async (_what, answer, name) => {
  const { told } = await answered(answer);
  expect(told).toContain(name);
  expect(told).not.toMatch(/pdf/iu);
});

test("a PDF is sent as a PDF", async () => {
  const { told } = await answered({
    content: [{ type: "resource", resource: { uri: "x://a", mimeType: "application/pdf", blob: pdf } }],
  });
  expect(told).toContain(`"media_type":"application/pdf","data":"${pdf}"`);
});

test("a text document is sent as text, and a linked image as its address", async () => {
  const plain = { type: "document", source: { type: "text", media_type: "text/plain", data: "a heron" } } as const;
  const linked = { type: "image", source: { type: "url", url: "https://example.com/heron.png" } } as const;
  const { told } = await answered({ content: [plain, linked] });
  expect(told).toContain("a heron");
  expect(told).toContain("https://example.com/heron.png");
});

test("clients get structured content, and the model gets it once", async () => {
  const structuredContent = { bird: "heron" };
  const { told, messages } = await answered({ content: [{ type: "text", text: "seen" }], structuredContent });
  expect(messages.find(({ type }) => type === "user")).toMatchObject({ tool_use_result: { structuredContent } });
  expect(told.split("heron")).toHaveLength(2);
});

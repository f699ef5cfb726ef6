// Folders among what a server has to be read.
import { afterEach, expect, test } from "vitest";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "../session/support.ts";
import { calling, offered, serverOf } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const child = (name: string, mimeType = "text/markdown"): Record<string, unknown> => ({
  uri: `skill://pdf/${name}`,
  name,
  mimeType,
});
const folders = { "skill://pdf": [child("a.md"), child("b\u0007.md"), child("more", "inode/directory")] };
const look = (uri: string) => ({ tool: "ReadMcpResourceDirTool", input: { server: "test", uri } });

function session(folder: string, behaviour: Record<string, unknown>, allowedTools = ["ReadMcpResourceDirTool"]) {
  return openSession(calling(look(folder)), {
    mcpServers: { test: serverOf({ resources: [], ...behaviour }) },
    allowedTools,
  });
}

test("lists all pages of a resource folder, with cleaned texts", async () => {
  const { engine, model } = await session("skill://pdf", { folders });
  const { result } = (await turn(engine, "go")).result as { result: string };
  const listed = JSON.parse(result.replace("It said: ", "")) as unknown[];
  expect(listed).toEqual([
    { server: "test", ...child("a.md") },
    expect.objectContaining({ name: "b.md" }),
    { server: "test", ...child("more", "inode/directory") },
  ]);
  expect(offered(model).map(({ name }) => name)).toContain("ReadMcpResourceDirTool");
});

test("reports the server's error for a resource that is not a folder", async () => {
  const { engine } = await session("skill://pdf/a.md", { folders });
  expect((await turn(engine, "go")).result).toMatchObject({
    result: expect.stringMatching(/skill:\/\/pdf\/a\.md of test cannot be read: .*it is no folder/u),
  });
});

test("asks for permission, because the address tells the server something", async () => {
  const { engine } = await session("skill://pdf", { folders }, []);
  expect((await turn(engine, "go")).result).toMatchObject({ permission_denials: [expect.anything()] });
});

test("offers the folder tool only if a server has folders", async () => {
  const { engine, model } = await session("skill://pdf", {});
  await turn(engine, "go");
  const names = offered(model).map(({ name }) => name);
  expect(names).toContain("ReadMcpResourceTool");
  expect(names).not.toContain("ReadMcpResourceDirTool");
});

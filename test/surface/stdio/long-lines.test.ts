// Lines of a client that are longer than any request could be: each request in one gets its answer.
import { expect, test } from "vitest";
import { calls, drive, says, type Json } from "./client.ts";

const long = "x".repeat(33 * 1024 * 1024);
const why = "it is longer than 32 MB";

test("a line over 32 MB gets an error result or response, and the session continues", () =>
  drive([says("fine")], {}, async (client) => {
    client.sendPrompt(long);
    const result = await client.result();
    expect(result).toMatchObject({ is_error: true });
    expect(JSON.stringify(result["errors"])).toContain(`line 1 of standard input was not used: ${why}`);
    await expect(client.request("rename_session", { title: long })).rejects.toThrow(why);
    client.sendPrompt("go");
    expect(await client.result(2)).toMatchObject({ result: "fine" });
    expect(await client.close()).toMatchObject({ code: 1 });
  }));

test("an answer over 32 MB fails its request and is reported", () => {
  const answer = ({ subtype, input }: Json): Json =>
    subtype === "can_use_tool" ? { behavior: "allow", updatedInput: { ...(input as Json), content: long } } : {};
  const write = calls(["Write", { file_path: "a.txt", content: "short" }]);
  return drive([write, says("done")], { args: ["--permission-prompt-tool", "stdio"], answer }, async (client) => {
    client.sendPrompt("write");
    expect(await client.result()).toMatchObject({ result: "done" });
    expect(JSON.stringify(client.server.requests.at(-1)?.body.messages)).toContain(why);
    expect(client.messages).toContainEqual(expect.objectContaining({ subtype: "informational" }));
    expect(await client.close()).toMatchObject({ code: 1 });
  });
});

test("a line over 32 MB whose type does not come first is only reported", () =>
  drive([says("fine")], {}, async (client) => {
    client.write(`${JSON.stringify({ message: { role: "user", content: long }, type: "user" })}\n`);
    client.sendPrompt("go");
    expect(await client.result()).toMatchObject({ result: "fine" });
    expect(client.messages).toContainEqual(
      expect.objectContaining({ content: expect.stringContaining(why) as string }),
    );
  }));

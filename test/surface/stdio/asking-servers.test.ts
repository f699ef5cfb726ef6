// What a client asks of servers and plugins beside the turns: under the same rules, and never behind the back of a hook.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { drive, says, type Client, type Json } from "./client.ts";

interface Made {
  tools: string[];
  called: unknown[];
}

/** A server in the client, whose list of tools is its maker's. */
function serverOf(made: Made) {
  const reply = (message: Json): Json => {
    const { id, method, params } = message as { id: number; method: string; params: Json };
    const answer = (result: Json): Json => ({ mcp_response: { jsonrpc: "2.0", id, result } });
    const serverInfo = { name: "docs", version: "1" };
    const capabilities = { tools: { listChanged: true }, resources: {} };
    if (method === "initialize")
      return answer({ protocolVersion: params["protocolVersion"], capabilities, serverInfo });
    const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    if (method === "tools/list") return answer({ tools: made.tools.map((name) => ({ name, inputSchema })) });
    if (method === "resources/read")
      return answer({ contents: [{ uri: params["uri"], mimeType: "text/html", text: "<p>page</p>" }] });
    if (method === "resources/list") return answer({ resources: [] });
    if (method === "resources/templates/list") return answer({ resourceTemplates: [] });
    if (method !== "tools/call") return { mcp_response: { jsonrpc: "2.0", result: {} } };
    made.called.push(params["arguments"]);
    return answer({ content: [{ type: "text", text: "done" }], structuredContent: { said: "done" } });
  };
  return reply;
}

function answering(made: Made, verdict: Json = { behavior: "allow" }, hook: Json = {}) {
  const server = serverOf(made);
  return ({ subtype, message, input }: Json): Json => {
    if (subtype === "mcp_message") return server(message as Json);
    if (subtype === "hook_callback") return hook;
    return verdict["behavior"] === "allow" ? { ...verdict, updatedInput: input } : verdict;
  };
}

const begin = (client: Client, fields: Json = {}): Promise<Json> =>
  client.request("initialize", { sdkMcpServers: ["docs"], ...fields });
const stdio = ["--permission-prompt-tool", "stdio"];

test("mcp_call calls a tool once a person allows it, and refuses invalid input", async () => {
  const made: Made = { tools: ["sign"], called: [] };
  await drive([], { args: stdio, answer: answering(made) }, async (client) => {
    await begin(client);
    const call = { tool: "mcp__docs__sign", arguments: { n: 1 } };
    expect(await client.request("mcp_call", call)).toEqual({
      content: [{ type: "text", text: "done" }],
      structuredContent: { said: "done" },
    });
    expect(client.controlRequests.filter(({ subtype }) => subtype === "can_use_tool")).toMatchObject([
      { tool_name: "mcp__docs__sign", input: { n: 1 } },
    ]);
    await expect(client.request("mcp_call", { ...call, arguments: { n: "x" } })).rejects.toThrow(/did not run: /u);
    await expect(client.request("mcp_call", { tool: "Bash", arguments: {} })).rejects.toThrow(
      /No connected MCP server has a tool Bash/u,
    );
    await expect(client.request("mcp_call", { ...call, expires_at: "now" })).rejects.toThrow(/is not supported here/u);
    expect(made.called).toEqual([{ n: 1 }]);
  });
});

test.each([
  ["a person", stdio, { behavior: "deny", message: "Not today." }, {}, /did not run: .*Not today/u],
  ["a rule", ["--disallowed-tools", "mcp__docs__sign"], { behavior: "allow" }, {}, /has a tool|did not run/u],
  ["nobody", [], { behavior: "allow" }, {}, /did not run: /u],
  ["a hook", stdio, { behavior: "allow" }, { decision: "block", reason: "Guarded." }, /did not run: .*Guarded/u],
] as const)("mcp_call does not reach the server if %s refuses", async (_, args, verdict, hook, why) => {
  const made: Made = { tools: ["sign"], called: [] };
  await drive([], { args, answer: answering(made, verdict, hook) }, async (client) => {
    await begin(client, { hooks: { PreToolUse: [{ hookCallbackIds: ["guard"] }] } });
    const call = client.request("mcp_call", { tool: "mcp__docs__sign", arguments: { n: 1 } });
    await expect(call).rejects.toThrow(why);
    expect(made.called).toEqual([]);
  });
});

test("mcp_read_resource reads ui:// pages only, and of connected servers only", async () => {
  const made: Made = { tools: [], called: [] };
  await drive([], { answer: answering(made) }, async (client) => {
    await begin(client);
    const page = { serverName: "docs", uri: "ui://docs/page" };
    expect(await client.request("mcp_read_resource", page)).toMatchObject({ contents: [{ text: "<p>page</p>" }] });
    await expect(client.request("mcp_read_resource", { ...page, uri: "file:///etc/passwd" })).rejects.toThrow(
      /ui:\/\//u,
    );
    await expect(client.request("mcp_read_resource", { ...page, serverName: "none" })).rejects.toThrow(
      /No MCP server none is connected/u,
    );
  });
});

test("mcp_message tells the session about changed tools, and the model gets them", async () => {
  const made: Made = { tools: ["one"], called: [] };
  await drive([says("a"), says("b")], { answer: answering(made) }, async (client) => {
    await begin(client);
    client.sendPrompt("first");
    await client.result();
    made.tools.push("two");
    const message = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
    await client.request("mcp_message", { server_name: "docs", message });
    await client.until(
      () => client.controlRequests.filter((asked) => JSON.stringify(asked).includes("tools/list")).length > 1,
      "another look",
    );
    await client.until(() => client.controlRequests.length > 0, "anything");
    await client.request("mcp_call", { tool: "mcp__docs__two", arguments: { n: 1 } }).catch(() => undefined);
    client.sendPrompt("second");
    await client.result(2);
    expect(JSON.stringify(client.server.requests.at(-1)?.body)).toContain("mcp__docs__two");
    await expect(client.request("mcp_message", { server_name: "none", message })).rejects.toThrow(/no server "none"/u);
  });
});

test("a second initialize repeats a server's unanswered question", async () => {
  const server = answering({ tools: [], called: [] });
  const answered = Promise.withResolvers<Json>();
  const answer = (asked: Json) => (asked["subtype"] === "elicitation" ? answered.promise : server(asked));
  await drive([], { answer }, async (client) => {
    expect(await begin(client)).not.toHaveProperty("pending_elicitation_requests");
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
    const message = {
      jsonrpc: "2.0",
      id: 5,
      method: "elicitation/create",
      params: { message: "Who?", requestedSchema },
    };
    await client.request("mcp_message", { server_name: "docs", message });
    await client.until(() => client.controlRequests.some(({ subtype }) => subtype === "elicitation"), "the question");
    expect(await client.request("initialize")).toMatchObject({
      pending_elicitation_requests: [{ type: "control_request", request: { subtype: "elicitation", message: "Who?" } }],
    });
    answered.resolve({ action: "decline" });
  });
});

// Seen: a host could offer those of pawl alone.
test("initialize lists the same output styles as reload_output_styles", () =>
  drive([says("x")], {}, async (client) => {
    const styles = join(client.place.home, ".claude/output-styles");
    mkdirSync(styles, { recursive: true });
    writeFileSync(join(styles, "terse.md"), "---\nname: terse\ndescription: few words\n---\nFew words.");
    const answered = client.request("initialize");
    client.sendPrompt("go");
    const { available_output_styles: named } = await answered;
    // Who sends both at once gets the answer first.
    expect(client.order[0]).toBe("control_response");
    await client.result();
    expect(named).toEqual(expect.arrayContaining(["default", "Concise", "terse"]));
    expect(await client.request("reload_output_styles")).toEqual({ available_output_styles: named });
    // Seen: a client that came later received those of the start.
    writeFileSync(join(styles, "long.md"), "---\nname: long\ndescription: many words\n---\nMany words.");
    const again = await client.request("initialize");
    expect(again["available_output_styles"]).toEqual(expect.arrayContaining(["terse", "long"]));
  }));

test("reload_plugins, reload_output_styles and register_repo_root read the current files", () =>
  drive([says("x")], {}, async (client) => {
    const { folder, home } = client.place;
    await client.request("initialize");
    const agents = join(home, ".claude/agents");
    const styles = join(home, ".claude/output-styles");
    const repo = join(folder, "inner");
    for (const each of [agents, styles, repo]) mkdirSync(each, { recursive: true });
    writeFileSync(join(agents, "late.md"), "---\nname: late\ndescription: came late\n---\nYou came late.");
    writeFileSync(join(styles, "terse.md"), "---\nname: terse\ndescription: few words\n---\nFew words.");
    writeFileSync(join(repo, "CLAUDE.md"), "INNER-INSTRUCTIONS");
    const reloaded = await client.request("reload_plugins", { refuse_if_busy: true });
    expect(reloaded).toMatchObject({ error_count: 0, plugins: [], mcpServers: [] });
    expect(JSON.stringify(reloaded["agents"])).toContain("late");
    expect(JSON.stringify(reloaded["commands"])).toContain('"compact"');
    expect(await client.request("reload_output_styles")).toMatchObject({
      available_output_styles: expect.arrayContaining(["default", "terse"]) as unknown,
    });
    await client.request("register_repo_root", { directory: "inner", reload_claude_md: true, reload_skills: true });
    client.sendPrompt("go");
    await client.result();
    expect(JSON.stringify(client.server.requests.at(-1)?.body)).toContain("INNER-INSTRUCTIONS");
    for (const [directory, why] of [
      ["inner", /already/u],
      [".", /already/u],
      ["none", /no folder/u],
      [home, /not inside/u],
    ] as const)
      await expect(client.request("register_repo_root", { directory })).rejects.toThrow(why);
    await expect(client.request("reload_plugins", { add_plugins: [{}] })).rejects.toThrow(/--plugin-dir/u);
  }));

// Control requests that change what a session is made of.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRecord } from "../../../src/lib/is-record.ts";
import { calls, drive, says, type Json } from "./client.ts";

/** An MCP server in the client, with one tool. */
function clientServer(text: string): (request: Json) => Json {
  return (request) => {
    const message = request["message"] as Json;
    const answer = (result: Json): Json => ({ mcp_response: { jsonrpc: "2.0", id: message["id"], result } });
    const tools = [{ name: "say", description: "Says.", inputSchema: { type: "object" } }];
    switch (message["method"]) {
      case "initialize": {
        const { protocolVersion } = message["params"] as Json;
        return answer({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
      }
      case "tools/list":
        return answer({ tools });
      case "tools/call":
        return answer({ content: [{ type: "text", text }] });
      default:
        return { mcp_response: { jsonrpc: "2.0", result: {} } };
    }
  };
}

test("mcp_set_servers adds and removes a server of the client during the session", () =>
  drive(
    [calls(["mcp__late__say", {}]), says("1"), calls(["mcp__late__say", {}]), says("2")],
    { args: ["--allowedTools", "mcp__late"], answer: clientServer("here I am") },
    async (client) => {
      await client.request("initialize");
      const servers = { late: { type: "sdk", name: "late" }, broken: { command: "/nowhere" } };
      expect(await client.request("mcp_set_servers", { servers })).toMatchObject({
        added: ["late", "broken"],
        removed: [],
        errors: { broken: expect.any(String) },
      });
      client.sendPrompt("go");
      await client.result(1);
      expect(JSON.stringify(client.messages)).toContain("here I am");
      const status = await client.request("mcp_status");
      expect(JSON.stringify(status)).toContain('"name":"late"');
      expect(await client.request("mcp_set_servers", { servers: {} })).toMatchObject({ removed: ["late", "broken"] });
      client.sendPrompt("again");
      await client.result(2);
      expect(JSON.stringify(client.messages)).toContain("the host has removed it");
      await expect(client.request("mcp_set_servers", { servers: { x: 1 } })).rejects.toThrow('"x" must be an object');
    },
  ));

test("the end of a background command between turns is reported at once, and only once", () =>
  drive(
    [calls(["Bash", { command: "sleep 60", run_in_background: true }]), says("1"), says("2")],
    { args: ["--allowedTools", "Bash"] },
    async (client) => {
      const ends = (): Json[] => client.messages.filter(({ subtype }) => subtype === "task_notification");
      client.sendPrompt("go");
      await client.result(1);
      const id = /"backgroundTaskId":"(\w+)"/u.exec(JSON.stringify(client.messages))?.[1];
      await client.request("stop_task", { task_id: id });
      await client.until(() => ends().length > 0, "its end");
      expect(ends()).toMatchObject([{ task_id: id, status: "stopped", summary: "sleep 60" }]);
      client.sendPrompt("again");
      await client.result(2);
      expect(ends()).toHaveLength(1);
      expect(JSON.stringify(client.server.requests.at(-1)?.body.messages)).toContain("was stopped");
    },
  ));

test("apply_flag_settings applies from the next prompt on, and refuses settings that cannot change", () =>
  drive(
    [calls(["Bash", { command: "touch made" }]), says("1"), calls(["Bash", { command: "touch made" }]), says("2")],
    {},
    async (client) => {
      const isMade = (): boolean => existsSync(join(client.place.folder, "made"));
      client.sendPrompt("go");
      await client.result(1);
      expect(isMade()).toBe(false);
      const settings = { permissions: { allow: ["Bash(touch made)"] } };
      expect(await client.request("apply_flag_settings", { settings })).toEqual({});
      client.sendPrompt("again");
      await client.result(2);
      expect(isMade()).toBe(true);
      const sandbox = { settings: { sandbox: { enabled: true } } };
      await expect(client.request("apply_flag_settings", sandbox)).rejects.toThrow(
        "cannot be changed while a session runs",
      );
      expect(client.replies.at(-1)).toMatchObject({ subtype: "error", error_code: "usage" });
      await expect(client.request("mcp_toggle", { serverName: "none", enabled: true })).rejects.toThrow(
        "no MCP server",
      );
      expect(client.replies.at(-1)).toMatchObject({ error_code: "no_such_server" });
      await expect(client.request("apply_flag_settings")).rejects.toThrow('"settings" must be an object');
      const update = { source: "userSettings", settings: { effortLevel: "low" } };
      expect(await client.request("update_settings", update)).toEqual({});
      const { effective, sources } = await client.request("get_settings");
      expect([effective, sources]).toMatchObject([{ permissions: settings.permissions }, [{}, {}]]);
      expect(effective).not.toHaveProperty("effortLevel");
      expect(sources).toContainEqual(expect.objectContaining({ settings: { effortLevel: "low" } }));
      await expect(client.request("update_settings", { ...update, source: "policySettings" })).rejects.toThrow(
        "source",
      );
      expect(isRecord(await client.request("reload_skills"))).toBe(true);
      expect(await client.request("background_tasks", { tool_use_id: "none" })).toEqual({ backgrounded: false });
    },
  ));

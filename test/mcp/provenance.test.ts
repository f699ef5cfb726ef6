// The owner of a call's tool, as reported to hooks and hosts, so that they can trust their own server and need not trust a name.
import { afterEach, expect, test } from "vitest";
import { createSdkMcpServer, tool, type EngineOptions, type HookInput } from "../../src/index.ts";
import { provenanceOf, type Server } from "../../src/mcp/server.ts";
import { hostQuestion, type HostQuestion } from "../../src/session/convention/host-question.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "../session/support.ts";
import { calling, serverOf } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const said = tool("say", "Says it.", { type: "object" }, async () => ({ content: "said" }));

test("the source of a server is sdk only if it lives in the host", () => {
  const written = { name: "own", type: "stdio", scope: "sdk" } as Server;
  const scopes = ["flag", "sdk", "local", "project", "user", "policy"] as const;
  expect(scopes.map((scope) => provenanceOf({ ...written, scope }).source)).toEqual([
    "dynamic",
    "dynamic",
    "local",
    "project",
    "user",
    "managed",
  ]);
  expect(provenanceOf({ ...written, scope: "user", providedBy: "plugin" })).toEqual({ name: "own", source: "plugin" });
  expect(provenanceOf({ ...written, scope: "project", providedBy: "agent" }).source).toBe("agent");
  for (const type of ["sdk", "transport"]) expect(provenanceOf({ ...written, type } as Server).source).toBe("sdk");
});

test("hooks, hosts and the init message get the source of a tool's server", async () => {
  const heard: [event: string, server: unknown][] = [];
  const hear = async ({ hook_event_name: event, mcp_server: server }: HookInput) => void heard.push([event, server]);
  const events = ["PreToolUse", "PermissionRequest", "PostToolUse"] as const;
  const asked: HostQuestion["mcpServer"][] = [];
  const options: EngineOptions = {
    mcpServers: { own: createSdkMcpServer({ name: "own", tools: [said] }), test: serverOf({}) },
    hooks: Object.fromEntries(events.map((event) => [event, [{ callback: hear as never }]])),
    ask: async (question) => {
      asked.push(hostQuestion(question).mcpServer);
      return { behavior: "allow" };
    },
  };
  const bash = { tool: "Bash", input: { command: "touch x" } };
  const script = calling({ tool: "mcp__own__say" }, { tool: "mcp__test__echo", input: { text: "x" } }, bash);
  const { engine } = await openSession(script, options);
  const { messages } = await turn(engine, "Call them.");
  const own = { name: "own", source: "sdk" };
  const other = { name: "test", source: "dynamic" };
  expect(asked).toEqual([own, other, undefined]);
  expect(heard).toEqual([own, other, undefined].flatMap((server) => events.map((event) => [event, server])));
  expect(messages[0]).toMatchObject({ mcp_servers: [own, other] });
  expect(engine.mcpServerStatus()).toMatchObject([own, other]);
});

// What a host says of single tools of its servers: asked about whatever allows them, or not to be had.
import { afterEach, expect, test } from "vitest";
import { createSdkMcpServer, tool, type EngineOptions } from "../../src/index.ts";
import type { McpServerToolPolicy } from "../../src/protocol/mcp.ts";
import { toolPolicies } from "../../src/mcp/tool-policy.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

async function call(tools: McpServerToolPolicy[], options: EngineOptions) {
  const called: string[] = [];
  const asked: string[] = [];
  const made = ["free", "guarded", "closed"].map((name) =>
    tool(name, name, { type: "object" }, async () => {
      called.push(name);
      return name;
    }),
  );
  const server = { ...createSdkMcpServer({ name: "s", tools: made }), tools };
  const content = ["free", "guarded", "closed"].map((name) => ({ tool: `mcp__s__${name}`, input: {} }));
  const model = scripted({ steps: [{ content }, "Done."] });
  const engine = await openOn(layGround(), model, {
    mcpServers: { s: server },
    ask: async ({ toolName }) => {
      asked.push(toolName);
      return { behavior: "deny" };
    },
    ...options,
  });
  await turn(engine, "Go.");
  const body = model.requests[0]?.body as unknown as { tools: { name: string }[] };
  return { called, asked, offered: body.tools.map(({ name }) => name).filter((name) => name.startsWith("mcp__")) };
}

test.each<[string, EngineOptions]>([
  ["a rule", { allowedTools: ["mcp__s"] }],
  ["a mode", { permissionMode: "bypassPermissions" }],
])("asks about a tool with always_ask despite %s, and does not offer one with always_deny", async (_, options) => {
  const tools: McpServerToolPolicy[] = [
    { name: "free", permission_policy: "always_allow" },
    { name: "guarded", permission_policy: "always_ask" },
    { name: "closed", permission_policy: "always_deny" },
  ];
  expect(await call(tools, options)).toEqual({
    called: ["free"],
    asked: ["mcp__s__guarded"],
    offered: ["mcp__s__free", "mcp__s__guarded"],
  });
});

test("always_allow allows nothing by itself", async () => {
  const { called, asked } = await call([{ name: "free", permission_policy: "always_allow" }], {});
  expect([called, asked.length]).toEqual([[], 3]);
});

test("an unknown policy asks, the ceiling applies, and a value that is no list is ignored", () => {
  const said = toolPolicies([
    { name: "a", permission_policy: "sometimes" },
    { name: "b", org_max_permission: "blocked", permission_policy: "always_allow" },
    { name: "c", permission_policy: "always_deny" },
    { name: "c", permission_policy: "always_ask" },
    { permission_policy: "always_deny" },
    { name: "d", permission_policy: "toString" },
    "e",
  ]);
  expect([...(said ?? [])]).toEqual([
    ["a", "ask"],
    ["b", "deny"],
    ["c", "deny"],
    ["d", "ask"],
  ]);
  expect(toolPolicies({ name: "a" })).toBeUndefined();
});

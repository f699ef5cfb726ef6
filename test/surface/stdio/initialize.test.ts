import { describe, expect, test } from "vitest";
import { ClientRequests } from "../../../src/surface/stdio/client-requests.ts";
import { readInitialize, type RequestedOptions } from "../../../src/surface/stdio/initialize.ts";

const read = (fields: Record<string, unknown>): RequestedOptions =>
  readInitialize(
    fields,
    new ClientRequests(
      () => undefined,
      () => "id",
    ),
  );

const callback: unknown = expect.any(Function);
const open: unknown = expect.any(Function);

describe("initialize", () => {
  test.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{}, {}],
    [{ hooks: null, toolAliases: null, skills: null, plugins: null, mcpServers: null, jsonSchema: null }, {}],
    [
      { promptSuggestions: true, forwardSubagentText: true, excludeDynamicSections: true },
      { promptSuggestions: true, forwardSubagentText: true, excludeDynamicSections: true },
    ],
    [{ promptSuggestions: false, forwardSubagentText: "yes" }, {}],
    [{ toolAliases: { Bash: "mcp__box__run" } }, { toolAliases: { Bash: "mcp__box__run" } }],
    [{ skills: [] }, { skills: [] }],
    [
      { toolConfig: { askUserQuestion: { previewFormat: "html" } } },
      { toolConfig: { askUserQuestion: { previewFormat: "html" } } },
    ],
    [
      { systemPrompt: "s", appendSystemPrompt: "a", planModeInstructions: "p" },
      { systemPrompt: "s", appendSystemPrompt: "a", planModeInstructions: "p" },
    ],
    [{ jsonSchema: { type: "object" } }, { outputFormat: { type: "json_schema", schema: { type: "object" } } }],
    [{ agents: { a: { description: "d", prompt: "p" } } }, { agents: { a: { description: "d", prompt: "p" } } }],
    [
      {
        plugins: [
          { type: "local", path: "/with" },
          { type: "local", path: "/without", skipMcpDiscovery: true },
        ],
      },
      { pluginDirs: ["/with"], pluginDirsWithoutServers: ["/without"] },
    ],
    [
      {
        hooks: {
          PreToolUse: [
            { matcher: "Bash", hookCallbackIds: ["a", "b"], timeout: 2, onFailure: "block" },
            { hookCallbackIds: ["c"], timeout: 0, onFailure: "continue" },
          ],
        },
      },
      {
        hooks: {
          PreToolUse: [
            { matcher: "Bash", timeoutMs: 2000, onFailure: "block", callback },
            { matcher: "Bash", timeoutMs: 2000, onFailure: "block", callback },
            { callback },
          ],
        },
      },
    ],
    [
      {
        sdkMcpServers: ["calc", "plain"],
        sdkMcpServerConfigs: { calc: { timeout: 5, alwaysLoad: true, tools: [], other: 1 } },
        mcpServers: { here: { command: "x" }, own: { type: "sdk", timeout: 7 } },
      },
      {
        mcpServers: {
          here: { command: "x" },
          own: { type: "transport", timeout: 7, open },
          calc: { type: "transport", timeout: 5, alwaysLoad: true, tools: [], open },
          plain: { type: "transport", open },
        },
      },
    ],
  ])("turns %j into session options", (fields, wanted) => {
    expect(read(fields).options).toEqual(wanted);
  });

  test.each([[{ type: "npm", path: "/a" }], [{ type: "local" }], ["/a"]])(
    "refuses a plugin that is not a folder: %j",
    (plugin) => {
      expect(() => read({ plugins: [plugin] })).toThrow("initialize: a plugin must be a folder");
    },
  );
});

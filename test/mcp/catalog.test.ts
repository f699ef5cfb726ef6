// What a session is told about a server whose lists change.
import { expect, test } from "vitest";
import { Catalog } from "../../src/mcp/catalog.ts";
import type { Connection } from "../../src/mcp/connection.ts";
import { readDefinition, type McpToolDefinition } from "../../src/mcp/definition.ts";
import type { McpWorld } from "../../src/mcp/world.ts";
import { toolNamed } from "./support.ts";

const defined = (name: string): McpToolDefinition => readDefinition(toolNamed(name)) as McpToolDefinition;

/** A server that is there, and what a session that has heard of it is told next. */
function heard(tools: McpToolDefinition[], isRemoved = (_name: string): boolean => false, instructions = "") {
  const world = { debug: () => {}, callMs: 1_000 } as unknown as McpWorld;
  const wasAnnounced = (): boolean => false;
  const options = { world, maxResultChars: 1_000, deferAbove: 100_000, isRemoved, wasAnnounced };
  const catalog = new Catalog(options);
  const inventory = { tools, version: 1, resourceChanges: 0 };
  const connection = { status: "connected", server: { name: "far" }, instructions, inventory };
  const news = (isFirst = false): string[] =>
    catalog.takeChanges([["far", connection as unknown as Connection]], isFirst).news;
  const list = (...names: string[]): void => {
    inventory.tools = names.map(defined);
    inventory.version += 1;
  };
  return { inventory, begun: news(true), news, list, connection };
}

test("announces a change of a server's resources once", () => {
  const { inventory, news } = heard([defined("echo")]);
  inventory.resourceChanges += 2;
  expect(news()).toEqual([expect.stringMatching(/^The MCP server far has changed its resources; ListMcp/u)]);
  expect(news()).toEqual([]);
});

test("announces a tool that disappears and returns as available again, not as new", () => {
  const { news, list } = heard([defined("echo"), defined("other")]);
  list("other");
  expect(news()).toEqual([
    expect.stringContaining("no longer has these tools; calls of them are refused: mcp__far__echo."),
  ]);
  list("echo", "other");
  expect(news()).toEqual(["The tool mcp__far__echo is available again."]);
});

test("names only the first hundred of many new tools", () => {
  const { news, list } = heard([defined("echo")]);
  const names = Array.from({ length: 103 }, (_, at) => `t${String(at).padStart(3, "0")}`);
  list("echo", ...names);
  expect(news()).toEqual([expect.stringMatching(/has new tools: mcp__far__t000, .*mcp__far__t099 and 3 more\.$/u)]);
});

test("announces a server that is gone with the reason, but not while it is pending", () => {
  const { news, connection } = heard([defined("echo")]);
  Object.assign(connection, { status: "pending" });
  expect(news()).toEqual([]);
  Object.assign(connection, { status: "failed", error: "it ended" });
  expect(news()).toEqual([expect.stringMatching(/^The MCP server far is gone \(it ended\)\./u)]);
  expect(news()).toEqual([]);
});

test("says nothing about a server whose tools are all hidden, but announces its instructions if one is visible", () => {
  const tools = [defined("echo"), defined("other")];
  const ofNone = heard(tools, () => true, "Ask first.");
  Object.assign(ofNone.connection, { status: "failed", error: "it ended" });
  expect([ofNone.begun, ofNone.news()]).toEqual([[], []]);
  const ofOne = heard(tools, (name) => name !== "mcp__far__echo", "Ask first.");
  expect(ofOne.begun).toEqual([expect.stringMatching(/^The MCP server far says of itself .*\nAsk first\.$/u)]);
  const ofWhatIsRead = heard([], (name) => name !== "mcp__far__resource", "Ask first.");
  expect(ofWhatIsRead.begun).toEqual(ofOne.begun);
});

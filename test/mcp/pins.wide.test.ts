// What the user allowed once stays allowed as long as it is the same: the order in which a server writes keys is no difference.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { CatalogEntry } from "../../src/mcp/catalog.ts";
import { readDefinition } from "../../src/mcp/definition.ts";
import { Pins } from "../../src/mcp/pins.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "../session/support.ts";
import { calling, serverOf, toolNamed } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const text = { type: "string", description: "What to say" };
const schema = { type: "object", properties: { text, loud: { type: "boolean" } }, required: ["text"] };
const turned = {
  required: ["text"],
  properties: { loud: { type: "boolean" }, text: { description: "What to say", type: "string" } },
  type: "object",
};

test("asks again about an accepted definition only once it changes again", () => {
  const { pawlHome } = layGround();
  const pins = new Pins(join(pawlHome, "mcp-pins.json"), () => undefined);
  const entry = (description: string): CatalogEntry => {
    const definition = readDefinition(toolNamed("echo", { description }));
    return { name: "mcp__test__echo", definition } as CatalogEntry;
  };
  const isNew = (description: string): boolean => pins.hasChanged(entry(description), false);
  pins.noteFirstSeen(entry("Says it"));
  pins.noteFirstSeen(entry("Shouts it"));
  expect([isNew("Says it"), isNew("Shouts it")]).toEqual([false, true]);
  pins.accept({ ...entry("Shouts it"), connection: { server: { type: "sdk", name: "test" } } } as CatalogEntry);
  expect([isNew("Says it"), isNew("Shouts it")]).toEqual([true, false]);
});

test("treats a schema with reordered keys, and one pinned by an earlier version, as unchanged", async () => {
  const laid = layGround();
  mkdirSync(laid.pawlHome, { recursive: true });
  writeFileSync(join(laid.pawlHome, "settings.json"), JSON.stringify({ permissions: { allow: ["mcp__test__echo"] } }));
  const isDenied = async (inputSchema: object, more: string[] = []): Promise<boolean> => {
    laid.file("tools.json", JSON.stringify([toolNamed("echo", { description: "Says it", inputSchema })]));
    const server = serverOf();
    const args = [...(server.args ?? []), ...more];
    const mcpServers = { test: { ...server, args, env: { TOOLS_FILE: join(laid.work, "tools.json") } } };
    const script = calling({ tool: "mcp__test__echo", input: { text: "x" } });
    const { engine } = await openSession(script, { mcpServers }, laid);
    const { result } = await turn(engine, "go");
    return result.permission_denials.length > 0;
  };
  expect(await isDenied(schema)).toBe(false);
  expect(await isDenied(turned)).toBe(false);
  const pins = join(laid.pawlHome, "mcp-pins.json");
  const pinned = (): string | undefined => /"echo":"([0-9a-f]{64})"/u.exec(readFileSync(pins, "utf8"))?.[1];
  const own = pinned() ?? "";
  const asWritten = createHash("sha256")
    .update(JSON.stringify(["echo", "Says it", "", false, schema]))
    .digest("hex");
  writeFileSync(pins, readFileSync(pins, "utf8").replace(own, asWritten));
  expect(await isDenied(schema)).toBe(false);
  expect(pinned()).toBe(own);
  expect(await isDenied(turned)).toBe(false);
  expect(await isDenied({ ...schema, required: [] })).toBe(true);
  writeFileSync(pins, readFileSync(pins, "utf8").replace(own, asWritten));
  expect(await isDenied({ ...schema, required: [] })).toBe(true);
  // With another command line it is another server, which the rule is given for as it is.
  expect(await isDenied({ ...schema, required: [] }, ["--other"])).toBe(false);
});

// Files about servers next to the settings: a failed write leaves nothing behind.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CatalogEntry } from "../../src/mcp/catalog.ts";
import { Pins } from "../../src/mcp/pins.ts";
import { SilentServers } from "../../src/mcp/silent-servers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const server = { type: "http", name: "docs", url: "http://127.0.0.1:9/mcp" };
const write: Record<string, (path: string) => void> = {
  "the list of silent servers": (path) => {
    const silences = new SilentServers({ path, now: () => 1_000, debug: () => {} });
    silences.note(server.url);
    silences.noteAttempt({ server, status: "connected" } as unknown as Parameters<SilentServers["noteAttempt"]>[0]);
  },
  "the allowed definitions": (path) => {
    const definition = { name: "look", hash: "a", writtenHash: "b" };
    const entry = { name: "mcp__docs__look", connection: { server }, definition };
    new Pins(path, () => {}).pinIfMissing(entry as unknown as CatalogEntry);
  },
};

// Seen: where the disk was full, or the process died, half of one stayed for ever.
test.each(Object.keys(write))("a failed write leaves no temporary file: %s", (kind) => {
  const folder = temporaryFolder();
  const path = join(folder, "kept.json");
  write[kind]?.(path);
  expect(readdirSync(folder)).toEqual(["kept.json"]);
  rmSync(path);
  // Nothing can be put in its place.
  mkdirSync(join(path, "in the way"), { recursive: true });
  write[kind]?.(path);
  expect(readdirSync(folder)).toEqual(["kept.json"]);
});

// What ripgrep prints, read: however much it is, nobody waits for it.
import { expect, test } from "vitest";
import { parseHits } from "../../src/tools/search/hits.ts";

const path = "./packages/part/src/components/file-";

test.each([
  ["files that match", "files_with_matches", 150_000, (at: number) => `${path}${at}.ts\0`],
  ["how often they do", "count", 150_000, (at: number) => `${path}${at}.ts\x002\n`],
  ["matching lines", "content", 150_000, (at: number) => `${path}${at}.ts\x007:found\n--\n`],
  ["binary files", "content", 15_000, (at: number) => `${path}${at}.png: binary file matches (found "\\0" byte)\n`],
] as const)("ripgrep's output with many names is parsed in linear time: %s", (_, mode, count, lineOf) => {
  const stdout = Buffer.from(Array.from({ length: count }, (_each, at) => lineOf(at)).join(""));
  const start = process.cpuUsage();
  const files = parseHits(stdout, mode);
  const { user, system } = process.cpuUsage(start);
  expect(files).toHaveLength(count);
  expect(files.at(-1)?.path.toString()).toContain(`file-${count - 1}.`);
  expect((user + system) / 1_000).toBeLessThan(4_000);
});

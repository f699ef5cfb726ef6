// Seen: a new baseline was saved, but docs/benchmarks.md kept the figures and the date of the old one.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Figure {
  what: string;
  unit: string;
  base: { median: number } | null;
  pawl: { median: number };
}

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/benchmarks.md"), "utf8");
const { date, figures } = JSON.parse(readFileSync(join(root, "bench/baseline.json"), "utf8")) as {
  date: string;
  figures: Figure[];
};

/** The page's table, by the figures of each row. */
const rows: Record<string, string[]> = {
  "one reply: from the start of the process to the first request": ["one reply: spawn to first request"],
  "one reply: CPU; peak memory": ["one reply: CPU", "one reply: peak RSS"],
  "a turn with a Read: CPU": ["400 read turns: CPU per turn"],
  "a turn with a command: CPU": ["50 shell turns: CPU per turn"],
  "200 sessions in one process: CPU a turn": ["200 sessions: CPU per turn"],
  "system prompt and tools": ["system prompt and tools"],
  "100 turns with a Read, at list prices": ["100 read turns: dollars"],
};

function shown(unit: string, median: number): string {
  if (unit === "$") return `$${median.toFixed(2)}`;
  const digits = unit === "ms" && median < 10 ? 1 : 0;
  return `${median.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

function cells(names: string[]): string {
  const listed = names.map((name) => figures.find(({ what }) => what === name)!);
  const side = (of: "base" | "pawl"): string => listed.map((each) => shown(each.unit, each[of]!.median)).join("; ");
  return `${side("base")} | ${side("pawl")}`;
}

test("the page shows the figures and the date of the saved baseline", () => {
  const day = new Date(`${date}T00:00:00Z`).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  const table = page.split(/^## /mu).find((part) => part.startsWith("Baseline")) ?? "";
  expect(table).toContain(day);
  expect(table.split("\n").filter((line) => /^\| \w/u.test(line))).toEqual(
    Object.entries(rows).map(([row, names]) => `| ${row} | ${cells(names)} |`),
  );
});

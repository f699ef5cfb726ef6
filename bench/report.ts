/** Prints the table and saves the baseline that is kept with the code. */
import { cpus, platform, release, totalmem } from "node:os";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Result, Spread } from "./scenario.ts";

function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 || size === 0 ? 2 : 3);
}

function formatSpread({ median, low, high }: Spread): string {
  return low === high || Number.isNaN(low)
    ? formatNumber(median)
    : `${formatNumber(median)} (${formatNumber(low)}–${formatNumber(high)})`;
}

function tableCells({ row, base, pawlValue, value, isMet }: Result): string[] {
  const limit = row.atMost !== undefined ? `≤ ${row.atMost}` : row.atLeast !== undefined ? `≥ ${row.atLeast}` : "";
  const suffix = row.compare === "ratio" ? "×" : row.unit === "" ? "" : ` ${row.unit}`;
  const compared =
    row.compare === "value" ? "" : row.compare === "ratio" ? `${formatNumber(value)}×` : formatNumber(value);
  const verdict = isMet === undefined ? "" : isMet ? "met" : "NOT MET";
  const { label, unit } = row;
  const shown = unit === "" ? label : `${label}, ${unit}`;
  return [
    shown,
    base === undefined ? "" : formatSpread(base),
    formatSpread(pawlValue),
    compared,
    limit && `${limit}${suffix}`,
    verdict,
  ];
}

/** Returns a Markdown table that is also aligned on a terminal. */
export function table(results: Result[]): string {
  const rows = [["", "base", "pawl", "", "target", ""], ...results.map(tableCells)];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}

function describeMachine(): Record<string, string | number> {
  const [first] = cpus();
  return {
    cores: cpus().length,
    processor: first?.model.trim() ?? "unknown",
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: `${platform()} ${release()}`,
    node: process.version,
  };
}

export function saveBaseline(path: string, results: Result[]): void {
  const figures = results.map(({ scenario, row, base, pawlValue, value, isMet }) => ({
    scenario,
    what: row.label,
    unit: row.unit,
    ...(base === undefined ? {} : { base: roundSpread(base) }),
    pawl: roundSpread(pawlValue),
    compare: row.compare,
    value: round(value),
    ...(row.atMost === undefined ? {} : { atMost: row.atMost }),
    ...(row.atLeast === undefined ? {} : { atLeast: row.atLeast }),
    ...(isMet === undefined ? {} : { isMet }),
  }));
  const date = new Date().toISOString().slice(0, 10);
  const all = mergeFigures(savedFigures(path), figures);
  writeFileSync(path, `${JSON.stringify({ date, machine: describeMachine(), figures: all }, null, 2)}\n`);
}

interface SavedFigure {
  scenario: string;
}

function savedFigures(path: string): SavedFigure[] {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { figures: SavedFigure[] }).figures : [];
}

/** Replaces the figures of the scenarios that were run, in their old place, and keeps the others. */
function mergeFigures(saved: readonly SavedFigure[], measured: readonly SavedFigure[]): SavedFigure[] {
  const isMeasured = ({ scenario }: SavedFigure): boolean => measured.some((each) => each.scenario === scenario);
  const names = [...new Set([...saved, ...measured].map(({ scenario }) => scenario))];
  const kept = saved.filter((each) => !isMeasured(each));
  return names.flatMap((name) => [...kept, ...measured].filter(({ scenario }) => scenario === name));
}

function roundSpread({ median, low, high, runs }: Spread): Spread {
  return { median: round(median), low: round(low), high: round(high), runs };
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}

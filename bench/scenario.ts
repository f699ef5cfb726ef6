/** The type of a scenario, and the conversion of figures into rows of the table. */
import type { ServerProcess } from "./server-process.ts";
import type { Workspace } from "./workspace.ts";

export interface Bench {
  server: ServerProcess;
  workspace: Workspace;
}

/** The figures of one run, by name. */
export type Figures = Record<string, number>;

export interface Row {
  label: string;
  unit: string;
  figure: string;
  /** What is compared with the target: our figure divided by the base's, our figure minus the base's, or our figure alone. */
  compare: "ratio" | "difference" | "value";
  /** Without limits, the row is only for information. */
  atMost?: number;
  atLeast?: number;
}

export interface Scenario {
  name: string;
  about: string;
  /** The most runs of each side, for slow scenarios. */
  maxRuns?: number;
  /** The base comes first. A single side is ours. */
  sides: readonly [base: string, ours: string] | readonly [ours: string];
  /** Called once before the runs. Returns a function that undoes it after them. */
  prepare?(bench: Bench): Promise<() => Promise<void> | void>;
  run(side: string, bench: Bench): Promise<Figures>;
  rows: Row[];
}

export interface Spread {
  median: number;
  low: number;
  high: number;
  runs: number;
}

export interface Result {
  scenario: string;
  row: Row;
  base?: Spread;
  pawlValue: Spread;
  /** The value that is compared with the target. */
  value: number;
  isMet?: boolean;
}

/** The middle value, of two the upper one; NaN if there is none. */
export function middleOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}

export function spreadOf(values: number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
  return { median, low: sorted[0] ?? Number.NaN, high: sorted.at(-1) ?? Number.NaN, runs: sorted.length };
}

/** Compares the medians of the sides, not pairs of runs, so that one slow run has little effect. */
export function resultsOf(scenario: Scenario, samples: Map<string, Figures[]>): Result[] {
  const [first, second] = scenario.sides;
  return scenario.rows.map((row) => {
    const spread = (side: string): Spread =>
      spreadOf((samples.get(side) ?? []).map((figures) => figures[row.figure] ?? Number.NaN));
    const pawlValue = spread(second ?? first);
    const base = second === undefined ? undefined : spread(first);
    const value = valueOf(row, pawlValue.median, base?.median);
    const result: Result = { scenario: scenario.name, row, pawlValue: pawlValue, value };
    if (base !== undefined) result.base = base;
    // Only one side was run, so there is nothing to compare.
    if (Number.isNaN(value)) return result;
    if (row.atMost !== undefined) result.isMet = value <= row.atMost;
    if (row.atLeast !== undefined) result.isMet = value >= row.atLeast;
    return result;
  });
}

function valueOf({ compare }: Row, pawlValue: number, base: number | undefined): number {
  switch (compare) {
    case "ratio":
      return pawlValue / (base ?? Number.NaN);
    case "difference":
      return pawlValue - (base ?? Number.NaN);
    case "value":
      return pawlValue;
    default:
      return compare satisfies never;
  }
}

// `kill -9` before, in and after every write of five rich runs, then a resume: FAULTS=tools,fork for some of them.
import { describe, expect, test } from "vitest";
import { killAt, listKillPoints, type KillPoint } from "../support/faults/kill.ts";
import { runPooled } from "../support/faults/pool.ts";
import { killScenarios } from "../support/faults/scenarios.ts";
import { sharedTemporaryFolder } from "../support/temporary-folder.ts";

const cache = sharedTemporaryFolder();

const chosen = process.env["FAULTS"]?.split(",");
const scenarios = killScenarios.filter(({ name }) => chosen?.includes(name) ?? true);
/** What there was when this was written: a run that writes less often is looked at before the figure is lowered. */
const least: Record<string, number> = { tools: 500, shortening: 350, prompts: 400, repair: 290, fork: 50 };

describe.each(scenarios)("a run killed at every write of $name", (scenario) => {
  test("can be continued, and no effect is lost or doubled", { timeout: 3_600_000 }, async () => {
    const strokes = await listKillPoints(scenario, cache);
    let killed = 0;
    const failures = await runPooled<KillPoint>(strokes, 3, async (stroke) => {
      if (await killAt(stroke, cache)) killed++;
    });
    console.log(
      `kill: ${scenario.name}: ${strokes.length} deaths, ${killed} before the end, ${failures.length} failed`,
    );
    expect(failures.map(({ error }) => error.message).join("\n\n")).toBe("");
    // A run may write a little less than the one whose points were counted.
    expect(killed).toBeGreaterThan(strokes.length * 0.9);
    expect(strokes.length).toBeGreaterThanOrEqual(least[scenario.name] ?? 0);
  });
});

// docs/loop.md says of every reason to stop and to go on what it means; the figures in it are those of the code.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultLimits, continueCap } from "../../src/loop/ports.ts";
import type { ContinueReason, Terminal, TerminalReason } from "../../src/protocol/stop.ts";
import { noUsage } from "../../src/protocol/usage.ts";
import { makeResult } from "../../src/session/turn/result.ts";
import { exitCodeOf } from "../../src/surface/headless/exit-code.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/loop.md"), "utf8");

const terminals: { [R in TerminalReason]: Extract<Terminal, { reason: R }> } = {
  completed: { reason: "completed" },
  max_turns: { reason: "max_turns", turnCount: 2 },
  aborted_streaming: { reason: "aborted_streaming" },
  aborted_tools: { reason: "aborted_tools" },
  blocking_limit: { reason: "blocking_limit" },
  stop_hook_prevented: { reason: "stop_hook_prevented" },
  hook_stopped: { reason: "hook_stopped" },
  prompt_too_long: { reason: "prompt_too_long" },
  image_error: { reason: "image_error" },
  max_budget_usd: { reason: "max_budget_usd" },
  model_error: { reason: "model_error", error: { kind: "internal", message: "It failed." } },
};

const continues: Record<ContinueReason, true> = {
  next_turn: true,
  collapse_drain_retry: true,
  reactive_compact_retry: true,
  max_output_tokens_escalate: true,
  max_output_tokens_recovery: true,
  stop_hook_blocking: true,
  token_budget_continuation: true,
};

/** Rows of the table under a heading, by the name in their first cell. */
function rows(heading: string): Map<string, string[]> {
  const section = page.split(/^## /mu).find((part) => part.startsWith(heading)) ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("| `"));
  return new Map(
    lines.map((line) => {
      const cells = line.split("|").map((cell) => cell.trim());
      return [cells[1]?.replaceAll("`", "") ?? "", cells];
    }),
  );
}

describe('the table "Why it stopped" in docs/loop.md', () => {
  const table = rows("Why it stopped");

  test("has exactly one row for each reason", () => {
    expect([...table.keys()].toSorted()).toEqual(Object.keys(terminals).toSorted());
  });

  test.each(Object.values(terminals))("states the subtype and exit code of %j", (terminal) => {
    const result = makeResult({
      terminal,
      text: "",
      log: {
        errors: [],
        failedRequest: {},
        turnCount: 1,
        userMessages: 0,
        stopReason: null,
        usage: noUsage,
        durationApiMs: 0,
      },
      durationMs: 0,
      totalCostUsd: 0,
      modelUsage: {},
      permissionDenials: [],
      uuid: "u",
      sessionId: "s",
    });
    const cells = table.get(terminal.reason) ?? [];
    expect([cells[4], cells[5]]).toEqual([`\`${result.subtype}\``, String(exitCodeOf(result, undefined))]);
  });
});

describe('the table "Why it went on" in docs/loop.md', () => {
  test("has exactly one row for each reason", () => {
    expect([...rows("Why it went on").keys()].toSorted()).toEqual(Object.keys(continues).toSorted());
  });

  test("states the limits that the code has", () => {
    const bound = (reason: ContinueReason): string => rows("Why it went on").get(reason)?.join("|") ?? "";
    const { outputTokensDefault, outputTokensRecoveries, stopHookBlocks } = defaultLimits;
    expect(bound("max_output_tokens_escalate")).toContain(outputTokensDefault.toLocaleString("en"));
    expect(bound("max_output_tokens_escalate")).toContain("as much room as the model gives");
    expect(defaultLimits.outputTokensEscalated).toBeUndefined();
    expect(bound("max_output_tokens_recovery")).toContain(`${outputTokensRecoveries} in a row`);
    expect(bound("stop_hook_blocking")).toContain(`${stopHookBlocks} in a row`);
    expect(page).toContain(`${continueCap(defaultLimits)} passes`);
  });
});

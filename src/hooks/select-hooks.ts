/** Selects which hooks of an event run for a given input. */
import type { HookInput } from "../protocol/hook.ts";
import { matchesHook } from "./matcher.ts";
import type { HookRunner } from "./runner.ts";

export async function selectRunners(runners: readonly HookRunner[], input: HookInput): Promise<readonly HookRunner[]> {
  const matched = runners.filter(({ matcher }) => matchesHook(matcher, input));
  if (matched.every((runner) => runner.meetsCondition === undefined)) return matched;
  const met = await Promise.all(matched.map((runner) => meetsCondition(runner, input)));
  return matched.filter((_, index) => met[index]);
}

/** A condition that cannot be evaluated counts as met: it only narrows what a hook sees, and is not a guard itself. */
async function meetsCondition(runner: HookRunner, input: HookInput): Promise<boolean> {
  try {
    return (await runner.meetsCondition?.(input)) !== false;
  } catch {
    return true;
  }
}

/** Returns the first of each set of identical hooks. */
export function withoutDuplicates(runners: readonly HookRunner[]): HookRunner[] {
  const seen = new Set<string>();
  return runners.filter(({ identity }) => {
    if (identity === undefined) return true;
    const isNew = !seen.has(identity);
    seen.add(identity);
    return isNew;
  });
}

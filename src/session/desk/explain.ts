/** Predicts how calls would be decided under the current settings and flags, without a session, a key or a question. */
import { defaultToolNames } from "../../tools/registry.ts";
import { errorText } from "../../lib/error-text.ts";
import type { Explanation } from "../../permissions/permissions.ts";
import { surroundingsWithoutKey } from "../surroundings/read-surroundings.ts";
import { HookOccasions } from "../hooks/hook-occasions.ts";
import { openSession } from "../open-session.ts";
import type { EngineOptions } from "../options/options.ts";
import { composePlan } from "../plan/compose-plan.ts";
import { composePermissions } from "../permissions/permission-parts.ts";
import { composeSandbox } from "../permissions/sandbox-parts.ts";

/** Tools that start something whose own calls are judged one by one. */
const delegatingTools: ReadonlySet<string> = new Set(["Agent", "Skill", "SendMessage"]);

export type Explain = (toolName: string, input: Record<string, unknown>) => Promise<Explanation>;

/** Throws `UsageError` if settings or rules cannot be read. */
export async function openExplainer(options: EngineOptions): Promise<Explain> {
  const around = surroundingsWithoutKey(options);
  const sandbox = await composeSandbox(options, around);
  const optionsWithTools = {
    ...options,
    tools: [...defaultToolNames, "AskUserQuestion", "NotebookEdit", "WebFetch"],
    persistSession: false,
  };
  const { store, tools } = openSession(optionsWithTools, around, {
    sandbox,
    sessionTools: composePlan(options, around).tools,
  });
  const occasions = new HookOccasions();
  const { permissions } = composePermissions({ options, around, store, tools, occasions, sandbox });
  // No command runs here; the sandbox is only asked how one would run.
  sandbox?.sandbox.dispose();
  return async (toolName, input) => {
    const tool = tools.tools.find(({ name }) => name === toolName);
    const isReadOnly = delegatingTools.has(toolName) || tool?.isReadOnly(input) === true;
    try {
      return await permissions.explain(toolName, input, isReadOnly);
    } catch (error) {
      const why = errorText(error);
      return { decision: "deny", rule: null, reason: `the permission check failed (${why})` };
    }
  };
}

/** A model switch requested by a person or a host: hooks may refuse it, and are told about it. */
import { SessionError } from "../../lib/session-error.ts";
import type { ContextUsage } from "../../protocol/context-usage.ts";
import type { HookPort } from "../../protocol/hook.ts";

export interface ModelSwitchRequest {
  name: string;
  /** The name as it was requested; null: the model the session started with. */
  requested: string | null;
  /** `command`: typed by a person; `sdk`: requested by a host. */
  source: "command" | "sdk";
}

/** The parts of a session that a model switch needs. */
export interface ModelSwitchParts {
  hooks: HookPort;
  choices: { readonly model: { current: string }; resolveModel(name: string): string; setModel(name: string): void };
  contextUsage: () => Promise<ContextUsage>;
}

/** Returns why the model stays, or null if it was switched. Throws if there is no such model. */
export async function switchModel(
  { hooks, choices, contextUsage }: ModelSwitchParts,
  { name, requested, source }: ModelSwitchRequest,
  signal: AbortSignal,
): Promise<string | null> {
  const from = choices.model.current;
  const to = choices.resolveModel(name);
  const about = { from_model: from, to_model: to, requested_model: requested, source };
  if (to !== from && hooks.has("PreModelSwitch")) {
    const context_tokens = (await contextUsage()).totalTokens;
    const input = { hook_event_name: "PreModelSwitch" as const, ...about, context_tokens };
    const { permission, blocking, preventContinuation } = await hooks.run(input, signal);
    const isRefused = permission?.behavior === "deny" || permission?.behavior === "ask";
    // The person who requests the switch is present: a question would only ask them again.
    const why = isRefused
      ? (permission.reason ?? "A PreModelSwitch hook refused it.")
      : (blocking[0] ?? preventContinuation);
    if (why !== undefined) return why;
    if (signal.aborted) return "It was interrupted.";
  }
  choices.setModel(name);
  if (to !== from && hooks.has("PostModelSwitch")) hooks.runDetached({ hook_event_name: "PostModelSwitch", ...about });
  return null;
}

/** Without a name, switches to the model the session started with. Throws `SessionError` if a hook refuses. */
export async function switchForHost(
  { hooks, models }: { hooks: HookPort; models: { id: string } },
  { choices, contextUsage }: Omit<ModelSwitchParts, "hooks">,
  name: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const parts = { hooks, choices, contextUsage };
  const refused = await switchModel(parts, { name: name ?? models.id, requested: name ?? null, source: "sdk" }, signal);
  if (refused !== null) throw new SessionError("call_refused", `The model stays ${choices.model.current}: ${refused}`);
}

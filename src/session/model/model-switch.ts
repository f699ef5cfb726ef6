/** Another model, where the user asks for one between two turns: hooks may refuse it, and are told of it. */
import type { SessionParts } from "../parts.ts";

/** Why the model stays; null where it is another one from now on. Throws where there is no such model. */
export async function switchModel(parts: SessionParts, name: string, signal: AbortSignal): Promise<string | null> {
  const { hooks } = parts.ports;
  const from = parts.model.current;
  const to = parts.choices.resolveModel(name);
  const about = { from_model: from, to_model: to, requested_model: name, source: "command" };
  if (to !== from && hooks.has("PreModelSwitch")) {
    const input = {
      hook_event_name: "PreModelSwitch" as const,
      ...about,
      context_tokens: parts.desk.contextUsage().totalTokens,
    };
    const { permission, blocking, preventContinuation } = await hooks.run(input, signal);
    const isRefused = permission?.behavior === "deny" || permission?.behavior === "ask";
    // Who typed the command is there already: a question would ask the same of them once more.
    const why = isRefused
      ? (permission.reason ?? "A PreModelSwitch hook refused it.")
      : (blocking[0] ?? preventContinuation);
    if (why !== undefined) return why;
    if (signal.aborted) return "It was interrupted.";
  }
  parts.setModel(name);
  if (to !== from && hooks.has("PostModelSwitch")) hooks.runDetached({ hook_event_name: "PostModelSwitch", ...about });
  return null;
}

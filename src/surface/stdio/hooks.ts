/** Hooks of the client: `initialize` names them by id, and each is called with a `hook_callback` request. */
import { hookEvents, type HookEvent } from "../../protocol/hook.ts";
import type { HookCallbackMatcher, HookCallbackOutput } from "../../session/options/options.ts";
import { ClientGone, type ClientRequests } from "./client-requests.ts";
import type { WireObject } from "./frame.ts";
import { isRecord } from "../../lib/is-record.ts";

export interface ClientHooks {
  hooks: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
  /** Events of the client that never happen here. */
  unknown: string[];
}

/** Throws an `Error` for a malformed hook, which may be a guard. */
export function readHooks(value: unknown, requests: ClientRequests): ClientHooks {
  const result: ClientHooks = { hooks: {}, unknown: [] };
  if (value === undefined || value === null) return result;
  if (!isRecord(value)) throw new Error("initialize: hooks must be an object of events");
  for (const [event, list] of Object.entries(value)) {
    if (!Array.isArray(list)) throw new Error(`initialize: hooks.${event} must be a list`);
    const known = hookEvents.find((name) => name === event);
    if (known === undefined) result.unknown.push(event);
    else result.hooks[known] = list.flatMap((entry: unknown) => parseMatchers(entry, known, requests));
  }
  return result;
}

/** Waits until the message with the tool call is written. The turn runs ahead of its messages, so the hook would be asked first. */
const afterMessagesWritten = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function parseMatchers(entry: unknown, event: HookEvent, requests: ClientRequests): HookCallbackMatcher[] {
  const ids: unknown = isRecord(entry) ? entry["hookCallbackIds"] : undefined;
  if (!isRecord(entry) || !Array.isArray(ids)) throw new Error(`initialize: a hook of ${event} needs hookCallbackIds`);
  const { matcher, timeout, onFailure = null } = entry;
  // As in settings, an unknown value counts as a misspelt "block".
  const isGuard = onFailure !== null && onFailure !== "continue";
  return ids.map((id: unknown) => ({
    ...(typeof matcher === "string" ? { matcher } : {}),
    ...(typeof timeout === "number" && timeout > 0 ? { timeoutMs: timeout * 1000 } : {}),
    ...(isGuard ? { onFailure: "block" } : {}),
    callback: async (input, { signal, toolUseId }) => {
      const request = {
        subtype: "hook_callback",
        callback_id: String(id),
        input,
        ...(toolUseId === undefined ? {} : { tool_use_id: toolUseId }),
      };
      // The answer to SessionEnd changes nothing, and most clients have closed their input by then.
      if (event === "SessionEnd") return requests.sendWithoutReply(request);
      if (toolUseId !== undefined) await afterMessagesWritten();
      try {
        return await requests.send(request, signal);
      } catch (error) {
        if (error instanceof ClientGone) return clientGoneOutput(event, error.message);
        throw error;
      }
    },
  }));
}

/** Refuses tool calls and prompts, because a guard that cannot be asked lets nothing pass. Returns undefined for other events. */
function clientGoneOutput(event: HookEvent, why: string): HookCallbackOutput {
  const reason = `A ${event} hook of the client could not be called: ${why}.`;
  const deny: WireObject = { hookEventName: event, permissionDecision: "deny", permissionDecisionReason: reason };
  if (event === "PreToolUse") return { hookSpecificOutput: deny };
  return event.startsWith("UserPrompt") ? { decision: "block", reason } : undefined;
}

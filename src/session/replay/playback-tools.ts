/** Tools, permissions and hooks of a replay: each call ends as recorded, and nothing is executed. */
import type { ToolsPort } from "../../loop/ports.ts";
import { hookDenied, hookRefused, noSuchTool } from "../../loop/texts.ts";
import { noHookAnswer, type HookAnswer, type HookInput, type HookPort } from "../../protocol/hook.ts";
import type { Attachment, ContentBlock, Message } from "../../protocol/message.ts";
import type { PermissionPort } from "../../protocol/permission.ts";
import type { Tool, ToolDefinition, ToolResult } from "../../protocol/tool.ts";
import { whenAborted, unwrapError, type Playback } from "./playback.ts";
import { attachmentsOf } from "./passes.ts";

export interface ReplayedCalls {
  tools: ToolsPort;
  permission: PermissionPort;
  hooks: HookPort;
}

type HookContext = Extract<Attachment, { kind: "hook_context" }>;

const noTools: readonly ToolDefinition[] = [];

export function replayCalls(playback: Playback): ReplayedCalls {
  const found = new Map<string, Tool>();
  const toolOf = (name: string): Tool => {
    let tool = found.get(name);
    if (tool === undefined) found.set(name, (tool = new RecordedTool(name, playback)));
    return tool;
  };
  return {
    tools: {
      definitions: () => noTools,
      find: (name) => (unknownToolAnswer(playback, name) === undefined ? toolOf(name) : undefined),
      insteadOf: (name) => unknownToolAnswer(playback, name)?.instead,
      validate: () => ({ ok: true }),
      cwd: () => "/",
    },
    permission: {
      async decide({ toolUseId }, signal) {
        if (playback.stoppedAt(toolUseId) === "permission") await whenAborted(signal);
        const stopping = playback.stoppingRefusal(toolUseId);
        if (stopping !== undefined) {
          await playback.whenQuiet();
          return { behavior: "deny", message: stopping, reason: { type: "user" }, interrupt: true };
        }
        const message = playback.refusal(toolUseId);
        if (message === undefined) return { behavior: "allow", reason: { type: "user" } };
        const stop = recordedStop(playback);
        const stops = stop?.event === "PermissionRequest" ? { stops: stop.message } : {};
        return { behavior: "deny", message, reason: { type: "user" }, ...stops };
      },
    },
    hooks: {
      has: (event) => event === "PreToolUse" || event.startsWith("PostTool"),
      run: (input, signal) => replayHook(playback, input, signal),
      runDetached: () => undefined,
    },
  };
}

/** Returns what was said if there was no such tool, including the tools that existed; undefined if the tool existed. */
function unknownToolAnswer({ pass }: Playback, name: string): { instead: string | undefined } | undefined {
  const alone = noSuchTool(name);
  for (const { id } of pass.calls.filter((call) => call.name === name)) {
    const content = pass.results.get(id)?.content;
    const errorMessage = typeof content === "string" ? unwrapError(content) : undefined;
    if (errorMessage === alone) return { instead: undefined };
    if (errorMessage?.startsWith(`${alone}. `) === true) return { instead: errorMessage.slice(alone.length + 2) };
  }
  return undefined;
}

class RecordedTool implements Tool {
  readonly name: string;
  readonly description = "";
  readonly inputSchema = { type: "object" } as const;
  readonly replay = "safe";
  readonly maxResultSizeChars = Infinity;
  readonly #playback: Playback;
  #judged: unknown;

  constructor(name: string, playback: Playback) {
    this.name = name;
    this.#playback = playback;
  }

  /** Calls that ran one after the other get the same results in parallel, but a failure must not end a sibling that had not started. */
  isConcurrencySafe(input: unknown): boolean {
    this.#judged = input;
    const { failedSibling, pass } = this.#playback;
    if (failedSibling === undefined) return true;
    return pass.calls.every((call) => call.input !== input || !this.#playback.wasQueued(call.id));
  }

  isReadOnly(): boolean {
    return true;
  }

  /** Refers to the call that was judged last: one tool represents calls that did cancel their siblings and calls that did not. */
  get failureCancelsSiblings(): boolean {
    const { failedSibling, pass } = this.#playback;
    return (
      failedSibling !== undefined && pass.calls.some(({ id, input }) => id === failedSibling && input === this.#judged)
    );
  }

  async call(_input: unknown, { toolUseId, signal }: Parameters<Tool["call"]>[1]): Promise<ToolResult> {
    const playback = this.#playback;
    const result = playback.pass.results.get(toolUseId);
    if (playback.stoppedAt(toolUseId) !== null) await whenAborted(signal);
    if (result === undefined) return { content: "", isError: true };
    const isError = result.is_error === true;
    // The siblings were running when this call failed; calls requested later were not.
    if (playback.failedSibling === toolUseId) await playback.whenQuiet(true);
    const followUp = followUpOf(playback, toolUseId);
    const stop = recordedStop(playback);
    return {
      content: result.content,
      isError,
      output: result.output,
      ...(endsTurn(playback) ? { endsTurn: true } : {}),
      ...(stop?.event === "TaskCompleted" ? { stoppedBy: stop } : {}),
      ...(followUp.length === 0 ? {} : { followUp }),
    };
  }
}

/** Whether the turn end was judged after these calls, without another request to the model. */
export function endsTurn({ pass, terminal }: Playback): boolean {
  if (pass.calls.length === 0) return false;
  const reason = pass.transition?.transition.reason ?? terminal?.reason;
  return (
    reason === "completed" ||
    reason === "stop_hook_prevented" ||
    reason === "stop_hook_blocking" ||
    reason === "token_budget_continuation"
  );
}

/** Assigns the n-th follow-up message to the n-th call that ran, since it is not recorded which call it belongs to. */
function followUpOf(playback: Playback, toolUseId: string): ContentBlock[] {
  const { calls, followUps } = playback.pass;
  if (followUps.length === 0) return [];
  const ran = calls.filter(({ id }) => playback.refusal(id) === undefined && playback.stoppedAt(id) === null);
  return followUps[ran.findIndex(({ id }) => id === toolUseId)]?.content ?? [];
}

async function replayHook(playback: Playback, input: HookInput, signal: AbortSignal): Promise<HookAnswer> {
  const { hook_event_name: event, tool_use_id: id } = input;
  const { pass } = playback;
  if (event === "PreToolUse" && id !== undefined && playback.stoppedAt(id) === "hook") await whenAborted(signal);
  const waitsForEnd = event === "PostToolBatch" && playback.isInterruptedHere;
  if (waitsForEnd && playback.terminal?.reason !== "hook_stopped") await whenAborted(signal);
  const contexts = attachmentsOf(pass).flatMap(({ attachment }) =>
    isHookContext(attachment, event, id) ? attachment : [],
  );
  const isDeferred = event === "PreToolUse" && pass.messages.some((message) => isPlaceholder(message, id));
  const stop = isDeferred ? { permission: { behavior: "defer" as const } } : stopAnswer(playback, event, id);
  return {
    ...noHookAnswer,
    notices: pass.notices.splice(0),
    additionalContext: contexts.map(({ text }) => text),
    ...stop,
  };
}

/** Whether the message is the placeholder for the result of a deferred call. */
function isPlaceholder(message: Message, id: string | undefined): boolean {
  if (message.type !== "user" || message.deferred !== true) return false;
  return message.content.some((block) => block.type === "tool_result" && block.tool_use_id === id);
}

function isHookContext(attachment: Attachment, event: string, id: string | undefined): attachment is HookContext {
  return attachment.kind === "hook_context" && attachment.event === event && attachment.toolUseId === id;
}

/** Returns the hook that ended the run. */
function recordedStop({ pass, terminal }: Playback): { event: string; message: string } | undefined {
  if (terminal?.reason !== "hook_stopped") return undefined;
  for (const message of pass.messages)
    if (message.type === "attachment" && message.attachment.kind === "hook_stopped_continuation")
      return message.attachment;
  return undefined;
}

/** Applies the stop to the first call that fits its event, which need not be the recorded one. */
function stopAnswer(playback: Playback, event: string, id: string | undefined): Partial<HookAnswer> {
  const stop = recordedStop(playback);
  if (stop?.event !== event) return {};
  const { message } = stop;
  if (event !== "PreToolUse") return { preventContinuation: message };
  const refusal = id === undefined ? undefined : playback.refusal(id);
  if (refusal === message) return { preventContinuation: message };
  if (refusal === hookDenied) return { preventContinuation: message, permission: { behavior: "deny" } };
  const opening = hookRefused("");
  if (refusal?.startsWith(opening) !== true) return {};
  return { preventContinuation: message, permission: { behavior: "deny", reason: refusal.slice(opening.length) } };
}

/** The state a call carries from step to step, and the two ways a step ends it early: a refusal, and an invalid input. */
import { errorText } from "../lib/error-text.ts";
import type { QueryEvent } from "../protocol/event.ts";
import type {
  ContentBlock,
  NoticeMessage,
  ToolResultBlock,
  ToolResultContent,
  ToolUseBlock,
  UserMessage,
} from "../protocol/message.ts";
import type { Tool, ToolContext, ToolInput, ToolProgress } from "../protocol/tool.ts";
import type { Steps } from "../lib/steps.ts";
import { runBounded } from "./bounded.ts";
import type { CallCancel } from "./cancel.ts";
import type { HookStop } from "./fact.ts";
import type { Run } from "./run.ts";
import * as texts from "./texts.ts";

export interface CallRequest {
  block: ToolUseBlock;
  key: string;
  /** The raw text of an input that did not parse. */
  invalidInput?: string;
  /** The working directory the call started in, once it has started. */
  cwd?: string;
}

export interface CallOutcome {
  content: ToolResultContent;
  isError: boolean;
  output?: unknown;
  followUp: ContentBlock[];
  /** Hook context for the model, after the result. */
  contexts: { event: string; text: string }[];
  /** A hook said not to continue. */
  prevent?: HookStop;
  /** The tool's work ends the turn. */
  endsTurn?: true;
  /** The tool itself ran and failed: this can cancel siblings. */
  toolFailed: boolean;
}

export interface CallScope {
  run: Run;
  /** The cancellation of this call. */
  cancel: CallCancel;
  emit: (event: QueryEvent) => void;
  /** Records the notice and shows it. */
  recordNotice: (notice: NoticeMessage) => Steps<never, void>;
  onProgress: (progress: ToolProgress) => void;
  /** Settles at the end of the message: whether this is its only call. */
  isAlone: () => Promise<boolean>;
  /** Called just before the tool itself runs: from here on the call may have effects. */
  onStart: () => void;
}

export function refusedOutcome(text: string): CallOutcome {
  return { content: texts.toolUseError(text), isError: true, followUp: [], contexts: [], toolFailed: false };
}

/** Makes the message with the call's result. */
export function resultMessage(
  { ports: { ids, clock } }: Run,
  toolUseId: string,
  { isError, output, prevent }: CallOutcome,
  content: ToolResultContent,
): UserMessage {
  const result: ToolResultBlock = { type: "tool_result", tool_use_id: toolUseId, content };
  if (isError) result.is_error = true;
  const uuid = ids.uuid();
  const timestamp = clock.timestamp();
  const message: UserMessage =
    output === undefined
      ? { type: "user", content: [result], uuid, timestamp }
      : { type: "user", content: [result], toolUseResult: output, uuid, timestamp };
  if (prevent?.isDeferral === true) message.deferred = true;
  return message;
}

/** Returns the outcome of a call that may not continue, because it was cancelled or the session cannot continue. Null while it may. */
export function haltedOutcome({ run, cancel }: CallScope): CallOutcome | null {
  if (run.fault === null && run.cancel.cause === null && cancel.cause === null) return null;
  return refusedOutcome(cancel.cause === "sibling" ? texts.notRun : texts.cancelledResult(run.cancel.cause, false));
}

export function* checkInput(
  scope: CallScope,
  tool: Tool,
  input: ToolInput,
  context: ToolContext,
): Steps<never, string | null> {
  const { run, cancel } = scope;
  const verdict = run.ports.tools.validate(tool.inputSchema, input);
  if (!verdict.ok)
    return `InputValidationError: ${tool.name} was called with an input its schema does not allow: ${verdict.message}`;
  if (tool.validateInput === undefined) return null;
  const validateInput = tool.validateInput.bind(tool);
  const wait = { key: `${context.key}.check`, on: "hook" as const, name: tool.name, limitMs: run.limits.portMs };
  const checked = yield* runBounded(run, { ...wait, cancel, announce: scope.emit }, () =>
    validateInput(input, context),
  );
  if (!checked.ok)
    return checked.why === "threw"
      ? errorText(checked.error)
      : `The check of the input did not finish (${checked.why}).`;
  return checked.value.ok ? null : checked.value.message;
}

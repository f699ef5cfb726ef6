/** What a call carries from step to step, and the two ways a step ends it early: a refusal, an input that does not fit. */
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
import { bounded } from "./bounded.ts";
import type { CallCancel } from "./cancel.ts";
import type { HookStop } from "./fact.ts";
import type { Run } from "./run.ts";
import * as texts from "./texts.ts";

export interface CallRequest {
  block: ToolUseBlock;
  key: string;
  /** The raw text of an input that did not parse. */
  invalidInput?: string;
  /** The working directory it began in, once it has. */
  cwd?: string;
}

export interface CallOutcome {
  content: ToolResultContent;
  isError: boolean;
  output?: unknown;
  followUp: ContentBlock[];
  /** Hook context for the model, after the result. */
  contexts: { event: string; text: string }[];
  /** A hook said: do not go on. */
  prevent?: HookStop;
  /** The tool's work was the last of the turn. */
  endsTurn?: true;
  /** The tool itself ran and failed: what cancels siblings. */
  toolFailed: boolean;
}

export interface CallScope {
  run: Run;
  /** The call's own. */
  cancel: CallCancel;
  emit: (event: QueryEvent) => void;
  /** Records and shows it. */
  tell: (notice: NoticeMessage) => Steps<never, void>;
  onProgress: (progress: ToolProgress) => void;
  /** Known at the end of the message: whether it has no other call. */
  isAlone: () => Promise<boolean>;
  /** The tool proper is about to run: from here on it may have effects. */
  onStart: () => void;
}

export function refused(text: string): CallOutcome {
  return { content: texts.toolUseError(text), isError: true, followUp: [], contexts: [], toolFailed: false };
}

/** The message that answers the call. */
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

/** Why the call may not go a step further: cancelled, or the session cannot go on. Null while it may. */
export function halted({ run, cancel }: CallScope): CallOutcome | null {
  if (run.fault === null && run.cancel.cause === null && cancel.cause === null) return null;
  return refused(cancel.cause === "sibling" ? texts.notRun : texts.cancelledResult(run.cancel.cause, false));
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
  const own = tool.validateInput.bind(tool);
  const wait = { key: `${context.key}.check`, on: "hook" as const, name: tool.name, limitMs: run.limits.portMs };
  const checked = yield* bounded(run, { ...wait, cancel, announce: scope.emit }, () => own(input, context));
  if (!checked.ok)
    return checked.why === "threw"
      ? errorText(checked.error)
      : `The check of the input did not finish (${checked.why}).`;
  return checked.value.ok ? null : checked.value.message;
}

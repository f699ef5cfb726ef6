/// <reference lib="esnext.disposable" preserve="true" />
/**
 * pawl as a library: `createEngine` for a session over many turns, `query` for one prompt, `tool` for tools of your own.
 * Hundreds of sessions run in one process.
 */
import type { ContentBlock } from "./protocol/message.ts";
import type { SDKMessage } from "./protocol/sdk.ts";
import { untilAborted } from "./lib/until-aborted.ts";
import { createEngine } from "./session/compose.ts";
import type { EngineOptions } from "./session/options.ts";

export { createEngine };
export { QueryEngine, type SessionCost, type SubmitOptions } from "./session/engine.ts";
export type { CompactAnswer } from "./session/compaction.ts";
export type { SideAnswer } from "./session/forks/side-question.ts";
export type { RewindFilesOptions, RewindFilesResult } from "./session/checkpoints.ts";
export { SnipError, type SnipAnswer, type SnipErrorCode, type SnipRequest } from "./session/snips.ts";
export { snipReplay } from "./context/snip-replay.ts";
export { tool, type CustomToolAnswer, type CustomToolOptions } from "./session/custom-tool.ts";
export { UsageError } from "./lib/usage-error.ts";
export type {
  EngineOptions,
  HookCallbackMatcher,
  HookCallbackOutput,
  HttpAnswer,
  HttpExchange,
} from "./session/options.ts";
export type * from "./protocol/index.ts";

/**
 * Runs one prompt, or several one after another, in a session that is closed afterwards. Each ends in one `result`.
 * Throws `UsageError` where the session cannot start (no key, unknown session); every other failure is a `result`. Aborting
 * `options.abortController` ends the running prompt with its result, and asks for no other.
 */
export async function* query(params: {
  prompt: string | AsyncIterable<string | ContentBlock[]>;
  options?: EngineOptions;
}): AsyncGenerator<SDKMessage, void> {
  const engine = await createEngine(params.options ?? {});
  try {
    if (typeof params.prompt === "string") yield* engine.submitMessage(params.prompt);
    else {
      const prompts = untilAborted(params.prompt, params.options?.abortController?.signal);
      for await (const prompt of prompts) yield* engine.submitMessage(prompt);
    }
  } finally {
    await engine.dispose();
  }
}

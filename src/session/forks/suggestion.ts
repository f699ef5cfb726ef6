/** What the user might say next: one line, for a client that offers it. */
import type { LoopPorts } from "../../loop/ports.ts";
import { oneLine } from "../../lib/sanitize.ts";
import { reminder } from "../../protocol/system-reminder.ts";
import type { ForkSource } from "./cache-safe.ts";
import { runFork } from "./fork.ts";

const suggestionPrompt = reminder(
  "The work above rests here, and this is no part of it. What will the user most likely say next, in their own words and language? Answer with that alone: one short line of at most 12 words, without quotes, such as: run the tests. Where nothing suggests itself, answer: none.",
);
/** How long a reader that wants the suggestion may be kept waiting at the end of a turn. */
const limitMs = 15_000;
const maxSuggestionChars = 120;

/** Null if there is none. */
export async function suggestPrompt(ports: LoopPorts, source: ForkSource, signal: AbortSignal): Promise<string | null> {
  const task = {
    name: "prompt_suggestion",
    source,
    prompt: suggestionPrompt,
    maxTurns: 1,
    answerTokens: 2_000,
    limitMs,
    spare: true,
  };
  const { text, failure } = await runFork(ports, task, signal);
  const [first = ""] = text.trim().split("\n");
  const line = oneLine(first.replace(/^["'“]|["'”]$/gu, ""), 1_000);
  const isNone = line === "" || line.length > maxSuggestionChars || /^none\.?$/iu.test(line);
  return failure !== undefined || isNone ? null : line;
}

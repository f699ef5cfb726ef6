/** Messages, folders and broken file systems for the tests of the transcript. */
import { setImmediate } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type {
  AssistantMessage,
  CompactBoundaryMessage,
  ContentBlock,
  Message,
  ResponseEndMessage,
  ToolResultBlock,
  UserMessage,
} from "../../src/protocol/index.ts";
import {
  nodeFileSystem,
  openTranscript,
  TranscriptError,
  transcriptPath,
  type Transcript,
  type TranscriptFileSystem,
  type TranscriptOptions,
} from "../../src/transcript/index.ts";
import { readSummary, sessionFiles } from "../../src/transcript/list-sessions.ts";
import type { SessionSummary } from "../../src/transcript/summary.ts";
import { sweepSteps, type SweepOptions, type SweepResult } from "../../src/transcript/sweep.ts";

export const sessionId = "11111111-2222-4333-8444-555555555555";
export const idOf = (index: number): string => `11111111-2222-4333-8444-${String(index).padStart(12, "0")}`;
export const clock = { now: () => Date.parse("2026-11-20T12:00:00.000Z") };
const timestamp = new Date(clock.now()).toISOString();

export function createIds(prefix = "id") {
  let next = 0;
  return { uuid: () => `${prefix}-${next++}` };
}

export function open(folder: string, more: Partial<TranscriptOptions> = {}): Transcript {
  const transcript = openTranscript({
    path: transcriptPath(folder, more.sessionId ?? sessionId),
    sessionId,
    cwd: "/project",
    version: "0.1.0",
    clock,
    ids: createIds("fact"),
    durability: "process",
    ...more,
  });
  onTestFinished(() => transcript.close());
  return transcript;
}

/** What lists show of the sessions in a folder, newest first. */
export function listSessions(folder: string, fs: TranscriptFileSystem = nodeFileSystem): SessionSummary[] {
  return sessionFiles(fs, folder).flatMap((file) => readSummary(file, fs) ?? []);
}

export function user(uuid: string, content: string | ContentBlock[], more: Partial<UserMessage> = {}): UserMessage {
  return {
    type: "user",
    uuid,
    timestamp,
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    ...more,
  };
}

export function assistant(uuid: string, messageId: string, content: ContentBlock[]): AssistantMessage {
  return { type: "assistant", uuid, timestamp, messageId, model: "claude-opus-5-5", content };
}

export function use(id: string, name = "Read"): ContentBlock {
  return { type: "tool_use", id, name, input: { file_path: "/project/a.ts" } };
}

export function result(uuid: string, id: string, content: ToolResultBlock["content"] = "done"): UserMessage {
  return user(uuid, [{ type: "tool_result", tool_use_id: id, content }]);
}

export function responseEnd(uuid: string, messageId: string): ResponseEndMessage {
  const usage = { inputTokens: 10, outputTokens: 5, cacheCreationInputTokens: 0, cacheReadInputTokens: 100 };
  return {
    type: "response_end",
    uuid,
    timestamp,
    messageId,
    model: "claude-opus-5-5",
    stopReason: "end_turn",
    usage,
    costUsd: 0.001,
  };
}

export function boundary(uuid: string, messages: Message[]): CompactBoundaryMessage {
  return {
    type: "compact_boundary",
    uuid,
    timestamp,
    trigger: "auto",
    preTokens: 1000,
    postTokens: 100,
    lastSummarizedUuid: null,
    messages,
  };
}

/** A short agent turn: prompt, two calls in one response with a result between them, an answer. */
export function sampleConversation(turn = 0): Message[] {
  const id = (name: string) => `t${turn}-${name}`;
  return [
    user(id("prompt"), `Prompt ${turn}: “größer” 🐾 \n second line`),
    assistant(id("a1"), id("m1"), [
      { type: "thinking", thinking: "hm", signature: "c2ln" },
      { type: "text", text: "I look." },
      use(id("call1")),
    ]),
    result(id("r1"), id("call1"), `result \u2028 of turn ${turn}`),
    assistant(id("a2"), id("m1"), [use(id("call2"), "Bash")]),
    responseEnd(id("e1"), id("m1")),
    result(id("r2"), id("call2"), [{ type: "text", text: "out" }]),
    { type: "transition", uuid: id("go"), timestamp, transition: { reason: "next_turn" }, turnCount: 2 },
    assistant(id("a3"), id("m2"), [{ type: "text", text: "Done." }]),
    responseEnd(id("e2"), id("m2")),
  ];
}

export function appendAll(transcript: Transcript, messages: readonly Message[]): void {
  for (const message of messages) {
    const appended = transcript.append(message);
    if (!appended.ok) throw new Error(appended.failure.message);
  }
}

export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** The real file system, of which `decide` may break any call: an error to throw, or bytes to write at most. */
export function breakable(
  decide: (call: keyof TranscriptFileSystem, index: number) => Error | number | undefined,
): TranscriptFileSystem & { calls(): number } {
  let index = 0;
  const wrapped = Object.fromEntries(
    Object.entries(nodeFileSystem).map(([name, call]) => [
      name,
      (...args: unknown[]) => {
        const verdict = decide(name as keyof TranscriptFileSystem, index++);
        if (verdict instanceof Error) throw verdict;
        if (verdict !== undefined && name === "write") args[3] = Math.min(args[3] as number, verdict);
        return (call as (...inner: unknown[]) => unknown)(...args);
      },
    ]),
  );
  // Nothing is taken to stay as it was, so that each look may fail.
  return { ...(wrapped as unknown as TranscriptFileSystem), turn: undefined, calls: () => index };
}

/** Settles in another turn of the event loop, whichever phase of one it is asked in: what is due at once may come in the same. */
export async function nextTurn(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Every call has one result, in order after it, and no result lacks a call. */
export function pairProblems(messages: readonly Message[]): string[] {
  const open = new Map<string, number>();
  const problems: string[] = [];
  for (const message of messages) {
    if (message.type !== "user" && message.type !== "assistant") continue;
    for (const block of message.content) {
      if (block.type === "tool_use") {
        if (open.has(block.id)) problems.push(`${block.id} called twice`);
        open.set(block.id, 0);
      }
      if (block.type !== "tool_result") continue;
      const count = open.get(block.tool_use_id);
      if (count === undefined) problems.push(`${block.tool_use_id} answered, not called`);
      else open.set(block.tool_use_id, count + 1);
    }
  }
  for (const [id, count] of open) if (count !== 1) problems.push(`${id} has ${count} results`);
  return problems;
}

/** Throws where it is not refused. */
export function refusalOf(run: () => unknown): TranscriptError {
  try {
    run();
  } catch (error) {
    if (error instanceof TranscriptError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

/** What a clean-up does step by step, in one go. */
export function sweepSessions(options: SweepOptions): SweepResult {
  const steps = sweepSteps(options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

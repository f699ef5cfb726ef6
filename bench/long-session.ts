/** Writes a session like one that ran for weeks: megabytes of turns, a compaction boundary, and a few more turns. */
import { randomUUID } from "node:crypto";
import type { Message, Usage } from "../src/protocol/index.ts";
import { openTranscript, projectFolder, transcriptPath } from "../src/transcript/index.ts";

export interface LongSession {
  id: string;
  path: string;
}

const usage: Usage = {
  inputTokens: 3,
  outputTokens: 120,
  cacheCreationInputTokens: 2400,
  cacheReadInputTokens: 60_000,
};

/** Returns the fields that all messages have. */
function stamp(): { uuid: string; timestamp: string } {
  return { uuid: randomUUID(), timestamp: new Date().toISOString() };
}

function userText(text: string): Message {
  return { ...stamp(), type: "user", content: [{ type: "text", text }], origin: "human" };
}

/** Returns one turn with a tool call, its result (about 8 KB by default), and the structured output kept with it. */
function turnMessages(index: number, model: string, lines = 90): Message[] {
  const messageId = `msg_${String(index).padStart(8, "0")}`;
  const toolUseId = `toolu_${String(index).padStart(8, "0")}`;
  const file_path = `/home/someone/project/src/part-${index}.ts`;
  const content = `line of a file that was read in turn ${index}\n`.repeat(lines);
  return [
    {
      ...stamp(),
      type: "assistant",
      messageId,
      model,
      content: [{ type: "tool_use", id: toolUseId, name: "Read", input: { file_path } }],
    },
    { ...stamp(), type: "response_end", messageId, model, stopReason: "tool_use", usage, costUsd: 0.02 },
    {
      ...stamp(),
      type: "user",
      content: [{ type: "tool_result", tool_use_id: toolUseId, content }],
      toolUseResult: { type: "text", file: { filePath: file_path, content, numLines: lines } },
    },
  ];
}

function answerMessages(text: string, model: string): Message[] {
  const messageId = `msg_${randomUUID()}`;
  return [
    { ...stamp(), type: "assistant", messageId, model, content: [{ type: "text", text }] },
    { ...stamp(), type: "response_end", messageId, model, stopReason: "end_turn", usage, costUsd: 0.02 },
  ];
}

interface SessionLocation {
  home: string;
  cwd: string;
  model: string;
}

function openSession({ home, cwd, model }: SessionLocation) {
  const id = randomUUID();
  const path = transcriptPath(projectFolder(home, cwd), id);
  const facts = { model, source: "print" };
  const clock = { now: Date.now };
  const ids = { uuid: randomUUID };
  const more = { version: "0.1.0", clock, ids, durability: "process" as const, facts };
  const transcript = openTranscript({ path, sessionId: id, cwd, ...more });
  const put = (message: Message): void => {
    const appended = transcript.append(message);
    if (!appended.ok) throw new Error(appended.failure.message);
  };
  return { id, path, put, close: () => transcript.close() };
}

function compactBoundary(last: Message | undefined): Message {
  const summary: Message = {
    ...userText("What was done so far: every file was read."),
    isCompactSummary: true,
  } as Message;
  return {
    ...stamp(),
    type: "compact_boundary",
    trigger: "auto",
    preTokens: 160_000,
    postTokens: 2000,
    lastSummarizedUuid: last?.uuid ?? null,
    messages: [summary],
  };
}

/** Writes a session with about so many messages before and after a boundary; no boundary if `before` is 0. Returns its id. */
export function writeHistory(place: SessionLocation, { before, after }: { before: number; after: number }): string {
  const { id, put, close } = openSession(place);
  const write = (messages: number, from: number): Message | undefined => {
    let last: Message | undefined;
    for (let index = 0; index < messages / 3; index++)
      for (const message of turnMessages(from + index, place.model, 4)) put((last = message));
    for (const message of answerMessages("That part is done.", place.model)) put((last = message));
    return last;
  };
  put(userText("Look at every file."));
  if (before > 0) {
    put(compactBoundary(write(before, 0)));
    put(userText("Now the rest."));
  }
  write(after, 1_000_000);
  close();
  return id;
}

/** @param megabytes of turns before the boundary. */
export function writeLongSession(place: SessionLocation, megabytes: number): LongSession {
  const { model } = place;
  const { id, path, put: append, close } = openSession(place);
  let bytes = 0;
  let last: Message | undefined;
  const put = (message: Message): void => {
    append(message);
    bytes += JSON.stringify(message).length;
    last = message;
  };
  put(userText("Port the whole project, file by file."));
  for (let index = 0; bytes < megabytes * 1024 * 1024; index++)
    for (const message of turnMessages(index, model)) put(message);
  for (const message of answerMessages("The first part is ported.", model)) put(message);
  put(compactBoundary(last));
  put(userText("Now the rest."));
  for (let index = 0; index < 5; index++) for (const message of turnMessages(9_000_000 + index, model)) put(message);
  for (const message of answerMessages("The rest is ported too.", model)) put(message);
  close();
  return { id, path };
}

// Arbitrary histories: what no run would leave behind, and what a crash, an old version or somebody else's tool might.
import fc from "fast-check";
import type { Attachment, ContentBlock, Message, ToolResultContent } from "../../../src/protocol/message.ts";
import { noUsage } from "../../../src/protocol/usage.ts";

const text = fc.constantFrom("", " \n", "a", "some text", "x\u0000y", "Ünïcode 🙂");
const id = fc.constantFrom("t1", "t2", "t3", "t4", "t5", "t1_2", "", "odd id!");
const serverId = fc.constantFrom("srv1", "srv2", "t2");

const image: ContentBlock = {
  type: "image",
  source: {
    type: "base64",
    media_type: "image/png",
    data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  },
};

const textBlock = text.map((value): ContentBlock => ({ type: "text", text: value }));

const thinking = fc
  .tuple(text, fc.constantFrom("sig", "", undefined))
  .map(([value, signature]): ContentBlock =>
    signature === undefined ? { type: "thinking", thinking: value } : { type: "thinking", thinking: value, signature },
  );

const toolUse = fc
  .tuple(id, fc.constantFrom("Read", "Write", "bad name", ""), fc.constantFrom({}, { a: 1 }, [], null))
  .map(([callId, name, input]): ContentBlock => ({ type: "tool_use", id: callId, name, input: input as never }));

/** A block of a type the loop does not know, with one that belongs to the role it stands in. */
function opaqueWith(own: Record<string, unknown>): fc.Arbitrary<ContentBlock> {
  return fc
    .oneof(
      serverId.map((callId) => ({ type: "server_tool_use", id: callId, name: "web_search", input: {} })),
      serverId.map((callId) => ({ type: "web_search_tool_result", tool_use_id: callId, content: [] })),
      fc.constant(own),
    )
    .map((wire): ContentBlock => ({ type: "opaque", wire }));
}

const resultContent: fc.Arbitrary<ToolResultContent> = fc.oneof(
  text,
  fc.array(fc.oneof(textBlock, fc.constant(image)), { maxLength: 2 }) as fc.Arbitrary<ToolResultContent>,
);

const toolResult = fc
  .tuple(id, resultContent, fc.constantFrom(true, false, undefined))
  .map(([callId, content, isError]): ContentBlock => ({
    type: "tool_result",
    tool_use_id: callId,
    content,
    ...(isError === undefined ? {} : { is_error: isError }),
  }));

const assistantBlock = fc.oneof(
  { weight: 4, arbitrary: toolUse },
  { weight: 3, arbitrary: textBlock },
  { weight: 3, arbitrary: thinking },
  { weight: 1, arbitrary: fc.constant<ContentBlock>({ type: "redacted_thinking", data: "opaque" }) },
  { weight: 2, arbitrary: opaqueWith({ type: "fallback", from: { model: "a" }, to: { model: "b" } }) },
  { weight: 1, arbitrary: fc.constant<ContentBlock>(image) },
  { weight: 1, arbitrary: toolResult },
);

const userBlock = fc.oneof(
  { weight: 5, arbitrary: toolResult },
  { weight: 3, arbitrary: textBlock },
  { weight: 1, arbitrary: fc.constant<ContentBlock>(image) },
  { weight: 1, arbitrary: toolUse },
  { weight: 1, arbitrary: thinking },
  { weight: 1, arbitrary: opaqueWith({ type: "container_upload", file_id: "f1" }) },
);

const attachment: fc.Arbitrary<Attachment> = fc.oneof(
  fc.array(userBlock, { maxLength: 2 }).map((prompt) => ({ kind: "queued_command" as const, prompt, sourceUuid: "q" })),
  fc.constant({ kind: "file_changed" as const, path: "/a", snippet: "-x\n+y" }),
  fc.constant({ kind: "hook_context" as const, event: "PostToolUse", text: "context" }),
  fc.constant({ kind: "max_turns_reached" as const, maxTurns: 1, turnCount: 2 }),
  fc.constant({ kind: "hook_stopped_continuation" as const, event: "Stop", message: "stop" }),
  fc.constant({ kind: "reminder" as const, name: "todo", text: "remember" }),
);

const base = { timestamp: "2026-01-01T00:00:00.000Z" };
type Unnamed = (uuid: string) => Message;

const assistant: fc.Arbitrary<Unnamed> = fc
  .tuple(
    fc.constantFrom("m1", "m2", "m3", "m4"),
    fc.constantFrom("model-a", "model-a", "model-b"),
    fc.array(assistantBlock, { maxLength: 3 }),
    fc.integer({ min: 0, max: 9 }),
  )
  .map(([messageId, model, content, luck]) => (uuid) => ({
    ...base,
    type: "assistant",
    uuid,
    messageId,
    model,
    content,
    ...(luck === 0 ? { apiError: { kind: "server_error" as const } } : {}),
    ...(luck === 1 ? { aborted: true as const } : {}),
  }));

const user: fc.Arbitrary<Unnamed> = fc
  .array(userBlock, { maxLength: 3 })
  .map((content) => (uuid) => ({ ...base, type: "user", uuid, content }));

const other: fc.Arbitrary<Unnamed> = fc.oneof(
  attachment.map((value): Unnamed => (uuid) => ({ ...base, type: "attachment", uuid, attachment: value })),
  fc.constant<Unnamed>((uuid) => ({ ...base, type: "notice", uuid, level: "info", name: "n", text: "t" })),
  fc.constant<Unnamed>((uuid) => ({ ...base, type: "tombstone", uuid, targets: ["u1", "u2"], reason: "retry" })),
  fc.constant<Unnamed>((uuid) => ({
    ...base,
    type: "transition",
    uuid,
    transition: { reason: "next_turn" },
    turnCount: 2,
  })),
  fc.constant<Unnamed>((uuid) => ({ ...base, type: "thinking_stripped", uuid, reason: "rejected" })),
  fc.constant<Unnamed>((uuid) => ({
    ...base,
    type: "snip_boundary",
    uuid,
    fromUuid: "u1",
    toUuid: "u2",
    by: "host",
    savedTokens: 0,
    counted: null,
  })),
  fc.constantFrom("t1", "t2", "t5", "t9").map((toolUseId): Unnamed => (uuid) => ({
    ...base,
    type: "results_cleared",
    uuid,
    why: "money",
    cleared: [{ toolUseId, marker: "[left out]" }],
    savedTokens: 0,
    counted: null,
    expectedRequests: 1,
    netUsd: null,
  })),
  fc.constant<Unnamed>((uuid) => ({
    ...base,
    type: "response_end",
    uuid,
    messageId: "m1",
    model: "model-a",
    stopReason: "end_turn",
    usage: noUsage,
    costUsd: 0,
  })),
);

/** Deeply frozen: who normalises must not touch it. */
export const histories: fc.Arbitrary<readonly Message[]> = fc
  .array(
    fc.oneof({ weight: 5, arbitrary: assistant }, { weight: 4, arbitrary: user }, { weight: 2, arbitrary: other }),
    {
      maxLength: 14,
      size: "max",
    },
  )
  .map((unnamed) => unnamed.map((name, at) => freeze(name(`u${at}`))));

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}

export const normalizeOptions = fc.record({
  model: fc.constantFrom("model-a", "model-b"),
  thinking: fc.boolean(),
  maxImages: fc.constantFrom(0, 1, 2, 100),
});

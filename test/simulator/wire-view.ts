// What a request should hold, worked out from the records by rules of its own: not the engine's normaliser.
import type { Block, Entry } from "./transcripts.ts";

export interface WireMessage {
  role: string;
  content: string | Record<string, unknown>[];
}

export interface WireRequest {
  model: string;
  max_tokens: number;
  system?: { text: string }[];
  messages: WireMessage[];
  [key: string]: unknown;
}

export type SentBlock = { kind: string; text: string };
export type ExpectedBlock = SentBlock & { isPart?: boolean };

export function sentBlocks({ messages }: WireRequest): SentBlock[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string"
      ? [{ kind: "text", text: content }]
      : content.flatMap((block) => toSentBlocks(block as unknown as Block)),
  );
}

/** Thinking, and what the provider's own tools say, are judged by the server. */
function toSentBlocks(block: Block): SentBlock[] {
  switch (block.type) {
    case "text":
      return block.text?.trim() === "" ? [] : [{ kind: "text", text: block.text ?? "" }];
    case "tool_use":
      return [{ kind: "tool_use", text: `${block.id} ${block.name} ${JSON.stringify(block.input)}` }];
    case "tool_result":
      return [
        { kind: "tool_result", text: `${block.tool_use_id} ${block.is_error === true} ${contentOf(block.content)}` },
      ];
    case "image":
    case "document":
      return [{ kind: block.type, text: "" }];
    default:
      return [];
  }
}

function contentOf(content: string | Block[] | undefined): string {
  if (content === undefined) return "";
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

interface Segment {
  id: string | null;
  isBegun: boolean;
  answer: Block[];
  results: Map<string, Block>;
  blocks: ExpectedBlock[];
}

/** One response, the results of its calls in the order of the calls, then what was said after it. */
export function expectedBlocks(conversation: readonly Entry[], isSigned: boolean): ExpectedBlock[] {
  const all: ExpectedBlock[] = [];
  let segment = newSegment();
  for (const entry of conversation) {
    if (entry.type === "assistant" && entry.apiError === undefined) {
      if (segment.id === null ? segment.isBegun : segment.id !== entry.messageId) {
        all.push(...segmentBlocks(segment));
        segment = newSegment();
      }
      segment.id = entry.messageId ?? "";
      segment.isBegun = true;
      segment.answer.push(...(entry.content ?? []));
    } else if (entry.type === "user") {
      // A summary the API has signed goes back as the block it came in.
      if (isSigned && entry["compactionBlock"] !== undefined) segment.isBegun = true;
      else take(segment, entry.content ?? []);
    } else if (entry.type === "attachment") attach(segment, entry);
  }
  return [...all, ...segmentBlocks(segment)];
}

function newSegment(): Segment {
  return { id: null, isBegun: false, answer: [], results: new Map(), blocks: [] };
}

function take(segment: Segment, content: readonly Block[]): void {
  segment.isBegun = true;
  for (const block of content) {
    if (block.type === "tool_result") segment.results.set(String(block.tool_use_id), block);
    else segment.blocks.push(...toSentBlocks(block));
  }
}

function attach(segment: Segment, { attachment }: Entry): void {
  const part = (text: string): void => {
    segment.isBegun = true;
    segment.blocks.push({ kind: "text", text, isPart: true });
  };
  switch (attachment?.kind) {
    case "queued_command":
      return part(contentOf(attachment["prompt"] as Block[]));
    case "hook_context":
    case "reminder":
      return part(String(attachment["text"]).slice(0, 40));
    case "file_changed":
      return part(String(attachment["path"]));
    default:
  }
}

function segmentBlocks({ answer, results, blocks: said }: Segment): ExpectedBlock[] {
  const blocks = answer.flatMap(toSentBlocks);
  const ids = answer.filter((block) => block.type === "tool_use").map((block) => block.id ?? "");
  return [...blocks, ...ids.flatMap((id) => (results.has(id) ? toSentBlocks(results.get(id)!) : [])), ...said];
}

/** An empty result may be given words, since the API takes no empty error. */
export function isSameBlock(expected: ExpectedBlock, found: SentBlock | undefined): boolean {
  if (found?.kind !== expected.kind) return false;
  if (expected.kind === "tool_result" && /^\S+ \S+ \s*$/.test(expected.text))
    return found.text.startsWith(expected.text.trimEnd());
  return expected.isPart === true ? found.text.includes(expected.text) : found.text === expected.text;
}

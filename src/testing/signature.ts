/**
 * Signatures of thinking and compaction blocks. Unlike real signatures they contain in plain text what they vouch for, so that a
 * server restarted between two requests can still check a block that it did not make itself.
 */
import { isObject } from "./wire/types.ts";

export interface Seal {
  model: string;
  /** Digest of everything before the block: tools, system, messages, earlier blocks of the same message. */
  prefix: string;
  /** Digest of the block's own text. */
  content: string;
  /** The response that contains the block, and its index among that response's thinking blocks. For a summary: `summaryContext`. */
  response: string;
  index: number;
}

const signatureMark = "ScriptedModelSignature";

/** The context of a summary: the role of the last message before it, and the digest of tools and system. */
export function summaryContext(role: string, head: string): string {
  return `${role} ${head}`;
}

export function writeSignature(seal: Seal): string {
  const { model, prefix, content, response, index } = seal;
  return Buffer.from(JSON.stringify([signatureMark, model, prefix, content, response, index])).toString("base64");
}

/** Undefined if the text was not made by `writeSignature`. */
export function readSignature(text: unknown): Seal | undefined {
  if (typeof text !== "string") return undefined;
  const plain = Buffer.from(text, "base64").toString("utf8");
  if (!plain.startsWith(`["${signatureMark}"`)) return undefined;
  let fields: unknown;
  try {
    fields = JSON.parse(plain);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (!Array.isArray(fields) || isObject(fields) || fields.length !== 6) return undefined;
  if (!fields.slice(1, 5).every((field) => typeof field === "string")) return undefined;
  const [, model, prefix, content, response, index] = fields as string[];
  const seal = { model, prefix, content, response, index: Number(index) };
  // A changed character that leaves the JSON readable must not pass either.
  return writeSignature(seal as Seal) === text ? (seal as Seal) : undefined;
}

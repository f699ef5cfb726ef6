/** The text of a page by its type: HTML becomes Markdown, other text stays as it is, and anything else is refused. */
import { isUtf8 } from "node:buffer";
import { ToolError } from "../failure.ts";
import type { PageAnswer } from "./page-request.ts";

const textKinds =
  /^(?:text\/.*|application\/(?:.*\+|x-)?(?:json|xml|yaml|toml|javascript|ecmascript|typescript|sh|ndjson|jsonl|graphql|sql|(?:la)?tex|python|perl|ruby)|image\/svg\+xml)$/u;
const htmlKinds = /^(?:text\/html|application\/xhtml\+xml)$/u;
/** The types servers send for a file of unknown type. */
const unknownKinds = /^(?:application|binary)\/octet-stream$/u;
const sniffedBytes = 1024;

/** Throws a `ToolError` if the page is not text, the signal's reason if it aborted. `url`: the base of relative links. */
export async function pageText(
  { contentType, body, isCut }: Pick<PageAnswer, "contentType" | "body" | "isCut">,
  url: URL,
  signal: AbortSignal,
): Promise<string> {
  const kind = mediaTypeOf(contentType, isCut ? withoutLastLetter(body) : body);
  if (!textKinds.test(kind) && !htmlKinds.test(kind))
    throw new ToolError(`${url.host} sent ${kind.slice(0, 80)}, which is not text.`);
  const isHtml = htmlKinds.test(kind);
  const inside = withoutUtf16((isHtml ? metaCharset(body) : undefined) ?? xmlCharset(body));
  const text = createTextDecoder(bomCharset(body) ?? headerCharset(contentType) ?? inside).decode(body);
  if (!isHtml) return text;
  const { htmlToMarkdown } = await import("./markdown.ts");
  return await htmlToMarkdown(text, url, signal);
}

/** Removes the last UTF-8 character, which may be cut. */
function withoutLastLetter(body: Buffer): Buffer {
  const start = body.subarray(-4).findLastIndex((byte) => (byte & 0xc0) !== 0x80);
  return start < 0 ? body : body.subarray(0, start - 4);
}

function mediaTypeOf(contentType: string, body: Buffer): string {
  const declared = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  if (declared === "") return sniffMediaType(body);
  if (!unknownKinds.test(declared)) return declared;
  const isText = bomCharset(body) !== undefined || (isUtf8(body) && !body.includes(0));
  return isText && !body.toString("latin1", 0, 5).startsWith("%PDF-") ? sniffMediaType(body) : declared;
}

function sniffMediaType(body: Buffer): string {
  const start = body.toString("latin1", 0, sniffedBytes);
  if (/^\s*<(?:!doctype html|html|head|body)/iu.test(start)) return "text/html";
  return start.includes("\0") && bomCharset(body) === undefined ? "application/octet-stream" : "text/plain";
}

/** The encoding named by a byte order mark, which overrides every declaration. */
function bomCharset(body: Buffer): string | undefined {
  const mark = body.toString("hex", 0, 3);
  if (mark === "efbbbf") return "utf-8";
  return mark.startsWith("fffe") ? "utf-16le" : mark.startsWith("feff") ? "utf-16be" : undefined;
}

function headerCharset(contentType: string): string | undefined {
  return /charset\s*=\s*"?([\w.:-]{1,40})/iu.exec(contentType)?.[1];
}

function metaCharset(body: Buffer): string | undefined {
  return /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]{1,40})/iu.exec(body.toString("latin1", 0, sniffedBytes))?.[1];
}

/** The encoding in an XML declaration. */
function xmlCharset(body: Buffer): string | undefined {
  return /^\s*<\?xml[^>]{0,100}\sencoding\s*=\s*["']([\w.:-]{1,40})/iu.exec(
    body.toString("latin1", 0, sniffedBytes),
  )?.[1];
}

/** A declaration readable as single bytes cannot be UTF-16, whatever it says: browsers use UTF-8 then, too. */
function withoutUtf16(charset: string | undefined): string | undefined {
  return createTextDecoder(charset).encoding.startsWith("utf-16") ? "utf-8" : charset;
}

function createTextDecoder(charset: string | undefined) {
  try {
    return new TextDecoder(charset);
  } catch {
    // An unknown encoding name.
    return new TextDecoder();
  }
}

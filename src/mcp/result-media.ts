/** Images, sound and files of an answer: an image or PDF for the model, text where the data is text, or else a file. */
import type { DocumentBlock, ImageBlock, TextBlock } from "../protocol/message.ts";

const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

/** Types whose data is never text, even if its bytes can be decoded. */
const nonTextTypes = /^(?:audio|video|font|image\/(?!svg))/iu;

/** File extensions for types whose subtype is not one. */
const endings: ReadonlyMap<string, string> = new Map([
  ["mpeg", "mp3"],
  ["svg+xml", "svg"],
  ["x-wav", "wav"],
  ["plain", "txt"],
]);

export interface Media {
  mimeType: unknown;
  /** Base64. */
  data: unknown;
  /** A description for people, with its article. */
  what: string;
  /** Its address, if it has one. */
  uri?: unknown;
}

export function mediaBlock(media: Media): TextBlock | ImageBlock | DocumentBlock {
  const { mimeType, data, what } = media;
  if (typeof data !== "string") return { type: "text", text: `[${what} without data]` };
  const kind = mimeType === "image/jpg" ? "image/jpeg" : mimeType;
  const image = imageTypes.find((type) => type === kind);
  if (image !== undefined) return { type: "image", source: { type: "base64", media_type: image, data } };
  const document: DocumentBlock = { type: "document", source: { type: "base64", media_type: "application/pdf", data } };
  if (mimeType === "application/pdf") return document;
  const words = typeof mimeType === "string" && nonTextTypes.test(mimeType) ? undefined : decodeText(data);
  // Results have no other block for a file. The code that adapts media sees that it is not a PDF, and keeps it under its name.
  return words === undefined ? { ...document, title: titleOf(media) } : { type: "text", text: words };
}

/** The text, whatever the type is called; undefined for binary data. */
function decodeText(data: string): string | undefined {
  try {
    const words = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(data, "base64"));
    return /[^\P{Cc}\t\n\r\f]/u.test(words) ? undefined : words;
  } catch {
    // Binary data.
    return undefined;
  }
}

/** The file name at the end of an address. A name is short, so only the end is searched. */
function nameAtEnd(address: string): string | undefined {
  return /[^/\\?#]{1,80}\.[a-zA-Z0-9]{1,8}$/u.exec(address.slice(-200))?.[0];
}

function titleOf({ mimeType, what, uri }: Media): string {
  const name = typeof uri === "string" ? (nameAtEnd(uri.split(/[?#]/u, 1)[0] ?? "") ?? nameAtEnd(uri)) : undefined;
  if (name !== undefined) return name;
  const [, subtype = ""] = (typeof mimeType === "string" && /^[\w.-]+\/([\w.+-]+)/u.exec(mimeType.toLowerCase())) || [];
  const ending = endings.get(subtype) ?? subtype.replace(/^x-/u, "");
  return `${what.replace(/^an? /u, "")}.${/^[a-z0-9]{1,8}$/u.test(ending) ? ending : "bin"}`;
}

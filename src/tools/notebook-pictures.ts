/** Pictures in the outputs of a notebook, as image blocks for the model. */
import { pictureSize, pictureType } from "../lib/image-header.ts";
import { pictureTokens } from "../protocol/media-limits.ts";
import { isRecord } from "../lib/is-record.ts";
import type { ImageBlock } from "../protocol/message.ts";
import { joinText, pictureKinds } from "./notebook.ts";

export interface OutputPicture {
  block: ImageBlock;
  /** An estimate, as the API counts tokens. */
  tokens: number;
}

/** Longer data is not a plot. */
const longestBase64 = 8 << 20;

/** Returns the output's picture; undefined if it has none or the picture is damaged. */
export function outputPicture(output: unknown): OutputPicture | undefined {
  const data = isRecord(output) && isRecord(output["data"]) ? output["data"] : {};
  const kind = pictureKinds.find((type) => data[type] !== undefined);
  const base64 = kind === undefined ? "" : joinText(data[kind]).replace(/\s+/g, "");
  if (base64 === "" || base64.length > longestBase64 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const bytes = Buffer.from(base64, "base64");
  const [type, size] = [pictureType(bytes), pictureSize(bytes)];
  if (type === undefined || size === undefined) return undefined;
  const block: ImageBlock = { type: "image", source: { type: "base64", media_type: type, data: base64 } };
  return { block, tokens: pictureTokens(size) };
}

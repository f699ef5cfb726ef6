/** The types around making images and documents fit. Types only, because the implementation is loaded late. */
import type { shrink } from "../lib/image/shrink.ts";
import type { ImageTerms } from "./media-size.ts";
import type { ContentBlock, TextBlock } from "../protocol/message.ts";
import type { Medium } from "./media-text.ts";

export interface MediaTerms extends ImageTerms {
  /** PDF pages per request. */
  pdfPages: number;
}

export interface MediaFitDeps {
  /** The terms of the model that is asked next. */
  terms(): MediaTerms;
  clock: { timer(ms: number, onFire: () => void): () => void };
  /** Saves what is left out to a file, for tools that can convert it. Returns the path. */
  saveFile?(bytes: Uint8Array, extension: string): Promise<string>;
  /** Default: `shrink` of `lib/image`, loaded with the first image that needs it. */
  shrink?: typeof shrink;
}

export interface FitOptions {
  /** Absent: only the built-in time limit ends it. */
  signal?: AbortSignal;
  /** The file that contains the media, for the line that replaces one. */
  path?: string;
}

export type FittedPart = TextBlock | Medium;

/** Makes media fit before they are sent. Returns `content` itself if everything fits. Bounded, and does not reject. */
export type FitMedia = <Block extends ContentBlock>(
  content: Block[],
  options: FitOptions,
) => Promise<(Block | FittedPart)[]>;

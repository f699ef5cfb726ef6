/** What it takes to make images and documents fit, and what comes of it: the shapes alone, since what does it is loaded late. */
import type { shrink } from "../lib/image/shrink.ts";
import type { ImageTerms } from "./media-size.ts";
import type { ContentBlock, TextBlock } from "../protocol/message.ts";
import type { Medium } from "./media-text.ts";

export interface MediaTerms extends ImageTerms {
  /** Pages of PDF in a request. */
  pdfPages: number;
}

export interface MediaFitDeps {
  /** Of the model that is asked next. */
  terms(): MediaTerms;
  clock: { timer(ms: number, onFire: () => void): () => void };
  /** Keeps what is left out in a file, for whoever can convert it; answers its path. */
  keep?(bytes: Uint8Array, extension: string): Promise<string>;
  /** Default: `shrink` of `lib/image`, loaded with the first image that needs it. */
  shrink?: typeof shrink;
}

export interface FitOptions {
  /** Absent: its own time limit alone ends it. */
  signal?: AbortSignal;
  /** The file the media are in, for the line that stands for one. */
  path?: string;
}

export type Part = TextBlock | Medium;

/** Makes what is to be sent fit; answers `content` itself where all of it is. Bounded, and does not reject. */
export type FitMedia = <Block extends ContentBlock>(content: Block[], options: FitOptions) => Promise<(Block | Part)[]>;

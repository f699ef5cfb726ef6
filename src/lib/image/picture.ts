/** Pixels in the form that the modules of this folder exchange. */

export interface Picture {
  width: number;
  height: number;
  /** Red, green, blue, alpha, row by row from the top left. */
  pixels: Uint8Array;
}

/** Receives the rows of a picture from the top. A row is consumed before the call returns. */
export interface RowSink {
  /** `channels`: 3 for red, green, blue; 4 with alpha. */
  row(values: Uint8Array, channels: 3 | 4): void;
}

/** What is wrong with a picture, as a clause such as "its data is cut". */
export class PictureError extends Error {
  override name = "PictureError";
}

/** Pixels as the pieces of this folder hand them on. */

export interface Picture {
  width: number;
  height: number;
  /** Red, green, blue, alpha, row by row from the top left. */
  pixels: Uint8Array;
}

/** Takes the rows of a picture, from the top. Rows are read before the call returns. */
export interface RowSink {
  /** `channels`: 3 for red, green, blue; 4 with alpha. */
  row(values: Uint8Array, channels: 3 | 4): void;
}

/** What is wrong with a picture, as a clause: "its data is cut". */
export class PictureError extends Error {
  override name = "PictureError";
}

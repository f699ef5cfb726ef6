/** Converts the samples of a PNG row to eight-bit red, green, blue and alpha. */

export interface PngColours {
  /** 0 grey, 2 colour, 3 palette, 4 grey with alpha, 6 colour with alpha. */
  type: number;
  /** Bits per sample. */
  depth: number;
  /** Samples per pixel. */
  channels: number;
  palette?: Uint8Array;
  transparency?: Uint8Array;
}

/** Writes `width` pixels into `row`. */
export function expandRow(samples: Uint8Array, colours: PngColours, width: number, row: Uint8Array): void {
  if (colours.depth === 8 && (colours.type === 2 || colours.type === 6) && colours.transparency === undefined)
    return expandPlain(samples, colours.channels, width, row);
  const { type, depth, channels } = colours;
  const clear = transparentSamples(colours);
  for (let x = 0, to = 0; x < width; x++, to += 4) {
    const first = sampleAt(samples, x * channels, depth);
    if (type === 3) {
      fromPalette(colours, first, row, to);
      continue;
    }
    const isColour = type === 2 || type === 6;
    const second = isColour ? sampleAt(samples, x * channels + 1, depth) : first;
    const third = isColour ? sampleAt(samples, x * channels + 2, depth) : first;
    row[to] = eightBits(first, depth);
    row[to + 1] = eightBits(second, depth);
    row[to + 2] = eightBits(third, depth);
    const isClear = clear !== undefined && first === clear[0] && second === clear[1] && third === clear[2];
    const hasAlpha = type === 4 || type === 6;
    row[to + 3] = isClear ? 0 : hasAlpha ? eightBits(sampleAt(samples, (x + 1) * channels - 1, depth), depth) : 255;
  }
}

function expandPlain(samples: Uint8Array, channels: number, width: number, row: Uint8Array): void {
  for (let x = 0, from = 0, to = 0; x < width; x++, from += channels, to += 4) {
    row[to] = samples[from]!;
    row[to + 1] = samples[from + 1]!;
    row[to + 2] = samples[from + 2]!;
    row[to + 3] = channels === 4 ? samples[from + 3]! : 255;
  }
}

function sampleAt(samples: Uint8Array, index: number, depth: number): number {
  if (depth === 8) return samples[index]!;
  if (depth === 16) return (samples[index * 2]! << 8) | samples[index * 2 + 1]!;
  const bit = index * depth;
  return (samples[bit >> 3]! >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
}

function eightBits(sample: number, depth: number): number {
  if (depth === 8) return sample;
  return depth === 16 ? sample >> 8 : Math.round((sample * 255) / ((1 << depth) - 1));
}

function fromPalette({ palette, transparency }: PngColours, index: number, row: Uint8Array, to: number): void {
  row[to] = palette?.[index * 3] ?? 0;
  row[to + 1] = palette?.[index * 3 + 1] ?? 0;
  row[to + 2] = palette?.[index * 3 + 2] ?? 0;
  row[to + 3] = transparency?.[index] ?? 255;
}

/** The single grey or colour that means transparent, as samples. */
function transparentSamples({ type, transparency }: PngColours): readonly number[] | undefined {
  if (transparency === undefined) return undefined;
  const at = (index: number): number => ((transparency[index] ?? 0) << 8) | (transparency[index + 1] ?? 0);
  if (type === 0) return [at(0), at(0), at(0)];
  return type === 2 ? [at(0), at(2), at(4)] : undefined;
}

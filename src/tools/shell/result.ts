/** A command's output for the model and clients: both ends of long output, and nothing that acts on a terminal. */
import { stripControls } from "../../lib/sanitize.ts";
import { formatSize } from "../text-file.ts";
import type { OutputCollector, StreamOutput } from "./output.ts";

export interface RenderedOutput {
  /** Decoded and shortened, for clients. */
  stdout: string;
  stderr: string;
  /** Part of the output is left out. */
  isCut: boolean;
}

function streamSize({ head, dropped, tail }: StreamOutput): number {
  return head.length + dropped + tail.length;
}

/** Fits both streams into `limit` bytes; a short one leaves its room to the other. If anything is cut, a file gets the whole output. */
export function renderOutput(output: OutputCollector, limit: number): RenderedOutput {
  const isLong = output.total > limit;
  const out = output.stream("stdout", isLong);
  const errors = output.stream("stderr", isLong);
  const isCut = streamSize(out) + streamSize(errors) > limit;
  if (isCut) output.beginFile();
  const half = limit / 2;
  const outBudget = isCut ? Math.max(half, limit - streamSize(errors)) : Infinity;
  const errorBudget = isCut ? Math.max(half, limit - streamSize(out)) : Infinity;
  const where = outputLocationText(output);
  return { stdout: renderStream(out, outBudget, where), stderr: renderStream(errors, errorBudget, where), isCut };
}

function outputLocationText(output: OutputCollector): string {
  if (output.fileError !== null) return `; the output could not be saved: ${output.fileError}`;
  if (output.path === null) return "";
  return output.isFileCut ? `; its first part and its end are in ${output.path}` : `; all of it is in ${output.path}`;
}

function renderStream(stream: StreamOutput, budget: number, where: string): string {
  const size = streamSize(stream);
  if (size === 0) return "";
  if (looksBinary(stream.head))
    return isNonUtf8Text(stream.head)
      ? `[output that is not UTF-8, ${formatSize(size)}, not shown${where}. To show text in another encoding, append: | iconv -f <its encoding> -t utf-8]`
      : `[binary output, ${formatSize(size)}, not shown${where}]`;
  if (size <= budget && stream.dropped === 0) return stream.head.toString();
  const half = Math.floor(budget / 2);
  const head = trimEnd(stream.head.subarray(0, half));
  const tail = trimStart((stream.dropped === 0 ? stream.head : stream.tail).subarray(-half));
  return `${head.toString()}\n[… ${formatSize(size - head.length - tail.length)} left out here${where} …]\n${tail.toString()}`;
}

const newline = 0x0a;

/** Cuts at the end of a line if one is near, otherwise at the end of a character. */
function trimEnd(bytes: Buffer): Buffer {
  const line = bytes.lastIndexOf(newline);
  if (line > bytes.length * 0.8) return bytes.subarray(0, line);
  for (let back = 1; back <= 4; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return bytes.subarray(0, bytes.length - back);
  }
  return bytes;
}

function trimStart(bytes: Buffer): Buffer {
  const line = bytes.indexOf(newline);
  if (line !== -1 && line < bytes.length * 0.2) return bytes.subarray(line + 1);
  const first = bytes.subarray(0, 4).findIndex((byte) => byte < 0x80 || byte >= 0xc0);
  return first > 0 ? bytes.subarray(first) : bytes;
}

/** Whether more than a tenth of the text is neither text nor something terminals understand. */
function looksBinary(head: Buffer): boolean {
  const text = head.subarray(0, 4096).toString();
  let odd = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code === 0xfffd || code < 7 || (code > 13 && code < 27) || (code > 27 && code < 32)) odd += 1;
  }
  return odd > 8 && odd > text.length / 10;
}

const controls = new RegExp(String.raw`[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]`);

/** Text in GBK, Shift-JIS, EUC or KOI8, whose letters contain no control bytes; or UTF-16, known by its byte order mark. */
function isNonUtf8Text(head: Buffer): boolean {
  const bytes = head.toString("latin1", 0, 4096);
  return /^(?:\xff\xfe|\xfe\xff)/.test(bytes) || !controls.test(bytes);
}

/** The latest output, for people who watch. Carriage returns are kept: after one, a progress bar overwrites its row. */
export function progressText(output: OutputCollector, since: number): string {
  const fresh = Math.min(output.total - since, output.recent.length);
  const text = trimStart(output.recent.subarray(output.recent.length - fresh)).toString();
  return text.split("\r").map(stripControls).join("\r");
}

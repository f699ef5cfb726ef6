/** Reads a picture from the desktop's clipboard with the desktop's own programs. */
import { execFile } from "node:child_process";
import { isFolder } from "../../lib/path-status.ts";
import type { Environment } from "../../lib/environment.ts";
import { hasErrorCode } from "../../lib/error-text.ts";
import { withMachinePathFirst, machineProgramOnly } from "../../lib/repository-programs.ts";
import { scrubEnvironment } from "../../tools/shell/environment.ts";

export interface ClipboardContext {
  env: Environment;
  cwd: string;
  platform: NodeJS.Platform;
  /** Ends the program that reads the clipboard. */
  signal: AbortSignal;
}

/** `data` is a PNG. `why` is a sentence. */
export type ClipboardPicture = { ok: true; data: Buffer } | { ok: false; why: string };

interface Reader {
  words: [string, ...string[]];
  picture: (output: Buffer) => Buffer;
}

const identity = (output: Buffer): Buffer => output;
const wayland: Reader = { words: ["wl-paste", "--no-newline", "--type", "image/png"], picture: identity };
const x11: Reader = { words: ["xclip", "-selection", "clipboard", "-target", "image/png", "-out"], picture: identity };
/** AppleScript writes the picture in hexadecimal: `«data PNGf8950…»`. */
const mac: Reader = {
  words: ["osascript", "-e", "the clipboard as «class PNGf»"],
  picture: (output) =>
    Buffer.from(/PNGf(?<digits>[0-9A-F]+)/u.exec(output.toString("utf8"))?.groups?.["digits"] ?? "", "hex"),
};

const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const maxBytes = 128 * 1024 * 1024;
/** Milliseconds. */
const timeoutMs = 10_000;
const noPictureText = "There is no picture in the clipboard.";

/** Rejects if starting a program throws. */
export async function clipboardPicture(context: ClipboardContext): Promise<ClipboardPicture> {
  const readers = availableReaders(context);
  if (readers.length === 0)
    return {
      ok: false,
      why: "There is no desktop here whose clipboard could be read. To attach a picture, name its file with @.",
    };
  const environment = withMachinePathFirst(scrubEnvironment(context.env), context.cwd);
  let why: string | undefined;
  for (const { words, picture } of readers) {
    const [name, ...args] = words;
    const file = machineProgramOnly(name, environment, context.cwd);
    const output = file === undefined ? undefined : await runReader(file, args, environment, context);
    if (output === undefined) continue;
    const data = picture(output);
    if (data.subarray(0, signature.length).equals(signature)) return { ok: true, data };
    why = noPictureText;
  }
  const names = readers.map(({ words: [name] }) => name).join(" or ");
  return { ok: false, why: why ?? `Reading the clipboard needs ${names}, which is not installed here.` };
}

function availableReaders({ env, platform }: ClipboardContext): Reader[] {
  if (platform === "darwin") return [mac];
  const isSet = (name: string): boolean => (env[name] ?? "") !== "";
  return [...(isSet("WAYLAND_DISPLAY") ? [wayland] : []), ...(isSet("DISPLAY") ? [x11] : [])];
}

/** Returns undefined if the program does not exist, and an empty buffer if it fails, as it does if there is no picture. */
function runReader(
  file: string,
  args: string[],
  env: Record<string, string | undefined>,
  { cwd, signal }: ClipboardContext,
): Promise<Buffer | undefined> {
  const options = { env, signal, cwd: isFolder(cwd) ? cwd : "/", timeout: timeoutMs, maxBuffer: maxBytes };
  return new Promise((resolve) => {
    execFile(file, args, { ...options, encoding: "buffer", killSignal: "SIGKILL" }, (error, output) =>
      resolve(error === null ? output : hasErrorCode(error, "ENOENT") ? undefined : Buffer.alloc(0)),
    );
  });
}

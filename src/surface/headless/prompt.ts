/** The prompt of a headless run: the argument, followed by the piped input. */
import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { decodeByBom } from "../../lib/decode-by-bom.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { startTimer, type StartTimer } from "../deadline.ts";

export interface PromptSource {
  /** Undefined if nothing is read from standard input: it is a terminal or the null device. */
  stdin: Readable | undefined;
  argument: string | undefined;
  /** The run is headless only because there is no terminal for a conversation. */
  isImplicitlyHeadless?: boolean;
  /** Is added to the error if there is no prompt. */
  hint?: string;
  notice: (text: string) => void;
  start?: StartTimer;
}

/** The convention's limit on piped input. */
const maxStdinBytes = 10_000_000;
/** If there is an argument, stdin may have nothing to read, and a pipe that nobody closes must not block the run. */
const stdinWaitMilliseconds = 3_000;

/**
 * Without an argument, reads stdin to its end. With one, reads a file to its end; any other stdin is used only if its first byte
 * or its end comes within 3 s, and then read to its end. Throws `UsageError` for more than 10 MB or if there is no prompt.
 */
export async function readPrompt(source: PromptSource): Promise<string> {
  const { stdin, argument, isImplicitlyHeadless = false, hint = "", notice, start = startTimer } = source;
  // Reading a file always ends, and on a busy machine its first byte may take longer than the limit.
  const mayGiveUp = argument !== undefined && !(stdin !== undefined && isFileStream(stdin));
  const piped = stdin === undefined ? "" : await readStdin(stdin, mayGiveUp, notice, start);
  const parts = [argument ?? "", piped].filter((part) => part.trim() !== "");
  if (parts.length === 0) {
    const where = isImplicitlyHeadless
      ? "A conversation needs a terminal, and there is no prompt to answer"
      : "No prompt";
    throw new UsageError(`${where}: give one as an argument, pawl -p "…", or on standard input${hint}.`);
  }
  return parts.join("\n");
}

/** Of standard input only. Naming Node's class for such streams would load all of fs/promises, at every start. */
function isFileStream(stdin: Readable): boolean {
  return "path" in stdin;
}

/** Decodes the bytes without their byte order mark. */
function decodeStdin(bytes: Buffer, notice: (text: string) => void): string {
  const hasByteOrderMark = /^(?:\xff\xfe|\xfe\xff)/.test(bytes.toString("latin1", 0, 2));
  if (!hasByteOrderMark && !isUtf8(bytes))
    notice(
      "standard input is not valid UTF-8, so parts of it were replaced; convert it with iconv -f <its encoding> -t utf-8",
    );
  return decodeByBom(bytes);
}

function readStdin(
  stdin: Readable,
  mayGiveUp: boolean,
  notice: (text: string) => void,
  start: StartTimer,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const stopReading = (): void => {
      cancel();
      stdin.off("data", take).off("end", finish).off("close", finish);
      stdin.destroy();
    };
    const finish = (): void => {
      stopReading();
      resolve(decodeStdin(Buffer.concat(chunks), notice));
    };
    const refuse = (message: string): void => {
      stopReading();
      reject(new UsageError(message));
    };
    const take = (chunk: Buffer | string): void => {
      if (size === 0) cancel();
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      chunks.push(bytes);
      if (size > maxStdinBytes)
        refuse("Standard input is larger than 10 MB: put it in a file and name the file in the prompt.");
    };
    const giveUp = (): void => {
      // If stdin was destroyed, the run does not continue.
      if (!stdin.destroyed)
        notice("nothing arrived on standard input for 3 s; continuing without it (< /dev/null skips the wait)");
      finish();
    };
    const cancel = mayGiveUp ? start(stdinWaitMilliseconds, giveUp) : (): void => undefined;
    stdin.on("error", (error: NodeJS.ErrnoException) => {
      // Stdin is not open for reading: nohup replaces a terminal with such a descriptor.
      if (error.code === "EBADF") finish();
      else refuse(`Standard input could not be read: ${error.message}.`);
    });
    stdin.on("data", take).on("end", finish).on("close", finish);
  });
}

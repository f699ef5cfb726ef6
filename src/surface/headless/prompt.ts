/** The prompt of a headless run: the argument, and what is piped in, in that order. */
import { isUtf8 } from "node:buffer";
import { ReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { markedText } from "../../lib/marked-text.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { startTimer, type StartTimer } from "../deadline.ts";

export interface PromptSource {
  /** Undefined where standard input is a terminal: nothing is read from it. */
  stdin: Readable | undefined;
  argument: string | undefined;
  /** Nobody asked for a headless run: there is no terminal to talk at. */
  isUnasked?: boolean;
  notice: (text: string) => void;
  start?: StartTimer;
}

/** The convention's cap on what is piped in. */
const limitBytes = 10_000_000;
/** With an argument there may be nothing to read, and a pipe nobody closes must not hold the run up. */
const patienceMilliseconds = 3_000;

/**
 * Without an argument waits for the end of stdin. With one, a file is read to its end, and anything else counts when its first
 * byte or its end comes within 3 s; once a byte has come it is read to its end. More than 10 MB, or no prompt at all, is a `UsageError`.
 */
export async function readPrompt(source: PromptSource): Promise<string> {
  const { stdin, argument, isUnasked = false, notice, start = startTimer } = source;
  // A file ends by itself, and on a busy machine its first byte may take longer than the patience lasts.
  const mayGiveUp = argument !== undefined && !(stdin instanceof ReadStream);
  const piped = stdin === undefined ? "" : await collect(stdin, mayGiveUp, notice, start);
  const parts = [argument ?? "", piped].filter((part) => part.trim() !== "");
  if (parts.length === 0) {
    const where = isUnasked ? "A conversation needs a terminal, and there is no prompt to answer" : "No prompt";
    throw new UsageError(`${where}: give one as an argument, pawl -p "…", or on standard input.`);
  }
  return parts.join("\n");
}

/** Without its mark. */
function textOf(bytes: Buffer, notice: (text: string) => void): string {
  const isMarked = /^(?:\xff\xfe|\xfe\xff)/.test(bytes.toString("latin1", 0, 2));
  if (!isMarked && !isUtf8(bytes))
    notice(
      "not all of standard input is UTF-8, and what is not was replaced: iconv -f <its encoding> -t utf-8 converts it",
    );
  return markedText(bytes);
}

function collect(
  stdin: Readable,
  mayGiveUp: boolean,
  notice: (text: string) => void,
  start: StartTimer,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      cancel();
      stdin.off("data", take).off("end", finish).off("close", finish);
      stdin.destroy();
    };
    const finish = (): void => {
      leave();
      resolve(textOf(Buffer.concat(chunks), notice));
    };
    const refuse = (message: string): void => {
      leave();
      reject(new UsageError(message));
    };
    const take = (chunk: Buffer | string): void => {
      if (size === 0) cancel();
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      chunks.push(bytes);
      if (size > limitBytes)
        refuse("Standard input is larger than 10 MB: put it in a file and name the file in the prompt.");
    };
    const giveUp = (): void => {
      // Whoever has closed it does not go on.
      if (!stdin.destroyed)
        notice("nothing came on standard input for 3 s; going on without it (< /dev/null skips the wait)");
      finish();
    };
    const cancel = mayGiveUp ? start(patienceMilliseconds, giveUp) : (): void => undefined;
    stdin.on("error", (error: NodeJS.ErrnoException) => {
      // It is not open for reading: nohup puts such a one in the place of a terminal.
      if (error.code === "EBADF") finish();
      else refuse(`Standard input could not be read: ${error.message}.`);
    });
    stdin.on("data", take).on("end", finish).on("close", finish);
  });
}

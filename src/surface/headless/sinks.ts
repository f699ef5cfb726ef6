/** Standard output, one sink for each format. Each sink gets every message and writes what its format shows. */
import { wellFormedLine } from "../../lib/json-line.ts";
import { stripControls, sanitize } from "../../lib/sanitize.ts";
import type { SDKMessage, SDKResultMessage } from "../../protocol/sdk.ts";
import type { SessionCost } from "../engine-port.ts";
import type { MessageFormatter } from "../message-formatter.ts";
import { commandOutput } from "../show/command-output.ts";
import type { Style } from "../show/style.ts";
import type { OutputWriter } from "./writer.ts";

export type OutputFormat = "text" | "json" | "stream-json";

export interface Sink {
  /** If it returns a promise, await it before the next message. */
  accept(message: SDKMessage): Promise<void> | undefined;
  /** Called after the last message. Returns the same promise as `accept`. */
  end(): Promise<void> | undefined;
}

export interface TerminalLook {
  style: Style;
  columns: number;
}

const returnNothing = (): undefined => undefined;

/**
 * Writes only the answer: the last one, if background agents made the run continue. For a pipe only control characters are
 * removed; on a terminal invisible characters are also made visible.
 */
function textSink(writer: OutputWriter, terminal: TerminalLook | undefined): Sink {
  const clean = terminal === undefined ? stripControls : sanitize;
  let answer = "";
  return {
    accept(message) {
      if (message.type !== "result" || message.subtype !== "success" || message.is_error) return undefined;
      const styledText = terminal === undefined ? undefined : commandOutput(message, terminal.style, terminal.columns);
      answer = styledText ?? clean(message.display_content ?? message.result);
      return undefined;
    },
    end: () => (answer === "" ? undefined : writer.push(answer.endsWith("\n") ? answer : `${answer}\n`)),
  };
}

/** Writes one object even if background agents made the run continue: the last result, with the total cost. */
function resultSink(writer: OutputWriter, cost: () => SessionCost): Sink {
  let result: SDKResultMessage | undefined;
  return {
    accept(message) {
      if (message.type === "result") result = message;
      return undefined;
    },
    end() {
      if (result === undefined) return undefined;
      const { totalUsd: total_cost_usd, modelUsage } = cost();
      return writer.push(`${wellFormedLine({ ...result, total_cost_usd, modelUsage })}\n`);
    },
  };
}

/** Writes each message as it arrives, so that memory does not grow with the session. */
function arraySink(writer: OutputWriter): Sink {
  let separator = "[";
  return {
    accept(message) {
      const wait = writer.push(`${separator}${wellFormedLine(message)}`);
      separator = ",\n";
      return wait;
    },
    end() {
      const open = separator === "[" ? "[" : "";
      return writer.push(`${open}]\n`);
    },
  };
}

function streamSink(writer: OutputWriter, formatLine: MessageFormatter): Sink {
  return { accept: (message) => writer.push(formatLine(message)), end: returnNothing };
}

export interface SinkOptions {
  writer: OutputWriter;
  verbose: boolean;
  formatLine: MessageFormatter;
  /** Undefined if the output goes to a pipe or a file. */
  terminal: TerminalLook | undefined;
  /** The session's cost so far. */
  cost: () => SessionCost;
}

export function createSink(format: OutputFormat, { writer, verbose, formatLine, terminal, cost }: SinkOptions): Sink {
  switch (format) {
    case "text":
      return textSink(writer, terminal);
    case "json":
      return verbose ? arraySink(writer) : resultSink(writer, cost);
    case "stream-json":
      return streamSink(writer, formatLine);
    default:
      return format satisfies never;
  }
}

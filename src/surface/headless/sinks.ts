/** What goes to standard output, one shape a format. Each takes every message and writes what is its own. */
import { wellFormedLine } from "../../lib/json-line.ts";
import { stripControls, sanitize } from "../../lib/sanitize.ts";
import type { SDKMessage, SDKResultMessage } from "../../protocol/sdk.ts";
import type { SessionCost } from "../engine-port.ts";
import type { MessageLine } from "../message-line.ts";
import { commandOutput } from "../show/command-output.ts";
import type { Style } from "../show/style.ts";
import type { OutputWriter } from "./writer.ts";

export type OutputFormat = "text" | "json" | "stream-json";

export interface Sink {
  /** A promise means: await it before the next message. */
  accept(message: SDKMessage): Promise<void> | undefined;
  /** After the last message; the same promise as `accept`'s. */
  end(): Promise<void> | undefined;
}

export interface TerminalLook {
  style: Style;
  columns: number;
}

const nothing = (): undefined => undefined;

/** The answer and nothing else: the last one, where agents in the background had the run go on. A pipe gets it whole but for controls; a terminal also sees what would be invisible. */
function textSink(writer: OutputWriter, terminal: TerminalLook | undefined): Sink {
  const clean = terminal === undefined ? stripControls : sanitize;
  let answer = "";
  return {
    accept(message) {
      if (message.type !== "result" || message.subtype !== "success" || message.is_error) return undefined;
      const drawn = terminal === undefined ? undefined : commandOutput(message, terminal.style, terminal.columns);
      answer = drawn ?? clean(message.display_content ?? message.result);
      return undefined;
    },
    end: () => (answer === "" ? undefined : writer.push(answer.endsWith("\n") ? answer : `${answer}\n`)),
  };
}

/** One object, however often agents in the background had the run go on: the last, with what all have cost by the end. */
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

/** Written as it comes, so that memory does not grow with the session. */
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

function streamSink(writer: OutputWriter, line: MessageLine): Sink {
  return { accept: (message) => writer.push(line(message)), end: nothing };
}

export interface SinkParts {
  writer: OutputWriter;
  verbose: boolean;
  line: MessageLine;
  /** Undefined: what is written goes to a pipe or a file. */
  terminal: TerminalLook | undefined;
  /** Of the session so far. */
  cost: () => SessionCost;
}

export function sinkFor(format: OutputFormat, { writer, verbose, line, terminal, cost }: SinkParts): Sink {
  switch (format) {
    case "text":
      return textSink(writer, terminal);
    case "json":
      return verbose ? arraySink(writer) : resultSink(writer, cost);
    case "stream-json":
      return streamSink(writer, line);
    default:
      return format satisfies never;
  }
}

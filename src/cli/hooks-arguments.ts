/** The words after `pawl hooks`. */
import type { Command } from "commander";
import { UsageError } from "../lib/usage-error.ts";
import type { HooksArguments } from "./hooks-command.ts";
import { quietCommand } from "./tokenise.ts";
import { notEmpty } from "./values.ts";

interface RawHooks {
  json?: true;
  settings?: string;
  matcher?: string;
  input?: string;
}

export function hooksCommand(write: (text: string) => void): Command {
  return quietCommand("pawl hooks", write)
    .usage("[flags]\n       pawl hooks test <event> [flags]")
    .description(
      "Lists the hooks configured for this folder and says whether each would run. With test: runs the hooks of an event with a sample input. Hooks of an untrusted folder never run.",
    )
    .argument("[words...]")
    .option("--json", "as JSON")
    .option("--settings <file-or-json>", "settings in addition to the usual ones")
    .option("--matcher <name>", "test: the value that matchers are compared with, such as a tool's name")
    .option("--input <json>", "test: fields of the event's input, a JSON object; - reads it from standard input");
}

export function hooksArguments(command: Command): HooksArguments {
  const raw = command.opts<RawHooks>();
  const [verb, event, ...more] = command.args;
  if (verb !== undefined && verb !== "test")
    throw new UsageError(
      `pawl hooks has one subcommand, test: pawl hooks test PreToolUse. Alone, pawl hooks lists the hooks.`,
    );
  if (more.length > 0)
    throw new UsageError("pawl hooks test takes one event; give its details with --input and --matcher.");
  const isTest = verb === "test";
  if (isTest && event === undefined) throw new UsageError("pawl hooks test needs an event, such as PreToolUse.");
  for (const flag of ["matcher", "input"] as const)
    if (!isTest && raw[flag] !== undefined) throw new UsageError(`--${flag} is for pawl hooks test <event>.`);
  return {
    json: raw.json === true,
    ...(raw.settings === undefined ? {} : { settings: notEmpty("--settings", raw.settings) }),
    ...(event === undefined
      ? {}
      : {
          test: {
            event,
            ...(raw.matcher === undefined ? {} : { matcher: notEmpty("--matcher", raw.matcher) }),
            ...(raw.input === undefined ? {} : { input: notEmpty("--input", raw.input) }),
          },
        }),
  };
}

/** The words after `pawl hooks`. */
import type { Command } from "commander";
import { UsageError } from "../lib/usage-error.ts";
import type { HooksArguments } from "./hooks-command.ts";
import { quiet } from "./tokenise.ts";
import { notEmpty } from "./values.ts";

interface RawHooks {
  json?: true;
  settings?: string;
  matcher?: string;
  input?: string;
}

export function hooksCommand(write: (text: string) => void): Command {
  return quiet("pawl hooks", write)
    .usage("[flags]\n       pawl hooks test <event> [flags]")
    .description(
      "Lists the hooks that are configured for this folder, and says of each whether it would run. With test: runs those that an event would run, with a sample input. Nothing of a folder that is not trusted runs.",
    )
    .argument("[words...]")
    .option("--json", "as JSON")
    .option("--settings <file-or-json>", "settings besides the usual ones")
    .option("--matcher <name>", "test: what matchers are held against, such as the name of a tool")
    .option("--input <json>", "test: fields of the event's input, a JSON object; - reads it from standard input");
}

export function hooksArguments(command: Command): HooksArguments {
  const raw = command.opts<RawHooks>();
  const [verb, event, ...more] = command.args;
  if (verb !== undefined && verb !== "test")
    throw new UsageError(`pawl hooks knows "test": pawl hooks test PreToolUse; alone it lists the hooks.`);
  if (more.length > 0) throw new UsageError("pawl hooks test takes one event; --input and --matcher say more of it.");
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

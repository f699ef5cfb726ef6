/** The words after `pawl permissions explain`. */
import type { Command } from "commander";
import { permissionModes } from "../protocol/permission.ts";
import { parseDenyRules, parseRules } from "./lists.ts";
import type { ExplainArguments } from "./permissions-command.ts";
import { quietCommand } from "./tokenise.ts";
import { notEmpty, parsePermissionMode } from "./values.ts";

interface RawExplain {
  json?: true;
  stdin?: true;
  settings?: string;
  permissionMode?: string;
  allowedTools?: string[];
  disallowedTools?: string[];
  addDir?: string[];
}

export function explainCommand(write: (text: string) => void): Command {
  return (
    quietCommand("pawl permissions explain", write)
      // The help leaves out the camelCase spelling, which would push every description off a narrow terminal.
      .configureHelp({ optionTerm: ({ flags }) => flags.replace(/^--[a-z]+[A-Z]\w*, /u, "") })
      .usage("'Tool(input)' … [flags]")
      .description("Shows how a tool call would be decided here, by which rule, and why. Nothing runs.")
      .argument("[calls...]")
      .option("--json", 'one line per call: {"decision":"allow|ask|deny","rule","reason"}')
      .option("--stdin", 'read calls, one per line: {"tool":"Bash","input":{"command":"ls"}}')
      .option("--settings <file-or-json>", "settings for this question")
      .option("--permission-mode <mode>", permissionModes.join(", "))
      .option("--allowedTools, --allowed-tools <rules...>", "as if these were allowed")
      .option("--disallowedTools, --disallowed-tools <rules...>", "as if these were denied")
      .option("--add-dir <folders...>", "working folders in addition to the current one")
  );
}

export function explainArguments(command: Command): ExplainArguments {
  const raw = command.opts<RawExplain>();
  return {
    calls: command.args,
    json: raw.json === true,
    stdin: raw.stdin === true,
    ...(raw.settings === undefined ? {} : { settings: notEmpty("--settings", raw.settings) }),
    ...(raw.permissionMode === undefined ? {} : { permissionMode: parsePermissionMode(raw.permissionMode) }),
    allowedTools: parseRules("--allowed-tools", raw.allowedTools ?? []),
    disallowedTools: parseDenyRules("--disallowed-tools", raw.disallowedTools ?? []),
    addDirs: raw.addDir ?? [],
  };
}

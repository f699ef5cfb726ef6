/** The words after `pawl config`. */
import type { Command } from "commander";
import { UsageError } from "../lib/usage-error.ts";
import type { ConfigArguments } from "./config-command.ts";
import { quietCommand } from "./tokenise.ts";
import { notEmpty } from "./values.ts";

const scopes = ["user", "project", "local"] as const;

interface RawConfig {
  json?: true;
  keys?: true;
  settings?: string;
  trust?: true;
  user?: true;
  project?: true;
  local?: true;
}

/** The least and most words that may follow each verb. */
const verbs = {
  list: [0, 0],
  get: [1, 1],
  where: [1, 1],
  set: [2, 2],
  add: [2, 2],
  remove: [1, 2],
  schema: [0, 0],
} as const;

const usage = `
  pawl config list                         settings in force, and their files
  pawl config list --keys                  every setting that exists
  pawl config get permissions.deny
  pawl config where model                  each file that sets it
  pawl config set model opus
  pawl config set env.FOO 1 --project
  pawl config add permissions.allow "Bash(npm test *)"
  pawl config remove permissions.allow "Bash(npm test *)"
  pawl config schema                       a JSON Schema, for editors

A value is read as JSON if that fits the setting, else as text. Changes go to
your own settings (~/.pawl/settings.json) unless a flag says otherwise; comments
stay.`;

export function configCommand(write: (text: string) => void): Command {
  return quietCommand("pawl config", write)
    .usage("list|get|where|set|add|remove|schema [key] [value] [flags]")
    .description("Shows and changes settings. No session, no key, no network.")
    .argument("[verb]")
    .argument("[words...]")
    .option("--user", "change your own settings, for every folder (the default)")
    .option("--project", "change this folder's settings: .pawl/settings.json")
    .option("--local", "change this folder's settings on this machine only: .pawl/settings.local.json")
    .option("--json", "print JSON, for programs")
    .option("--keys", "with list: every setting and its purpose")
    .option("--settings <file-or-json>", "as if a run were given these settings")
    .option("--trust", "as if this folder were trusted")
    .addHelpText("after", usage);
}

export function configArguments(command: Command): ConfigArguments {
  const [verb = "list", ...words] = command.args;
  const raw = command.opts<RawConfig>();
  if (!isVerb(verb))
    throw new UsageError(
      `pawl config has ${Object.keys(verbs).join(", ")}, not "${verb}"; pawl config --help says more.`,
    );
  const [least, most] = verbs[verb];
  if (words.length < least || words.length > most)
    throw new UsageError(`pawl config ${verb} takes ${describeArguments(verb)}; pawl config --help has examples.`);
  const chosenScopes = scopes.filter((scope) => raw[scope] === true);
  if (chosenScopes.length > 1) throw new UsageError("--user, --project and --local each name a file: use one.");
  const [key = "", value] = words;
  return {
    verb,
    key: least === 0 ? "" : notEmpty("The setting's name", key),
    ...(value === undefined ? {} : { value }),
    scope: chosenScopes[0] ?? "user",
    json: raw.json === true,
    keys: raw.keys === true,
    trust: raw.trust === true,
    ...(raw.settings === undefined ? {} : { settings: notEmpty("--settings", raw.settings) }),
  };
}

function isVerb(word: string): word is ConfigArguments["verb"] {
  return Object.hasOwn(verbs, word);
}

function describeArguments(verb: ConfigArguments["verb"]): string {
  const [least, most] = verbs[verb];
  if (most === 0) return "nothing more";
  if (most === 1) return "a setting's name";
  return least === 1 ? "a setting's name, and the item to take out of a list" : "a setting's name and a value";
}

/** Parses the words after `pawl plugin`. */
import { UsageError } from "../lib/usage-error.ts";

export const pluginHelp = `Usage: pawl plugin <command>

  pawl plugin list                       plugins of known marketplaces, on/off
  pawl plugin enable <name@marketplace>  turn one on ("install" is the same)
  pawl plugin disable <name@marketplace>
  pawl plugin validate <folder>          check a plugin or a marketplace
  pawl plugin marketplace list
  pawl plugin marketplace add <folder>   add a folder; nothing is fetched
  pawl plugin marketplace remove <name>

Changes go to your own settings, or with --project or --local to this folder's.
Turning a plugin on allows its hooks, servers and other parts to run.
`;

type Scope = "user" | "project" | "local";

export type PluginArguments =
  | { verb: "list" | "markets" }
  | { verb: "enable" | "disable" | "add" | "remove"; name: string; scope: Scope }
  | { verb: "validate"; name: string };

/** `words` follow `pawl plugin`. */
export function parsePlugin(words: readonly string[]): PluginArguments {
  const scope = parseScope(words.filter((word) => word.startsWith("-")));
  const [verb = "list", ...plain] = words.filter((word) => !word.startsWith("-"));
  const plugin = verb === "marketplace" ? parseMarketplaceVerb(plain, scope) : parsePluginVerb(verb, plain, scope);
  if (plugin === undefined)
    throw new UsageError(`Wrong use of pawl plugin ${verb.slice(0, 40)}; pawl plugin --help shows how it is used.`);
  return plugin;
}

function parseScope(flags: readonly string[]): Scope {
  const [flag = "--user", ...more] = flags;
  const scope = (["user", "project", "local"] as const).find((each) => flag === `--${each}`);
  if (scope === undefined || more.length > 0)
    throw new UsageError(
      `pawl plugin takes one of --user, --project and --local, not ${flags.join(" ").slice(0, 80)}.`,
    );
  return scope;
}

function parsePluginVerb(verb: string, [name, ...more]: readonly string[], scope: Scope): PluginArguments | undefined {
  if (verb === "list") return name === undefined ? { verb } : undefined;
  if (name === undefined || more.length > 0) return undefined;
  if (verb === "validate") return { verb, name };
  const turned = verb === "install" ? "enable" : verb === "uninstall" ? "disable" : verb;
  return turned === "enable" || turned === "disable" ? { verb: turned, name, scope } : undefined;
}

function parseMarketplaceVerb(
  [verb = "list", name, ...more]: readonly string[],
  scope: Scope,
): PluginArguments | undefined {
  if (verb === "list") return name === undefined ? { verb: "markets" } : undefined;
  if (name === undefined || more.length > 0 || (verb !== "add" && verb !== "remove")) return undefined;
  return { verb, name, scope };
}

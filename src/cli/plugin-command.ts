/** `pawl plugin`: lists, checks, and turns on and off the plugins of marketplaces on this disk. */
import { formatCount } from "../lib/format-figures.ts";
import { oneLine } from "../lib/sanitize.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { EngineOptions } from "../session/options/options.ts";
import type { ListedMarketplace } from "../session/plugins/admin.ts";
import type { PluginArguments } from "./plugin-arguments.ts";

/** Returns the exit code: 1 if the validated plugin or marketplace has a problem. */
export async function runPlugin(
  args: PluginArguments,
  context: Pick<EngineOptions, "cwd" | "env" | "home" | "onNotice">,
  print: (text: string) => Promise<unknown>,
): Promise<number> {
  const { openPluginAdmin } = await import("../session/plugins/admin.ts");
  const admin = openPluginAdmin(context);
  const say = (text: string): Promise<unknown> => print(`${oneLine(text, 2_000)}\n`);
  const sayAll = async (texts: readonly string[]): Promise<number> => {
    for (const text of texts) await say(text);
    return 0;
  };
  switch (args.verb) {
    case "list":
      return await sayAll(pluginLines(admin.marketplaces()));
    case "markets":
      return await sayAll(marketplaceLines(admin.marketplaces()));
    case "enable":
    case "disable":
      return await sayAll(await admin.turn(args.name, args.verb === "enable", args.scope));
    case "add":
      return await sayAll(await admin.addMarketplace(args.name, args.scope));
    case "remove":
      return await sayAll(await admin.removeMarketplace(args.name, args.scope));
    case "validate": {
      const found = await admin.validate(args.name);
      if (found === undefined) throw new UsageError(`There is no plugin or marketplace at ${args.name}.`);
      for (const { path, line, reason } of found.problems)
        await say(`${line === undefined ? path : `${path}:${line}`}: ${reason}`);
      if (found.problems.length === 0) await say(`Nothing is wrong with ${found.what}.`);
      return found.problems.length === 0 ? 0 : 1;
    }
    default:
      return args satisfies never;
  }
}

function pluginLines(markets: readonly ListedMarketplace[]): string[] {
  const lines = markets.flatMap(({ plugins }) =>
    plugins.map(({ id, isOn, folder }) => {
      const place = folder ?? "not on this disk, so it cannot be turned on";
      return `${isOn ? "on " : "off"} ${id} ${place}`;
    }),
  );
  return lines.length === 0 ? ["There are no plugins. Add a marketplace with pawl plugin marketplace add."] : lines;
}

function marketplaceLines(markets: readonly ListedMarketplace[]): string[] {
  if (markets.length === 0) return ["There are no marketplaces. Add one with pawl plugin marketplace add."];
  return markets.flatMap(({ name, place = "not on this disk", plugins, problems }) => [
    `${name} ${place} (${formatCount(plugins.length, "plugin")})`,
    ...problems.map(({ path, reason }) => `  ${path}: ${reason}`),
  ]);
}

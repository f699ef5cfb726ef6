/** `pawl plugin`: lists, checks, and turns on and off the plugins of marketplaces on this disk. */
import { oneLine } from "../lib/sanitize.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { EngineOptions } from "../session/options/options.ts";
import type { ListedMarketplace } from "../session/plugins/admin.ts";
import type { PluginArguments } from "./plugin-arguments.ts";

/** Returns the exit code: 1 if the validated plugin or marketplace has a problem. */
export async function runPlugin(
  asked: PluginArguments,
  around: Pick<EngineOptions, "cwd" | "env" | "home" | "onNotice">,
  print: (text: string) => Promise<unknown>,
): Promise<number> {
  const { openPluginAdmin } = await import("../session/plugins/admin.ts");
  const admin = openPluginAdmin(around);
  const say = (text: string): Promise<unknown> => print(`${oneLine(text, 2_000)}\n`);
  const tell = async (texts: readonly string[]): Promise<number> => {
    for (const text of texts) await say(text);
    return 0;
  };
  switch (asked.verb) {
    case "list":
      return await tell(pluginLines(admin.marketplaces()));
    case "markets":
      return await tell(marketLines(admin.marketplaces()));
    case "enable":
    case "disable":
      return await tell(await admin.turn(asked.name, asked.verb === "enable", asked.scope));
    case "add":
      return await tell(await admin.addMarketplace(asked.name, asked.scope));
    case "remove":
      return await tell(await admin.removeMarketplace(asked.name, asked.scope));
    case "validate": {
      const found = await admin.validate(asked.name);
      if (found === undefined) throw new UsageError(`There is no plugin or marketplace at ${asked.name}.`);
      for (const { path, line, reason } of found.problems)
        await say(`${line === undefined ? path : `${path}:${line}`}: ${reason}`);
      if (found.problems.length === 0) await say(`Nothing is wrong with ${found.what}.`);
      return found.problems.length === 0 ? 0 : 1;
    }
    default:
      return asked satisfies never;
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

function marketLines(markets: readonly ListedMarketplace[]): string[] {
  if (markets.length === 0) return ["There are no marketplaces. Add one with pawl plugin marketplace add."];
  return markets.flatMap(({ name, place = "not on this disk", plugins, problems }) => [
    `${name} ${place} (${plugins.length} plugins)`,
    ...problems.map(({ path, reason }) => `  ${path}: ${reason}`),
  ]);
}

// A conversation in which something is completed: commands and files of its own, and what was looked for.
import type { SlashCommand } from "../../../src/protocol/sdk-commands.ts";
import type { Engine } from "../../../src/surface/engine-port.ts";
import type { JobControl } from "../../../src/surface/line/raw-terminal.ts";
import { settled } from "../support/sink.ts";
import { Grid } from "./grid.ts";
import { echo, start, type Talk } from "./talk.ts";

export const command = (name: string, argumentHint = "", description = `does ${name}`): SlashCommand => ({
  name,
  argumentHint,
  description,
  builtin: true,
});
const commands = [
  { ...command("clear"), aliases: ["new", "reset"] },
  command("compact", "[instructions]"),
  command("cost"),
  command("model", "[name]"),
  command("git:commit", "[message]", "writes\x1b[31m it\ndown"),
];

export interface Tabbing extends Talk {
  asked: string[];
  /** Keys, and what they have looked for is there. */
  tab: (keys?: string) => Promise<void>;
  /** The rows from the last painting of the prompt on. */
  shown: () => string;
}

export function tabbing(
  paths: string[] = [],
  turn = echo,
  env: Record<string, string> = { NO_COLOR: "1" },
  known = commands,
  job?: JobControl,
): Tabbing {
  const asked: string[] = [];
  const desk = {
    tasks: () => [],
    onTaskEnd: () => () => undefined,
    completePath: (typedPath: string) => {
      asked.push(typedPath);
      const found = paths.filter((path) => path.toLowerCase().startsWith(typedPath.toLowerCase()));
      const depth = typedPath.split("/").length;
      return Promise.resolve(found.filter((path) => path.replace(/\/$/u, "").split("/").length === depth));
    },
  } as unknown as Engine["desk"];
  const talk = start(turn, { overrides: { desk, supportedCommands: () => known }, env, job });
  const tab = async (keys = "\t"): Promise<void> => {
    await talk.type(keys);
    await import("../../../src/surface/line/complete.ts");
    await settled(8);
  };
  return { ...talk, asked, tab, shown: () => talk.text().slice(talk.text().lastIndexOf("> ")) };
}

const privateModes = new RegExp(String.raw`\x1b(?:\[[?<=>][\d;]*[a-z]|[=>])`, "gu");

/** The prompt and what stands under it. */
export function shown(talk: Talk): string {
  const grid = new Grid(80, 24);
  grid.write(talk.raw().replaceAll(privateModes, ""));
  const rows = grid.text;
  const from = rows.findLastIndex((line) => line.startsWith(">"));
  return rows.slice(from).join("\n");
}

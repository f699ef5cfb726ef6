import { quoteName } from "../../lib/quote-name.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { refusal, type Command, type CommandAnswer, type CommandDesk } from "./command.ts";

export const addDir: Command = {
  name: "add-dir",
  argumentHint: "<folder>",
  description: "add a working folder to this session",
  run: runAddDir,
};

async function runAddDir(argument: string, desk: CommandDesk): Promise<CommandAnswer> {
  if (argument === "") return refusal("Say which folder: /add-dir <folder>.");
  try {
    const directory = await desk.session().desk.addDirectory(argument);
    return { text: `${quoteName(directory)} is a working folder of this session now.`, data: { directory } };
  } catch (error) {
    if (error instanceof UsageError) return refusal(error.message);
    throw error;
  }
}

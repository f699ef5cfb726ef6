import { existsSync } from "node:fs";
import { oneLine } from "../../lib/sanitize.ts";
import { resolvePath } from "../../tools/paths.ts";
import { refusal, type Command, type CommandAnswer, type CommandDesk } from "./command.ts";

export const exportCommand: Command = {
  name: "export",
  argumentHint: "<file>",
  description: "write the conversation to a new file: Markdown, or JSON if the name ends in .json",
  run: exportConversation,
};

async function exportConversation(argument: string, desk: CommandDesk): Promise<CommandAnswer> {
  const { store, around, conversation } = desk.session().joined;
  const { transcript, sessionId } = store;
  if (argument === "") return refusal("Into which file? /export <file> writes the conversation there.");
  if (transcript === null) return refusal("This session is not saved: there is nothing to export.");
  if (conversation.messages.length === 0 && !existsSync(transcript.path))
    return refusal("Nothing was said yet: there is nothing to export.");
  const file = resolvePath(argument, around.cwd, around.home);
  const format = file.endsWith(".json") ? "json" : "markdown";
  const { exportToFile } = await import("../sessions/export-file.ts");
  exportToFile(file, { path: transcript.path, sessionId, format });
  return { text: `Written to ${oneLine(file, 300)}.`, data: { file, format } };
}

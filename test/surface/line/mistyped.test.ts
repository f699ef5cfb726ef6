// What a person at the terminal is told about an unknown command.
import { expect, test } from "vitest";
import { success } from "../support/messages.ts";
import { start, type Talk } from "./talk.ts";

/** Answers as a session does whose own commands are `/compact` and `/context`. */
function answering(): Talk {
  const supportedCommands = () =>
    ["compact", "context"].map((name) => ({ name, description: "", argumentHint: "", builtin: true }));
  return start(
    (_engine, prompt) => {
      const name = String(prompt).slice(1).split(" ")[0] ?? "";
      const head = name === "" ? "A slash alone is not a command." : `There is no command /${name}.`;
      const text =
        name === "inner" ? "/inner is a skill for the model alone." : `${head} The commands are:\n/compact\n/context`;
      return [{ ...success(text), is_error: true, local_command: name } as never];
    },
    { overrides: { supportedCommands } },
  );
}

test.each([
  ["/comapct it", "There is no command /comapct. Did you mean /compact? /help lists the commands."],
  ["/mdoe plan", "There is no command /mdoe. Did you mean /mode? /help lists the commands."],
  ["/resum", "There is no command /resum. Did you mean /resume? /help lists the commands."],
  ["/exti", "There is no command /exti. Did you mean /exit? /help lists the commands."],
  ["/share", "There is no command /share. /help lists the commands."],
  ["/doctor", "There is no command /doctor here: run pawl doctor in a shell. /help lists the commands."],
  ["/config set model opus", "There is no command /config here: run pawl config in a shell. /help lists the commands."],
  ["/undo", "There is no command /undo here: use /rewind. /help lists the commands."],
  ["/compress", "There is no command /compress here: use /compact. /help lists the commands."],
  ["/stats", "There is no command /stats here: use /cost. /help lists the commands."],
  [
    "/theme",
    'There is no command /theme here: use "theme": "light" or "dark" in your settings, or NO_COLOR=1 for no colours. /help lists the commands.',
  ],
  ["/editor", "There is no command /editor here: use Ctrl+G. /help lists the commands."],
  ["/vim", 'There is no command /vim here: use "editorMode": "vim" in your settings. /help lists the commands.'],
  ["/", "A slash alone is not a command: /help lists the commands, and Tab completes them."],
  ["/inner", "/inner is a skill for the model alone."],
])("%s is answered with one sentence instead of the session's list of commands", async (typed, said) => {
  const { type, text } = answering();
  await type(`${typed}\r`);
  expect(text()).toMatch(/\/help\n\n> [^]*\n> $/u);
  expect(text().split("\n").slice(3, -2).join(" ")).toBe(said);
});

// A command that there is not, as a person at the terminal is told of it.
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
  ["/comapct it", "There is no command /comapct. Did you mean /compact? /help lists those there are."],
  ["/mdoe plan", "There is no command /mdoe. Did you mean /mode? /help lists those there are."],
  ["/resum", "There is no command /resum. Did you mean /resume? /help lists those there are."],
  ["/exti", "There is no command /exti. Did you mean /exit? /help lists those there are."],
  ["/theme", "There is no command /theme. /help lists those there are."],
  ["/doctor", "There is no command /doctor: it is pawl doctor, in a shell. /help lists those there are."],
  [
    "/config set model opus",
    "There is no command /config: it is pawl config, in a shell. /help lists those there are.",
  ],
  ["/", "A slash alone is no command: /help lists those there are, and Tab completes them."],
  ["/inner", "/inner is a skill for the model alone."],
])(
  "%s is told in a sentence, without a list that fills the screen and has none of the terminal's own",
  async (typed, said) => {
    const { type, text } = answering();
    await type(`${typed}\r`);
    expect(text()).toMatch(/\/help\n> [^]*\n> $/u);
    expect(text().split("\n").slice(2, -1).join(" ")).toBe(said);
  },
);

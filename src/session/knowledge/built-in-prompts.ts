/** Commands that are prompts of pawl's own to the model. A skill or command of the same name takes precedence. */
import type { SlashCommand } from "../../protocol/sdk-commands.ts";

interface BuiltInPrompt {
  command: SlashCommand;
  /** For the model. */
  text: string;
}

const initText = `Write the file that tells coding agents what they need to know to work in this repository.

Where: AGENTS.md at its root. If there is a CLAUDE.md or an AGENTS.md already, improve that file instead: keep what is right in it, mend what is wrong, and say at the end what you changed.

First find out, by reading and not by guessing: what the project is and for whom; how it is built, run, tested and linted, and how one test alone is run; how the code is laid out where that takes more than one file to see; conventions that differ from what is usual; what one must not do. Read what there is: README, manifests and lock files, CI configuration, Makefiles, .cursor/rules, .cursorrules, .github/copilot-instructions.md. Run a command only where that settles something.

Then write it: at most 120 lines, commands that can be copied, short sentences. Leave out what every project has, what a look at the file tree shows, and whatever you could not confirm.`;

const prompts: readonly BuiltInPrompt[] = [
  {
    command: {
      name: "init",
      description: "have the model write or improve AGENTS.md: what agents need to know about this repository",
      argumentHint: "[what to consider]",
      builtin: true,
    },
    text: initText,
  },
];

/** What the model is told about a goal that the user sets. */
export function goalPromptText(condition: string): string {
  return `The user has set this goal. Work until it is met:

${condition}

Each time you end your turn another model reads the conversation and says whether the goal is met; if it is not, you are told what is missing, and go on. It sees nothing but the conversation: have commands show what proves it. If it cannot be met, say why.`;
}

/** Undefined for an unknown name. */
export function builtInPromptText(name: string, argument: string): string | undefined {
  const found = prompts.find(({ command }) => command.name === name);
  if (found === undefined) return undefined;
  return argument === "" ? found.text : `${found.text}\n\nThe user says besides: ${argument}`;
}

/** Without those whose name is taken. */
export function builtInPromptCommands(isSkillName: (name: string) => boolean): SlashCommand[] {
  return prompts.map(({ command }) => command).filter(({ name }) => !isSkillName(name));
}

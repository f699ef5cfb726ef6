/** Parses words with commander, and rewords its errors. */
import { Command, CommanderError, Option } from "commander";
import { nearestName } from "../lib/edit-distance.ts";
import { UsageError } from "../lib/usage-error.ts";
import { isFlagNotBuilt } from "./not-built.ts";

export type Tokenised = { command: Command } | { kind: "help"; text: string };

/** `write` receives the help that commander would print. Errors are only thrown, as `CommanderError`. */
export function quietCommand(name: string, write: (text: string) => void, heading = "Options:"): Command {
  return new Command(name)
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: () => undefined, getOutHelpWidth: () => 80 })
    .addHelpOption(new Option("-h, --help", "print this help").helpGroup(heading))
    .action(() => undefined);
}

export function asksForHelp(words: readonly string[]): boolean {
  return words.includes("--help") || words.includes("-h");
}

/** No flag begins like this, but a prompt can: a list, or a file with front matter. */
const textPattern = /^-(?:-?\s|--)/u;

/** No command line can contain this character, and commander takes no word that begins with it for a flag. */
const textMark = "\0";

function markTextWords(argv: readonly string[]): string[] {
  const end = argv.indexOf("--");
  return argv.map((word, at) => (textPattern.test(word) && (end === -1 || at < end) ? `${textMark}${word}` : word));
}

const withoutMark = (value: string): string => (value.startsWith(textMark) ? value.slice(textMark.length) : value);

function unmark(command: Command): void {
  command.args = command.args.map(withoutMark);
  for (const [name, value] of Object.entries(command.opts())) {
    if (typeof value === "string") command.setOptionValue(name, withoutMark(value));
    if (Array.isArray(value)) command.setOptionValue(name, value.map(String).map(withoutMark));
  }
}

/** Throws `UsageError` for words that the command does not take. */
export function tokenise(build: (write: (text: string) => void) => Command, argv: readonly string[]): Tokenised {
  let text = "";
  const command = build((piece) => (text += piece));
  try {
    command.parse(markTextWords(argv), { from: "user" });
    unmark(command);
    return { command };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.helpDisplayed") return { kind: "help", text };
    throw new UsageError(usageMessage(error, command));
  }
}

function usageMessage(error: CommanderError, command: Command): string {
  const plain = error.message.replace(/^error: /u, "");
  const quoted = /'([^]*)'/u.exec(plain)?.[1] ?? "";
  switch (error.code) {
    case "commander.unknownOption":
      return unknownFlagMessage(quoted, command);
    case "commander.optionMissingArgument":
      return `${quoted} needs a value.`;
    default:
      return `${plain} (pawl --help lists the flags)`;
  }
}

function unknownFlagMessage(typedFlag: string, command: Command): string {
  const flag = typedFlag.replace(/=[^]*$/u, "");
  if (flag === "-") return 'A one-letter flag takes no "=": write its value as the next word, pawl -p "like this".';
  if (isFlagNotBuilt(flag)) return `${flag} is not built yet; pawl --help lists what is.`;
  const names = command.options.flatMap((option) => [option.short, option.long]);
  if (flag !== typedFlag && names.includes(flag)) return `${flag} takes no value.`;
  const kebab = flag.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
  const suggestedNames = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? []);
  const near = names.includes(kebab) ? kebab : nearestName(kebab, suggestedNames);
  return `Unknown flag ${flag}; ${near === undefined ? "pawl --help lists them." : `did you mean ${near}?`}`;
}

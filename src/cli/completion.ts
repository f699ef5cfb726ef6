/** Generates a shell's completion script for `pawl` from the flags and commands that exist. */
import { quoteForShell } from "../lib/shell-quote.ts";
import { modelAliases } from "../model/model-names.ts";
import { efforts } from "../protocol/effort.ts";
import { permissionModes } from "../protocol/permission.ts";
import { parseArguments } from "./args.ts";
import { questionAnswerers, thinkingDisplays } from "./client-flags.ts";
import { commandWords, type Shell } from "./completion-arguments.ts";
import { mainCommand } from "./options.ts";
import { inputFormats, outputFormats, speeds, thinkingModes } from "./run-arguments.ts";

interface Flag {
  /** With its leading hyphens. */
  name: string;
  description: string;
  values: readonly string[];
  /** True if the value is required. */
  takesValue: boolean;
}

interface CommandCompletion {
  command: string;
  /** The words that may follow the command, its flags included. */
  words: readonly string[];
}

const flagValues = new Map<string, readonly string[]>([
  ["--output-format", outputFormats],
  ["--input-format", inputFormats],
  ["--permission-mode", permissionModes],
  ["--effort", efforts],
  ["--permission-prompts", questionAnswerers],
  ["--model", modelAliases],
  ["--fallback-model", modelAliases],
  ["--thinking", thinkingModes],
  ["--thinking-display", thinkingDisplays],
  ["--speed", speeds],
]);

function listFlags(): Flag[] {
  return (
    mainCommand(() => undefined)
      // Hidden options without a description are those that the help lists as having no effect.
      .options.filter(({ hidden, description }) => !hidden || description !== "")
      .map(({ long, description, required }) => ({
        name: long ?? "",
        description,
        values: flagValues.get(long ?? "") ?? [],
        takesValue: required,
      }))
  );
}

function listCommands(): CommandCompletion[] {
  return Object.entries(commandWords).map(([command, verbs]) => {
    const help = parseArguments([command, "--help"]);
    const helpFlags = help.kind === "help" ? help.text.match(/(?<![\w-])--[a-z][a-z-]*\b(?!-)/gu) : null;
    return { command, words: [...verbs, ...new Set([...(helpFlags ?? []), "--help"])] };
  });
}

const scriptWriters: Record<Shell, (flags: readonly Flag[], commands: readonly CommandCompletion[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Returns the script that the shell reads as it starts. */
export function completionScript(shell: Shell): string {
  return scriptWriters[shell](listFlags(), listCommands());
}

const flagsWithValues = (flags: readonly Flag[]): Flag[] => flags.filter((flag) => flag.values.length > 0);
const flagsWithFreeValue = (flags: readonly Flag[]): Flag[] =>
  flags.filter((flag) => flag.takesValue && flag.values.length === 0);
const flagNames = (flags: readonly Flag[]): string => flags.map(({ name }) => name).join(" ");

/** File names are completed where nothing else matches. */
function bashScript(allFlags: readonly Flag[], subcommands: readonly CommandCompletion[]): string {
  return `# In ~/.bashrc: eval "$(pawl completion bash)"
_pawl() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words=
  [[ $before == = ]] && before=\${COMP_WORDS[COMP_CWORD-2]}
  [[ $word == = ]] && { before=\${COMP_WORDS[COMP_CWORD-1]}; word=; }
  COMPREPLY=()
  case $before in
${flagsWithValues(allFlags)
  .map((flag) => `    ${flag.name}) COMPREPLY=($(compgen -W '${flag.values.join(" ")}' -- "$word")); return ;;`)
  .join("\n")}
    ${flagsWithFreeValue(allFlags)
      .map(({ name }) => name)
      .join("|")}) return ;;
  esac
  case \${COMP_WORDS[1]} in
${subcommands.map(({ command, words }) => `    ${command}) words='${words.join(" ")}' ;;`).join("\n")}
    *) words='${flagNames(allFlags)}' ;;
  esac
  if (( COMP_CWORD == 1 )); then words='${subcommands.map(({ command }) => command).join(" ")} ${flagNames(allFlags)}'; fi
  if [[ $word == -* ]] || (( COMP_CWORD < 3 )); then COMPREPLY=($(compgen -W "$words" -- "$word")); fi
}
complete -o default -F _pawl pawl
`;
}

function zshScript(allFlags: readonly Flag[], subcommands: readonly CommandCompletion[]): string {
  const described = allFlags.map(({ name, description }) => `    ${quoteForShell(`${name}:${description}`)}`);
  return `#compdef pawl
# In ~/.zshrc, after compinit: eval "$(pawl completion zsh)"
_pawl() {
  local -a pawl_flags=(
${described.join("\n")}
  )
  case \${words[CURRENT-1]} in
${flagsWithValues(allFlags)
  .map((flag) => `    (${flag.name}) compadd -- ${flag.values.join(" ")}; return ;;`)
  .join("\n")}
  esac
  if (( CURRENT == 2 )) && [[ \${words[CURRENT]} != -* ]]; then
    compadd -- ${subcommands.map(({ command }) => command).join(" ")}
    _files
    return
  fi
  case \${words[2]} in
${subcommands.map(({ command, words }) => `    (${command}) compadd -- ${words.join(" ")}; _files; return ;;`).join("\n")}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then _describe -o flag pawl_flags; else _files; fi
}
if [[ \${funcstack[1]} == _pawl ]]; then _pawl "$@"; else compdef _pawl pawl; fi
`;
}

function fishScript(allFlags: readonly Flag[], subcommands: readonly CommandCompletion[]): string {
  const subcommandNames = subcommands.map(({ command }) => command).join(" ");
  const isMain = `'not __fish_seen_subcommand_from ${subcommandNames}'`;
  const lines = [
    "# In ~/.config/fish/config.fish: pawl completion fish | source",
    `complete -c pawl -n __fish_use_subcommand -a '${subcommandNames}'`,
    ...subcommands.map(
      ({ command, words }) => `complete -c pawl -n '__fish_seen_subcommand_from ${command}' -a '${words.join(" ")}'`,
    ),
    ...allFlags.map(({ name, description, values: some, takesValue }) => {
      const value = some.length > 0 ? ` -x -a '${some.join(" ")}'` : takesValue ? " -r" : "";
      return `complete -c pawl -n ${isMain} -l ${name.slice(2)}${value} -d ${quoteForShell(description).replaceAll(String.raw`'\''`, String.raw`\'`)}`;
    }),
  ];
  return `${lines.join("\n")}\n`;
}

/** The words after `pawl completion`. */
import { nearestName } from "../lib/edit-distance.ts";
import { oneLine } from "../lib/sanitize.ts";
import { UsageError } from "../lib/usage-error.ts";

const shells = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof shells)[number];

/** The words that can follow each command. Its flags are read from its help. */
export const commandWords: Readonly<Record<string, readonly string[]>> = {
  auth: ["status"],
  completion: shells,
  config: ["list", "get", "where", "set", "add", "remove", "schema"],
  doctor: [],
  hooks: ["test"],
  mcp: ["list", "get", "add", "add-json", "remove", "login", "logout", "serve"],
  mock: [],
  permissions: ["explain"],
  plugin: ["list", "enable", "disable", "validate", "marketplace"],
  replay: [],
  sessions: "list search show rename tag untag archive unarchive fork export prune delete reindex".split(" "),
  trust: ["add", "list", "revoke", "status"],
};

export const completionHelp = `Usage: pawl completion bash|zsh|fish

Prints a script that lets a shell complete pawl's flags and commands:

  bash   in ~/.bashrc: eval "$(pawl completion bash)"
  zsh    in ~/.zshrc, after compinit: eval "$(pawl completion zsh)"
  fish   in ~/.config/fish/config.fish: pawl completion fish | source
`;

export function parseCompletion(words: readonly string[]): Shell {
  const [word = "", more] = words;
  const shell = shells.find((name) => name === word);
  if (shell !== undefined && more === undefined) return shell;
  const near = nearestName(word, shells);
  const suggestion = near === undefined ? "" : ` Did you mean ${near}?`;
  const wordsText = word === "" ? "" : `, not "${oneLine(words.join(" "), 60)}"`;
  throw new UsageError(
    `pawl completion takes the name of a shell: bash, zsh or fish${wordsText}.${suggestion} To send the word as a prompt: pawl -- completion`,
  );
}

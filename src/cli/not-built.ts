/** Flags and subcommands of the convention that pawl does not have yet. They are refused by name, never ignored. */

const flags = new Set(
  `--advisor --await-claim --background --bg --channels --chrome --cloud
  --dangerously-load-development-channels --environment --exec --from-pr --initialize-fields --managed-settings-in-initialize
  --plugin-url --project-config-root --rc --ref --remote --remote-control
  --sdk-url
  --teammate-mode --teleport --tmux`.split(/\s+/u),
);

const commands = new Set(
  `agents attach auto-mode complete daemon gateway import install kill login logout logs project
  remote-control respawn rm self-hosted-runner serve setup-token stop ultrareview update upgrade`.split(/\s+/u),
);

/** `flag` without its value. */
export function isFlagNotBuilt(flag: string): boolean {
  return flags.has(flag);
}

export function isCommandNotBuilt(word: string): boolean {
  return commands.has(word);
}

/** Commands of tmux by how they use their words. tmux accepts an alias, or any unambiguous beginning of a name. */

/** Aliases of other commands (display-message, set-option), although names below begin with them, too. */
const ambiguousNames = new Set(["display", "set"]);

const commandNameForm = (names: string, aliases: string): RegExp => {
  const prefixes = names.split(" ").flatMap((name) => name.split("").map((_, at) => name.slice(0, at + 1)));
  return new RegExp(
    `^(?:${[...aliases.split(" "), ...prefixes.filter((name) => name.length > 1 && !ambiguousNames.has(name))].join("|")})$`,
    "u",
  );
};

/** A shell runs their arguments. */
export const shellCommandNames = commandNameForm(
  "new-session new-window split-window run-shell respawn-pane respawn-window display-popup if-shell pipe-pane",
  "new neww splitw run respawnp respawnw popup if pipep",
);
/** What it sends is typed where another command reads it. */
export const sendKeysNames = commandNameForm("send-keys", "send");
/** What it keeps is typed by paste-buffer. */
export const setBufferNames = commandNameForm("set-buffer", "setb");
/** Their arguments are further tmux commands, in one word or several. */
export const nestingCommandNames = commandNameForm(
  "if-shell run-shell bind-key set-hook confirm-before command-prompt display-menu choose-buffer choose-client choose-tree",
  "if run bind confirm menu",
);
export const setOptionNames = commandNameForm("set-option set-window-option", "set setw");
/** The commands among these that name a key or an event first. */
export const keyFirstNames = commandNameForm("bind-key set-hook", "bind");

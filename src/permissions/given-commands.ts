/** Commands that a program is given by an option, or for a container or another machine: what its words say, by its name. */
import { containedCommand } from "./contained-command.ts";
import { givenToGit } from "./given-to-git.ts";
import { behind, optionValues, type GivenCommand } from "./given-words.ts";
import type { Word } from "./shell-text.ts";

type Rest = readonly Word[];
type Reader = (rest: Rest) => GivenCommand[];

/** `letters`, `names`: options whose values are commands. */
const options =
  (letters: string, ...names: string[]): Reader =>
  (rest) =>
    optionValues(rest, letters, ...names);
const behindMarks =
  (...marks: string[]): Reader =>
  (rest) =>
    behind(rest, ...marks);
const both =
  (...readers: Reader[]): Reader =>
  (rest) =>
    readers.flatMap((read) => read(rest));
/** Only behind one of these words. */
const where =
  (words: RegExp, read: Reader): Reader =>
  (rest) => {
    const at = rest.findIndex(({ text }) => words.test(text));
    return at < 0 ? [] : read(rest.slice(at + 1));
  };

/** `ProxyCommand=x`, `ProxyCommand x`. */
const sshOptions: Reader = (rest) =>
  optionValues(rest, "o").flatMap(
    (option) =>
      /^\s*(?:proxy|local|remote|knownhosts)command(?:\s*=\s*|\s+)(?:exec\s+)?([^]+)$/iu.exec(option)?.[1] ?? [],
  );

/** Behind the `!` of `:!x`, `silent !x` and `r !x`. */
function shelled(text: string): string[] {
  const command = /!\s*([^]+)$/u.exec(text)?.[1];
  return command === undefined ? [] : [command];
}

const editor: Reader = (rest) => {
  const begun = rest.flatMap(({ text }) => (text.startsWith("+") ? text : []));
  return [...optionValues(rest, "c", "--cmd"), ...begun].flatMap(shelled);
};
const pager: Reader = (rest) => rest.flatMap(({ text }) => (/^\+{1,2}!/u.test(text) ? shelled(text) : []));

const checkpoint: Reader = (rest) =>
  optionValues(rest, "", "--checkpoint-action").flatMap((action) => /^exec=([^]+)$/u.exec(action)?.[1] ?? []);

const tcl: Reader = (rest) =>
  optionValues(rest, "c").flatMap((script) =>
    [...script.matchAll(/(?:^|[\s;[{])(?:spawn|exec|system)\s+(?:-\w+\s+)*([^\n;\]}]+)/gu)].map(
      ([, command = ""]) => command,
    ),
  );

const pod: Reader = where(/^(?:exec|run|debug|create)$/u, behindMarks("--"));
const nix: Reader = where(/^(?:shell|develop|run)$/u, behindMarks("-c", "--command"));
const otherShell: Reader = options("c", "-Command", "--command", "--commands");
const terminal: Reader = behindMarks("-e", "--", "-x");

const readers: ReadonlyMap<string, Reader> = new Map([
  ...["docker", "podman", "nerdctl", "docker-compose", "podman-compose"].map(
    (name) => [name, containedCommand] as const,
  ),
  ...["kubectl", "oc", "kubecolor"].map((name) => [name, pod] as const),
  ...["lxc", "incus", "nx"].map((name) => [name, where(/^exec$/u, behindMarks("--"))] as const),
  ...["distrobox", "distrobox-enter", "guix", "tox", "mosh", "zellij"].map(
    (name) => [name, behindMarks("--")] as const,
  ),
  ...["xterm", "konsole", "alacritty", "gnome-terminal", "xfce4-terminal"].map((name) => [name, terminal] as const),
  ...["csh", "tcsh", "yash", "nu", "xonsh", "elvish", "pwsh", "powershell"].map((name) => [name, otherShell] as const),
  ...["vim", "vi", "nvim", "ex", "view", "gvim", "mvim", "vimdiff"].map((name) => [name, editor] as const),
  ...["less", "more"].map((name) => [name, pager] as const),
  ["git", givenToGit],
  ["ssh", sshOptions],
  ["scp", both(sshOptions, options("S"))],
  ["sftp", both(sshOptions, options("S"))],
  ["rsync", options("e", "--rsh", "--rsync-path")],
  [
    "tar",
    both(checkpoint, options("IF", "--to-command", "--use-compress-program", "--info-script", "--new-volume-script")),
  ],
  [
    "gtar",
    both(checkpoint, options("IF", "--to-command", "--use-compress-program", "--info-script", "--new-volume-script")),
  ],
  ["split", options("", "--filter")],
  ["sort", options("", "--compress-program")],
  ["rg", options("", "--pre")],
  ["man", options("PH", "--pager", "--html")],
  ["zip", options("", "-TT", "--unzip-command")],
  ["nc", options("ec")],
  ["ncat", options("ec", "--exec", "--sh-exec")],
  ["expect", tcl],
  ["nix", nix],
  ["nix-shell", options("", "--run", "--command")],
  ["cargo", where(/^watch$/u, both(options("s", "--shell"), behindMarks("--")))],
  ["gcloud", where(/^ssh$/u, options("", "--command"))],
  ["vagrant", where(/^ssh$/u, options("c", "--command"))],
  ["start-stop-daemon", both(options("xa", "--exec", "--startas"))],
]);

export function givenCommands(program: string, rest: Rest): GivenCommand[] {
  return readers.get(program)?.(rest) ?? [];
}

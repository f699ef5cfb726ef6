/** Commands that a program gets through an option, or for a container or another machine, read from its words by the program's name. */
import { alike } from "../../lib/alike.ts";
import { containedCommand } from "./contained-command.ts";
import { givenToGit } from "./given-to-git.ts";
import { behind, behindOperands, optionValues, type GivenCommand } from "../shell/given-words.ts";
import { knownProgram } from "../options/program-options.ts";
import { commandOptions } from "../options/running-options.ts";
import { certainWord, joined as lineOf, type Word } from "../shell/text.ts";
import { givenToTmux, stuffed } from "./typed-commands.ts";

type Rest = readonly Word[];
type Reader = (rest: Rest) => GivenCommand[];

/** Reads options whose values are commands, where the table of programs does not say so for everything the program does. */
const options =
  (...names: string[]): Reader =>
  (rest) =>
    optionValues(rest, ...names);
const behindMarks =
  (...marks: string[]): Reader =>
  (rest) =>
    behind(rest, ...marks);
const both =
  (...readers: Reader[]): Reader =>
  (rest) =>
    readers.flatMap((read) => read(rest));
/** Reads only what follows one of these words. */
const where =
  (words: RegExp, read: Reader): Reader =>
  (rest) => {
    const at = rest.findIndex(({ text }) => words.test(text));
    return at < 0 ? [] : read(rest.slice(at + 1));
  };

/** Matches `ProxyCommand=x` and `ProxyCommand x`. */
const sshOptions: Reader = (rest) =>
  optionValues(rest, "-o").flatMap(
    (option) =>
      /^\s*(?:proxy|local|remote|knownhosts)command(?:\s*=\s*|\s+)(?:exec\s+)?([^]+)$/iu.exec(option)?.[1] ?? [],
  );

/** The command after the `!` of `:!x`, `silent !x` and `r !x`. */
function shelled(text: string): string[] {
  const command = /!\s*([^]+)$/u.exec(text)?.[1];
  return command === undefined ? [] : [command];
}

const editor: Reader = (rest) => {
  const begun = rest.flatMap(({ text }) => (text.startsWith("+") ? text : []));
  return [...optionValues(rest, "-c", "--cmd"), ...begun].flatMap(shelled);
};
const pager: Reader = (rest) => rest.flatMap(({ text }) => (/^\+{1,2}!/u.test(text) ? shelled(text) : []));

const checkpoint: Reader = (rest) =>
  optionValues(rest, "--checkpoint-action").flatMap((action) => /^exec=([^]+)$/u.exec(action)?.[1] ?? []);

/** Letters without a hyphen: their values follow in order. */
function bundledOfTar([first, ...rest]: Rest): string[] {
  const letters = /^[A-Za-z]+$/u.exec(first?.text ?? "")?.[0].replace(/[^bCfFgHIKLNTVX]/gu, "") ?? "";
  return letters.split("").flatMap((letter, at) => (letter === "I" || letter === "F" ? (rest[at]?.text ?? []) : []));
}

const tcl: Reader = (rest) =>
  optionValues(rest, "-c").flatMap((script) =>
    [...script.matchAll(/(?:^|[\s;[{])(?:spawn|exec|system)\s+(?:-\w+\s+)*([^\n;\]}]+)/gu)].map(
      ([, command = ""]) => command,
    ),
  );

/** The words after the options and `count` operands. `valued`: options that take the next word. */
const operands =
  (count: number, valued: RegExp = /^$/u): Reader =>
  (rest) =>
    behindOperands(rest, count, valued);
/** Joins the words into the single text that a shell gets. */
const joined =
  (read: Reader): Reader =>
  (rest) =>
    read(rest).map((given) => (typeof given === "string" ? given : lineOf(given)));
const all: Reader = (rest) => [rest];

const marked: Reader = where(/^(?:exec|run|debug|create)$/u, behindMarks("--"));
const unmarked: Reader = where(
  /^(?:exec|rsh)$/u,
  operands(1, /^(?:-[it]*[ncf]|--(?:namespace|container|context|shell))$/u),
);
const pod: Reader = (rest) => (rest.some(({ text }) => text === "--") ? marked : unmarked)(rest);
const nix: Reader = where(/^(?:shell|develop|run)$/u, behindMarks("-c", "--command"));
const otherShell: Reader = options("-c", "-Command", "--command", "--commands");
const terminal: Reader = behindMarks("-e", "--", "-x");
const tar: Reader = both(bundledOfTar, checkpoint);
const flatpak: Reader = where(/^run$/u, (rest) => {
  const [program] = optionValues(rest, "--command");
  const [app = []] = behindOperands(rest, 0, /^$/u);
  return program === undefined ? [] : [[certainWord(program), ...app.slice(1)]];
});
const inWsl: Reader = joined(operands(0, /^(?:-[du]|--(?:distribution|user|cd|shell-type))$/u));
/** `~` starts in the home folder there: `wsl ~ ls`. */
const wsl: Reader = (rest) => inWsl(rest[0]?.text === "~" ? rest.slice(1) : rest);
const apptainer: Reader = where(
  /^exec$/u,
  operands(
    1,
    /^(?:-[BHSWo]|--(?:bind|mount|home|scratch|workdir|overlay|env|env-file|pwd|cwd|network|hostname|app))$/u,
  ),
);

const readers: ReadonlyMap<string, Reader> = new Map([
  ...alike("docker podman nerdctl docker-compose podman-compose", containedCommand),
  ...alike("kubectl oc kubecolor", pod),
  ...alike("nx chamber", where(/^exec$/u, behindMarks("--"))),
  ...alike("lxc incus", where(/^exec$/u, operands(1, /^--(?:cwd|env|user|group|mode)$/u))),
  ...alike("wsl wsl.exe", wsl),
  ...alike("apptainer singularity", apptainer),
  ["flatpak", flatpak],
  ["flatpak-spawn", operands(0, /^--(?:directory|env|env-fd|unset-env|forward-fd|sandbox-[a-z-]+)$/u)],
  ["heroku", where(/^run(?::|$)/u, joined(operands(0, /^(?:-[aers]|--(?:app|env|remote|size|type))$/u)))],
  ["toolbox", where(/^run$/u, operands(0, /^(?:-[cdr]|--(?:container|distro|release))$/u))],
  ["tmux", givenToTmux],
  ["screen", where(/^stuff$/u, stuffed)],
  ["uv", where(/^tool$/u, where(/^run$/u, operands(0, /^(?:-[pw]|--(?:from|with|python|index))$/u)))],
  ["yarn", where(/^workspaces?$/u, where(/^exec$/u, all))],
  ["go", options("-exec", "--exec", "-toolexec", "--toolexec", "-vettool", "--vettool")],
  ["gh", where(/^ssh$/u, joined(operands(0, /^(?:-[cRrw]|--(?:codespace|repo|repo-owner|profile|server-port))$/u)))],
  ...alike("fly flyctl", where(/^ssh$/u, options("-C", "--command"))),
  ["mosh", operands(1, /^(?:-p|--(?:ssh|server|client|port|predict|bind-server))$/u)],
  ...alike("distrobox distrobox-enter guix tox zellij", behindMarks("--")),
  ...alike("xterm konsole alacritty gnome-terminal xfce4-terminal", terminal),
  ...alike("csh tcsh yash nu xonsh elvish pwsh powershell", otherShell),
  ...alike("vim vi nvim ex view gvim mvim vimdiff", editor),
  ...alike("less more", pager),
  ["git", givenToGit],
  ...alike("ssh scp sftp", sshOptions),
  ...alike("tar gtar bsdtar", tar),
  ["zip", options("-TT", "--unzip-command")],
  ["expect", tcl],
  ["nix", nix],
  ["cargo", where(/^watch$/u, both(options("-s", "--shell"), behindMarks("--")))],
  ["gcloud", where(/^ssh$/u, both(options("--command"), behindMarks("--")))],
  ["vagrant", where(/^ssh$/u, both(options("-c", "--command"), behindMarks("--")))],
]);

export function givenCommands(program: string, rest: Rest): GivenCommand[] {
  const byOptions = optionValues(rest, ...commandOptions(knownProgram(program)));
  return [...(readers.get(program)?.(rest) ?? []), ...byOptions];
}

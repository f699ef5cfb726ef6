/** Commands that a program gets through an option, or for a container or another machine, read from its words by the program's name. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { commandsInCodeWords } from "./code-commands.ts";
import { containedCommand } from "./contained-command.ts";
import { givenToGit } from "./given-to-git.ts";
import {
  afterMarksReader,
  afterWordReader,
  combineReaders,
  operandReader,
  optionReader,
  type GivenReader,
  type Words,
} from "./given-readers.ts";
import { wordsAfterOperands, optionValues, type GivenCommand } from "../shell/given-words.ts";
import { knownProgram } from "../options/program-options.ts";
import { commandOptions } from "../options/running-options.ts";
import { certainWord, joinTexts } from "../shell/text.ts";
import { scriptReaders } from "./script-commands.ts";
import { evaluatedByScreen, givenToTmux, stuffedText } from "./typed-commands.ts";
import { windowReaders } from "./window-commands.ts";

/** Matches `ProxyCommand=x` and `ProxyCommand x`. */
const readSshOptions: GivenReader = (rest) =>
  optionValues(rest, "-o").flatMap(
    (option) =>
      /^\s*(?:proxy|local|remote|knownhosts)command(?:\s*=\s*|\s+)(?:exec\s+)?([^]+)$/iu.exec(option)?.[1] ?? [],
  );

/** The command after the `!` of `:!x`, `silent !x` and `r !x`. */
function shellEscape(text: string): string[] {
  const command = /!\s*([^]+)$/u.exec(text)?.[1];
  return command === undefined ? [] : [command];
}

const readEditor: GivenReader = (rest) => {
  const startCommands = rest.flatMap(({ text }) => (text.startsWith("+") ? text : []));
  const typed = optionValues(rest, "--remote-send").flatMap((keys) => keys.split(/<(?:CR|Enter|NL|Esc)>/iu));
  return [...optionValues(rest, "-c", "--cmd"), ...startCommands, ...typed].flatMap(shellEscape);
};
const readPager: GivenReader = (rest) => rest.flatMap(({ text }) => (/^\+{1,2}!/u.test(text) ? shellEscape(text) : []));

const readCheckpoint: GivenReader = (rest) =>
  optionValues(rest, "--checkpoint-action").flatMap((action) => /^exec=([^]+)$/u.exec(action)?.[1] ?? []);

/** Letters without a hyphen: their values follow in order. */
function bundledTarPrograms([first, ...rest]: Words): string[] {
  const letters = /^[A-Za-z]+$/u.exec(first?.text ?? "")?.[0].replace(/[^bCfFgHIKLNTVX]/gu, "") ?? "";
  return letters.split("").flatMap((letter, at) => (letter === "I" || letter === "F" ? (rest[at]?.text ?? []) : []));
}

/** Joins the words into the single text that a shell gets. */
const joinResults =
  (read: GivenReader): GivenReader =>
  (rest) =>
    read(rest).map((command) => (typeof command === "string" ? command : joinTexts(command)));
const readAll: GivenReader = (rest) => [rest];

const readPodAfterMark: GivenReader = afterWordReader(/^(?:exec|run|debug|create)$/u, afterMarksReader("--"));
const readPodWithoutMark: GivenReader = afterWordReader(
  /^(?:exec|rsh)$/u,
  operandReader(1, /^(?:-[it]*[ncf]|--(?:namespace|container|context|shell))$/u),
);
const readPod: GivenReader = (rest) =>
  (rest.some(({ text }) => text === "--") ? readPodAfterMark : readPodWithoutMark)(rest);
const readNix: GivenReader = afterWordReader(/^(?:shell|develop|run)$/u, afterMarksReader("-c", "--command"));
const readOtherShell: GivenReader = optionReader("-c", "-Command", "-command", "--command", "--commands");
const readTar: GivenReader = combineReaders(bundledTarPrograms, readCheckpoint);
const readFlatpak: GivenReader = afterWordReader(/^run$/u, (rest) => {
  const [program] = optionValues(rest, "--command");
  const [app = []] = wordsAfterOperands(rest, 0, /^$/u);
  return program === undefined ? [] : [[certainWord(program), ...app.slice(1)]];
});
const readInsideWsl: GivenReader = joinResults(operandReader(0, /^(?:-[du]|--(?:distribution|user|cd|shell-type))$/u));
/** `~` starts in the home folder there: `wsl ~ ls`. */
const readWsl: GivenReader = (rest) => readInsideWsl(rest[0]?.text === "~" ? rest.slice(1) : rest);
const readApptainer: GivenReader = afterWordReader(
  /^exec$/u,
  operandReader(
    1,
    /^(?:-[BHSWo]|--(?:bind|mount|home|scratch|workdir|overlay|env|env-file|pwd|cwd|network|hostname|app))$/u,
  ),
);

/** Actions of fzf that run commands, in brackets or after a colon. */
const fzfAction = /(?:execute|become|reload|preview|transform)[a-z-]*[(:[{]([^)\]}]+)/gu;
const readFzf: GivenReader = (rest) => [
  ...optionValues(rest, "--preview"),
  ...optionValues(rest, "--bind").flatMap((text) => [...text.matchAll(fzfAction)].map(([, command = ""]) => command)),
];
const readCmake: GivenReader = combineReaders(
  afterWordReader(/^env$/u, (rest) => [[certainWord("env"), ...rest]]),
  afterWordReader(/^time$/u, operandReader(0)),
);

/** What follows are the words of a shell. */
const readCapsh: GivenReader = (rest) => {
  const at = rest.findIndex(({ text }) => text === "--" || text === "==");
  return at < 0 ? [] : [[certainWord("bash"), ...rest.slice(at + 1)]];
};

const readers: ReadonlyMap<string, GivenReader> = new Map([
  ...windowReaders,
  ...scriptReaders,
  ...entriesForNames("docker podman nerdctl docker-compose podman-compose", containedCommand),
  ...entriesForNames("kubectl oc kubecolor", readPod),
  ...entriesForNames("nx chamber", afterWordReader(/^exec$/u, afterMarksReader("--"))),
  ...entriesForNames("lxc incus", afterWordReader(/^exec$/u, operandReader(1, /^--(?:cwd|env|user|group|mode)$/u))),
  ...entriesForNames("wsl wsl.exe", readWsl),
  ...entriesForNames("apptainer singularity", readApptainer),
  ["flatpak", readFlatpak],
  ["flatpak-spawn", operandReader(0, /^--(?:directory|env|env-fd|unset-env|forward-fd|sandbox-[a-z-]+)$/u)],
  [
    "heroku",
    afterWordReader(/^run(?::|$)/u, joinResults(operandReader(0, /^(?:-[aers]|--(?:app|env|remote|size|type))$/u))),
  ],
  ["toolbox", afterWordReader(/^run$/u, operandReader(0, /^(?:-[cdr]|--(?:container|distro|release))$/u))],
  ["tmux", givenToTmux],
  ["screen", combineReaders(afterWordReader(/^stuff$/u, stuffedText), afterWordReader(/^eval$/u, evaluatedByScreen))],
  [
    "uv",
    afterWordReader(
      /^tool$/u,
      afterWordReader(/^run$/u, operandReader(0, /^(?:-[pw]|--(?:from|with|python|index))$/u)),
    ),
  ],
  ["yarn", afterWordReader(/^workspaces?$/u, afterWordReader(/^exec$/u, readAll))],
  ["go", optionReader("-exec", "--exec", "-toolexec", "--toolexec", "-vettool", "--vettool")],
  [
    "gh",
    afterWordReader(
      /^ssh$/u,
      joinResults(operandReader(0, /^(?:-[cRrw]|--(?:codespace|repo|repo-owner|profile|server-port))$/u)),
    ),
  ],
  ...entriesForNames("fly flyctl", afterWordReader(/^ssh$/u, optionReader("-C", "--command"))),
  ["mosh", operandReader(1, /^(?:-p|--(?:ssh|server|client|port|predict|bind-server))$/u)],
  ...entriesForNames("distrobox distrobox-enter guix tox", afterMarksReader("--")),
  ...entriesForNames("csh tcsh yash nu xonsh elvish pwsh powershell pwsh.exe powershell.exe", readOtherShell),
  ...entriesForNames("cmd cmd.exe", afterMarksReader("/c", "/C", "/k", "/K", "//c", "//C", "//k", "//K")),
  ...entriesForNames("vim vi nvim ex view gvim mvim vimdiff", readEditor),
  ...entriesForNames("less more", readPager),
  ["git", givenToGit],
  ["multitime", operandReader(0, /^-[qv]*[Ifinors]$/u)],
  ["logsave", operandReader(1)],
  ["ip", afterWordReader(/^(?:net(?:ns?)?|vrf?)$/u, afterWordReader(/^e(?:x(?:ec?)?)?$/u, operandReader(1)))],
  ["cmake", afterWordReader(/^-E$/u, readCmake)],
  ["capsh", readCapsh],
  ...entriesForNames("bat batcat delta", optionReader("--pager")),
  ["fzf", readFzf],
  ["cpio", optionReader("--rsh-command")],
  ["rpm", optionReader("--pipe")],
  ["dpkg", optionReader("--pre-invoke", "--post-invoke")],
  ["openvpn", optionReader("--up", "--down")],
  ...entriesForNames("ssh scp sftp", readSshOptions),
  ...entriesForNames("tar gtar bsdtar", readTar),
  ["zip", optionReader("-TT", "--unzip-command")],
  ["nix", readNix],
  ["cargo", afterWordReader(/^watch$/u, combineReaders(optionReader("-s", "--shell"), afterMarksReader("--")))],
  ["gcloud", afterWordReader(/^ssh$/u, combineReaders(optionReader("--command"), afterMarksReader("--")))],
  ["vagrant", afterWordReader(/^ssh$/u, combineReaders(optionReader("-c", "--command"), afterMarksReader("--")))],
]);

export function givenCommands(program: string, rest: Words): GivenCommand[] {
  const byOptions = optionValues(rest, ...commandOptions(knownProgram(program)));
  return [...(readers.get(program)?.(rest) ?? []), ...commandsInCodeWords(program, rest), ...byOptions];
}

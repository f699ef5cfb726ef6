/** What `docker run`, `docker exec`, `docker compose run` and the like run in a container. */
import { optionValues, optionWords, type GivenCommand } from "../shell/given-words.ts";
import { certainWord, type Word } from "../shell/text.ts";
import { assignmentForm } from "../shell/wrappers.ts";
import { takesNextWord } from "../options/operands.ts";

/** Options without a value of the commands that run something. */
const containerFlag =
  /^(?:-[ditPqT]+|--(?:detach|interactive|tty|no-tty|no-TTY|rm|rmi|init|privileged|read-only|publish-all|no-healthcheck|quiet|quiet-pull|quiet-build|latest|replace|no-deps|service-ports|build|remove-orphans|use-aliases|dry-run|disable-content-trust|oom-kill-disable|sig-proxy|env-host|http-proxy|no-hosts|no-hostname|passwd|rootfs|tls-verify|unsetenv-all|read-only-tmpfs|use-api-socket))$/u;
/** An option with its value in the same word. */
const gluedOption = /^--[^=]+=|^-[ditPqT]*[A-OQ-Za-ce-hj-pr-suv-z][^]/u;
/** With this option of `podman exec`, no name follows. */
const latestOption = /^(?:--latest|-[dit]*l[dit]*)$/u;
/** Stands for the image's own command, which is not known. */
const imageCommand = certainWord(":");

/** The words from `docker` to the command in the container. */
interface ContainerWords {
  /** The index of `run`, `exec` or `create`. */
  verbAt: number;
  /** The index behind the options. */
  optionsEnd: number;
  /** The index behind the name of the image, container or service. */
  commandStart: number;
  /** Whether an unknown option is followed by another one, which may or may not be its value. */
  isAmbiguous: boolean;
}

/** Where the command in the container begins; undefined if there is none or if it is not certain. */
export function containerCommandStart(rest: readonly Word[]): number | undefined {
  const places = readContainerWords(rest);
  return places?.isAmbiguous === false ? places.commandStart : undefined;
}

function readContainerWords(rest: readonly Word[]): ContainerWords | undefined {
  let at = 0;
  for (let text = rest[at]?.text ?? ""; ; text = rest[at]?.text ?? "") {
    if (text.startsWith("-")) at += takesNextWord("docker", text) ? 2 : 1;
    else if (text === "container" || text === "compose") at += 1;
    else if (/^(?:run|exec|create)$/u.test(text)) break;
    else return undefined;
  }
  const words = rest.slice(at + 1);
  const isExec = rest[at]?.text === "exec";
  let start = 0;
  let isNamed = true;
  let isAmbiguous = false;
  for (let text = words[start]?.text ?? ""; text.startsWith("-"); text = words[start]?.text ?? "") {
    const isLatest = isExec && latestOption.test(text);
    if (isLatest) isNamed = false;
    const isSingle = isLatest || containerFlag.test(text) || gluedOption.test(text) || text === "--";
    start += isSingle ? 1 : 2;
    if (!isSingle && words[start - 1]?.text.startsWith("-") === true) isAmbiguous = true;
    if (text === "--") break;
  }
  // One more word names the image, container or service.
  const optionsEnd = at + 1 + start;
  return { verbAt: at, optionsEnd, commandStart: optionsEnd + (isNamed ? 1 : 0), isAmbiguous };
}

export function containedCommand(rest: readonly Word[]): GivenCommand[] {
  const places = readContainerWords(rest);
  if (places === undefined) return [];
  const [entry] = optionValues(rest.slice(places.verbAt + 1), "--entrypoint");
  const options = rest.slice(places.verbAt + 1, places.optionsEnd);
  // Without a value, the variable's value from here is used.
  const set = optionWords(options, "-e", "--env").filter(({ text }) => assignmentForm.test(text));
  const run = rest.slice(places.commandStart);
  // Compose splits the entry point into words.
  const entered = entry === undefined ? [] : [[...entry.split(/\s+/u).map(certainWord), ...run]];
  const inside = [run, ...entered].filter((command) => command.length > 0);
  if (inside.length === 0 && set.length > 0) inside.push([imageCommand]);
  return [...inside.map((command) => [...set, ...command]), ...optionValues(options, "--health-cmd")];
}

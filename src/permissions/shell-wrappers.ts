/** Programs that run what they are given: which words of theirs are the command, and which are not. */
import type { Word } from "./shell-text.ts";
import type { Variables } from "./shell-variables.ts";

/** The first three are fish's. */
export const wrappers = new Set(
  "not and or env sudo doas timeout time nice nohup stdbuf command builtin exec noglob nocorrect xargs setsid ionice chrt taskset watch flock parallel strace ltrace unshare nsenter chroot runuser su script busybox toybox caffeinate arch unbuffer npx bunx pnpx ssh systemd-run pkexec jobs fakeroot prlimit numactl setpriv choom uclampset gosu su-exec dbus-run-session firejail bwrap proxychains proxychains4 torsocks torify trickle rlwrap eatmydata chronic ifne cgexec entr valgrind perf gdb setarch linux32 linux64 i386 x86_64 cpulimit catchsegv run0 screen tmux daemonize dotenv hyperfine npm pnpm yarn poetry uv pipenv pdm bundle conda mise direnv devbox asdf pyenv rbenv nodenv volta fnm nvm pixi hatch rye op doppler infisical aws-vault chamber lerna dotenvx env-cmd cross-env envchain concurrently nodemon watchexec xvfb-run faketime tini dumb-init catatonit systemd-inhibit systemd-cat chpst softlimit uvx pipx bun foreman honcho sshpass dbus-launch fakechroot proot rr ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1 ld-musl-aarch64.so.1".split(
    " ",
  ),
);
/** These run what they are given behind one of these words, and else what is theirs. */
const runWords: Record<string, RegExp> = {
  npm: /^(?:exec|x)$/u,
  pnpm: /^(?:exec|dlx)$/u,
  yarn: /^(?:exec|dlx)$/u,
  poetry: /^run$/u,
  uv: /^run$/u,
  pipenv: /^run$/u,
  pdm: /^run$/u,
  bundle: /^exec$/u,
  conda: /^run$/u,
  mise: /^(?:exec|x)$/u,
  direnv: /^exec$/u,
  devbox: /^run$/u,
  asdf: /^exec$/u,
  pyenv: /^exec$/u,
  rbenv: /^exec$/u,
  nodenv: /^exec$/u,
  volta: /^run$/u,
  fnm: /^exec$/u,
  nvm: /^(?:exec|run)$/u,
  pixi: /^run$/u,
  hatch: /^run$/u,
  rye: /^run$/u,
  op: /^run$/u,
  doppler: /^run$/u,
  infisical: /^run$/u,
  "aws-vault": /^exec$/u,
  chamber: /^exec$/u,
  lerna: /^exec$/u,
  pipx: /^run$/u,
  bun: /^x$/u,
  foreman: /^run$/u,
  honcho: /^run$/u,
  rr: /^record$/u,
  dotenvx: /^run$/u,
  perf: /^(?:stat|record|trace)$/u,
  tmux: /^(?:new|new-session|new-window|neww|split-window|splitw|run|run-shell|respawn-pane|respawnp|respawn-window|respawnw|popup|display-popup|if|if-shell|pipe-pane|pipep)$/u,
};
/** Options whose next word is theirs, of programs that may have others of that kind. */
const ownValued: Record<string, RegExp> = {
  npm: /^(?:-[Cw]|--prefix|--workspace|--package)$/u,
  pnpm: /^(?:-[CF]|--dir|--filter|--package)$/u,
  yarn: /^(?:-p|--cwd|--package)$/u,
  uv: /^(?:-p|--(?:directory|project|python|with(?:-editable|-requirements)?|extra|group|package|env-file|(?:default-)?index))$/u,
  poetry: /^(?:-[CP]|--directory|--project)$/u,
  pdm: /^(?:-p|--project)$/u,
  bundle: /^--gemfile$/u,
  conda: /^(?:-[np]|--name|--prefix|--cwd)$/u,
  mise: /^(?:-[CE]|--cd|--env)$/u,
  devbox: /^-[ce]$/u,
  perf: /^(?:-[cCeFopr]|--event|--output|--pid|--freq|--repeat)$/u,
  tmux: /^-[AdDEPhvb]*[censtxyFlLS]$/u,
  screen: /^-[dDmRUO]*[Srtx]$/u,
  gdb: /^--?p(?:id)?$/u,
  numactl: /^(?:-[CNm]|--physcpubind|--cpunodebind|--membind)$/u,
  setpriv: /^--re[ug]id$/u,
  hyperfine: /^(?:-[nrw]|--command-name|--runs|--warmup|--export-[a-z]+)$/u,
  cpulimit: /^-[lp]$/u,
  dotenv: /^-[ef]$/u,
  proxychains: /^-f$/u,
  proxychains4: /^-f$/u,
  trickle: /^-[du]$/u,
  fnm: /^--(?:using|fnm-dir|arch)$/u,
  pixi: /^(?:-e|--environment|--manifest-path)$/u,
  hatch: /^(?:-[ep]|--env|--project)$/u,
  op: /^--(?:env-file|account|environment)$/u,
  doppler: /^(?:-[pct]|--project|--config|--token|--scope)$/u,
  infisical: /^--(?:env|path|projectId|token|tags)$/u,
  "aws-vault": /^(?:-[dt]|--duration|--mfa-token|--region|--backend)$/u,
  dotenvx: /^(?:-[ef]|--env|--env-file)$/u,
  "xvfb-run": /^(?:-[efnspw]|--server-num|--server-args|--error-file|--auth-file)$/u,
  watchexec: /^(?:-[ewidfs]|--exts|--watch|--ignore|--filter|--debounce|--signal)$/u,
  concurrently:
    /^(?:-[mnsplct]|--(?:max-processes|names|name-separator|success|prefix(?:-length|-colors)?|timestamp-format|hide))$/u,
  nodemon: /^(?:-[ewid]|--ext|--watch|--ignore|--delay)$/u,
};
/** Bash is a superset of them but for `((…))`, `[[`, `&>`, `$'…'` and `[^…]`. */
export const plainShells = new Set(["sh", "dash", "ash"]);
export const shells = new Set("sh bash zsh dash ksh mksh fish ash rbash".split(" "));
export const finders = new Set(["find", "gfind", "fd", "fdfind"]);
export const textRunners = new Set([
  "eval",
  "trap",
  "alias",
  "hash",
  "enable",
  "mapfile",
  "readarray",
  "compgen",
  "complete",
  "source",
  ".",
]);

export const keywords = new Set("! { } ( ) then do done else elif fi esac if while until coproc".split(" "));
/** A name of their own may stand behind these, and one of those behind that. */
export const named = new Set(["coproc", "for", "select"]);
export const compound = new Set("{ do if while until for case select [[".split(" "));

export const assignment = /^[A-Za-z_]\w*\+?=/u;

/** Options whose next word is theirs. */
const valued: Record<string, RegExp> = {
  sudo: /^(?:-[ugphCDRTUrt]|--(?:user|group|prompt|host|close-from|chdir|chroot|command-timeout|other-user|role|type))$/u,
  doas: /^-[uC]$/u,
  env: /^(?:-[uC]|--(?:unset|chdir))$/u,
  timeout: /^-[ks]$/u,
  nice: /^-n$/u,
  ionice: /^-[cnp]$/u,
  stdbuf: /^-[ioe]$/u,
  xargs: /^-[IJEdnPLsaR]$/u,
  watch: /^-n$/u,
  flock: /^-[wE]$/u,
  sshpass: /^-[pfdP]$/u,
  ssh: /^-[bcDEeFIiJLlmOopQRSWw]$/u,
};
/** These take variables for the command in front of it. */
export const setting = new Set(["env", "sudo", "doas", "cross-env"]);
/** Behind that word stands one more that is not the command: a folder, or whose secrets or version it gets. */
const twicePreceded = new Set(["direnv", "aws-vault", "chamber", "nvm"]);
/** The first word of these that is no option is not the command. */
const preceded = new Set([
  ..."timeout ssh flock chroot taskset chrt setarch gosu su-exec envchain faketime".split(" "),
  ...Object.keys(runWords),
]);
/** These give a shell whatever words they are given, and the others after `-c`. */
const joining = new Set([
  "watch",
  "parallel",
  "ssh",
  "tmux",
  "hyperfine",
  "concurrently",
  "nodemon",
  "lerna",
  "doppler",
]);
export function isFollowed(program: string): boolean {
  return shells.has(program) || finders.has(program) || wrappers.has(program) || textRunners.has(program);
}

export function takesValue(program: string, option: string): boolean {
  return (valued[program] ?? ownValued[program])?.test(option) === true;
}

/** By index: whether no shell is given the word, whatever stands in it. An option before it takes it, and is no value or command itself. */
export function ownValues(program: string, rest: readonly Word[]): (index: number) => boolean {
  const takes = (at: number): boolean => ownValued[program]?.test(rest[at]?.text ?? "") === true;
  // Options of tmux are other ones in each of its commands.
  if (program === "tmux" || ownValued[program] === undefined) return () => false;
  const end = rest.findIndex(({ text }) => text === "--");
  return (index) => takes(index - 1) && !takes(index - 2) && (end < 0 || index <= end);
}

/** Of a word in front of the command: an option's value that only the shell knows, or what says that a command is to come. */
export function isInFront(program: string, rest: readonly Word[], index: number): boolean {
  const { text = "", unsure } = rest[index] ?? {};
  if (unsure === undefined) return runWords[program]?.test(text) === true;
  const before = rest[index - 1]?.text ?? "";
  return takesValue(program, before) || (twicePreceded.has(program) && runWords[program]?.test(before) === true);
}

/** Where the command begins, or what might be it; the number of words where there is none. */
export function commandStart(program: string, rest: readonly Word[]): number {
  // What stands in front of it names tools that are to be there.
  const end = program === "mise" ? rest.findIndex(({ text }) => text === "--") : -1;
  if (end >= 0) return end + 1;
  let left = twicePreceded.has(program) ? 2 : preceded.has(program) ? 1 : 0;
  let at = program === "dotenv" && rest[0]?.text === "run" ? 1 : 0;
  for (; at < rest.length; at += 1) {
    const text = rest[at]?.text ?? "";
    if (setting.has(program) && assignment.test(text)) continue;
    if (text.startsWith("-")) at += takesValue(program, text) ? 1 : 0;
    else if (left > 0) left -= 1;
    else break;
  }
  return Math.min(at, rest.length);
}

/** Whether it does something of its own with its words. */
export function runsNothing(program: string, rest: readonly Word[], variables: Variables): boolean {
  if (program === "command") return /^-[pvV]*[vV]/u.test(rest[0]?.text ?? "");
  const word = runWords[program];
  if (word === undefined) return false;
  const isOption = ({ text }: Word): boolean => text.startsWith("-");
  const isValue = (at: number): boolean => ownValued[program]?.test(rest[at - 1]?.text ?? "") === true;
  const [first = rest.length, second = first] = rest.flatMap((each, at) => (isOption(each) || isValue(at) ? [] : [at]));
  const before = rest.slice(0, first);
  // An option's value may stand before it.
  const isUnknown = (each: Word, at: number): boolean => isOption(each) && !each.text.includes("=") && !isValue(at + 1);
  const places = before.some(isUnknown) ? [first, second] : [first];
  const mayRun = ({ text, unsure }: Word): boolean => unsure !== undefined || word.test(text);
  return (
    !before.some((each) => variables.mayHoldWords(each)) &&
    !places.some((at) => rest[at] !== undefined && mayRun(rest[at]))
  );
}

/** Whether a word of several, given to what it runs, may be a text for a shell. */
export function mayGiveText(program: string): boolean {
  return runWords[program] === undefined || joining.has(program);
}

/** Whether the command begins where `commandStart` says: the options in front are all known. */
export function isCertain(program: string, before: readonly Word[]): boolean {
  return valued[program] !== undefined && before.every(({ text }) => !text.startsWith("--") || text.includes("="));
}

/** Whether a shell is given each word that has blanks. */
export function joinsWords(program: string): boolean {
  return joining.has(program);
}

/** What `xargs` puts what it reads in the place of; undefined where it puts it at the end. */
export function placeOfInput(texts: readonly string[]): string | undefined {
  for (const [index, text] of texts.entries()) {
    const [, long, short] = /^--replace(?:=(.*))?$|^-i(.*)$/su.exec(text) ?? [];
    if (/^-[IJ]$/u.test(text)) return texts[index + 1] ?? "{}";
    if (/^-[IJ]./u.test(text)) return text.slice(2);
    if (text === "--replace" || text === "-i") return "{}";
    if (long !== undefined || short !== undefined) return long ?? short;
  }
  return undefined;
}

/** What it runs gets words of its input, which nobody knows. */
export function takesInput(program: string): boolean {
  return program === "xargs" || program === "parallel";
}

/** The words of such a command with its input in its place. Alone it shows what it reads. */
export function withInput(program: string, words: readonly Word[]): Word[] {
  const start = commandStart(program, words.slice(1)) + 1;
  if (start >= words.length) return [...words];
  const place = program === "xargs" ? placeOfInput(words.slice(0, start).map(({ text }) => text)) : undefined;
  if (place !== undefined) return words.map((word, index) => (index < start ? word : withHole(word, place)));
  return words.at(-1) === input ? [...words] : [...words, input];
}

const input: Word = { text: "{}", known: 0, unsure: "words", tail: 2 };

/** How many of the words were written: what is read is none. */
export function written(words: readonly Word[]): number {
  return words.length - (words.at(-1) === input ? 1 : 0);
}

export function withHole(word: Word, place: string): Word {
  const at = place === "" ? -1 : word.text.indexOf(place);
  if (at < 0) return word;
  return { ...word, known: Math.min(word.known, at), unsure: word.unsure ?? "value", tail: word.text.length };
}

/** The name of a program of which only the folder is unknown; undefined where it may yet be another, or runs others. */
export function nameInUnknownFolder({ text, unsure, tail = 0 }: Word): string | undefined {
  const slash = text.lastIndexOf("/");
  const name = text.slice(slash + 1).toLowerCase();
  return unsure === "value" && slash >= tail && name !== "" && !isFollowed(name) ? name : undefined;
}

/** Why one may be anything. */
export function unquoted({ text }: Word): string {
  return `${text.slice(0, 40)} without quotes may become several words`;
}

/** Programs that run other commands: which of their words are the command, and which are not. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { textsOf, type Word } from "./text.ts";
import type { LineVariables } from "./variables.ts";
import { shellCommandNames } from "./tmux-names.ts";

interface Wrapper {
  /** The command follows one of these words; without one, the program does something of its own. */
  runs?: RegExp;
  /** The number of operands in front of the command, including `runs`: a folder, for instance, or a time. Default: `runs` only. */
  before?: 1 | 2;
  /** All of its options that take the next word. */
  valued?: RegExp;
  /** Options that take the next word, if there may be more of them. */
  someValued?: RegExp;
  /** With such a first word, the program does something of its own. */
  own?: RegExp;
  /** It accepts variable assignments in front of the command. */
  setsVariables?: true;
  /** It gives every word it gets to a shell; other wrappers give it only the text after `-c`. */
  joins?: true;
}

/** Programs that run their last words as a command. */
const wrappers = new Map<string, Wrapper>([
  // Keywords of fish.
  ...entriesForNames("not and or", {}),
  ...entriesForNames(
    "time nohup builtin exec noglob nocorrect setsid strace ltrace unshare runuser su script busybox toybox caffeinate arch unbuffer npx bunx pnpx systemd-run pkexec jobs fakeroot prlimit choom uclampset dbus-run-session firejail bwrap torsocks torify rlwrap eatmydata chronic ifne cgexec entr valgrind linux32 linux64 i386 x86_64 catchsegv run0 daemonize env-cmd tini dumb-init catatonit systemd-inhibit systemd-cat chpst softlimit uvx dbus-launch fakechroot proot ssh-agent sandbox-exec aa-exec winpty foot footclient st dtach abduco nq tsp task-spooler ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1 ld-musl-aarch64.so.1",
    {},
  ),
  ["command", { own: /^-[pvV]*[vV]/u }],
  ["kitty", { own: /^(?:@|\+kitten)$/u }],
  ...entriesForNames("chrt taskset gosu su-exec setuidgid runcon setarch envchain faketime", { before: 1 }),
  ...entriesForNames("asdf pyenv rbenv nodenv", { runs: /^exec$/u }),
  ...entriesForNames("pipenv volta rye pipx foreman honcho", { runs: /^run$/u }),
  ...entriesForNames("proxychains proxychains4", { someValued: /^-f$/u }),
  ["env", { setsVariables: true, valued: /^(?:-[0iv]*[uCaP]|--(?:unset|chdir|argv0))$/u }],
  [
    "sudo",
    {
      setsVariables: true,
      valued:
        /^(?:-[ABbEeHiKklNnPSsVv]*[acugphCDRTUrt]|--(?:user|group|prompt|host|close-from|chdir|chroot|command-timeout|other-user|role|type))$/u,
    },
  ],
  ["sg", { before: 1, joins: true }],
  ["doas", { setsVariables: true, valued: /^-[Lns]*[auC]$/u }],
  ["timeout", { before: 1, valued: /^-[fpv]*[ks]$/u }],
  ["nice", { valued: /^-n$/u }],
  ["stdbuf", { valued: /^-[ioe]$/u }],
  ["xargs", { valued: /^-[0oprtx]*[IJEdnPLsaRS]$/u }],
  ["ionice", { valued: /^-t*[cnp]$/u }],
  ["watch", { valued: /^-[bcCdefgprtwx]*[nqs]$/u, joins: true }],
  ["flock", { before: 1, valued: /^(?:-[eFnosux]*[wE]|--(?:wait|timeout|conflict-exit-code))$/u }],
  ...entriesForNames("parallel sem", { joins: true }),
  ["ssh", { before: 1, valued: /^-[46AaCfGgKkMNnqsTtVvXxYy]*[BbcDEeFIiJLlmOoPpQRSWw]$/u, joins: true }],
  ["numactl", { someValued: /^(?:-[CNm]|--physcpubind|--cpunodebind|--membind)$/u }],
  ["chroot", { before: 1, someValued: /^--(?:userspec|groups)$/u }],
  ["nsenter", { someValued: /^(?:-[GSt]|--(?:setgid|setuid|target))$/u }],
  ["setpriv", { someValued: /^--re[ug]id$/u }],
  ["trickle", { someValued: /^-[du]$/u }],
  [
    "perf",
    { runs: /^(?:stat|record|trace)$/u, someValued: /^(?:-[cCeFopr]|--event|--output|--pid|--freq|--repeat)$/u },
  ],
  ["gdb", { someValued: /^--?p(?:id)?$/u }],
  ["cpulimit", { someValued: /^-[lp]$/u }],
  ["screen", { someValued: /^-[dDmRUO]*[Srtx]$/u }],
  [
    "tmux",
    {
      runs: shellCommandNames,
      someValued: /^-[AdDEPhvb]*[censtxyFlLS]$/u,
      joins: true,
    },
  ],
  ["dotenv", { someValued: /^-[ef]$/u }],
  ["hyperfine", { someValued: /^(?:-[nrw]|--command-name|--runs|--warmup|--export-[a-z]+)$/u, joins: true }],
  ["npm", { runs: /^(?:exec|x)$/u, someValued: /^(?:-[Cw]|--prefix|--workspace|--package)$/u }],
  ["pnpm", { runs: /^(?:exec|dlx)$/u, someValued: /^(?:-[CF]|--dir|--filter|--package)$/u }],
  ["yarn", { runs: /^(?:exec|dlx)$/u, someValued: /^(?:-p|--cwd|--package)$/u }],
  ["poetry", { runs: /^run$/u, someValued: /^(?:-[CP]|--directory|--project)$/u }],
  [
    "uv",
    {
      runs: /^run$/u,
      someValued:
        /^(?:-p|--(?:directory|project|python|with(?:-editable|-requirements)?|extra|group|package|env-file|(?:default-)?index))$/u,
    },
  ],
  ["pdm", { runs: /^run$/u, someValued: /^(?:-p|--project)$/u }],
  ["bundle", { runs: /^exec$/u, someValued: /^--gemfile$/u }],
  ["conda", { runs: /^run$/u, someValued: /^(?:-[np]|--name|--prefix|--cwd)$/u }],
  ["mise", { runs: /^(?:exec|x)$/u, someValued: /^(?:-[CE]|--cd|--env)$/u }],
  ["direnv", { before: 2, runs: /^exec$/u }],
  ["devbox", { runs: /^run$/u, someValued: /^-[ce]$/u }],
  ["fnm", { runs: /^exec$/u, someValued: /^--(?:using|fnm-dir|arch)$/u }],
  ["nvm", { before: 2, runs: /^(?:exec|run)$/u }],
  ["pixi", { runs: /^run$/u, someValued: /^(?:-e|--environment|--manifest-path)$/u }],
  ["hatch", { runs: /^run$/u, someValued: /^(?:-[ep]|--env|--project)$/u }],
  ["op", { runs: /^run$/u, someValued: /^--(?:env-file|account|environment)$/u }],
  ["doppler", { runs: /^run$/u, someValued: /^(?:-[pct]|--project|--config|--token|--scope)$/u, joins: true }],
  ["infisical", { runs: /^run$/u, someValued: /^--(?:env|path|projectId|token|tags)$/u }],
  ["aws-vault", { before: 2, runs: /^exec$/u, someValued: /^(?:-[dt]|--duration|--mfa-token|--region|--backend)$/u }],
  ["chamber", { before: 2, runs: /^exec$/u }],
  ["lerna", { runs: /^exec$/u, joins: true }],
  ["dotenvx", { runs: /^run$/u, someValued: /^(?:-[ef]|--env|--env-file)$/u }],
  ["cross-env", { setsVariables: true }],
  [
    "concurrently",
    {
      someValued:
        /^(?:-[mnsplct]|--(?:max-processes|names|name-separator|success|prefix(?:-length|-colors)?|timestamp-format|hide))$/u,
      joins: true,
    },
  ],
  ["nodemon", { someValued: /^(?:-[ewid]|--ext|--watch|--ignore|--delay)$/u, joins: true }],
  ["watchexec", { someValued: /^(?:-[ewidfs]|--exts|--watch|--ignore|--filter|--debounce|--signal)$/u }],
  ["xvfb-run", { someValued: /^(?:-[efnspw]|--server-num|--server-args|--error-file|--auth-file)$/u }],
  ["bun", { runs: /^x$/u }],
  ["sshpass", { valued: /^-v*[pfdP]$/u }],
  ["rr", { runs: /^record$/u }],
]);
/** Shells of which bash is a superset, except for `((…))`, `[[`, `&>`, `$'…'` and `[^…]`. */
export const plainShells = new Set(["sh", "dash", "ash"]);
export const shells = new Set("sh bash zsh dash ksh mksh fish ash rbash".split(" "));
export const finders = new Set(["find", "gfind", "fd", "fdfind"]);
/** As a command, bash reports an error and runs what comes after it. */
const subscriptAssignment = /^[A-Za-z_]\w*\[[^]*\]\+?=/u;
export const devicePath = /(?:^|\/)(?:dev|proc)\/|(?:^|\/)(?:stdin|fd\/\d+|\d+)$/u;
export const finderRunOption = /^(?:-exec|-execdir|-ok|-okdir|-x|--exec|-X|--exec-batch)$/u;
/** fd's option after letters that take no value. */
export const bundledRunOption = /^-[HIusigFalLpq01]+[xX]$/u;
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
/** These may be followed by a name, and that by one of the words below. */
export const nameTakingKeywords = new Set(["coproc", "for", "select"]);
export const compoundKeywords = new Set("{ do if while until for case select [[".split(" "));

export const assignmentForm = /^[A-Za-z_]\w*\+?=/u;

/** Whether the program accepts variable assignments in front of its command. */
export function acceptsAssignments(program: string): boolean {
  return wrappers.get(program)?.setsVariables === true;
}

export function runsOtherCommands(program: string): boolean {
  return shells.has(program) || finders.has(program) || wrappers.has(program) || textRunners.has(program);
}

export function takesValue(program: string, option: string): boolean {
  const { valued, someValued } = wrappers.get(program) ?? {};
  return (valued ?? someValued)?.test(option) === true;
}

/** Returns a test for a word's index: whether the option before it takes the word, so that no shell gets it, and is not a value itself. */
export function createValueTest(program: string, rest: readonly Word[]): (index: number) => boolean {
  // Each tmux command has its own options.
  const someValued = program === "tmux" ? undefined : wrappers.get(program)?.someValued;
  if (someValued === undefined) return () => false;
  const takes = (at: number): boolean => someValued.test(rest[at]?.text ?? "");
  const end = rest.findIndex(({ text }) => text === "--");
  return (index) => takes(index - 1) && !takes(index - 2) && (end < 0 || index <= end);
}

/** For a word before the command: whether it is an option's value only the shell knows, or announces the command. */
export function precedesCommand(program: string, rest: readonly Word[], index: number): boolean {
  const { text = "", unsure } = rest[index] ?? {};
  const { runs, before: count } = wrappers.get(program) ?? {};
  if (unsure === undefined) return runs?.test(text) === true;
  const before = rest[index - 1]?.text ?? "";
  return takesValue(program, before) || (count === 2 && runs?.test(before) === true);
}

/** The index where the command begins, or may begin; the number of words if there is none. */
export function commandStart(program: string, rest: readonly Word[]): number {
  // The words in front of `--` name tools that should be available.
  const end = program === "mise" ? rest.findIndex(({ text }) => text === "--") : -1;
  if (end >= 0) return end + 1;
  const { runs, before = runs === undefined ? 0 : 1, setsVariables } = wrappers.get(program) ?? {};
  let left: number = before;
  let at = program === "dotenv" && rest[0]?.text === "run" ? 1 : 0;
  for (; at < rest.length; at += 1) {
    const text = rest[at]?.text ?? "";
    if (setsVariables === true && assignmentForm.test(text)) continue;
    if (text.startsWith("-")) at += takesValue(program, text) ? 1 : 0;
    else if (left > 0) left -= 1;
    else break;
  }
  return Math.min(at, rest.length);
}

/** Whether the program uses its words for something of its own. */
export function runsNoCommand(program: string, rest: readonly Word[], variables: LineVariables): boolean {
  const { own, runs: word, someValued } = wrappers.get(program) ?? {};
  if (own?.test(rest[0]?.text ?? "") === true) return true;
  if (word === undefined) return false;
  const isOption = ({ text }: Word): boolean => text.startsWith("-");
  const isValue = (at: number): boolean => someValued?.test(rest[at - 1]?.text ?? "") === true;
  const [first = rest.length, second = first] = rest.flatMap((each, at) => (isOption(each) || isValue(at) ? [] : [at]));
  const before = rest.slice(0, first);
  // An option's value may precede it.
  const isUnknown = (each: Word, at: number): boolean => isOption(each) && !each.text.includes("=") && !isValue(at + 1);
  const places = before.some(isUnknown) ? [first, second] : [first];
  const mayRun = ({ text, unsure }: Word): boolean => unsure !== undefined || word.test(text);
  return (
    !before.some((each) => variables.mayHoldWords(each)) &&
    !places.some((at) => rest[at] !== undefined && mayRun(rest[at]))
  );
}

/** Whether a word with blanks in its command may be text for a shell. */
export function mayRunTextWord(program: string): boolean {
  return wrappers.get(program)?.runs === undefined || givesWordsToShell(program);
}

/** Whether the command certainly begins at `commandStart`, because all options in front of it are known. */
export function isStartCertain(program: string, before: readonly Word[]): boolean {
  return (
    wrappers.get(program)?.valued !== undefined &&
    before.every(({ text }) => !text.startsWith("--") || text.includes("="))
  );
}

/** Whether the program gives words with blanks to a shell. */
export function givesWordsToShell(program: string): boolean {
  return wrappers.get(program)?.joins === true;
}

/** The placeholder that `xargs` replaces with its input; undefined if the input is appended. */
export function inputPlaceholder(texts: readonly string[]): string | undefined {
  for (const [index, text] of texts.entries()) {
    const [, long, short] = /^--replace(?:=(.*))?$|^-i(.*)$/su.exec(text) ?? [];
    const placeholder = /^-[0oprtx]*[IJ](.*)$/su.exec(text)?.[1];
    if (placeholder !== undefined) return placeholder || (texts[index + 1] ?? "{}");
    if (text === "--replace" || text === "-i") return "{}";
    if (long !== undefined || short !== undefined) return long ?? short;
  }
  return undefined;
}

/** Whether its command gets words from its input, which are not known. */
export function takesInput(program: string): boolean {
  return program === "xargs" || program === "parallel";
}

/** The words of such a command with a hole for its input. Without a command, it only prints its input. */
export function withInput(program: string, words: readonly Word[]): Word[] {
  const start = commandStart(program, words.slice(1)) + 1;
  if (start >= words.length) return [...words];
  const place = program === "xargs" ? inputPlaceholder(textsOf(words.slice(0, start))) : undefined;
  if (place !== undefined) return words.map((word, index) => (index < start ? word : withHole(word, place)));
  return words.at(-1) === inputWord ? [...words] : [...words, inputWord];
}

const inputWord: Word = { text: "{}", known: 0, unsure: "words", tail: 2 };

/** The number of words that were written, not counting input. */
export function writtenWordCount(words: readonly Word[]): number {
  return words.length - (words.at(-1) === inputWord ? 1 : 0);
}

export function withHole(word: Word, place: string): Word {
  const at = place === "" ? -1 : word.text.indexOf(place);
  if (at < 0) return word;
  return { ...word, known: Math.min(word.known, at), unsure: word.unsure ?? "value", tail: word.text.length };
}

/** The name of a program whose folder only is unknown; undefined if the name may differ, or if the program runs others. */
export function nameInUnknownFolder({ text, unsure, tail = 0 }: Word): string | undefined {
  const slash = text.lastIndexOf("/");
  const name = text.slice(slash + 1).toLowerCase();
  return unsure === "value" && slash >= tail && name !== "" && !runsOtherCommands(name) ? name : undefined;
}

/** Why the command may be anything. */
export function unquotedReason({ text }: Word): string {
  return `${text.slice(0, 40)} without quotes may become several words`;
}

export function isAssignment({ text, known }: Word): boolean {
  return assignmentForm.test(text.slice(0, known)) || subscriptAssignment.test(text);
}

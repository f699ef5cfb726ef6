/** From what was written to what would run: assignments, keywords and wrappers come off, and the text given to a shell is read in its turn. */
import { lexCommands, type Lexed } from "./shell-lexer.ts";
import type { LexedCommand, Word } from "./shell-text.ts";

/** One command that may run. */
export interface PlausibleCommand {
  words: Word[];
}

const keywords = new Set([
  "!",
  "{",
  "}",
  "(",
  ")",
  "then",
  "do",
  "done",
  "else",
  "elif",
  "fi",
  "esac",
  "if",
  "while",
  "until",
  "coproc",
]);
const wrappers = new Set(
  "env sudo doas timeout time nice nohup stdbuf command builtin exec noglob nocorrect xargs setsid ionice chrt taskset watch flock parallel strace ltrace unshare nsenter chroot runuser su script busybox toybox caffeinate arch unbuffer npx bunx pnpx ssh systemd-run pkexec".split(
    " ",
  ),
);
const shells = new Set("sh bash zsh dash ksh mksh fish ash rbash".split(" "));
const finders = new Set(["find", "gfind", "fd", "fdfind"]);
const textRunners = new Set(["eval", "trap", "alias", "mapfile", "readarray", "compgen", "complete", "source", "."]);
const finderRuns = /^(?:-exec|-execdir|-ok|-okdir|-x|--exec|-X|--exec-batch)$/u;
const assignment = /^[A-Za-z_]\w*\+?=/u;
/** Bash complains of it, and runs what comes after it. */
const subscripted = /^[A-Za-z_]\w*\[[^]*\]\+?=/u;
const maxDepth = 12;
/** Bounds for text made to be slow. Past them nothing more is followed, and the command counts as not understood. */
const maxCharacters = 1_000_000;
const maxUnwrapped = 500;
const maxWords = 200_000;

export function programOf(word: Word | undefined): string | null {
  if (word === undefined || word.known < word.text.length) return null;
  return word.text.slice(word.text.lastIndexOf("/") + 1).toLowerCase();
}

function isAssignment({ text, known }: Word): boolean {
  return assignment.test(text.slice(0, known)) || subscripted.test(text);
}

export class Unwrapper {
  readonly commands: PlausibleCommand[] = [];
  understood = true;
  /** Text that a shell might be given on its standard input. */
  readonly #fed: string[] = [];
  #feedsShell = false;
  #characters = 0;
  #unwrapped = 0;
  #words = 0;

  read(lexed: Lexed, depth = 0): void {
    if (!lexed.understood) this.understood = false;
    for (const command of lexed.commands) this.#lexed(command, depth);
    if (depth > 0 || !this.#feedsShell) return;
    this.understood = false;
    for (const text of this.#fed.splice(0)) this.#text(text, 1);
  }

  #text(text: string, depth: number): void {
    this.#characters += text.length;
    if (depth > maxDepth || this.#characters > maxCharacters) this.understood = false;
    else this.read(lexCommands(text, depth), depth);
  }

  #lexed(command: LexedCommand, depth: number): void {
    this.#fed.push(...command.documents);
    for (const word of command.words) {
      if (/[\s;&|]/u.test(word.text)) this.#fed.push(word.text);
      // A subscript, a prompt string or `eval` may yet expand what single quotes kept.
      const hidden = word.known === word.text.length ? word.text.search(/\$\(|`/u) : -1;
      if (hidden >= 0) this.#text(word.text.slice(hidden), depth + 1);
    }
    this.#unwrap(command.words, depth, new Set());
  }

  /** `seen`: how many words were left at the places of this command that were unwrapped before. */
  #unwrap(written: readonly Word[], depth: number, seen: Set<number>): void {
    if (this.#words > maxWords) {
      this.understood = false;
      return;
    }
    const words = [...written];
    while (words[0] !== undefined) {
      const { text, known } = words[0];
      const isPlain = known === text.length;
      if (isPlain && text === "function") words.splice(0, 2);
      else if ((isPlain && keywords.has(text)) || isAssignment(words[0])) words.shift();
      else break;
    }
    const program = programOf(words[0]);
    if (words.length === 0 || seen.has(words.length)) return;
    seen.add(words.length);
    this.#words += words.length;
    this.commands.push({ words });
    if (program === null) return;
    const isFollowed = shells.has(program) || finders.has(program) || wrappers.has(program) || textRunners.has(program);
    if (isFollowed) this.#unwrapped += 1;
    if (isFollowed && (depth > maxDepth || this.#unwrapped > maxUnwrapped)) this.understood = false;
    else if (isFollowed) this.#follow(program, words, depth, seen);
  }

  #follow(program: string, words: readonly Word[], before: number, seen: Set<number>): void {
    const depth = before + 1;
    const rest = words.slice(1);
    if (shells.has(program)) this.#shell(rest, depth);
    else if (program === "eval") this.#given(rest, depth);
    else if (program === "trap") this.#given(rest.slice(0, 1), depth);
    else if (["mapfile", "readarray", "compgen", "complete"].includes(program)) {
      // What `-C` is given is run, with more words behind it.
      const callback = rest.findIndex(({ text }) => /^-[A-Za-z]*C/u.test(text));
      if (callback >= 0)
        this.#text((rest[callback]?.text.replace(/^-[A-Za-z]*C/u, "") || rest[callback + 1]?.text) ?? "", depth);
    } else if (program === "source" || program === ".") {
      const [file] = rest;
      if (file !== undefined && (file.known < file.text.length || file.text.startsWith("/dev/")))
        this.understood = false;
    } else if (program === "alias")
      for (const word of rest) this.#text(word.text.slice(word.text.indexOf("=") + 1), depth);
    else if (finders.has(program)) this.#finder(rest, depth);
    else this.#wrapper(rest, before, seen);
  }

  #given(words: readonly Word[], depth: number): void {
    if (words.some((word) => word.known < word.text.length)) this.understood = false;
    this.#text(words.map((word) => word.text).join(" "), depth);
  }

  #shell(rest: readonly Word[], depth: number): void {
    const flag = rest.findIndex((word) => /^-[a-zA-Z]*c/u.test(word.text));
    if (flag >= 0) {
      const string = rest.slice(flag + 1).find((word) => !/^[-+]/u.test(word.text));
      this.#given(string === undefined ? [] : [string], depth);
    }
    const operands = rest.filter((word) => !/^[-+]/u.test(word.text));
    if (flag < 0 && operands.length === 0 && !rest.some((word) => /^--(?:version|help)$/u.test(word.text)))
      this.#feedsShell = true;
    if (rest.some((word) => /^-[a-zA-Z]*s/u.test(word.text))) this.#feedsShell = true;
  }

  #finder(rest: readonly Word[], depth: number): void {
    rest.forEach((word, index) => {
      if (!finderRuns.test(word.text)) return;
      const after = rest.slice(index + 1);
      const end = after.findIndex(({ text }) => text === ";" || text === "+");
      this.#unwrap(end < 0 ? after : after.slice(0, end), depth, new Set());
    });
  }

  /** Options may take the word after them, so both readings are kept. */
  #wrapper(rest: readonly Word[], depth: number, seen: Set<number>): void {
    const isFirst = seen.size === 1;
    for (const word of rest) if (isFirst && /\s/u.test(word.text)) this.#given([word], depth + 1);
    let afterOption = false;
    for (const [index, word] of rest.entries()) {
      const { text } = word;
      const isOption = text.startsWith("-") || text.startsWith("+");
      const isSetting = assignment.test(text) || /^[\d.]+[a-z]*$/u.test(text);
      if (isOption || isSetting) {
        afterOption ||= isOption && !text.includes("=");
        continue;
      }
      if (this.#unwrapped > maxUnwrapped || this.#words > maxWords) return;
      if (!seen.has(rest.length - index)) this.#unwrap(rest.slice(index), depth, seen);
      if (!afterOption && !/^[\w.@-]+@|^\//u.test(text)) return;
      afterOption = false;
    }
  }
}

/** What the words of a command are to its program: files whatever lies there, files only where one is there, or no files at all. */
import { alike } from "../../lib/alike.ts";
import { gitCommandAt } from "../options/operands.ts";
import { hasHole } from "../shell/fill.ts";
import { programOf, type PlausibleCommand } from "../shell/unwrap.ts";
import { isFollowed } from "../shell/wrappers.ts";
import { handedOn, isPutOut, isRun, layFiles, namesOthers, selects, takesAll } from "./handed-words.ts";
import { isShower, patternAt, shownWords } from "./shown-words.ts";

/**
 * `said`: what is to be done, or a text. `any`: a file if one is there, or if it says in which folder; of what it says otherwise, the
 * program may do what it likes. `told`: the same of a program that only passes on what it is told. `module`: said, but a file where one
 * with the ending of such is there.
 */
export type WordUse = "file" | "any" | "told" | "module" | "said";

/** A name of a task or subcommand has no dot and no slash, by which it could be a file's. */
const name = /^[\w\x80-\u{10ffff}][\w\x80-\u{10ffff}:+-]*$/u;
/** Their next word is no value of theirs. */
const flag =
  /^(?:-[rqvDjkB]|--(?:recursive|silent|quiet|verbose|parallel|if-present)|-[^-]*=[^]*|--[^=]+=[^]*|\+[\w.-]+)$/u;

interface Teller {
  /** Only these words are: another may be a file. */
  only?: RegExp;
  /** Behind these subcommands one more word says what is to be done. */
  more?: RegExp;
  /** All of its operands do. */
  isAll?: true;
}

const script = /^(?:run|run-script|task)$/u;
const any = /^/u;

/** Programs whose first operand says what they are to do. */
const tellers = new Map<string, Teller>([
  ...alike(
    "cargo go dotnet terraform tofu pulumi pip pip3 uv poetry pipenv conda mamba brew apt apt-get dnf yum pacman apk snap systemctl bazel bazelisk swift zig flutter mix cabal stack opam dune vercel netlify wrangler firebase heroku fly flyctl serverless sls ng next nuxt astro gatsby remix react-scripts vue-cli-service expo jekyll mkdocs bundle gem just task go-task rake invoke inv",
    {},
  ),
  ...alike("npm pnpm yarn turbo nx lerna rush composer pdm rye hatch", { more: script }),
  ...alike("bun dart deno vite", {
    only: /^(?:add|build|check|clean|create|dev|docs|fmt|install|lint|preview|remove|run|serve|start|task|test|update)$/u,
    more: script,
  }),
  ...alike("gh glab aws gcloud az", { more: any }),
  ...alike("docker podman nerdctl", {
    more: /^(?:builder|buildx|compose|config|container|context|image|network|secret|system|volume)$/u,
  }),
  ["docker-compose", {}],
  ["helm", { more: /^(?:dependency|plugin|repo)$/u }],
  ["kubectl", { more: /^(?:annotate|create|delete|describe|edit|explain|get|label|logs|rollout|scale|top)$/u }],
  ...alike("make gmake gradle gradlew mvn mvnw ninja", { isAll: true }),
]);

/** From which operand on these commands of git take branches and the like alone. */
const references = new Map<string, number>([
  ...alike("branch cherry-pick merge rebase revert switch tag", 0),
  ...alike("fetch pull push", 1),
]);
/** What stands behind another option of these commands may be its value. */
const flagOfRemotes =
  /^(?:-[46adfknpqrtuv]+|--(?:all|append|atomic|autostash|delete|dry-run|ff|ff-only|follow-tags|force|force-with-lease|keep|porcelain|progress|prune|quiet|rebase|set-upstream|tags|unshallow|verbose)|--no-.*|--[^=]+=.*)$/u;
/** Git takes them shortened, too. */
const takingFile = ["--exec", "--file", "--pathspec-from-file", "--receive-pack", "--template", "--upload-pack"];
const takingText = "--author --cleanup --date --fixup --reedit-message --reuse-message --squash --trailer".split(" ");
const withMessage = new Set("commit merge notes stash tag".split(" "));
/** Behind `c` and `t` it is their value. */
const message = /^(?:-[abd-su-z]*m|--message)$/u;
const textHere = /^--(?:message|grep|author|committer|date|trailer)=/u;

function takesFile(option: string): boolean {
  return /^-[a-zA-Z]*[Fx]$/u.test(option) || isShortened(option, takingFile);
}

function isShortened(option: string, names: readonly string[]): boolean {
  return option.length > 2 && names.some((each) => each.startsWith(option));
}

/** What would be the message is no option's value itself: `--trailer -m file`. */
function isMessage(texts: readonly string[], at: number): boolean {
  const [option = "", before = ""] = [texts[at - 1], texts[at - 2]];
  if (!message.test(option)) return false;
  return !/^-[a-zA-Z]*[CFct]$/u.test(before) && !isShortened(before, [...takingFile, ...takingText]);
}

/** `HEAD:file` can be given a tag, and with a second colon be pushed under one. */
function holdsFile(command: string, reference: string): boolean {
  return (references.get(command) === 1 ? /:[^]*:/u : /:/u).test(reference);
}

/** What they take for no file stands among files. */
const partly = new Set(["curl", "wget", "yq"]);
/** They pass on texts, and run nothing of them. */
const passers = new Set("curl echo gh glab logger notify-send printf wget".split(" "));
const puttingOut = new Set(["echo", "printf"]);

interface Hands {
  /** What it puts out may be taken for names of files. */
  isHanded: boolean;
  isPut: boolean;
}

/** Of each word behind the program, in a list as long. */
function usesOf(command: PlausibleCommand, hands: Hands): WordUse[] {
  const [program, ...rest] = command.words;
  const texts = rest.map(({ text }) => text);
  if (program === undefined || hasHole(program.text)) return texts.map(() => "file");
  const called = programOf(program) ?? "";
  const uses = called === "git" ? usesOfGit(texts) : usesOfOthers(called, texts, hands);
  return uses.map((use, at) => (hasHole(texts[at] ?? "") ? "file" : use));
}

function usesOfOthers(called: string, texts: readonly string[], { isHanded, isPut }: Hands): WordUse[] {
  if (takesAll(called, texts) || (isHanded && selects(called, texts))) return texts.map(() => "file");
  const isModule = /^py(?:thon)?[\d.]*$/u.test(called) && texts[0] === "-m";
  const said = new Set([...saidPlaces(called, texts), patternAt(called, texts)]);
  const shown = new Set(partly.has(called) ? shownWords(called, texts) : texts);
  const isNamed = called === "printf" && texts[0] === "-v";
  const isMade = (text: string): boolean =>
    isNamed || (isHanded && puttingOut.has(called) && (called === "printf" || !/\s/u.test(text)));
  const isFile = (text: string, at: number): boolean =>
    isRun(called, texts, at) || isMade(text) || (isShower(called) && (shown.has(text) || text.startsWith("-")));
  const other = passers.has(called) && !(isPut && puttingOut.has(called)) ? "told" : "any";
  return texts.map((text, at) =>
    isModule && at === 1 ? "module" : said.has(at) ? "said" : isFile(text, at) ? "file" : other,
  );
}

function saidPlaces(called: string, texts: readonly string[]): number[] {
  const teller = tellers.get(called);
  if (teller === undefined) return [];
  const found: number[] = [];
  for (const [at, text] of texts.entries()) {
    const before = texts[at - 1];
    if (text.startsWith("-") || flag.test(text)) continue;
    // It may be the value of that option.
    if (before !== undefined && before.startsWith("-") && !flag.test(before)) continue;
    if (!name.test(text) || teller.only?.test(text) === false) break;
    found.push(at);
    const isLast = found.length > 1 || teller.more?.test(text) !== true;
    if (teller.isAll !== true && isLast) break;
  }
  return found;
}

function usesOfGit(texts: readonly string[]): WordUse[] {
  const command = gitCommandAt(texts.map((text) => ({ text })));
  const named = texts[command] ?? "";
  const end = texts.includes("--") ? texts.indexOf("--") : texts.length;
  let left =
    references.get(named) ?? (named === "checkout" && /^-[bB]$/u.test(texts[command + 1] ?? "") ? 0 : Infinity);
  return texts.map((text, at) => {
    if (at <= command || at >= end) return at === command ? "said" : "file";
    const before = texts[at - 1] ?? "";
    if (textHere.test(text) || (withMessage.has(named) && isMessage(texts, at))) return "said";
    if (text.startsWith("-") || takesFile(before)) return "file";
    if (references.get(named) === 1 && before.startsWith("-") && !flagOfRemotes.test(before)) return "file";
    left -= 1;
    return left < 0 && !holdsFile(named, text) ? "said" : "file";
  });
}

const strictness: readonly WordUse[] = ["file", "any", "told", "module", "said"];
const isSaid = (use: WordUse | undefined): use is "module" | "said" => use === "module" || use === "said";

/** What each word of a line is at most; what a wrapper is given to run is what it is there. `opaque`: it may run anything. */
export function usesIn(
  commands: readonly PlausibleCommand[],
  source: string,
  opaque: string | undefined,
): Map<string, WordUse> {
  if (opaque !== undefined || namesOthers(commands, source)) return new Map();
  const isHanded = handedOn(commands, source);
  const isPut = isPutOut(source);
  const laying = commands.filter(layFiles);
  const all = commands.map((command, at) => ({
    texts: command.words.map(({ text }) => text),
    uses: usesOf(command, { isHanded: isHanded(at), isPut }).map((use) =>
      use === "any" && laying.some((each) => each !== command) ? "file" : use,
    ),
    isWrapper: isFollowed(programOf(command.words[0]) ?? ""),
  }));
  // What a wrapper is given to run may be read in several ways.
  const wrapped = all.filter(({ isWrapper }) => isWrapper).map(({ texts }) => texts.join("\0"));
  const told = new Map(all.filter(({ uses }) => uses.some(isSaid)).map((each) => [each.texts.join("\0"), each.uses]));
  const found = new Map<string, WordUse>();
  for (const { texts, uses, isWrapper } of all) {
    const isWrapped = isWrapper || wrapped.some((each) => each.endsWith(`\0${texts.join("\0")}`));
    const own = told.size === 0 || !isWrapped ? uses : withTold(texts, uses, told);
    for (const [at, use] of own.entries()) {
      const text = texts[at + 1] ?? "";
      const known = found.get(text);
      if (known === undefined || strictness.indexOf(use) < strictness.indexOf(known)) found.set(text, use);
    }
  }
  return found;
}

const mostTaken = 12;

function withTold(texts: readonly string[], uses: WordUse[], told: ReadonlyMap<string, WordUse[]>): WordUse[] {
  const own = [...uses];
  for (let start = 1; start < Math.min(texts.length, mostTaken); start += 1)
    for (const [at, use] of (told.get(texts.slice(start).join("\0")) ?? []).entries())
      if (isSaid(use) && own[start + at] === "any") own[start + at] = use;
  return own;
}

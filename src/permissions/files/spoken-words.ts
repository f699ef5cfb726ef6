/** What the words of a command are to its program: certainly files, files only if one exists, or no files at all. */
import { alike } from "../../lib/alike.ts";
import { gitCommandAt } from "../options/operands.ts";
import { hasHole } from "../shell/fill.ts";
import { programOf, type PlausibleCommand } from "../shell/unwrap.ts";
import type { CommandReading } from "../shell/words.ts";
import { joined, textsOf, type Word } from "../shell/text.ts";
import { commandStart, isCertain, isFollowed, joinsWords, shells, takesInput } from "../shell/wrappers.ts";
import { branchAmong } from "./branch-words.ts";
import { handedOn, isRun, layFiles, namesOthers, putsEnding, selects, takesAll } from "./handed-words.ts";
import { isLeftByFind, isShower, patternsIn, shownWords } from "./shown-words.ts";

/**
 * `file`: a file, whatever exists. `any`: a file if something exists there, or in a folder that the line names; the program may also treat
 * the word as something else. `stem`: the same, or a file with a further extension. `told`: a file if one exists, for a program that does
 * not run text. `said`: what is to be done, or the same. `module`: said, or a file with an extension. `listed`: a folder if one exists.
 * `text`: only printed. `branch`: a file if git knows one.
 */
export type WordUse = "file" | "any" | "branch" | "stem" | "told" | "module" | "said" | "listed" | "text";

/** The name of a task or subcommand. It contains no dot or slash, which a file's name might. */
const name = /^:?[\w\x80-\u{10ffff}][\w\x80-\u{10ffff}:+-]*$/u;
/** A resource of a cluster: `deployment/web`. */
const kindAndName = /^[\w.]+\/[\w.-]+$/u;
/** Options that take no value: the next word is not theirs. */
const flag =
  /^(?:-[rqvDjkB]|--(?:recursive|silent|quiet|verbose|parallel|if-present)|-[^-]*=[^]*|--[^=]+=[^]*|\+[\w.-]+)$/u;

interface Teller {
  /** Only these words say so; another one may be a file. */
  only?: RegExp;
  /** After these subcommands, one more word says what is to be done. */
  more?: RegExp;
  /** All operands say what is to be done. */
  isAll?: true;
  /** Other forms besides names. */
  said?: RegExp;
  /** The program's own options of which the next word is not a value. */
  flags?: RegExp;
}

const script = /^(?:run|run-script|task)$/u;
const whatever = /^/u;

/** Programs whose first operand says what is to be done. */
const tellers = new Map<string, Teller>([
  ...alike(
    "cargo go dotnet terraform tofu pulumi pip pip3 uv poetry pipenv conda mamba brew apt apt-get dnf yum pacman apk snap systemctl bazel bazelisk swift zig flutter mix cabal stack opam dune wrangler firebase heroku fly flyctl serverless sls ng react-scripts expo jekyll mkdocs hugo hexo bundle gem just task go-task rake invoke inv mage moon mise dagger nix maturin trunk wasm-pack kustomize skaffold fastlane doppler infisical supabase vault railway buck2",
    {},
  ),
  ...alike("npm pnpm yarn turbo nx lerna rush composer pdm rye hatch", { more: script }),
  ...alike(
    "bun dart deno vite next nuxt astro gatsby remix vue-cli-service svelte-kit storybook webpack vercel netlify",
    {
      only: /^(?:add|build|check|clean|create|deploy|dev|docs|fmt|install|lint|preview|remove|run|serve|start|task|test|update)$/u,
      more: script,
    },
  ),
  ...alike("gh glab aws gcloud az", { more: whatever }),
  ...alike("docker podman nerdctl", {
    more: /^(?:builder|buildx|compose|config|container|context|image|network|secret|system|volume)$/u,
  }),
  ["docker-compose", {}],
  ["helm", { more: /^(?:dependency|plugin|repo)$/u }],
  ...alike("kubectl oc", {
    said: kindAndName,
    more: /^(?:annotate|create|delete|describe|edit|explain|get|label|logs|rollout|scale|top)$/u,
  }),
  ...alike("make gmake", {
    isAll: true,
    flags: /^(?:-[BbdeikmnpqRrSstvw]*(?:[jl][\d.]+)?|--(?:always-make|dry-run|keep-going|no-[a-z-]+))$/u,
  }),
  ...alike("gradle gradlew mvn mvnw ninja ant lein sbt scons gulp grunt xcodebuild", { isAll: true }),
]);

/** The operand from which on these git commands only take branches and the like. */
const references = new Map<string, number>([
  ...alike("branch cherry-pick merge rebase revert switch tag", 0),
  ...alike("fetch pull push", 1),
]);
/** Options of these commands that take no value; after any other, a word may be its value. */
const flagOfRemotes =
  /^(?:-[46adfknpqrtuv]+|--(?:all|append|atomic|autostash|delete|dry-run|ff|ff-only|follow-tags|force|force-with-lease|keep|porcelain|progress|prune|quiet|rebase|set-upstream|tags|unshallow|verbose)|--no-.*|--[^=]+=.*)$/u;
/** Git commands that accept a path in front of `--` only if it exists. */
const checking = new Set(
  "bisect cherry clone config describe diff for-each-ref format-patch grep log ls-remote merge-base name-rev range-diff reflog remote rev-list rev-parse shortlog show show-ref submodule worktree".split(
    " ",
  ),
);
const withMessage = new Set("commit merge notes stash tag".split(" "));
/** After `c` and `t`, the letter would be their value. */
const message = /^(?:-[abd-su-z]*m|--message)$/u;
const textHere = /^--(?:message|grep|author|committer|date|trailer)=/u;
const textNext = /^(?:-[GS]|--(?:author|committer|grep))$/u;
/** `HEAD:file`, and globs of git. */
const inTree = /:|[*?[\\]/u;
/** Characters that no branch name contains, but a text to be run may. */
const noReference = /[\s<>|;&$`'"(]/u;
const ofHost = /^(?:[^\s:/@]+@[^\s:/]+:|[a-z+]+:\/\/)/u;

/** `HEAD:file` can be given a tag, or with a second colon be pushed under one. */
function holdsFile(command: string, reference: string): boolean {
  return (references.get(command) === 1 ? /:[^]*:/u : /:/u).test(reference);
}

/** Programs that take some words as files and others not. */
const partly = new Set(["curl", "wget", "yq"]);
/** Programs that pass on text and run none of it. */
const passers = new Set("curl gh glab logger notify-send vault wget".split(" "));
const puttingOut = new Set(["echo", "printf"]);
/** Shell builtins that open no file. */
const lookers = new Set("[ [[ echo printf test type".split(" "));
/** Programs that open no file, and at most list a folder. What follows a `cd` is treated elsewhere. */
const outsiders = new Set("basename cd dirname ls pushd readlink realpath stat".split(" "));
/** The same for git commands without options that name files: they tell whether a file is ignored or tracked. */
const listers = /^(?:check-ignore|ls-files)(?: -(?:[qvnz]+|-error-unmatch|-no-index|-))*(?: [^-]\S*)*$/u;
/** The words of a loop count where they are used. */
const loops = new Set(["for", "select"]);

/** Programs, or git's index, may be elsewhere. */
const movedBy = /\b(?:PATH|GIT_DIR|GIT_INDEX_FILE|GIT_WORK_TREE)\b/u;
/** After these, git may track other files. */
const indexing = / (?:apply|pop|read-tree|reset(?!.* --hard)|update-index|--cached|--index|--staged|-S)(?= |$)/u;

/** The use of each word after the program. `isMoved`: the line sets one of the variables above. */
function usesOf(command: PlausibleCommand, isHanded: boolean, isMoved: boolean): WordUse[] {
  const [program, ...rest] = command.words;
  const texts = textsOf(rest);
  if (program === undefined || hasHole(program.text)) return texts.map(() => "file");
  const called = programOf(program) ?? "";
  if (lookers.has(program.text) && !isHanded && texts[0]?.startsWith("-v") !== true) return texts.map(() => "text");
  const isKnown = program.text === called && !isMoved && !isHanded;
  const isLister = outsiders.has(program.text) || (program.text === "git" && listers.test(texts.join(" ")));
  if (isLister && !isMoved && !isHanded) return texts.map(() => "listed");
  const start = program.text === called && !isMoved ? runFrom(called, rest) : undefined;
  if (start !== undefined) {
    const inner = usesOf({ ...command, words: rest.slice(start) }, isHanded, isMoved);
    return texts.map((text, at) => (hasHole(text) ? "file" : (inner[at - start - 1] ?? "any")));
  }
  const isLeft = (at: number): boolean =>
    called === "find" && program.text === called && !isMoved && isLeftByFind(texts, at);
  const uses = called === "git" ? usesOfGit(texts, isMoved) : usesOfOthers(called, texts, isHanded, isKnown);
  return uses.map((use, at) => (hasHole(texts[at] ?? "") ? "file" : isLeft(at) ? "text" : use));
}

/** Without options, these certainly run the words after them. */
const plainly = new Set("builtin command exec nohup time".split(" "));

/** The index of the command that a wrapper certainly runs as it is; otherwise undefined. */
function runFrom(called: string, rest: readonly Word[]): number | undefined {
  if (joinsWords(called) || takesInput(called)) return undefined;
  const start = commandStart(called, rest);
  const isSure = isCertain(called, rest.slice(0, start)) || (plainly.has(called) && start === 0);
  return isSure && start < rest.length ? start : undefined;
}

function usesOfOthers(called: string, texts: readonly string[], isHanded: boolean, isKnown: boolean): WordUse[] {
  if (takesAll(called, texts) || (isHanded && selects(called, texts))) return texts.map(() => "file");
  if (loops.has(called)) return texts.map(() => "said");
  const patterns = patternsIn(called, texts);
  const said = new Set([...saidPlaces(called, texts), ...patterns.places]);
  const shown = new Set(partly.has(called) ? shownWords(called, texts) : texts);
  const isNamed = called === "printf" && texts[0]?.startsWith("-v") === true;
  const isMade = (text: string): boolean =>
    isNamed || (isHanded && puttingOut.has(called) && (called === "printf" || !/\s/u.test(text)));
  const isFile = (text: string, at: number): boolean =>
    isRun(called, texts, at) || isMade(text) || (isShower(called) && (shown.has(text) || text.startsWith("-")));
  // These commands of `gh` take folders.
  const isPasser = passers.has(called) && !/^(?:repo|extension)$/u.test(texts[0] ?? "");
  // What a shell is to run is read separately.
  const others = isPasser || shells.has(called) ? "told" : putsEnding(called) ? "stem" : "any";
  const isModule = (at: number): boolean => /^-[A-Za-z]*m$/u.test(texts[at - 1] ?? "") && /^(?:py|uv)/u.test(called);
  return texts.map((text, at) => {
    if (said.has(at)) return patterns.isSure && isKnown ? "text" : "said";
    if (isModule(at)) return "module";
    return isFile(text, at) ? "file" : others;
  });
}

function saidPlaces(called: string, texts: readonly string[]): number[] {
  const teller = tellers.get(called);
  if (teller === undefined) return [];
  const found: number[] = [];
  const isFlag = (text: string): boolean => flag.test(text) || teller.flags?.test(text) === true;
  for (const [at, text] of texts.entries()) {
    const before = texts[at - 1];
    if (text.startsWith("-") || isFlag(text)) continue;
    // The word may be that option's value.
    if (before !== undefined && before.startsWith("-") && !isFlag(before)) continue;
    const isName = name.test(text) || (found.length > 0 && teller.said?.test(text) === true);
    if (!isName || teller.only?.test(text) === false) break;
    // `pnpm turbo build`
    if (teller.more === script && found.length === 0 && tellers.has(text))
      return [at, ...saidPlaces(text, texts.slice(at + 1)).map((place) => at + 1 + place)];
    found.push(at);
    const isLast = found.length > 1 || teller.more?.test(text) !== true;
    if (teller.isAll !== true && isLast) break;
  }
  return found;
}

function usesOfGit(texts: readonly string[], isMoved: boolean): WordUse[] {
  const command = gitCommandAt(texts.map((text) => ({ text })));
  const named = texts[command] ?? "";
  const end = texts.includes("--") ? texts.indexOf("--") : texts.length;
  const isBranching = named === "checkout" && /^-[bB]$/u.test(texts[command + 1] ?? "");
  let left = isBranching ? 0 : (references.get(named) ?? Infinity);
  const isChecked = isBranching || checking.has(named) || references.has(named);
  const patterns = named === "grep" ? patternsIn("grep", texts.slice(command + 1)).places : [];
  const branch = isMoved ? undefined : branchAmong(texts);
  return texts.map((text, at) => {
    if (at === branch) return "branch";
    if (at <= command || at >= end) return at === command ? "said" : "file";
    const before = texts[at - 1] ?? "";
    if (textHere.test(text) || textNext.test(before) || (withMessage.has(named) && message.test(before))) return "said";
    // The value of `-O` is a command to run.
    if (patterns.includes(at - command - 1) && !/^-[^-]*O/u.test(text)) return "said";
    const isInTree = inTree.test(text) && !ofHost.test(text);
    const other = isChecked && !isInTree ? "any" : "file";
    const isValue = references.get(named) === 1 && before.startsWith("-") && !flagOfRemotes.test(before);
    if (text.startsWith("-") || isValue) return other;
    left -= 1;
    return left < 0 && !holdsFile(named, text) && !noReference.test(text) ? "said" : other;
  });
}

const strictness: readonly WordUse[] = ["file", "stem", "any", "branch", "told", "module", "said", "listed", "text"];

/** Whether no folder of that name is gone into. */
export function isSaid(use: WordUse | undefined): boolean {
  return use === "said" || use === "module" || use === "text";
}

/** The strictest use of each word of a line. What a wrapper runs is used as in that command. `opaque`: the line may run anything. */
export function usesIn(
  commands: readonly PlausibleCommand[],
  { written, opaque }: CommandReading,
  source: string,
): Map<string, WordUse> {
  if (opaque !== undefined || namesOthers(commands, source)) return new Map();
  const isHanded = handedOn(commands, written, source);
  const isMoved = movedBy.test(source);
  const laying = commands.filter(layFiles);
  const isIndexed = commands.some(({ words }) => programOf(words[0]) === "git" && indexing.test(joined(words)));
  const all = commands.map((command, at) => ({
    texts: textsOf(command.words),
    uses: usesOf(command, isHanded(at), isMoved).map((use) => {
      const isLaid = ["any", "stem", "told"].includes(use) && laying.some((each) => each !== command);
      return isLaid || (use === "branch" && isIndexed) ? "file" : use;
    }),
    isWrapper: isFollowed(programOf(command.words[0]) ?? ""),
  }));
  // What a wrapper runs may be read in several ways.
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
      if ((use === "said" || use === "module") && own[start + at] === "any") own[start + at] = use;
  return own;
}

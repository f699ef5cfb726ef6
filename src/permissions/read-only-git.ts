/**
 * What of git only reads: exact sub-commands, each with the options it may be given. Git runs programs through its options, its
 * configuration and its attributes; the options are judged here, the configuration in `git-look.ts`.
 */
import { shownContent, type GitParts, type ShownContent } from "./git-content.ts";
import { literal, type ReadPath } from "./read-words.ts";
import { isFixed, type ShellWord } from "./shell-step.ts";

interface GitCommand {
  options: ReadonlyMap<string, "none" | "value" | "optional">;
  takesNumbers: boolean;
  most: number;
  /** One of these must be given for operands to be read and not made. */
  needs?: readonly string[];
}

const shownCommits =
  "-# -n= -i -E -F -P -g --oneline --graph --all --decorate[=] --no-decorate --since= --until= --after= --before= --author= --committer= --grep= --all-match --invert-grep --no-merges --merges --first-parent --reverse --follow --max-count= --skip= --date= --format= --pretty[=] --abbrev-commit --no-abbrev-commit --abbrev[=] --tags[=] --branches[=] --remotes[=] --topo-order --date-order --author-date-order --left-right --cherry-pick --cherry-mark --cherry --boundary --simplify-by-decoration --full-history --ancestry-path --children --parents --relative-date --source --walk-reflogs --log-size --no-notes --no-mailmap --use-mailmap --min-parents= --max-parents= --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --count --left-only --right-only --no-walk[=] --show-pulls --not --exclude= --glob=";
const shownChanges =
  "-p -u -s -U= -w -b -a -R -z -W -S= -G= -L= -M -C -l= --patch --no-patch --unified= --stat[=] --numstat --shortstat --summary --dirstat[=] --compact-summary --name-only --name-status --color[=] --no-color --word-diff[=] --word-diff-regex= --color-words[=] --color-moved[=] --diff-filter= --diff-algorithm= --minimal --patience --histogram --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-space-at-eol --ignore-cr-at-eol --function-context --find-renames[=] --find-copies[=] --no-renames --full-index --binary --raw --relative[=] --no-relative --no-prefix --src-prefix= --dst-prefix= --submodule[=] --ignore-submodules[=] --exit-code --quiet -q --check --text --inter-hunk-context= --pickaxe-all --pickaxe-regex --no-ext-diff --no-textconv --no-indent-heuristic --cc --combined-all-paths -c -m --diff-merges= --remerge-diff --skip-to= --rotate-to= --stat-width= --stat-count= --output-indicator-new= --output-indicator-old=";
const shownRefs =
  "--sort= --format= --count= --contains[=] --no-contains[=] --merged[=] --no-merged[=] --points-at= --column[=] --no-column --color[=] --no-color -i --ignore-case --omit-empty";

const lines = `
status -s -b -v -z -u -uno -uall -unormal --short --branch --porcelain[=] --long --verbose --untracked-files[=] --ignored[=] --show-stash --ahead-behind --no-ahead-behind --renames --no-renames --find-renames[=] --ignore-submodules[=] --column[=] --no-column
log ${shownCommits} ${shownChanges}
show ${shownCommits} ${shownChanges}
whatchanged ${shownCommits} ${shownChanges}
diff ${shownChanges} --cached --staged --merge-base --base --ours --theirs -0 -1 -2 -3
diff-tree ${shownChanges} -r -t --root --no-commit-id --stdin --merge-base
diff-files ${shownChanges} -0 -1 -2 -3
diff-index ${shownChanges} --cached --merge-base
range-diff ${shownChanges} --creation-factor= --no-dual-color --left-only --right-only
shortlog ${shownCommits} -s -n -e -c --summary --numbered --email --group=
blame -b -c -l -t -f -n -s -e -w -L= -M -C -S= --root --show-stats --show-name --show-number --show-email --porcelain --line-porcelain --incremental --date= --since= --abbrev= --reverse --first-parent --color-lines --color-by-age --ignore-rev= --no-progress
annotate -L= -l -t -f -n -s -e -w
branch ?list,contains,merged -a -r -v -vv -l --list --all --remotes --verbose --show-current --no-abbrev --abbrev= ${shownRefs}
tag ?list,contains,merged -l -n --list ${shownRefs}
remote *0 -v --verbose
remote:get-url --all --push
stash:list ${shownCommits} ${shownChanges}
stash:show ${shownChanges} --include-untracked --only-untracked -u
reflog *0 ${shownCommits} ${shownChanges}
reflog:show ${shownCommits} ${shownChanges}
worktree:list -v --verbose --porcelain -z
bisect:log
notes:list
notes:show
submodule:status --cached --recursive
config:--get --global --local --system --show-origin --show-scope --type= --bool --int --path -z --null
config:--get-all --global --local --system --show-origin --show-scope --type= -z --null
config --global --local --system --show-origin --show-scope --type= --bool --int --path -z --null *1
config:get --global --local --system --show-origin --show-scope --type= --all --default=
rev-parse -q --verify --short[=] --abbrev-ref[=] --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --all --branches[=] --tags[=] --remotes[=] --quiet --revs-only --no-revs --flags --no-flags --show-object-format[=] --local-env-vars --since= --until= --path-format= --git-path
rev-list ${shownCommits} --objects --objects-edge --disk-usage[=] --unpacked --timestamp --header
ls-files -c -d -m -o -i -s -u -k -z -t -v -f -x= --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --no-empty-directory --eol --exclude= --exclude-standard --error-unmatch --full-name --abbrev[=] --format= --deduplicate --recurse-submodules
ls-tree -d -r -t -l -z --name-only --name-status --object-only --long --full-name --full-tree --abbrev[=] --format=
cat-file -t -s -p -e --batch-check[=] --batch[=] --batch-all-objects --buffer --unordered
describe -# --all --tags --contains --abbrev= --candidates= --exact-match --long --match= --exclude= --always --first-parent --dirty[=] --broken[=] --debug
name-rev --tags --refs= --all --name-only --always --exclude= --no-undefined
merge-base -a --all --octopus --is-ancestor --independent --fork-point
for-each-ref ${shownRefs} --exclude= --stdin
show-ref --head --heads --branches --tags --verify --hash[=] --abbrev[=] --quiet -q -s -d --dereference --exists
show-branch -a -r --all --remotes --list --more= --topo-order --date-order --sha1-name --no-name --color[=] --current
symbolic-ref *1 -q --short --quiet
count-objects -v -H --verbose --human-readable
cherry -v --abbrev[=]
check-ignore -q -v -n --quiet --verbose --non-matching --no-index
check-attr -a --all --cached
check-ref-format --branch --normalize --allow-onelevel --refspec-pattern
grep -i -I -E -G -F -P -n -l -L -c -w -v -h -H -o -p -W -q -a -A= -B= -C= -e= -m= --ignore-case --extended-regexp --fixed-strings --perl-regexp --line-number --files-with-matches --name-only --files-without-match --count --word-regexp --invert-match --only-matching --show-function --function-context --quiet --all-match --and --or --not --cached --untracked --no-exclude-standard --exclude-standard --heading --break --column --color[=] --no-color --max-depth= --max-count= --context= --after-context= --before-context= --threads= --recursive -r --full-name --text
var
version --build-options
--version
`;

const commands = new Map<string, GitCommand>();

function readLine(line: string): void {
  const [name = "", ...tokens] = line.split(" ");
  const options = new Map<string, "none" | "value" | "optional">();
  const command = { takesNumbers: false, most: Number.POSITIVE_INFINITY };
  let needs: string[] | undefined;
  for (const token of tokens) {
    if (token === "-#") command.takesNumbers = true;
    else if (token.startsWith("?")) needs = token.slice(1).split(",");
    else if (token.startsWith("*")) command.most = Number(token.slice(1));
    else {
      const [option = "", value] = token.split(/(?=\[?=)/u);
      options.set(option, value === undefined ? "none" : value.startsWith("[") ? "optional" : "value");
    }
  }
  commands.set(name, {
    ...command,
    options,
    ...(needs === undefined ? {} : { needs }),
  });
}

export interface GitReads {
  /** The paths outside of what git knows that the words name, and files that it shows. */
  paths: ReadPath[];
  content?: ShownContent;
}

/** Undefined where it may do more than read. `words` come after `git`. */
export function gitReads(words: readonly ShellWord[]): GitReads | undefined {
  if (commands.size === 0) for (const line of lines.trim().split("\n")) readLine(line);
  const texts = words.map((word) => (isFixed(word) ? word.text : undefined));
  if (texts.includes(undefined)) return undefined;
  const plain = texts.filter((text) => text !== undefined);
  const start = plain.findIndex((text) => text !== "--no-pager" && text !== "-P");
  const [name = "", second = ""] = plain.slice(Math.max(0, start));
  const command = commands.get(`${name}:${second}`) ?? commands.get(name);
  if (start < 0 || command === undefined) return undefined;
  const used = commands.has(`${name}:${second}`) ? 2 : 1;
  const parts = partsOf(command, plain.slice(start + used));
  if (parts === undefined || parts.operands.length > command.most) return undefined;
  const { operands } = parts;
  // One key alone is read; without a point it may be a command.
  if (name === "config" && used === 1 && !/^[\w-]+\.[\w.-]+$/u.test(operands[0] ?? "")) return undefined;
  if (operands.some((operand) => operand.startsWith("ext::") || operand.startsWith("-"))) return undefined;
  const named = words.filter((word) => leadsElsewhere(word)).map((word) => ({ word, isDeep: false }));
  // What lies in the folder is searched, ignored files too where it is told so.
  const searched = name === "grep" ? [{ word: literal("."), isDeep: true }] : [];
  const content = shownContent(used === 2 ? `${name}:${second}` : name, parts);
  const traced = content?.traced ?? [];
  const isShown = showing.has(name) || content !== undefined;
  const files = isShown
    ? [...operands.flatMap(fileOf), ...traced]
    : name === "grep"
      ? searchedFiles(parts).flatMap(fileOf)
      : [];
  const shown = files.map((file) => ({ word: literal(file), isDeep: false }));
  return { paths: [...named, ...searched, ...shown], ...(content === undefined ? {} : { content }) };
}

/** These show what is in the files that their operands name, in the folder itself where there is no repository. */
const showing = new Set("diff show log whatchanged blame annotate cat-file".split(" "));

/** The first operand is what is looked for, unless an option says that. */
function searchedFiles({ operands, paths, given }: GitParts): string[] {
  const isGiven = given.some(([option = ""]) => /^-[^-]*e/u.test(option));
  return isGiven || operands.length === paths.length ? operands : operands.slice(1);
}

/** The file in `HEAD:file`, `:0:file` and `:(top)file`; what else it may be is judged as a file's name too. What it leaves out is none. */
function fileOf(operand: string): string[] {
  if (/^:(?:[!^]|\((?:[^)]*,)?exclude[,)])/u.test(operand)) return [];
  if (operand === ":/") return ["."];
  return [operand.replace(/^[^:]*:(?:\([^)]*\)|[!^/]+|[0-3]:)?(?=.)/u, "")];
}

/** Undefined where an option is not listed. */
function partsOf(command: GitCommand, words: readonly string[]): GitParts | undefined {
  const operands: string[] = [];
  const given: string[][] = [];
  let paths: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") {
      paths = words.slice(at + 1);
      operands.push(...paths);
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      operands.push(word);
      continue;
    }
    const extra = optionLength(command, word);
    // A format can have signatures checked, by a program the configuration names.
    if (extra === undefined || /%G|signature/u.test(`${word} ${words[at + 1] ?? ""}`)) return undefined;
    given.push(words.slice(at, at + 1 + extra));
    at += extra;
  }
  const isNeeded = command.needs !== undefined && operands.length > 0;
  const isListing =
    command.needs?.some((need) =>
      given.some(([option = ""]) => option === "-l" || option.split("=")[0]?.includes(need)),
    ) === true;
  return isNeeded && !isListing ? undefined : { operands, paths, given };
}

/** How many further words the option takes. */
function optionLength({ options, takesNumbers }: GitCommand, word: string): number | undefined {
  if (takesNumbers && /^-\d+$/u.test(word)) return 0;
  const equals = word.indexOf("=");
  const name = word.startsWith("--") && equals > 0 ? word.slice(0, equals) : word;
  const kind = options.get(name);
  if (kind !== undefined) {
    if (name !== word) return kind === "none" ? undefined : 0;
    return kind === "value" ? 1 : 0;
  }
  if (word.startsWith("--")) return undefined;
  // `-U5`, `-M90%`, `-n3`, or letters in one word.
  const first = options.get(word.slice(0, 2));
  if (first === "value" || (["-M", "-C", "-n"].includes(word.slice(0, 2)) && /^\d+%?$/u.test(word.slice(2)))) return 0;
  return word
    .slice(1)
    .split("")
    .every((letter) => options.get(`-${letter}`) === "none")
    ? 0
    : undefined;
}

/** Git compares and shows files outside the repository when it is given their paths. */
function leadsElsewhere({ text, kind }: ShellWord): boolean {
  return kind === "home" || /^[/]|(?:^|\/)\.\.(?:\/|$)/u.test(text);
}

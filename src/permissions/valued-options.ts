/** The options of programs that take a value: whoever tells a command's files from its options goes by these. */
import { alike } from "../lib/alike.ts";
import { divided, has, valuedTable, type Operands, type Valued } from "./operands.ts";
import { givesPattern, readOnlyProgram } from "./read-only-table.ts";

/** A line is a program, the letters, and the long names. Those of programs that may run unasked stand in the table of these. */
const known = valuedTable(`
ag ABCmGgp --depth --ignore --ignore-dir --file-search-regex --path-to-ignore
sed efl --expression --file
awk efFvlE --expression --file
jq fL --arg --indent
cp tS --target-directory --suffix
rsync efTBM --exclude --exclude-from --include --include-from --filter --files-from --rsh --suffix --backup-dir --max-size --min-size --bwlimit --chmod --chown --log-file --out-format --partial-dir --temp-dir --compare-dest --copy-dest --link-dest
scp cFiJloPSX
zip bnPtO
tar fCbTXHIgVNK --file --directory --exclude --files-from --exclude-from --use-compress-program --transform --owner --group --mode --mtime
split abClnt
git Cc --git-dir --work-tree --namespace --config-env --super-prefix --attr-source --shallow-file
patch pidorBDFgVYz --input --directory --strip --exclude --include --whitespace
git-apply pC --input --directory --strip --exclude --include --whitespace
curl AbcCdDeEFHKmoPQrtTuUwxXyYz --output --output-dir --upload-file --config --request --header --user-agent --max-time --user --write-out --proxy --retry --connect-timeout --url
wget oaeiBtOTwQUPlARDIX --output-document --directory-prefix
ssh-keygen CDEFIMNOPRTVYZabfgjmnrstwz
docker HclfpFn --host --context --config --log-level --file --project-name --project-directory --profile --env-file --parallel --progress --ansi --connection --url --namespace --address
`);

function valuedOf(program: string): Valued {
  return readOnlyProgram(program)?.valued ?? known().get(program) ?? none;
}

const none: Valued = { letters: "", names: [] };

/** The words behind a program's name. */
export function dividedOf(program: string, texts: readonly string[]): Operands {
  return divided(texts, valuedOf(program));
}

/** Options that say what is looked for, or is to be done; without one of them the first operand does. */
const saying = new Map<string, readonly string[]>([
  ...alike("grep rg", [...givesPattern]),
  ["ag", []],
  ...alike("sed awk", ["-e", "-f", "--expression", "--file"]),
  ["jq", ["-f", "--from-file"]],
]);

/** The operands that are files. */
export function filesAmong(program: string, read: Operands): readonly string[] {
  const options = saying.get(program);
  return options === undefined || has(read, ...options) ? read.operands : read.operands.slice(1);
}

/** Whether the option takes the next word. */
export function takesNext(program: string, option: string): boolean {
  const { letters, names } = valuedOf(program);
  return names.includes(option) || (/^-[A-Za-z]$/u.test(option) && letters.includes(option.charAt(1)));
}

/** Where the command stands among the words behind git's name: git's own options come first. The number of words where there is none. */
export function gitCommandAt(rest: readonly { text: string }[]): number {
  let at = 0;
  for (let word = rest[0]; word?.text.startsWith("-") === true; word = rest[at])
    at += takesNext("git", word.text) ? 2 : 1;
  return Math.min(at, rest.length);
}

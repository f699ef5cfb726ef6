/**
 * Options by which a program runs what it is told: their values are commands that rules may forbid, and an allow rule covers one only
 * where it names it. Git and GNU programs take shortened long options.
 */
import { valuedTable, type Valued } from "./operands.ts";

/** A line is a program, or a command of git, the letters, and the long names. Those of `git` count for all its commands: an alias may be any. */
const commands = valuedTable(`
fd xX --exec --exec-batch
rg - --pre --hostname-bin
sort - --compress-program
tar IF --to-command --use-compress-program --info-script --new-volume-script --rsh-command --rmt-command
git - --exec --extcmd --open-files-in-pager --receive-pack --upload-pack
git-rebase x
git-difftool x
git-grep O
git-clone u
git-send-email - --sendmail-cmd --smtp-server --to-cmd --cc-cmd --header-cmd
git-filter-branch - --setup --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter
git-instaweb db --httpd --browser
git-daemon - --access-hook
`);

/** What says by its value where further orders come from, or what is written, of programs that are mostly used to read. */
const orders = valuedTable(`
rg z --search-zip
sort o --output --files0-from
tar - --checkpoint-action
git - --config --config-env --exec-path --ext-diff --output --output-directory --textconv
git-clone c --template
git-init - --template
`);

/** Each is an option of its own, and no other one shortened. */
const whole = new Set(["--cc", "--checkpoint", "--to"]);

export function isNamed(text: string, names: readonly string[]): boolean {
  return (
    names.includes(text) || (/^--\w/u.test(text) && !whole.has(text) && names.some((name) => name.startsWith(text)))
  );
}

/** Those of which the value is a command. */
export function commandOptions(program: string): Valued {
  return commands().get(program) ?? { letters: "", names: [] };
}

export function hasRunning(program: string): boolean {
  return commands().has(program) || orders().has(program);
}

/** Whether the word is an option of one of them that runs or writes what it is told. */
export function isRunning(programs: readonly string[], word: string): boolean {
  const [name = ""] = word.split("=");
  // Without a value git only shows it.
  if (word === "--exec-path") return false;
  // Numbers are options, too: `git grep -3O./x`.
  const letters = /^-([A-Za-z\d]+)/u.exec(word)?.[1] ?? "";
  return programs
    .flatMap((program) => [commands().get(program), orders().get(program)])
    .some(
      (each) =>
        each !== undefined &&
        (isNamed(name, each.names) || letters.split("").some((one) => each.letters.includes(one))),
    );
}

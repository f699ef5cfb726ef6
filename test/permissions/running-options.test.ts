// Every option by which a program runs its value, writes or is steered: guarding rules find what it runs, a rule for the program does
// not cover it, and it never runs unasked because the program mostly reads.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

/** The command, and its options that each name another one. */
const running: readonly (readonly [string, string])[] = [
  ["git fetch", "--exec --upload-pack"],
  ["git push", "--exec --receive-pack"],
  ["git ls-remote", "--exec --upload-pack"],
  ["git archive", "--exec"],
  ["git clone", "-u --upload-pack"],
  ["git daemon", "--access-hook"],
  ["git difftool", "-x --extcmd"],
  [
    "git filter-branch",
    "--setup --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter",
  ],
  ["git grep", "-O --open-files-in-pager"],
  ["git instaweb", "-d -b --httpd --browser"],
  ["git rebase", "-x --exec"],
  ["git send-email", "--sendmail-cmd --smtp-server --to-cmd --cc-cmd --header-cmd"],
  ["rg", "--pre --hostname-bin"],
  ["sort", "--compress-program"],
  ["fd", "-x -X --exec --exec-batch"],
  ["fdfind", "-x -X --exec --exec-batch"],
  [
    "tar -xf a",
    "-I -F --use-compress-program --to-command --info-script --new-volume-script --rsh-command --rmt-command",
  ],
  ["gtar -xf a", "-I --to-command"],
  ["bsdtar -xf a", "--use-compress-program"],
  ["rsync", "-e --rsh --rsync-path"],
  ["scp", "-S -D"],
  ["sftp", "-S -D"],
  ["split", "--filter"],
  ["hyperfine", "-p -s -c -C --prepare --setup --cleanup --conclude"],
  ["man", "-P -H --pager --html"],
  ["mosh", "--ssh --server"],
  ["nc", "-e -c"],
  ["ncat", "-e -c --exec --sh-exec"],
  ["nix-shell", "--run --command"],
  ["tcpdump", "-z"],
  ["wget", "--use-askpass"],
  ["start-stop-daemon", "-x -a --exec --startas"],
];

const asReaders = new Set(["git", "rg", "sort", "fd", "fdfind", "tar"]);

test.each(running.flatMap(([command, options]) => options.split(" ").map((option) => [command, option] as const)))(
  "a deny rule finds what %s %s runs",
  async (command, option) => {
    const [program = ""] = command.split(" ");
    const forms = [`${command} ${option} 'zap x' y`];
    if (option.startsWith("--")) forms.push(`${command} ${option}='zap x' y`);
    for (const form of forms) {
      for (const mode of ["default", "bypassPermissions"] as const) {
        const permissions = make(place, { mode, allow: ["Bash"], deny: ["Bash(zap *)"] });
        expect(await bash(permissions, place.cwd, form), form).toBe("deny");
      }
      if (!asReaders.has(program)) continue;
      expect(await bash(make(place, { allow: [`Bash(${program} *)`] }), place.cwd, form), form).toBe("ask");
    }
  },
);

test.each([
  "git clone -c a.b=c d",
  "git clone --config a.b=c d",
  "git clone --template=a d",
  "git init --template a",
  "git --config-env=a.b=C log",
  "git --exec-path=a log",
  "git log --ext-diff",
  "git log --textconv",
  "git show --output=a",
  "git format-patch --output-directory=a HEAD",
  "sort -o a b",
  "sort --output=a b",
  "sort --files0-from=a",
  "rg -z a",
  "rg --search-zip a",
  "tar --checkpoint-action=dot -xf a",
  "find . -execdir a",
  "find . -ok a",
  "find . -okdir a",
  "find . -delete",
  "find . -fprint a",
  "find . -fprint0 a",
  "find . -fprintf a b",
  "find . -fls a",
  "find -files0-from a",
])("a rule for the program does not cover %s, which writes or loads something", async (command) => {
  const [program = ""] = command.split(" ");
  expect(await bash(make(place, { allow: [`Bash(${program} *)`] }), place.cwd, command)).toBe("ask");
});

test.each([
  ...["--exclude-from=a", "--devices=read", "--directories=recurse"].map((option) => `grep ${option} x`),
  ...["--pre=a", "--pre-glob=a", "--type-add=a:b", "--type-clear=a", "--ignore-file=a", "--engine=auto"].map(
    (option) => `rg ${option} x`,
  ),
  ...["--hostname-bin=a", "--hyperlink-format=a", "--generate=man", "--regex-size-limit=1", "--dfa-size-limit=1"].map(
    (option) => `rg ${option} x`,
  ),
  ...["-T a", "--temporary-directory=a", "--compress-program=a", "--files0-from=a", "-o a", "--output=a"].map(
    (option) => `sort ${option} x`,
  ),
  "diff -S a b c",
  "diff --starting-file=a b c",
  "git diff -Oa",
  "git log -Oa",
  "git blame -S a b",
  "git grep -f a x",
  "git grep -Oa x",
  "git log --output=a",
  "git log --ext-diff",
  "uniq a b",
  "xxd a b",
  "git config a.b c",
  "git symbolic-ref HEAD refs/heads/a",
  "git remote add a b",
  "git reflog expire --all",
  "git branch a",
  "git branch -v a",
  "git tag a",
  "git tag -n1 a",
  "curl a",
])("%s does not run unasked", async (command) => {
  expect(await bash(make(place), place.cwd, command)).toBe("ask");
});

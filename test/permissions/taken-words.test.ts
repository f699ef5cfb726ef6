// Which words an option takes: if this is wrong, a file is read or created without a question.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place, type Setup } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  writeFileSync(join(place.cwd, "a.txt"), "a\n");
  for (const [name, path] of [
    ["patch", "src/a"],
    ["other", "d/z"],
  ] as const)
    writeFileSync(join(place.cwd, name), `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`);
  for (const name of ["src", "d"]) mkdirSync(join(place.cwd, name));
  writeFileSync(join(place.cwd, "src/a"), "a\n");
});
afterAll(() => place.remove());

test.each([
  "od -w /etc/shadow",
  "column -n -c /etc/shadow",
  "head a.txt -n /etc/shadow",
  "cut a.txt -c 1 -d ../x",
  "git branch --abbrev new",
  "git blame -S/etc/shadow a.txt",
  "git blame -S../x a.txt",
  "git config a.b --bool",
  "git config core.hooksPath --type=x",
  "git config a.b --",
  "git config a.b --type a.b",
  "git config a.b c",
  "git config a.b --unset",
  "xxd a.txt -b",
  "xxd a.txt --",
])("a command whose option takes another word than it seems is asked about: %s", async (command) => {
  expect(await bash(make(place), place.cwd, command)).toBe("ask");
});

test.each([
  "od -w a.txt",
  "od -w16 a.txt",
  "column -t -s , a.txt",
  "head a.txt -n 5",
  "cut a.txt -d / -f 1",
  "xxd -c 8 -g1 a.txt",
  "git branch --abbrev=8 -v",
  "git diff -U5 a.txt",
  "git config --bool a.b",
])("a command whose options take the words they seem to runs unasked: %s", async (command) => {
  expect(await bash(make(place), place.cwd, command)).toBe("allow");
});

test.each(["uniq --skip-f 1 x a.txt", "uniq --skip-fields 1 x a.txt", "split --lin 2 x a.txt"])(
  "the value of an abbreviated option is no file, and later words are matched against deny rules: %s",
  async (command) => {
    const permissions = make(place, { mode: "bypassPermissions", deny: ["Edit(a.txt)", "Edit(a.txtaa)"] });
    expect(await bash(permissions, place.cwd, command)).toBe("deny");
  },
);

test.each([
  ["sed -i --expr s/a/b/ a.txt", "deny"],
  ["sed --exp=s/a/b/ -i a.txt", "deny"],
  ["sed -i --fil script a.txt", "deny"],
] as const)("an abbreviated option is read as the option that it begins: %s", async (command, expected) => {
  const permissions = make(place, { allow: ["Bash"], deny: ["Edit(a.txt)"] });
  expect(await bash(permissions, place.cwd, command)).toBe(expected);
});

test("an abbreviated option is asked about where only listed options run unasked", async () => {
  for (const command of ["uniq --skip-f 1 a.txt", "git log --max-c 3", "head --lin 3 a.txt"])
    expect(await bash(make(place), place.cwd, command)).toBe("ask");
});

const kept: Setup = { allow: ["Bash"], deny: ["Edit(src/**)"] };
const hidden: Setup = { allow: ["Bash"], deny: ["Read(src/**)"] };
const each = (before: string, options: string, after: string): string[] =>
  options.split(" ").map((option) => `${before} ${option} ${after}`);

test.each([
  ...each(
    "git",
    "-C -c --git-dir --work-tree --namespace --config-env --super-prefix --attr-source --shallow-file",
    "d rm src/a",
  ),
  ...each("git apply", "-p --strip --exclude --include --whitespace", "1 patch"),
  "git apply --directory src other",
  "git apply --directory=src other",
  ...each("git apply", "--check --stat --numstat --summary", "--apply patch"),
  "git apply --app --stat patch",
  ...["rename", "copy"].map(
    (done) => `git apply <<'X'\ndiff --git a/a b b/src/a b\n${done} from a b\n${done} to src/a b\nX`,
  ),
  ...each("patch", "-p -o -r -B -D -F -g -V -Y -z --strip --exclude --include --whitespace", "1 src/a patch"),
  "patch -i other src/a",
  "patch --input other src/a",
  "patch -d src a other",
  "patch --directory=src a other",
  "curl --output-dir src/a -O https://a.example/b",
  "wget -P src/a https://a.example/b",
  "wget --directory-prefix src/a https://a.example/b",
])("a rule against changing a file finds it after the values of options: %s", async (command) => {
  expect(await bash(make(place, kept), place.cwd, command)).toBe("deny");
});

test.each([
  ...each("git apply", "-p --strip --exclude --include --whitespace", "1 other"),
  ...each("git apply", "--check --stat --numstat --summary", "patch"),
  "git apply --cached --stat --apply patch",
  ...each("patch", "-p -r -B -D -F -g -V -Y -z --strip --exclude --include --whitespace", "1 made other"),
])("a rule against changing a file does not match a command that changes others: %s", async (command) => {
  expect(await bash(make(place, kept), place.cwd, command)).toBe("allow");
});

test("a patch with quoted names may change any file", async () => {
  const command = `git apply <<'X'\n--- "a/src/\\303\\244"\n+++ "b/src/\\303\\244"\n@@ -1 +1 @@\n-a\n+b\nX`;
  expect(await bash(make(place, kept), place.cwd, command)).toBe("ask");
});

// What is left is the pattern: the whole folder is searched, with what is guarded in it.
test.each(each("ag", "-A -B -C -m -G -p --depth --ignore --ignore-dir --file-search-regex --path-to-ignore", "d x"))(
  "a rule against reading a file finds a search of the whole folder: %s",
  async (command) => {
    expect(await bash(make(place, hidden), place.cwd, command)).toBe("ask");
  },
);

test.each(["tar cfT x.tar list", "tar cf x.tar --files=list", "sort --files0-from=list"])(
  "a rule against reading a file matches a command that takes file names from a list: %s",
  async (command) => {
    expect(await bash(make(place, hidden), place.cwd, command)).toBe("ask");
  },
);

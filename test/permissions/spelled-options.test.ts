// A rule for a program that mostly reads does not cover a word that becomes a running or writing option. Uses the real programs.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
const shell = (command: string) =>
  execFileSync("bash", ["-c", `${command} </dev/null >/dev/null 2>&1 || true`], {
    cwd: place.cwd,
    env: { PATH: process.env["PATH"], HOME: place.home, GIT_CONFIG_NOSYSTEM: "1", CANARY: join(place.cwd, "canary") },
  });
beforeAll(() => {
  place = makePlace();
  writeFileSync(join(place.home, ".gitconfig"), "[user]\n\tname = A\n\temail = a@example.com\n");
  writeFileSync(join(place.cwd, "evil"), '#!/bin/sh\n: > "$CANARY"\n');
  chmodSync(join(place.cwd, "evil"), 0o755);
  shell("git init -q; echo needle > a; git add a; git commit -qm first; git branch grep");
  shell("git commit --allow-empty -qm second; git commit --allow-empty -qm third");
});
afterAll(() => place.remove());

const allow = ["log", "grep", "fetch", "add", "commit", "rebase", "bisect", "x"].map((name) => `Bash(git ${name}:*)`);
allow.push(..."sort find let declare unset read mapfile compgen".split(" ").map((name) => `Bash(${name} *)`));

test.each([
  "git log --{output=canary,oneline}",
  'for i in --output=canary; do git log "$i"; done',
  'git log "$(echo --output=canary)"',
  'for i in utput=canary; do git log --o"$i"; done',
  "git grep --op=./evil needle",
  "git grep -nO./evil needle",
  "git grep -3O./evil needle",
  "git fetch --upl=./evil .",
  "git clone --no-local --up=./evil . clone",
  "git clone --co=core.sshCommand=./evil host:x clone",
  "git ls-remote --u=./evil .",
  "git rebase -x ./evil grep",
  "git bisect start HEAD grep; git bisect run ./evil; git bisect reset",
  "git config a.x '!./evil'; git config --rename-section a alias; git x",
  "test -v 'a[$(./evil)]'",
  "let 'a[$(./evil)]=1'",
  "declare -i 'b=a[`./evil`]'",
  "unset 'DIRSTACK[$(./evil)]'",
  "read 'a[$(./evil)]'",
  "mapfile -tC ./evil -c 1 b < a; :",
  "compgen -W '$(./evil)'",
  "sort --o=canary a",
  "touch canary; find . -name canary -d{elete,epth}",
])("a rule for the program does not cover a word that becomes a dangerous option: %s", async (command) => {
  const rules = command.startsWith("touch") ? [...allow, "Bash(touch *)"] : [...allow, "Bash(git:*)", "Bash(test:*)"];
  expect(await bash(make(place, { allow: rules }), place.cwd, command)).toBe("ask");
  shell(command);
  const isThere = existsSync(join(place.cwd, "canary"));
  rmSync(join(place.cwd, "canary"), { force: true });
  expect(isThere, "the trap works").toBe(!command.startsWith("touch"));
});

test.each([
  "git submodule foreach ./evil",
  "git filter-branch --tree-filter ./evil HEAD",
  "git merge-index ./evil -a",
  "git init --template=x sub",
  "git init --t=x sub",
  "git send-email --smtp-server=./evil a",
  "git --exec-path=. x",
  "git send-email --to-cmd=./evil a",
  "git config hook.a.command ./evil",
  "git config tar.x.command ./evil",
  "git config --global init.templateDir x",
  "test -v 'a[$(./evil)]'",
  "declare 'a[$(./evil)]=1'",
  // Of bash since 5.3.
  "unset 'a[${ ./evil; }]'",
])("a rule for the program does not cover %s, but a rule that names it does", async (command) => {
  expect(await bash(make(place, { allow: [...allow, "Bash(git:*)", "Bash(test:*)"] }), place.cwd, command)).toBe("ask");
  expect(await bash(make(place, { allow: [`Bash(${command})`] }), place.cwd, command)).toBe("allow");
});

test.each([
  "git log -STODO --oneline",
  "git add config alias.ts",
  'test -f "$file" && test "$a" -eq 1',
  'test -v CI || test ! -v HOME || test "$a" = -v',
  'git log --grep="a b" -- "src/a b"',
  "git grep -n needle",
  "git grep --extended-regexp needle",
  "git clone --recursive https://example.com/x.git",
  "git push --recurse-submodules=check origin main",
  "git diff --output-indicator-new=+",
  "git merge --conflict=diff3 main",
  "git send-email --to=a@example.com --cc=b@example.com x.patch",
  "sort -k2o --field-separator=: a",
  "tar --to-stdout --checkpoint=9 -xf a.tar",
  "git fetch --all --prune",
  "git commit -m \"$(cat <<'EOF'\nA subject\n\nand a body\nEOF\n)\"",
  'git add "$file" && git commit -m "$message"',
  "sort -k2 src/*.txt",
  "declare -A a && read -rp 'a $: ' b && let 'i += a[1]' && unset 'a[0]' b",
  'find . -name "*.ts"',
])("a rule for the program covers %s", async (command) => {
  expect(
    await bash(make(place, { allow: [...allow, "Bash(git:*)", "Bash(tar:*)", "Bash(test:*)"] }), place.cwd, command),
  ).toBe("allow");
});

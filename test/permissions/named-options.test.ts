// Rules that name an option behind a star: what is open in a command concerns them only where it may become that option.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  for (const folder of ["src", "test", "dashed"]) mkdirSync(join(place.cwd, folder));
  for (const file of ["a.ts", "b.ts", "src/x.ts", "dashed/--force.ts", "dashed/-f"])
    writeFileSync(join(place.cwd, file), "");
});
afterAll(() => place.remove());

const named = ["Bash(*--no-verify*)", "Bash(* -f *)", "Bash(*--force*)", "Bash(git commit *--no-verify*)"];

/** What it is with a deny rule where a person may be asked and all else is allowed, in bypass mode, and with an ask rule. */
async function verdicts(command: string, rule: string): Promise<string> {
  const { cwd } = place;
  return [
    await bash(make(place, { allow: ["Bash"], deny: [rule] }), cwd, command),
    await bash(make(place, { mode: "bypassPermissions", deny: [rule] }), cwd, command),
    await bash(make(place, { allow: ["Bash"], askRules: [rule] }), cwd, command),
  ].join(" ");
}
const free = "allow allow allow";
const open = "ask deny ask";
const meant = "deny deny ask";

describe("a word that cannot become the option", () => {
  test.each([
    "ls src/*.ts",
    "ls *.ts",
    "wc *",
    "cat ~/x*",
    "cat [a-z]*.ts ?.ts",
    "cd src && ls *.ts",
    "git add *.ts && npm test",
    "npx prettier --write *.ts && git add *.ts",
    'for f in *.ts; do echo "$f"; done',
    "for f in src/*.ts; do wc -l $f; done",
    'for i in 1 2; do echo "$i"; done',
    "git commit -m \"$(cat <<'EOF'\nfix (x) :)\n\n- `a` and $b\nEOF\n)\"",
    'git commit -m "$(cat <<EOF\nfix {x}, [y] and *z*\nEOF\n)"',
    'git commit "$(cat <<EOF\nfix\nEOF\n)" && git push',
    "git commit -m \"$(cat <<-'EOF'\n\tfix\n\tEOF\n)\"",
    'echo "$(printf x)" $(echo a b) `echo c` "$(printf %s d)"',
    "git commit \"$(echo 'a b')\"",
    'X=a; git commit "$X" $X',
    "X=src/a; git commit $X/*.ts",
    'git commit -m "$MSG"',
    'git commit -q -am "$MSG" "src/$f"',
    'git commit --author "$A" --message "$B"',
    'git -C "$D" commit -m "$MSG"',
    'git -c "user.name=$A" commit -m "$MSG"',
    'echo "$HOME/x" $HOME/x "${HOME}/x"',
    'cat "./$f" "src/$f" "a$f"',
    'ls "$PWD/$f" $(pwd)/src "$(git rev-parse --show-toplevel)/src"',
    'rm -rf "$TMPDIR/x" "$(mktemp -d)/x"',
    "git add {src,test} src/{a,b} {a..c}.ts",
    "diff <(sort a) <(sort b)",
    'curl -H "Authorization: Bearer $TOKEN" https://example.com',
    'docker run -e "A=$B" web',
    'grep -e "$X" a.ts',
    'head -n "$N" a.ts',
    'npx tsc --outDir "dist/$X"',
    'echo "at $(tool)" "--x=$Y"',
    'echo "$(date)" "$(date -u +%Y-%m-%d)" "$(date +%s).log" $?',
    "kill -9 $$",
    'export A="$B"',
    'X=$(tool); ls src/"$X"',
    "make -j$(nproc)",
    'sudo ls "src/$X"',
    "bash -c 'ls src/*.ts'",
    "find . -name '*.ts' -exec wc -l {} +",
    "git log --format='%h *' | head -$((3))",
  ])("is none of its concern: %j", async (command) => {
    for (const rule of named) expect(await verdicts(command, rule), rule).toBe(free);
  });

  test.each([
    ["git push -x{a,b}", "Bash(*--force*)"],
    ["git push --no-*", "Bash(*--force*)"],
    ['git push "--no-$X"', "Bash(*--force*)"],
    ['git push "--$X"', "Bash(* -f *)"],
    ['git push "-x$X"', "Bash(* -f *)"],
    ['git push "$X"x', "Bash(* -f *)"],
    ["git push -u origin {main,dev}", "Bash(git push * --force*)"],
    ['git push origin "refs/$X"', "Bash(git push * --force*)"],
    ['git push "$X" "$Y"', "Bash(git commit *--no-verify*)"],
    ["cd src && git push --f*", "Bash(*git push --force*)"],
    ['git push origin "v$X"', "Bash(*git push --force*)"],
    ['git push origin "$(echo main)"', "Bash(*main --force*)"],
    ['git push "$(echo origin)"', "Bash(git push upstream*)"],
    ["ls \"$(cat <<'E'\nplain\nE\n)\"", "Bash(*secret*)"],
    ['HOME=$X; git commit "$HOME/x"', "Bash(* -f *)"],
    ["cd dashed && git add *.ts", "Bash(* -f *)"],
  ])("nor is %j of %j", async (command, rule) => {
    expect(await verdicts(command, rule)).toBe(free);
  });
});

describe("a word that may become the option", () => {
  test.each([
    'git commit "$X"',
    "git commit $X",
    'git commit "$(tool)"',
    "git commit $(tool)",
    "git commit `tool`",
    'git commit "$@" x',
    "git commit ./$X",
    "git commit src/$(tool)",
    "git commit -m $MSG",
    'git commit -F -m "$X"',
    'git commit "$A" -m "$X"',
    'git commit --unheard -m "$X"',
    'docker logs -c "$X"',
    "find . | xargs git commit",
    "git ls-files | xargs -I{} git commit {} x",
    "X=a; read X; git commit $X",
    'X=a; builtin read -r X; git commit "$X"',
    'X=a; read -raX; git commit "$X"',
    'REPLY=a; read; git commit "$REPLY"',
    'X=a; printf -vX %s "$Y"; git commit "$X"',
    'X=a; R=read; $R X; git commit "$X"',
    'X=a; declare -n r=X; r=$Y; git commit "$X"',
    'X=a; X=$Y; git commit "$X"',
    'X=a; . ./set; git commit "$X"',
    'echo() { printf %s "$Y"; }; git commit "$(echo a)"',
    'git commit "$(echo -e a)"',
    'git commit "$(cat <<EOF\n$X\nEOF\n)"',
    "git commit \"$(cat <<'EOF' | tool\nx\nEOF\n)\"",
    'git commit "$(printf %s%s a b)"',
    'git commit "$(date +"$X")"',
    'git commit "${X:-a}" x',
    "git commit {a,$X} x",
    'cp {a,"$HOME"/b} out',
    'eval "$X"',
    "$X a",
    "git commit {a,b}$X x",
  ])("is asked about, and refused where nobody is: %j", async (command) => {
    for (const rule of named.slice(0, 3)) expect(await verdicts(command, rule), rule).toBe(open);
  });

  test.each([
    ["git commit --no-$X", "Bash(*--no-verify*)", open],
    ['git commit "--no-$X"', "Bash(git commit *--no-verify*)", open],
    ["git commit -$X", "Bash(*--no-verify*)", open],
    ["git commit {--no,--yes}-verify", "Bash(*--no-verify*)", open],
    ["git commit {'{',--no}-verify", "Bash(*--no-verify*)", open],
    ["git commit --no{,-verify}", "Bash(*--no-verify*)", open],
    ['false && X=a; git commit "$X"--no-ver"$Y"', "Bash(*--no-verify*)", open],
    ['git push "-f$X" x', "Bash(* -f *)", open],
    ['git push "$X"f x', "Bash(* -f *)", open],
    ['git push "-$X"', "Bash(* -f *)", open],
    ['git push origin "$X"', "Bash(git push * --force*)", open],
    ["git push origin {--for,}ce", "Bash(git push * --force*)", open],
    ['git push "$X"', "Bash(*git push --force*)", open],
    ["cd dashed && git add *", "Bash(*--force*)", open],
    ["cd dashed && git add *f x", "Bash(* -f *)", open],
    ['HOME=$X; git commit "$HOME/x"', "Bash(*--no-verify*)", open],
    ['TMPDIR=$X; git commit "$TMPDIR/x"', "Bash(*--no-verify*)", open],
    ['$(echo ls) "src/$X"', "Bash(*--force*)", open],
    ["cd dashed && git add --f*", "Bash(*--force*)", open],
    ['cd "$X" && git add *', "Bash(*--force*)", open],
    ["tar xf a.tar && git add *", "Bash(*--force*)", open],
    ["git stash pop && git add *", "Bash(*--force*)", open],
    ["cp -r dashed/. . && git add *", "Bash(*--force*)", open],
    ["touch ./--for{ce,m} && git add *", "Bash(*--force*)", open],
    [': > "$X" && git add *', "Bash(*--force*)", open],
    ["find dashed -execdir sh -c 'git add *' \\;", "Bash(*--force*)", open],
    ["ls src/*.ts", "Bash(*secret*)", open],
    ['ls "a$X"', "Bash(*-prod*)", open],
    ['git push "$(echo upstream)"', "Bash(git push upstream*)", open],
    ['false; exit $? "$(echo a)"', "Bash(exit 1*)", open],
    ['unset SECONDS; SECONDS=$X; git push "$SECONDS"', "Bash(*--force*)", open],
    ["git commit {--no-verify,}", "Bash(*--no-verify*)", meant],
    ["git commit $'\\x2d-no-verify' \"$X\"", "Bash(*--no-verify*)", meant],
    ['git commit --no-ver"if"y "$X"', "Bash(*--no-verify*)", meant],
    ['git commit "$(echo --no-verify)"', "Bash(*--no-verify*)", meant],
    ["git commit \"$(cat <<'E'\n--no-verify\nE\n)\"", "Bash(*--no-verify*)", meant],
    ['git commit -m "$M" --no-verify', "Bash(git commit *--no-verify*)", meant],
    ['git push "$X" -f x', "Bash(* -f *)", meant],
    ['sudo git push "$X" --force', "Bash(git push * --force*)", meant],
  ])("%j against %j is %j", async (command, rule, expected) => {
    expect(await verdicts(command, rule)).toBe(expected);
  });
});

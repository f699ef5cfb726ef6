// Which words tell a program what to show: with a file rule, pawl asks if only the shell will know such a word.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "secrets"));
  writeFileSync(join(place.cwd, "secrets/a"), "x\n");
});
afterAll(() => place.remove());

const verdictOn = (command: string) =>
  bash(make(place, { allow: ["Bash"], deny: ["Read(./secrets/**)"] }), place.cwd, command);

test.each([
  'git config -f "$X" -l',
  'git config --file="$X" -l',
  'git commit -aF "$X"',
  'git tag -a v1 --file "$X"',
  'git notes add -F "$X"',
  'git interpret-trailers "$X"',
  'git hash-object -w "$X"',
  "X=sEcrets/a; git fmt-merge-msg -F ${X/E/e}",
  'jq -f "$X" a.json',
  'awk -f "$X" a',
  'sed -nf "$X" a',
  "grep -vf $(head -n1 list) a",
  'rg --file="$X" src',
  'file -f "$X"',
  'date -f "$X"',
  'ptx "$X"',
  'perl -ne print "$X"',
  "ruby -pe 1 $(head -n1 list)",
  "python3 -c 'import sys; print(open(sys.argv[1]).read())' \"$X\"",
  'node -p \'require("fs").readFileSync(process.argv[1])\' "$X"',
  'ruby -r json -e "puts File.read(ARGV[0])" "$X"',
  'perl -e "print <>" "$X"',
  "python3 -c 'import sys; from pathlib import Path; print(Path(sys.argv[1]).read_text())' \"$X\"",
  "python3 -c 'import sys, yaml; print(yaml.load(open(sys.argv[1])))' \"$X\"",
  "node -p 'require(process.argv[1])' \"$X\"",
  "php -r 'readfile($argv[1]);' \"$X\"",
  'git merge-file -p "$X" a b',
  'xargs -n1 -a "$X" echo',
  "python3 -c \"print(open('src/$X').read())\"",
  "sqlite3 a.db \"select readfile('$X')\"",
  "git init -q new --template=secrets",
  "git clone --template secrets https://x.example/y z",
])("a file that only the shell will know, or a folder of templates, is asked about: %s", async (command) => {
  expect(await verdictOn(command)).toBe("ask");
});

test.each([
  'git commit -am "$X"',
  'git commit -m"Fix $X"',
  'git tag -a v1 -m "$X"',
  'git config user.name "$X"',
  'git interpret-trailers --trailer "by: $X" message',
  'jq --arg x "$X" .a a.json',
  'awk -F "$X" 1 a',
  'sed -n "${X}p" a',
  'grep -rn "for $X" src',
  'grep -e"for $X" a',
  'date -d "$X"',
  'perl -pe "s/a/$X/" a',
  'perl script.pl "$X"',
  "python3 -c 'import sys; print(sys.argv[1])' \"$X\"",
  'python3 script.py "$X"',
  "python3 -c 'import sys, json; print(json.loads(sys.argv[1])[0])' \"$X\"",
  "python3 -c 'import sys, json; print(json.load(sys.stdin)[sys.argv[1]])' \"$X\"",
  "python3 -c 'import os, sys; print(os.path.realpath(sys.argv[1]))' \"$X\"",
  "python3 -c 'import sys, json; payload = json.dumps(sys.argv[1])' \"$X\"",
  'node -p \'require("path").resolve(process.argv[1])\' "$X"',
  'ruby -e \'require "json"; puts JSON.parse(ARGV[0])\' "$X"',
  'git hash-object "$X"',
  "python3 -c \"print('$X')\"",
  "node -p \"require('./a.json').version + '$X'\"",
  'echo x | xargs -n1 echo -a "$X"',
  "git init -q new --template=plain",
])("a text or a script's argument is not asked about: %s", async (command) => {
  expect(await verdictOn(command)).toBe("allow");
});

test("a file that code names through a link of the same line is the one behind it", async () => {
  for (const code of ["python3 -c \"print(open('d/secrets/a').read())\"", "sqlite3 a.db '.read d/secrets/a'"])
    expect(await verdictOn(`ln -sr . d; ${code}`), code).toBe("deny");
  expect(await verdictOn("ln -sr secrets d; sqlite3 a.db '.read d/a'")).toBe("deny");
  expect(await verdictOn("ln -sr . d; python3 -c \"print(open('d/other/a').read())\"")).toBe("allow");
});

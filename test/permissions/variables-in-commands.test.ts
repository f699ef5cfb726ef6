// Files that a line names by its variables: its own, those given to programs, and those that it may have changed.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place, type Setup } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.home, ".ssh"));
  mkdirSync(join(place.cwd, "sub"));
  for (const file of [".env", "sub/key"]) writeFileSync(join(place.cwd, file), "x\n");
});
afterAll(() => place.remove());

const decided = (command: string, setup: Setup) => bash(make(place, { allow: ["Bash"], ...setup }), place.cwd, command);
const ofEnv: Setup = { deny: ["Read(./.env)", "Read(./sub/key)"] };

test.each([
  "FILE=.env make show",
  "if A=1 FILE=./.env tool; then echo; fi",
  "bash -c 'FILE=sub/key tool'",
  'FILE="$X/sub/../.env" cat',
  "FLAGS='-include .env' make",
  "FILE=.env; export FILE; tool",
  "export FILE=.env; tool",
  "set -a; FILE=.env; tool",
  "ENV=.env sh -i",
  "BASH_ENV=.env bash -c :",
])("the value of a variable given to a program counts as one of its words: %s", async (command) => {
  expect(await decided(command, { mode: "bypassPermissions", ...ofEnv })).toBe("deny");
});

test.each([
  "FILE=.env; [ -f $FILE ] || echo none",
  "ENV=prod make all ENV=prod",
  "TARGET=sub make",
  'PATH="$PATH:./sub" tool',
])("a variable that only the shell gets, or whose value is no file, does not count: %s", async (command) => {
  expect(await decided(command, ofEnv)).toBe("allow");
});

test.each([
  "source ~/.ssh/key",
  ". ./x && python3 show.py ~/.ssh/key",
  "source x; F=~/.ssh/key; tool $F",
  "IFS=, ; tool $HOME/.ssh/key",
  "HOME=/x tool ~/.ssh/key",
  "read HOME; tool ~/a ~/b ~/c ~/d ~/e ~/f ~/g ~/.ssh/key",
])("a file in the home counts if the line may change variables: %s", async (command) => {
  expect(await decided(command, { deny: ["Read(~/.ssh/**)"] })).toBe("deny");
});

test.each([
  'tool "${FILE:-.env}"',
  "source ${FILE-'.env'}",
  ': "${FILE:=.env}"; tool "$FILE"',
  'tool "${X:+sub/../}.env"',
  'FILES=(x ".env"); tool "${FILES[@]}"',
  "FILES=(x); FILES+=(s*/key); tool ${FILES[1]}",
  "declare -A F=([a]=.env); tool ${F[a]}",
  'F[0]=.env; tool "${F[@]}"',
  'for f in "${FILES[@]:-.env}"; do tool $f; done',
])("a variable's default and the elements of a list count as its values: %s", async (command) => {
  expect(await decided(command, ofEnv)).toBe("deny");
});

test.each(['echo "${FILE:-.env}"', 'RUN=(npm run build); "${RUN[@]}"', 'tool "${FILE:-sub/x}"'])(
  "a default or a list that names no guarded file does not count: %s",
  async (command) => {
    expect(await decided(command, ofEnv)).toBe("allow");
  },
);

test.each(['eval "$X"', "echo x | sh", "bash <(make script)"])(
  "a line that cannot be followed may reach any file: %s",
  async (command) => {
    expect(await decided(command, { deny: ["Read(./.env)"] })).toBe("ask");
  },
);

test("a variable that a sourced file may set is not assumed to be the home", async () => {
  expect(await decided("source x && cat ~/notes", { deny: ["Read(~/.ssh/**)"] })).toBe("allow");
  expect(await decided("source x && cat $X/notes", { deny: ["Read(~/.ssh/**)"] })).toBe("ask");
});

test.each([
  // A name ends with its quotes.
  'F=.en; Fv=x; cat "$F"v',
  // Variables are also given by a name behind an option's letters, or with none.
  "X=a; printf -vX %s%s .e nv; cat $X",
  "X=a; read -raX; cat $X",
  "REPLY=a; read; cat $REPLY",
  "X=a; builtin read X; cat $X",
  'cat "$(echo .env)"',
  "X=a; read 'X[0]'; cat $X",
  "X=a; builtin -- read X; cat $X",
  "X=a; printf -v X[0] .env; cat $X",
  "N=X; X=a; printf -v $N .env; cat $X",
  "A=a,.env; read IFS <<< ,; cat $A",
  "for IFS in ,; do cat $(echo a,.env); done",
  "cat ${X:-.e\\nv}",
  ". ./f; cat $(echo a.txt)",
  "PATH=b; cat $(printf a.txt)",
])("%s is denied if .env may not be read", async (command) => {
  const permissions = make(place, { mode: "bypassPermissions", deny: ["Read(.env)"] });
  expect(await bash(permissions, place.cwd, command)).toBe("deny");
});

test("the output of a substitution is only one of its possible texts", async () => {
  const permissions = make(place, { mode: "bypassPermissions", deny: ["Read(.env)"] });
  for (const command of ['cat "$(echo a.txt)"', 'echo() { printf .env; }; cat "$(echo a.txt)"'])
    expect(await bash(permissions, place.cwd, command), command).toBe("deny");
});

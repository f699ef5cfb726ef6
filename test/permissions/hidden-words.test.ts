// A denied command of two words, one of which is hidden: with the real shell, no line that bypass mode allows has its effect.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";
import { byTestDepth } from "../support/test-depth.ts";

let place: Place;
let head: string;
const at = (name: string): string => join(place.root, name);
beforeAll(() => {
  place = makePlace();
  mkdirSync(at("bin"));
  writeFileSync(at("bin/zap"), '#!/bin/sh\n[ "$1" = push ] && : > "$MARK"\n:\n', { mode: 0o755 });
  head = `z=zap; p=push; t=5; d=${at("bin")}; a=(push); set -- push; `;
});
afterAll(() => place.remove());

const isAllowed = async (command: string): Promise<boolean> => {
  const permissions = make(place, { mode: "bypassPermissions", deny: ["Bash(zap push *)"] });
  return (await bash(permissions, place.cwd, command)) === "allow";
};

function pushes(command: string): boolean {
  mkdirSync(at("empty"));
  rmSync(at("mark"), { force: true });
  spawnSync("bash", ["--norc", "--noprofile", "-c", `${command}\nwait`], {
    cwd: at("empty"),
    env: { PATH: `${at("bin")}:${process.env["PATH"] ?? ""}`, MARK: at("mark") },
    input: "",
    timeout: 10_000,
  });
  rmSync(at("empty"), { recursive: true });
  return existsSync(at("mark"));
}

const single = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const names = [
  ...'zap|\\zap|z\'\'ap|$z|"$z"|$(echo zap)|z{ap,}|"$d/zap"|$none zap|FOO=$x zap|FOO=1 BAR=$(true) zap'.split("|"),
  ...'env zap|env -i PATH="$PATH" MARK="$MARK" zap|env A=b C="$p" zap|env -u $p zap|command zap|nice -n 2 zap'.split(
    "|",
  ),
  ...'timeout "$t" zap|timeout $t zap|flock f zap|setsid zap|nohup nice zap|stdbuf -o L zap'.split("|"),
  ..."xargs zap|xargs -n1 zap|xargs -I{} zap {}|xargs -0 -a f zap|xargs -P$t zap|time xargs zap".split("|"),
  "find . -maxdepth 0 -exec zap",
];
const words = [
  ...'push|p\'\'ush|"push"|$p|"$p"|${p}|$(echo push)|`echo push`|{push,x}|p{ush,}|p$@ush|"$@"|${a[@]}'.split("|"),
  ..."$none push|pu*h|pu[s]h|<<< push|${none:-push}|${none:+x} push|-x push|pull|x push".split("|"),
  '"${p%z}"',
  "p\\\nush",
  "",
];
const layers: ((command: string) => string)[] = [
  (command) => `echo push | ${command}`,
  (command) => `printf 'push\\0' > f; ${command}`,
  (command) => `> push; ${command}`,
  (command) => `f() { ${command} "$1"; }; f push`,
  (command) => `f() { "$@"; }; f ${command}`,
  (command) => `for i in push; do ${command} $i; done`,
  (command) => `while read i; do ${command} "$i"; done <<< push`,
  (command) => `bash -c ${single(`${command} "$1"`)} _ push`,
  (command) => `sh -c ${single(`${command} $0`)} push`,
  (command) => `eval ${command} push`,
  (command) => `find . -maxdepth 0 -exec ${command} push \\;`,
  (command) => `echo "$(${command})"`,
  (command) => `shopt -s expand_aliases\nalias q=${single(command)}\nq push`,
  (command) => `x=${single(command)}; $x push`,
  (command) => `mapfile -C ${single(`${command} push #`)} -c 1 <<< x`,
  (command) => `BASH_ENV=<(echo ${single(command)}) bash -c :`,
  (command) => `time ${command}`,
  (command) => `x=1 ${command}`,
];

test("a command with a hidden word that is allowed never has the denied effect", async () => {
  let count = 0;
  const layered = fc.array(fc.constantFrom(...layers), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), fc.constantFrom(...words), layered, async (name, word, around) => {
      const command = head + around.reduce((text, layer) => layer(text), `${name} ${word}`);
      if (!(await isAllowed(command))) return;
      count += 1;
      expect(pushes(command), command).toBe(false);
    }),
    { numRuns: byTestDepth(400, 1_200) },
  );
  expect(count).toBeGreaterThan(byTestDepth(6, 20));
});

test.each([
  'flock f zap "push"',
  "echo push | time xargs zap",
  'env -i PATH="$PATH" MARK="$MARK" zap $p',
  "BASH_ENV=<(echo zap push) bash -c :",
])("a hidden word in the denied command is detected in %j", async (command) => {
  expect(pushes(head + command)).toBe(true);
  expect(await isAllowed(head + command)).toBe(false);
});

test.each([
  "zap pull",
  "command -v zap && echo push",
  "echo push | xargs -n1 echo",
  "find . -name '*.c' -print0 | xargs -0 -I{} cp {} docs/",
  "cat f | xargs -P4 -n1 wc -l",
  'timeout -k 5 "$t" echo "$p"',
  'zap pull "$p"',
  "echo x | xargs zap pull",
  'flock "$t" zap pull',
  "timeout -k 5 10 make zap push",
  "nice -n 5 make zap push",
  "echo x | xargs -n 1 make zap push",
  "zap *.txt",
  'sudo -u "$x" zap',
])("a line without the denied command is allowed: %j", async (command) => expect(await isAllowed(command)).toBe(true));

// A rule for a program does not cover the rare words by which that program runs another program of the caller's choice.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

const programs = [
  "npm test",
  "npm",
  "npx",
  "cargo",
  "make test",
  "make",
  "go",
  "ssh",
  "scp",
  "gcc",
  "man",
  "zip",
  "split",
];
const run = (command: string, ...more: string[]) =>
  bash(make(place, { allow: [...programs.map((name) => `Bash(${name}:*)`), ...more] }), place.cwd, command);

test.each([
  "npm test --script-shell=./x",
  "npm test --script-shell ./x",
  "npm test --node-options=--require=./x.js",
  "npm test --userconfig x",
  "cargo test --config 'target.x.runner=\"./x\"'",
  "cargo test --conf x",
  "make test SHELL=./x",
  "make test --eval='$(shell ./x)'",
  "make test MAKEFLAGS=--eval=x",
  "make SHELL=/bin/../x",
  "go test -exec ./x ./...",
  "go test -toolexec=./x ./...",
  "go vet -vettool=./x",
  "split --filter=./x a",
  "split --fil=./x a",
  "man -P ./x ls",
  "zip -T -TT ./x a b",
  "gcc -wrapper ./x,y a.c",
  "ssh host -o ProxyCommand=./x",
  "ssh -oProxyCommand=./x host",
  "ssh host -o 'LocalCommand ./x' -o PermitLocalCommand=yes",
  "ssh -F ./x host",
  "ssh -vF ./x host",
  "ssh host -F ./x",
  "ssh -p 22 host -F ./x ls",
  "scp -o ProxyCommand=./x a host:",
  'ssh host "$X" -F ./x',
])("%s is asked about", async (command) => {
  expect(await run(command)).toBe("ask");
});

test("a rule that names such a word covers it", async () => {
  expect(await run("npm test --script-shell=bash", "Bash(npm test --script-shell=bash *)")).toBe("allow");
  expect(await run("ssh -F conf host", "Bash(ssh -F conf *)")).toBe("allow");
});

test.each([
  "npm test -- --grep x",
  "npm run build -- --config x",
  "npx vitest run --config vitest.config.ts",
  "cargo build --release",
  "make -j4 CC=clang test",
  "make -C sub all",
  "make SHELL=/bin/bash test",
  "make MAKEFLAGS=-j4",
  "cargo run -- --config conf.toml",
  "cargo fmt -- --config max_width=100",
  "npm run serve -- --userconfig x",
  "ssh host tail -F log.txt",
  "ssh -p 22 host grep -I x a.txt",
  "go build -ldflags '-s -w' ./...",
  'ssh -o StrictHostKeyChecking=no -i key -p 22 host "uptime"',
  "ssh host 'cat include.txt'",
  "ssh host grep -F x '*.txt'",
  "scp -o ConnectTimeout=5 a host:",
  "gcc -O2 -Wall -o x x.c",
  "man -k x",
  "zip -r a.zip src -x a",
])("%s is covered as before", async (command) => {
  expect(await run(command)).toBe("allow");
});

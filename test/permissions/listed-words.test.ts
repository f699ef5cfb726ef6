// Programs that look at a file only from outside: `ls -la .env` shows nothing of its content.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "secret"));
  for (const file of ["secret/a", "secrets.txt", "id_rsa"]) writeFileSync(join(place.cwd, file), "x\n");
});
afterAll(() => place.remove());

const deny = ["Read(**/*secret*)", "Read(**/id_rsa)"];
const decided = (command: string) => bash(make(place, { allow: ["Bash"], deny }), place.cwd, command);

test.each(["ls -la id_rsa", "ls id_* 2>/dev/null || echo none", "stat -c %s secrets.txt", "bash -c 'ls id_rsa'"])(
  "a command that looks at a file only from outside is allowed: %s",
  async (command) => {
    expect(await decided(command)).toBe("allow");
  },
);

test.each([
  "ls id_rsa | xargs cat",
  "cat $(realpath id_rsa)",
  "ls id_* > l; cat $(cat l)",
  "ls id_rsa; cat $_",
  "ls() { cat $@; }; ls id_rsa",
  "PATH=.:$PATH ls id_rsa",
  "set -o history\nls id_rsa\nfc -s ls=cat",
  "ls secret",
  "ls s*",
])("a command that passes the name on, or reads a folder, is not allowed: %s", async (command) => {
  expect(await decided(command)).not.toBe("allow");
});

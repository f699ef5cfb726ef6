// Words of a command that a wrapper runs: what they are to it, if it is certain where the command begins.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  writeFileSync(join(place.cwd, ".env"), "x\n");
});
afterAll(() => place.remove());

const decided = (command: string) =>
  bash(make(place, { allow: ["Bash"], deny: ["Read(.env)"], mode: "bypassPermissions" }), place.cwd, command);

test.each([
  "sudo ls -l .env",
  "timeout -k 3 5 test -f .env && echo yes",
  "env A=b grep -n .env .gitignore",
  "sudo timeout 5 stat .env",
  "command ls .env",
  "time ls .env",
  "nohup echo .env",
])("a command that opens no file opens none behind a wrapper: %s", async (command) => {
  expect(await decided(command)).toBe("allow");
});

test.each([
  "sudo cat .env",
  "sudo A=.env ls",
  "sudo ls .env; tool ls .env",
  "sudo tool ls .env",
  "./sudo ls .env",
  "sudo PATH=. ls .env",
  "timeout .env ls",
  "timeout --new 5 ls .env",
  "time -o .env ls",
  "exec -a ls cat .env",
  "env -S cat ls .env",
  "xargs ls .env",
  "command printf -v f .env; tool $f",
  "sudo echo .env | xargs cat",
])("a file counts if the wrapper or the command it runs may open it: %s", async (command) => {
  expect(await decided(command)).toBe("deny");
});

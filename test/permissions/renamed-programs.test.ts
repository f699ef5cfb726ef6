// A denied program stays denied under another name that the same line gives it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

const deny = ["Bash(curl:*)", "Bash(git push:*)"];
const inBypass = (command: string) => bash(make(place, { mode: "bypassPermissions", deny }), place.cwd, command);

test.each([
  "ln -s /usr/bin/curl x; ./x a",
  "ln -sf $(which curl) /tmp/x && /tmp/x a",
  'cp "$(command -v curl)" x && ./x a',
  "cp `type -P curl` x && ./x a",
  "cp /usr/bin/curl . && mv curl x && ./x a",
  "cp /usr/bin/curl x && cp x y && ./y a",
  "sudo install -m755 /usr/bin/curl x && ./x a",
  "cat /usr/bin/curl > x; chmod +x x; ./x a",
  "tee x < /usr/bin/curl; chmod +x x; ./x a",
  "dd if=/usr/bin/curl of=x; chmod +x x; ./x a",
  "ln /usr/bin/curl x; PATH=.:$PATH x a",
  "ln -s /usr/bin/curl x; timeout 5 ./x a",
  "ln -s /usr/bin/curl x; sh -c './x a'",
  "ln -s /usr/bin/git x; ./x -C sub push",
  "ln -s /usr/bin/env x; ./x curl a",
  "ln -s /bin/busybox x; ./x sh -c 'curl a'",
])("a denied program is denied under the name of its copy: %s", async (command) => {
  expect(await inBypass(command)).toBe("deny");
});

test.each(["cp /usr/bin/cur? x; ./x a", 'cp "$TOOL" x; ./x a', "ln -s /usr/bin/$NAME x && ./x a"])(
  "a copy of what only the shell knows is asked about, and denied in bypass mode: %s",
  async (command) => {
    expect(await bash(make(place, { allow: ["Bash"], deny }), place.cwd, command)).toBe("ask");
    expect(await inBypass(command)).toBe("deny");
  },
);

test("a line with more copies than are followed is denied in bypass mode", async () => {
  const names = Array.from({ length: 40 }, (_, at) => `x${at}`);
  const command = `${names.map((name) => `cp y ${name}`).join(";")};${names.map((name) => `./${name}`).join(";")}`;
  expect(await bash(make(place, { allow: ["Bash"], deny }), place.cwd, command)).toBe("ask");
});

test.each([
  "cp .env.example .env && npm test",
  'cp "$SRC" out.txt && cat out.txt',
  "cp scripts/run.sh /tmp/run.sh && chmod +x /tmp/run.sh && /tmp/run.sh",
  'ln -sf "$PWD/tool" ~/.local/bin/tool && tool --help',
  "cp target/$PROFILE/app bin/app && bin/app --version",
  "cat curl.log > x.log; wc -l x.log",
])("a copy of another program or file is not taken for a denied one: %s", async (command) => {
  expect(await inBypass(command)).toBe("allow");
});

// What modules of Python take from a folder when they are run as programs.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace("secrets/a", "src/a.ts");
});
afterAll(() => place.remove());

const decided = (command: string, mode: "default" | "bypassPermissions") =>
  bash(make(place, { mode, allow: ["Bash"], deny: ["Read(./secrets/**)"] }), place.cwd, command);

test.each([
  "python3 -m zipfile -c a.zip .",
  "python3 -m zipfile --create a.zip secrets",
  "python -Imzipfile -c a.zip src secrets",
  "python3.12 -m tarfile -v -c a.tar .",
  "python3 -m tarfile --cr a.tar secrets/",
  "python3 -X dev -W ignore -um http.server",
  "python3 -m http.server",
  "python3 -m http.server 8000 -d secrets",
  "cd src && python3 -m http.server --directory=../secrets",
  "find . -name a -exec python3 -m zipfile -c a.zip {} +",
])(
  "a Python module that packs or serves guarded files needs a person, and is refused in bypass: %s",
  async (command) => {
    expect(await decided(command, "default")).not.toBe("allow");
    expect(await decided(command, "bypassPermissions")).toBe("deny");
  },
);

test.each([
  "python3 -m zipfile -c a.zip src",
  "python3 -m zipfile -l a.zip",
  "python3 -m tarfile -c a.tar src/a.ts",
  "python3 -m http.server -d src",
  "python3 -m pytest .",
  "python3 x.py -m zipfile -c a.zip secrets.zip .",
  "python3 -c 'print(1)' -m http.server",
])("a Python module that reaches no guarded file runs unasked: %s", async (command) => {
  expect(await decided(command, "default")).toBe("allow");
});

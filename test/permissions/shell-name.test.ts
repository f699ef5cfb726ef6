// The working folder under the name that the user's shell has for it, which leads through a link.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { make, makePlace, verdict, type Place, type Setup } from "./support.ts";

let place: Place;
let link = "";
beforeEach(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "src"));
  writeFileSync(join(place.cwd, "src/a.ts"), "");
  mkdirSync(join(place.home, ".ssh"));
  writeFileSync(join(place.home, ".ssh/id_rsa"), "");
  link = join(place.root, "link");
  symlinkSync(place.cwd, link);
});
afterEach(() => place.remove());

const edits: Setup = { mode: "acceptEdits" };
const named = (cwdName: string, path: string, tool = "Write") =>
  verdict(make(place, { ...edits, cwdName }), place.cwd, tool, { file_path: path });

test("the working folder also counts under the name the shell has for it, such as a link below /tmp", async () => {
  expect(await named(link, join(link, "src/b.ts"))).toBe("allow");
  expect(await named(link, join(link, "src/a.ts"), "Read")).toBe("allow");
  const permissions = make(place, { ...edits, cwdName: link });
  for (const command of [`cd ${link}/src && touch b.ts`, `cp src/a.ts ${link}/`])
    expect(await verdict(permissions, place.cwd, "Bash", { command })).toBe("allow");
  symlinkSync(join(place.home, ".ssh"), join(place.cwd, "out"));
  expect(await named(link, join(link, "out/id_rsa"), "Read")).toBe("ask");
});

test("a shell name that leads elsewhere does not count for the working folder", async () => {
  const other = join(place.root, "other");
  symlinkSync(place.home, other);
  for (const name of [other, "/", "link", `${link}/src`, `${place.cwd}-evil`, ""]) {
    expect(await named(name, join(other, "new.txt"))).toBe("ask");
    expect(await named(name, join(link, "new.txt"))).toBe("ask");
  }
});

test("a shell name with .. after a link does not open the folder above", async () => {
  mkdirSync(join(place.cwd, "src/deep"));
  symlinkSync(join(place.cwd, "src/deep"), join(place.cwd, "deep"));
  expect(await named(`${place.cwd}/deep/../..`, join(place.root, "new.txt"))).toBe("ask");
});

test("allow rules apply to files named through the shell's name", async () => {
  const permissions = make(place, { cwdName: link, allow: ["Edit(src/**)"] });
  const write = (path: string) => verdict(permissions, place.cwd, "Write", { file_path: join(link, path) });
  expect(await write("src/b.ts")).toBe("allow");
  expect(await write("b.ts")).toBe("ask");
  symlinkSync(place.home, join(place.cwd, "src/home"));
  expect(await write("src/home/b.ts")).toBe("ask");
});

test("whatever replaces the link later is another folder", async () => {
  const permissions = make(place, { ...edits, cwdName: link, allow: ["Edit(src/**)"] });
  rmSync(link);
  expect(await verdict(permissions, place.cwd, "Bash", { command: `mkdir ${link}` })).toBe("ask");
  mkdirSync(join(link, "src"), { recursive: true });
  for (const [tool, file] of [
    ["Read", "a.txt"],
    ["Write", "a.txt"],
    ["Write", "src/b.ts"],
  ] as const)
    expect(await verdict(permissions, place.cwd, tool, { file_path: join(link, file) })).toBe("ask");
});

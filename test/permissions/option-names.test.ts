// A name that a glob matches, or that a loop puts into a word, may be an option that reads more than the words name.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "src"));
  mkdirSync(join(place.cwd, "odd"));
  writeFileSync(join(place.root, "keys"), "x\n");
  symlinkSync(join(place.root, "keys"), join(place.cwd, "src", "list"));
  for (const name of [".env", "a.ts", "odd/--files0-from=.env", "odd/b.ts"])
    writeFileSync(join(place.cwd, name), "x\n");
});
afterAll(() => place.remove());

const run = (command: string, folder = "") => bash(make(place), join(place.cwd, folder), command);

describe("an option that a loop builds from a file name is asked about:", () => {
  test.each([
    'for f in .e*; do wc "--files0-from=$f"; done',
    'for f in src/l*; do wc --files0-from="$f"; done',
    'for f in src/l*; do grep x "--file=$f"; done',
    'for f in src/l*; do grep x "-f$f" a.ts; done',
  ])("%s", async (command) => {
    expect(await run(command)).toBe("ask");
  });

  test("but a file that the loop variable names is not", async () => {
    expect(await run('for f in *.ts; do wc -l "$f" "./$f"; done')).toBe("allow");
  });
});

describe("if a glob may match a file named like an option", () => {
  test.each(["wc *", "wc -l -- *", 'for f in *; do wc "$f"; done', "wc --f*"])(
    "the command is asked about: %s",
    async (command) => {
      expect(await run(command, "odd")).toBe("ask");
    },
  );

  test.each(["wc ./*", "wc *.ts", "wc odd/*"])(
    "a command that cannot match such a file is allowed: %s",
    async (command) => {
      expect(await run(command, command.includes("odd") ? "" : "odd")).toBe("allow");
    },
  );
});

describe("if another command of the line creates a file named like an option", () => {
  const edit = (command: string) => bash(make(place, { mode: "acceptEdits" }), place.cwd, command);

  test.each([
    "touch ./--files0-from=.env && wc [-]*",
    "touch ./--files0-from=.env && wc --f*",
    "echo x > --files0-from=.env; wc *",
    "cp odd/--files0-from=.env . && wc *",
    'for f in ./-; do touch "$f-files0-from=.env"; done; wc [-]*',
  ])("the command is asked about: %s", async (command) => {
    expect(await edit(command)).toBe("ask");
  });

  test.each(["touch x && wc *.ts", "touch ./-x && wc src/*.ts", "touch ./-x && echo *", "mkdir -p out/x && wc *.ts"])(
    "a command that cannot match such a file is allowed: %s",
    async (command) => {
      expect(await edit(command)).toBe("allow");
    },
  );
});

// Lines whose commands change what the others are judged by: links, folders, names, and what git takes for a repository.
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bash, make, makePlace, type Place, type Setup } from "./support.ts";

let place: Place;
beforeEach(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "src"));
  mkdirSync(join(place.cwd, "priv"));
  for (const name of ["a.txt", "src/x.ts", "priv/x"]) writeFileSync(join(place.cwd, name), "a\n");
});
afterEach(() => place.remove());

const edits: Setup = { mode: "acceptEdits" };
const run = (command: string, setup: Setup = edits, cwd = place.cwd) =>
  bash(make({ ...place, cwd }, setup), cwd, command);

describe("a line that moves the folder it runs in is asked about, since .. then leads elsewhere", () => {
  test.each([
    "mkdir -p d/e/g && cd d/e/g && mv ../g ../../../f && cat ../../x",
    "mkdir -p d/e/g && cd d/e/g && mv ../g ../../../f && echo x > ../../x",
    "mkdir -p d/e/g && cd d/e/g && mv ../../../d/e ../../../h && cp ../x ../../../y",
    "cd src && mv ../src ../other; ls",
  ])("%s", async (command) => {
    expect(await run(command)).toBe("ask");
    expect(await run(command, { ...edits, allow: ["Bash(mv:*)"] })).toBe("ask");
  });

  test("is not allowed if a rule guards a file, whatever permits the line", async () => {
    const command = "mkdir -p d/e/g && cd d/e/g && mv ../g ../../../f && cat ../priv/x";
    const deny = ["Read(/priv/**)"];
    expect(await run(command, { allow: ["Bash"], deny })).not.toBe("allow");
    expect(await run(command, { mode: "bypassPermissions", deny })).toBe("deny");
    for (const other of [
      "cd src && mv x.ts .. && ls",
      "mv src/x.ts . && ls",
      "cd src && mv -t .. x.ts && ls",
      "mkdir e && mv src e",
    ])
      expect(await run(other, { allow: ["Bash"], deny }), other).toBe("allow");
  });

  test("is allowed if the shell certainly is not in the folder: it enters only later, or has left", async () => {
    const deny = ["Read(/priv/**)"];
    for (const command of ["cd src && ls && cd .. && mv src lib && ls", "mv src old && mkdir src && cd src && ls"]) {
      expect(await run(command), command).toBe("allow");
      expect(await run(command, { mode: "bypassPermissions", deny }), command).toBe("allow");
    }
    for (const command of [
      "cd src && cd .. && cd src && mv ../src ../lib && ls",
      "cd src; cd ..; mv src lib; ls",
      "cd src && ls && mv ../src ../lib && cd .. && ls",
      "command cd src && mv ../src ../lib && cat ../a.txt",
      "sh -c 'cd src && mv ../src ../lib && cat ../a.txt'",
      "(cd src && sleep 1 && cat ../a.txt) & mv src d/lib",
    ]) {
      expect(await run(command), command).toBe("ask");
      expect(await run(command, { mode: "bypassPermissions", deny }), command).toBe("deny");
    }
  });

  test("is asked about if the shell entered the folder through a link", async () => {
    mkdirSync(join(place.cwd, "d", "e"), { recursive: true });
    symlinkSync("d/e", join(place.cwd, "l"));
    const deny = ["Read(/priv/**)"];
    for (const end of ["&& cat ../../x", "; cat ../../x"]) {
      const command = `cd l && mv ../../d ../../priv/d ${end}`;
      expect(await run(command), command).toBe("ask");
      expect(await run(command, { mode: "bypassPermissions", deny }), command).toBe("deny");
    }
  });

  test("is asked about if the target folder comes first, or if a link is moved", async () => {
    mkdirSync(join(place.cwd, "d", "e"), { recursive: true });
    symlinkSync("../../..", join(place.cwd, "d", "e", "up"));
    symlinkSync("d/e", join(place.cwd, "l"));
    for (const command of [
      "mv -t . d/e/up && cat up/x",
      "mv --target-directory=. d/e/up && cat up/x",
      "cd l && mv ../e ../../src && cat ../x",
    ])
      expect(await run(command, { ...edits, allow: ["Bash(mv:*)"] }), command).toBe("ask");
    expect(await run("mv -t src a.txt && ls", { ...edits, allow: ["Bash(mv:*)"] })).toBe("allow");
  });

  test("is allowed if it moves another folder or file", async () => {
    expect(await run("mv src other && cat other/x.ts")).toBe("allow");
    expect(await run("cd src && mv x.ts y.ts && cat y.ts")).toBe("allow");
    expect(await run("mv src other")).toBe("allow");
  });
});

describe("git is asked about in a line that may turn its folder into a repository with new settings", () => {
  test.each([
    "mkdir -p objects refs && echo 'ref: refs/heads/x' > HEAD && echo x > config && git status",
    "mv evil HEAD; git diff",
    "cp evil commondir && git log",
    "touch src/../head && git status",
  ])("%s", async (command) => {
    expect(await run(command)).toBe("ask");
  });

  test("even if a rule allows git", async () => {
    expect(await run("mkdir objects refs; touch HEAD; git diff", { ...edits, allow: ["Bash(git diff:*)"] })).toBe(
      "ask",
    );
  });

  test("but not if the names lie below, or if git does not run", async () => {
    expect(await run("mkdir -p src/objects && git status")).toBe("allow");
    expect(await run("mkdir objects && ls")).toBe("allow");
  });
});

test("writing a new name of a hard-linked file is asked about if the line moved it there", async () => {
  const out = join(place.root, "out");
  writeFileSync(out, "");
  mkdirSync(join(place.cwd, "deep"));
  for (const name of ["hard", "deep/hard"]) linkSync(out, join(place.cwd, name));
  for (const command of [
    "mv hard y && echo x > y",
    "mv deep y && echo x > y/hard",
    "mv hard y; cp a.txt y",
    "sed -i.bak s/a/b/ hard && echo x > hard.bak",
  ])
    expect(await run(command), command).toBe("ask");
  for (const command of ["mv hard y", "mv hard y && echo x > z", "mv a.txt y && echo x > y"])
    expect(await run(command), command).toBe("allow");
});

describe("a line that changes ignore files is judged without them where it searches", () => {
  beforeEach(() => {
    mkdirSync(join(place.cwd, ".git"));
    writeFileSync(join(place.cwd, ".gitignore"), "credentials.json\npriv/\n");
    writeFileSync(join(place.cwd, "credentials.json"), "");
  });

  const commands = [
    "rm .gitignore && rg KEY",
    "echo '!credentials.json' > .ignore && rg KEY",
    "sed -i /cred/d .gitignore; rg KEY .",
    "mv a.txt .rgignore && rg KEY",
  ];
  test.each(commands)("%s", async (command) => {
    expect(await run(command)).toBe("ask");
    const deny = ["Read(credentials.json)"];
    expect(await run(command, { deny, allow: ["Bash"] })).not.toBe("allow");
    expect(await run(command, { deny, mode: "bypassPermissions" })).toBe("deny");
  });

  test("is asked about if it moves a folder out of an ignored place", async () => {
    writeFileSync(join(place.cwd, "priv/id_rsa"), "");
    expect(await run("rg KEY")).toBe("allow");
    expect(await run("mv priv pub && rg KEY")).toBe("ask");
  });

  test("is allowed if it changes no ignore file", async () => {
    for (const command of ["rg KEY", "touch x.ts && rg KEY", "mv a.txt b.txt && rg KEY"])
      expect(await run(command), command).toBe("allow");
  });
});

describe("a link whose creation a rule allows", () => {
  const ln: Setup = { allow: ["Bash(ln:*)"] };
  test.each([
    "ln -s / r && cat r/etc/passwd",
    "ln -s /etc/passwd r; cat r",
    "ln -sf ../.. src/up && ls src/up",
    "ln -s ../../x src && cat src/x",
    "mkdir d; ln -s ../x d; cat d",
    'ln -s "$X" r; cat r',
  ])("does not open a place for the other commands: %s", async (command) => {
    expect(await run(command, ln)).toBe("ask");
  });

  test("does not open secret or protected files", async () => {
    expect(await run("ln -s .env e && cat e", ln)).toBe("ask");
    expect(await run("ln -s .git/hooks h && cp a.txt h/pre-commit", { ...ln, mode: "acceptEdits" })).toBe("ask");
  });

  test("may be used within the working directory", async () => {
    expect(await run("ln -s src link && ls -l link", ln)).toBe("allow");
    expect(await run("ln -sf ../a.txt src/b && cat src/b", ln)).toBe("allow");
    expect(await run("ln -s / r", ln)).toBe("allow");
  });

  test("may not be used after it was moved, either", async () => {
    mkdirSync(join(place.cwd, "p/q"), { recursive: true });
    symlinkSync("../../k", join(place.cwd, "p/q/link"));
    expect(await run("mv p/q/link x && cat x", { allow: ["Bash(mv:*)"] })).toBe("ask");
  });
});

test("a line that puts files into a folder of programs is asked about, since it may run them", async () => {
  const bin = join(place.cwd, "node_modules/.bin");
  const setup: Setup = { ...edits, programFolders: () => [bin] };
  for (const command of [
    "cp tool.sh node_modules/.bin/ls && ls",
    "mv tools node_modules/.bin; cat a.txt",
    "mv src node_modules && ls",
  ])
    expect(await run(command, setup), command).toBe("ask");
  expect(await run("cp tool.sh node_modules/.bin/ls && ls")).toBe("allow");
  expect(await run("cp a.txt b.txt && ls", setup)).toBe("allow");
  expect(await run("mkdir -p node_modules/.bin && ls", setup)).toBe("allow");
});

test("moving a folder to where Mercurial reads settings is asked about", async () => {
  expect(await run("mv priv .hg")).toBe("ask");
  expect(await run("mv priv hg")).toBe("allow");
});

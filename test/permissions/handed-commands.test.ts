// File names that find or xargs hand to a program: allowed if it only reads, and if no name is closed or may become another.
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place, type Setup } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  for (const folder of ["src", "odd/x .env", "quoted", "hyphen", "led", "sec", "far"])
    mkdirSync(join(place.cwd, folder), { recursive: true });
  for (const file of ["src/a.ts", "src/b.ts", "quoted/it's.ts", "hyphen/-o.ts", "sec/.env", "led/a.ts", "../out.ts"])
    writeFileSync(join(place.cwd, file), "x\n");
  symlinkSync("../../out.ts", join(place.cwd, "led/p.ts"));
  mkdirSync(join(place.cwd, "twice"));
  symlinkSync("../led", join(place.cwd, "twice/l"));
  symlinkSync("nowhere", join(place.cwd, "far/x .env"));
});
afterAll(() => place.remove());

const run = (command: string, setup: Setup = {}) => bash(make(place, setup), place.cwd, command);

test.each([
  "find src -name '*.ts' | xargs wc -l",
  "find src -name '*.ts' 2>/dev/null | xargs wc -l 2>&1",
  "find src -name '*.ts' -print0 | xargs -0 wc -l",
  "find src -type f -exec wc -l {} +",
  "find src -name '*.ts' -exec grep -l foo {} \\;",
  "find src -name '*.ts' -exec grep -Hn foo {} +",
  "find src -name '*.ts' -exec sed -n 1,5p {} \\;",
  "grep -rl foo src | xargs grep -n bar",
  "rg -l foo src | grep -v b | head -5 | xargs -n1 wc -l",
  "rg -l foo src | xargs -I{} basename {}",
  "rg -l foo src | xargs -r -P 4 -n 2 head -3",
  "find hyphen -name '*.ts' -exec cat {} +",
  "find quoted -type f -exec cat {} +",
])("%j only reads what it finds", async (command) => {
  expect(await run(command)).toBe("allow");
  expect(await run(command, { mode: "plan" })).toBe("allow");
});

test.each([
  "find odd -name '*.ts' | xargs wc -l",
  "find . -name '*.ts' | xargs cat",
  "find led -name '*.ts' | xargs cat",
  "find led -name '*.ts' -exec cat {} +",
  "find sec -type f -exec cat {} +",
  "find sec -type f | xargs cat",
  "find /etc -name x | xargs cat",
  "find /etc -name x -exec cat {} +",
  "find src -type f | xargs rm",
  "find src -type f | xargs sh",
  "find src -type f | xargs",
  "find src -type f | xargs sort -o x",
  "find src -type f | xargs uniq",
  "find src -type f | xargs xxd",
  "find src -type f | xargs rg foo",
  "find src -type f | xargs grep -r foo",
  "find src -type f | xargs git log",
  "find src -type f | xargs awk",
  "find src -type f | xargs grep",
  "find src -type f | xargs sed -n",
  "find src -type f | xargs -I{} sh -c 'cat {}'",
  "find src -type f | xargs -I{} cat x{}",
  "find src -type f | xargs -I{} {} x",
  "find src -type f | xargs -I{} awk {} README.md",
  "find src -type f | xargs -a names.txt cat",
  "find src -type f | xargs cat < names.txt",
  "find src -type f | xargs cat <<< .env",
  "find src -type f | xargs --arg-file=x cat",
  "find src -type f | xargs -d, cat",
  "find src -type f | xargs -P0 -o cat",
  "find src -type f | xargs env cat",
  "find src -type f | xargs xargs cat",
  "git ls-files --format='%x2fetc' | xargs cat",
  "git ls-files -o | xargs cat",
  "find src -type f | tail -c 8 | xargs cat",
  "find src -type f | sed 's/a/b/' | xargs cat",
  "find src -type f | cut -c5- | xargs cat",
  "cat names.txt | xargs cat",
  "echo .env | xargs cat",
  "xargs cat",
  "xargs cat < names.txt",
  "(git ls-files; cat names.txt) | xargs cat",
  "find src -type f | (xargs cat)",
  "for i in 1; do find src -type f | xargs cat; cd ..; done",
  "cd .. && find . | xargs cat",
  "find src -exec cat {} + -exec rm {} +",
  "find src -exec sh -c 'cat {}' \\;",
  "find src -exec awk {} README.md \\;",
  "find src -exec grep {} /etc/passwd \\;",
  "find src -exec cat {} /etc/passwd \\;",
  "find src -exec {} \\;",
  "find src -exec uniq {} +",
  "find src -exec tee {} \\;",
  "find src -execdir cat {} +",
  "find src -exec cat {} + -delete",
  "find src -exec cat {} + -fprint out",
  "find src -exec cat .env \\;",
  "find src -exec cat {} \\; > out",
  "find $X -exec cat {} +",
  "find src -exec ./cat {} +",
  "LD_PRELOAD=x find src -exec cat {} +",
  "touch 'src/a .env' && find src -type f | xargs cat",
  "find odd -type f | xargs wc -l",
  "find quoted -type f | xargs wc -l",
  "find hyphen -type f | xargs wc -l",
  "find far | xargs cat",
  "ls -a src | xargs ls",
  "find -L twice -name '*.ts' -exec cat {} +",
  "find twice -follow -name '*.ts' | xargs cat",
  "rg -lL x twice | xargs cat",
  "grep -Rl x twice | xargs cat",
  "ls -a | xargs ls",
  "ls -f | xargs ls",
  "find 'src /etc' -type f | xargs cat",
  "rg -l 'a b' src '/etc x' | xargs cat",
  "rg -l -e'/etc/passwd (' src 2>&1 | xargs cat",
  "rg -l -e'/etc/passwd (' src |& xargs cat",
  "rg -l -e'/etc/passwd (' src 2>/dev/stdout | xargs cat",
  "rg -l x src | grep -E '/etc/passwd (' 2>&1 | xargs cat",
  "find le? -name '*.ts' | xargs cat",
  "find le? -name '*.ts' -exec cat {} +",
  "rg -l x le* | xargs cat",
  "grep -rl x le? | xargs cat",
  "rg -l --json . src | xargs cat",
  "rg -l . src --stats | xargs cat",
  "rg --files src --type-list | xargs cat",
  "rg -l . src --path-separator x | xargs cat",
])("%j is asked about, because it may do more than read what it finds", async (command) => {
  expect(await run(command)).toBe("ask");
  expect(await run(command, { mode: "acceptEdits" })).toBe("ask");
});

test("guarding rules apply to names that find and xargs hand on", async () => {
  const deny = ["Read(src/a.ts)", "Bash(head *)"];
  for (const command of [
    "find src -type f -exec cat {} +",
    "find src -type f | xargs cat",
    "rg -l x src | xargs grep x",
  ])
    expect(await run(command, { deny }), command).toBe("ask");
  for (const command of ["find src -type f -exec head {} +", "find src -type f | xargs head"])
    expect(await run(command, { deny }), command).toBe("deny");
  expect(await run("find src -name b.ts | xargs cat", { deny })).toBe("allow");
});

test("a repository's program named like one that reads is asked about", async () => {
  const brought = (program: string) => (program === "wc" ? join(place.cwd, "bin/wc") : undefined);
  for (const command of ["find src -type f -exec wc {} +", "find src -type f | xargs wc"])
    expect(await run(command, { repositoryProgram: brought }), command).toBe("ask");
  expect(await run("find src -type f | xargs cat", { repositoryProgram: brought })).toBe("allow");
});

test("links in place of tracked files, and names from the parent folder, are asked about", async () => {
  const repository = join(place.cwd, "repository");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repository });
  mkdirSync(join(repository, "below/deep"), { recursive: true });
  for (const file of ["a.ts", "below/b.ts", "below/deep/c.ts"]) writeFileSync(join(repository, file), "x\n");
  git("init", "-q");
  git("add", ".");
  const runIn = (folder: string, command: string) =>
    bash(make({ ...place, cwd: join(repository, folder) }), join(repository, folder), command);
  expect(await runIn(".", "git ls-files | xargs cat")).toBe("allow");
  expect(await runIn("below", "git ls-files | xargs cat")).toBe("allow");
  expect(await runIn("below", "git ls-files :/ | xargs cat")).toBe("ask");
  symlinkSync("../out.ts", join(repository, "untracked.ts"));
  expect(await runIn(".", "git ls-files | xargs cat")).toBe("allow");
  rmSync(join(repository, "below/b.ts"));
  symlinkSync("../a.ts", join(repository, "below/b.ts"));
  expect(await runIn(".", "git ls-files | xargs cat")).toBe("ask");
  rmSync(join(repository, "below/b.ts"));
  expect(await runIn(".", "git ls-files | xargs cat")).toBe("allow");
  renameSync(join(repository, "below/deep"), join(repository, "moved"));
  symlinkSync("../moved", join(repository, "below/deep"));
  expect(await runIn(".", "git ls-files | xargs cat")).toBe("ask");
});

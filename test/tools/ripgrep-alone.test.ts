// What only ripgrep does, and which one is taken.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { findRg, openToolBox, textOf } from "./support.ts";

const rg = findRg();

describe.runIf(rg !== null)("ripgrep", () => {
  // Seen: for packages/one/**, all packages were read.
  test.each(["packages/one/**", "./packages/one/*"])("reads no other files for the glob %s", async (glob) => {
    const box = openToolBox();
    for (const name of ["a.ts", "packages/two/b.ts", "packages/one/c.ts"]) box.put(name, "foo\n");
    const rgPath = box.put("rg", `#!/bin/sh\n"${rg}" --debug "$@" 2> "${box.path("log.txt")}"\n`);
    chmodSync(rgPath, 0o700);
    const { call, root } = openToolBox({ rgPath });
    expect(textOf(await call("Grep", { pattern: "foo", glob, path: box.root }, { cwd: root }))).toMatch(/c\.ts$/);
    const log = box.read("log.txt");
    for (const other of ["a.ts", "packages/two"]) expect(log).toContain(`ignoring ./${other}:`);
  });

  // Seen: in /proc a search of the whole disk went on for ever.
  test("leaves out processes and devices where the whole disk is searched, and searches them by name", async () => {
    const box = openToolBox();
    const rgPath = box.put("rg", `#!/bin/sh\necho "$PWD" "$@" >> "${box.path("log.txt")}"\n`);
    chmodSync(rgPath, 0o700);
    const { call } = openToolBox({ rgPath });
    await call("Glob", { pattern: "/{proc,etc}/host*" });
    await call("Grep", { pattern: "foo", path: "/" });
    await call("Grep", { pattern: "foo", path: "/proc" });
    const searches = box.read("log.txt").trim().split("\n");
    const whole = ["/proc", "/sys", "/dev"].map((name) => `--glob=!${name}`).join(" ");
    expect(searches).toEqual([
      expect.stringMatching(/^\/ .*--files/),
      expect.stringMatching(/^\/ .*foo/),
      expect.stringMatching(/^\/proc .*foo/),
    ]);
    expect(searches.map((line) => line.includes(whole))).toEqual([true, true, false]);
  });

  test("does not mix its remark about binary data into the name of the next file", async () => {
    const box = openToolBox({ rgPath: rg, mayShow: (path) => !path.endsWith("secret.ts") });
    box.put("late.log", `foo at first\n${"text\n".repeat(40_000)}\0\nfoo\n`);
    for (const name of ["a.ts", "secret.ts", "z.ts"]) box.put(name, `foo of ${name}\n`);
    for (let time = 0; time < 5; time++) {
      const found = textOf(await box.call("Grep", { pattern: "foo", output_mode: "content" }));
      expect(found.split("\n")).toEqual([
        "a.ts:1:foo of a.ts",
        "late.log:1:foo at first",
        expect.stringMatching(/^late\.log:\[The search of this file ended here/),
        "z.ts:1:foo of z.ts",
      ]);
    }
  });

  test.each(["foo", "foo$"])(
    "does not mix its lines between groups into the name of the next file: %s",
    async (pattern) => {
      const box = openToolBox({ rgPath: rg, mayShow: (path) => !path.includes("secret") });
      const lines = `foo\n${"text\n".repeat(5)}foo\n`;
      for (const name of ["a.ts", "secret.ts", "z.ts"]) box.put(name, lines);
      for (const name of ["late.log", "secret.log"]) box.put(name, `${lines}${"text\n".repeat(40_000)}\0\nfoo\n`);
      const found = textOf(await box.call("Grep", { pattern, output_mode: "content", "-A": 1 }));
      const groups = (name: string): string[] => [`${name}:1:foo`, `${name}-2-text`, "--", `${name}:7:foo`];
      expect(found.split("\n")).toEqual([
        ...groups("a.ts"),
        "--",
        ...groups("late.log"),
        "late.log-8-text",
        expect.stringMatching(/^late\.log:\[The search of this file ended here/),
        "--",
        ...groups("z.ts"),
      ]);
    },
  );

  test("reports a match in binary data instead of no match", async () => {
    const box = openToolBox({ rgPath: rg });
    box.put("early.log", "\0\nfoo\n");
    const grep = async (pattern: string): Promise<string> =>
      textOf(await box.call("Grep", { pattern, path: "early.log", output_mode: "content" }));
    expect(await grep("foo")).toMatch(/^\[The match is in binary data/);
    expect(await grep("bar")).toBe("No matches found");
  });

  test("searches by file type, and an unknown type gets a hint at glob", async () => {
    const box = openToolBox({ rgPath: rg });
    box.put("a.ts", "foo\n");
    box.put("a.py", "foo\n");
    expect(textOf(await box.call("Grep", { pattern: "foo", type: "py" }))).toBe("a.py");
    expect(textOf(await box.call("Grep", { pattern: "foo", type: "klingon" }))).toMatch(
      /unrecognized file type: klingon\. Use glob instead/,
    );
  });

  test("does not read its configuration file", async () => {
    const box = openToolBox({ rgPath: rg });
    box.put("config", "--files-without-match\n");
    box.put("a.txt", "foo\n");
    const { RIPGREP_CONFIG_PATH: before } = process.env;
    expect(before).toBeUndefined();
    expect(textOf(await box.call("Grep", { pattern: "foo", glob: "a.txt" }))).toBe("a.txt");
  });

  test.each([
    [
      "kill -KILL $$",
      /^The search was not finished: rg was killed, as the system does when memory runs out\. Try again/,
    ],
    ["echo 'failed to spawn thread' >&2; exit 101", /rg failed with exit code 101: failed to spawn thread\. Try again/],
  ])("that fails or is killed gives an error instead of incomplete results: %s", async (end, told) => {
    const box = openToolBox();
    box.put("a.txt", "foo\n");
    const broken = box.put("bin/rg", `#!/bin/sh\nprintf 'a.txt\\0'\n${end}\n`);
    chmodSync(broken, 0o755);
    const { call } = openToolBox({ rgPath: broken });
    for (const [tool, pattern] of [
      ["Glob", "*.txt"],
      ["Grep", "foo"],
    ] as const)
      expect(await call(tool, { pattern })).toMatchObject({ isError: true, content: expect.stringMatching(told) });
  });

  // Seen in a container that allows few processes: each search failed with the words of a panic.
  test("that may not start enough threads searches with one", async () => {
    const box = openToolBox();
    const limited = box.put(
      "bin/rg",
      `#!/bin/sh\ncase "$*" in *--threads=1*) exec "${rg}" "$@";; esac\necho 'failed to spawn thread' >&2; exit 101\n`,
    );
    chmodSync(limited, 0o755);
    const { put, call } = openToolBox({ rgPath: limited });
    put("a.txt", "foo\n");
    expect(textOf(await call("Grep", { pattern: "foo" }))).toBe("a.txt");
    expect(textOf(await call("Glob", { pattern: "*.txt" }))).toBe("a.txt");
  });

  test.each([
    ["may not be run", "", 0o644],
    ["is made for another system", "#!/nowhere/ld.so\n", 0o755],
  ])("that %s is replaced by the built-in search", async (_, text, mode) => {
    const box = openToolBox();
    box.put("a.txt", "foo\n");
    const broken = join(dirname(box.root), "rg");
    writeFileSync(broken, text, { mode });
    const { call } = openToolBox({ rgPath: broken });
    for (const [tool, input] of [
      ["Glob", { pattern: "*.txt" }],
      ["Glob", { pattern: "**/*" }],
      ["Grep", { pattern: "foo" }],
    ] as const)
      expect(textOf(await call(tool, { ...input, path: box.root }))).toContain("a.txt");
  });

  test("is found by $PAWL_RG, which must be absolute, and then on the PATH", async () => {
    const { findRipgrep } = await import("../../src/tools/search/ripgrep.ts");
    const box = openToolBox();
    const folder = join(dirname(box.root), "bin");
    mkdirSync(folder);
    writeFileSync(join(folder, "rg"), "#!/bin/sh\n", { mode: 0o755 });
    chmodSync(box.put("bin/rg", "#!/bin/sh\n"), 0o755);
    const find = async (environment: Record<string, string>): Promise<string | null> =>
      await findRipgrep({ ...box.dependencies, environment });
    const other = box.put("other/rg", "#!/bin/sh\n");
    await box.call("Bash", { command: "chmod +x other/rg" });
    expect(await find({ PAWL_RG: other, PATH: folder })).toBe(other);
    for (const PAWL_RG of ["/nowhere/rg", folder])
      expect(await find({ PAWL_RG, PATH: folder })).toBe(join(folder, "rg"));
    expect(await find({ PAWL_RG: "bin/rg", PATH: folder })).toBe(join(folder, "rg"));
    expect(await find({ PATH: "bin:." })).toBe(rg);
    // The folder that is worked in chooses none.
    expect(await find({ PATH: `${join(box.root, "bin")}:${folder}` })).toBe(join(folder, "rg"));
    // A folder of that name, as where it was unpacked, is none.
    mkdirSync(box.path("unpacked/rg"), { recursive: true });
    expect(await find({ PATH: `${box.path("unpacked")}:${folder}` })).toBe(join(folder, "rg"));
  });

  test("being absent, files too large for the built-in search are reported", async () => {
    const box = openToolBox({ rgPath: null });
    box.put("large.log", `needle\n${"hay\n".repeat(2_200_000)}`);
    box.put("film.bin", Buffer.alloc(9_000_000));
    box.put("wide.log", Buffer.from(`\ufeffneedle\n${"hay\n".repeat(1_100_000)}`, "utf16le"));
    const told =
      "[Some files are larger than 8 MB, and were not searched: there is no ripgrep here. Use grep in Bash.]";
    for (const path of [box.root, box.path("large.log"), box.path("wide.log")])
      expect(textOf(await box.call("Grep", { pattern: "needle", path }))).toBe(`No matches found\n${told}`);
    expect(textOf(await box.call("Grep", { pattern: "needle", path: box.path("film.bin") }))).toBe("No matches found");
  });

  test("gets a hint at multiline for a pattern that spans lines", async () => {
    const box = openToolBox({ rgPath: rg });
    box.put("a.txt", "x");
    expect(textOf(await box.call("Grep", { pattern: "a\\nb" }))).toBe(
      "The pattern spans lines: set multiline to true.",
    );
  });
});

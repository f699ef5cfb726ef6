// A path that is completed as it is written: what its folder holds, quickly, and nothing that searches leave out.
import fs, { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const files = [
  "README.md",
  "Read me.txt",
  "src/surface/line.ts",
  "src/session/desk.ts",
  "src/.env.ts",
  "dist/out.js",
  "dist/.gitignore",
  ".github/ci.yml",
  "src/bad\nname.ts",
  'src/quo"te.ts',
  "src/ünï.ts",
  "보고서/한국어.txt".normalize("NFD"),
  "secret/key.ts",
];

const korean = "보고서/".normalize("NFD");

async function completing(options: EngineOptions = {}, steps: object[] = []) {
  const ground = layGround();
  const folder = ground.work;
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), "x");
  }
  mkdirSync(join(folder, ".git"));
  writeFileSync(join(folder, ".gitignore"), "dist/\n*.log\n");
  writeFileSync(join(folder, "a.log"), "x");
  writeFileSync(Buffer.concat([Buffer.from(join(folder, "src/latin")), Buffer.from([0xe9])]), "x");
  symlinkSync(join(folder, "src"), join(folder, "linked"));
  symlinkSync(join(folder, "nowhere"), join(folder, "lost"));
  mkdirSync(join(ground.home, "elsewhere"));
  writeFileSync(join(ground.home, "elsewhere/far.txt"), "x");
  const engine = await openOn(ground, scripted({ steps: steps as never, fallback: "Done." }), options);
  return { engine, ground, complete: (begun: string) => engine.desk.completePath(begun) };
}

describe("completing a path", () => {
  test.each([
    ["", ["README.md", "Read me.txt", "linked/", "secret/", "src/", korean]],
    // Composed, as people type it.
    ["보고", [korean]],
    ["보고서/한", ["보고서/한국어.txt".normalize("NFD").replace(korean, "보고서/")]],
    ["Re", ["Read me.txt"]],
    ["re", ["README.md", "Read me.txt"]],
    ["src/s", ["src/session/", "src/surface/"]],
    ["src/", ["src/session/", "src/surface/", "src/ünï.ts"]],
    ["./src/su", ["./src/surface/"]],
    ["linked/su", ["linked/surface/"]],
    [".g", [".github/", ".gitignore"]],
    ["src/.", ["src/.env.ts"]],
    ["di", []],
    ["a.l", []],
    ["dist/", ["dist/out.js"]],
    ["..", ["../"]],
    ["nowhere/", []],
    ["README.md/", []],
    ["desk", ["src/session/desk.ts"]],
    ["src/dsk", ["src/session/desk.ts"]],
    ["/nowhere/desk", []],
  ])("that begins with %j", async (begun, want) => {
    const { complete } = await completing();
    expect(await complete(begun)).toEqual(want);
  });

  test("works from the home folder and for absolute paths", async () => {
    const { complete, ground } = await completing();
    expect(await complete("~/elsewhere/f")).toEqual(["~/elsewhere/far.txt"]);
    expect(await complete(join(ground.home, "elsew"))).toEqual([`${join(ground.home, "elsewhere")}/`]);
  });

  test("leaves out files that may not be read", async () => {
    const { complete } = await completing({ disallowedTools: ["Read(./secret/**)"] });
    expect(await complete("secret/")).toEqual([]);
    expect(await complete("key")).toEqual([]);
  });

  test("starts from the session's current folder", async () => {
    const cd = { content: [{ tool: "Bash", input: { command: "cd src" } }] };
    const { engine, complete } = await completing({ allowedTools: ["Bash"] }, [cd]);
    await turn(engine, "Go.");
    expect(await complete("s")).toEqual(["session/", "surface/"]);
  });

  test("finds all files below, since a list that says how many more there are counts them", async () => {
    const { complete, ground, engine } = await completing();
    for (let at = 0; at < 70; at += 1) writeFileSync(join(ground.work, `src/many-${at}.ts`), "x");
    expect(await complete("many-")).toHaveLength(70);
    expect(await engine.desk.suggestFiles("many-")).toHaveLength(50);
  });

  test("rejects once its signal is aborted", async () => {
    const { engine } = await completing();
    await expect(engine.desk.completePath("x", AbortSignal.abort(new Error("left")))).rejects.toThrow();
  });
});

describe("the fileSuggestion command", () => {
  const named = (command: string, more: object = {}): EngineOptions => ({
    settings: JSON.stringify({ fileSuggestion: { type: "command", command }, ...more }),
  });

  test("gets the typed text and replaces the entries, without duplicates and unreadable files", async () => {
    const printed = [
      "src/session/desk.ts",
      "./README.md",
      "README.md",
      "secret/key.ts",
      String.raw`bad\033name`,
      "",
      "Read me.txt",
    ];
    const { ground, complete } = await completing(
      named(`cat > asked.json; printf '${printed.join(String.raw`\n`)}\\n'`, {
        permissions: { deny: ["Read(secret/**)"] },
      }),
    );
    expect(await complete("des")).toEqual(["src/session/desk.ts", "README.md", "Read me.txt"]);
    expect(JSON.parse(readFileSync(join(ground.work, "asked.json"), "utf8"))).toMatchObject({
      query: "des",
      cwd: ground.work,
    });
  });

  test("is limited to fifteen paths", async () => {
    const { complete } = await completing(named("seq 1 40"));
    expect(await complete("x")).toEqual(Array.from({ length: 15 }, (_, at) => String(at + 1)));
  });

  test.each(["exit 3", "true", "echo half; exit 1"])(
    "falls back to the folder's entries if it names none: %s",
    async (command) => {
      const said: string[] = [];
      const { complete } = await completing({ ...named(command), debug: (text) => void said.push(text) });
      expect(await complete("src/s")).toEqual(["src/session/", "src/surface/"]);
      expect(said.filter((text) => text.startsWith("fileSuggestion failed"))).toHaveLength(command === "true" ? 0 : 1);
    },
  );

  test("is not run in a bare session", async () => {
    const { complete } = await completing({ ...named("echo named"), env: { CLAUDE_CODE_SIMPLE: "1" } });
    expect(await complete("src/s")).toEqual(["src/session/", "src/surface/"]);
  });
});

test("completing in a folder that does not respond does not block the rest of the process", async () => {
  const { complete, ground } = await completing();
  const { statSync } = fs;
  const heldUp: unknown[] = [];
  const recording = (...asked: unknown[]): unknown => (heldUp.push(asked[0]), Reflect.apply(statSync, fs, asked));
  const put = (statusOf: unknown): void => (Object.assign(fs, { statSync: statusOf }), syncBuiltinESMExports());
  onTestFinished(() => put(statSync));
  put(recording);
  expect(await complete("src/se")).toEqual(["src/session/"]);
  expect(heldUp).not.toContain(join(ground.work, "src"));
});

// Seen: acceptEdits allowed writing the file that --settings names, which is read again during the session, and the scripts of the
// user's hooks, which the next call starts.
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { diskPaths } from "../../src/permissions/paths/path-forms.ts";
import { programsInCommands, type SteeringFile } from "../../src/permissions/paths/steering-files.ts";
import { put } from "../support/put.ts";
import { bash, make, makePlace, verdict, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  for (const file of [
    "conf.json",
    "tools/guard.sh",
    "far/guard.sh",
    "src/a.ts",
    "check.py",
    "package.json",
    "tools/all",
    "tools/deep/in.sh",
    "my tools/x.sh",
  ])
    put(join(place.cwd, file), "#!/bin/sh\n");
  put(join(place.cwd, "package.json"), "{}");
  for (const file of ["tools/guard.sh", "tools/all", "package.json"]) chmodSync(join(place.cwd, file), 0o755);
  symlinkSync(join(place.cwd, "far/guard.sh"), join(place.cwd, "tools/linked.sh"));
});
afterAll(() => place.remove());

const permissions = (more = {}) => {
  const files: SteeringFile[] = [
    { path: join(place.cwd, "conf.json"), level: "never", name: "conf.json" },
    ...["tools/guard.sh", "tools/linked.sh", "tools/none.sh"].map((name) => ({
      path: join(place.cwd, name),
      level: "guarded" as const,
      name,
    })),
  ];
  return make(place, { mode: "acceptEdits", steering: () => files, ...more });
};
const write = (file: string, more = {}) =>
  verdict(permissions(more), place.cwd, "Write", { file_path: join(place.cwd, file) });

test.each(["tools/guard.sh", "tools/linked.sh", "far/guard.sh", "tools/none.sh"])(
  "writing a file that settings start is asked about, unless a rule allows it: %s",
  async (file) => {
    expect(await write(file)).toBe("ask");
    expect(await bash(permissions(), place.cwd, `cp src/a.ts ${file}`)).toBe("ask");
    expect(await write(file, { allow: ["Edit(**)"] })).toBe("allow");
    expect(await write(file, { mode: "bypassPermissions" })).toBe("allow");
  },
);

test("the settings file of a flag takes a person to change, whatever a rule says", async () => {
  expect(await write("conf.json", { allow: ["Edit", "Write"] })).toBe("ask");
  expect(await bash(permissions({ allow: ["Bash"] }), place.cwd, "echo x > conf.json")).toBe("ask");
});

test("moving or replacing a folder with files that settings start is asked about", async () => {
  for (const command of ["mv tools old", "mv -f far src", "mv tools old && mv src tools"])
    expect(await bash(permissions(), place.cwd, command), command).toBe("ask");
  const absent = [{ path: join(place.cwd, "later/run.sh"), level: "guarded", name: "run.sh" }];
  expect(await bash(permissions({ steering: () => absent }), place.cwd, "mv src later")).toBe("ask");
  expect(await bash(permissions(), place.cwd, "mv src other")).toBe("allow");
  expect(await bash(permissions(), place.cwd, "mv src/a.ts tools")).toBe("allow");
  expect(await bash(permissions(), place.cwd, "mv tools/all tools/each")).toBe("allow");
});

test("a missing file that settings start is found in any case and below a linked folder", async () => {
  symlinkSync(join(place.cwd, "far"), join(place.cwd, "near"));
  const absent = ["Later/Run.sh", "near/next.sh"].map((name): SteeringFile => ({
    path: join(place.cwd, name),
    level: "guarded",
    name,
  }));
  for (const file of ["later/run.sh", "near/next.sh", "far/next.sh"])
    expect(await write(file, { steering: () => absent }), file).toBe("ask");
  expect(await bash(permissions({ steering: () => absent }), place.cwd, "mv far src/far")).toBe("ask");
});

test("links of files that settings start are resolved once, however many files a command writes", async () => {
  const asked = new Map<string, number>();
  const realpath = (path: string): string => {
    asked.set(path, (asked.get(path) ?? 0) + 1);
    return diskPaths.realpath(path);
  };
  const names = Array.from({ length: 50 }, (_, index) => `src/new${index}.ts`);
  const command = `touch ${names.join(" ")}`;
  expect(await bash(permissions({ reader: { ...diskPaths, realpath } }), place.cwd, command)).toBe("allow");
  expect(asked.get(join(place.cwd, "tools/linked.sh"))).toBe(1);
});

test("other files are written as before", async () => {
  expect(await write("src/a.ts")).toBe("allow");
  expect(await write("tools/other.sh")).toBe("allow");
  expect(await bash(permissions(), place.cwd, "mkdir -p tools && cp src/a.ts tools/b.ts")).toBe("allow");
});

test.each([
  ["$CLAUDE_PROJECT_DIR/tools/guard.sh --fast", ["tools/guard.sh"]],
  ['"${CLAUDE_PROJECT_DIR}"/tools/none.sh || true', ["tools/none.sh"]],
  ["cd . && ./tools/guard.sh; python3 -u check.py", ["tools/guard.sh", "check.py"]],
  ["CI=1 bash -e tools/guard.sh", ["tools/guard.sh"]],
  ["timeout 5 tools/all", ["tools/all"]],
  ['"$(git rev-parse --show-toplevel)"/tools/guard.sh', ["tools/guard.sh"]],
  ["python3 $(pwd)/check.py && `pwd`/tools/guard.sh", ["check.py", "tools/guard.sh"]],
  ['"$PWD"/tools/guard.sh && "${CLAUDE_PROJECT_DIR:-.}/tools/all"', ["tools/guard.sh", "tools/all"]],
  ['ROOT=$(pwd); "$ROOT/tools/guard.sh"', ["tools/guard.sh"]],
  ["cd tools && ./guard.sh; bash all", ["guard.sh", "tools/guard.sh", "tools/all"]],
  ["cd tools && cd deep && bash in.sh", ["tools/deep/in.sh"]],
  [
    "cd a; cd b; cd c; cd d; cd e; cd $HOME; cd $CLAUDE_PROJECT_DIR/tools && cd deep && bash in.sh",
    ["tools/deep/in.sh"],
  ],
  ["pushd tools; bash all", ["tools/all"]],
  ['bash "$CLAUDE_PROJECT_DIR/my tools/x.sh"', ["my tools/x.sh"]],
  ['cd "my tools" && bash x.sh', ["my tools/x.sh"]],
  ["bash -eu -o pipefail check.py", ["check.py"]],
  ["python3 -W ignore check.py src/a.ts", ["check.py"]],
  ["node -r ./tools/all check.py src/a.ts", ["tools/all", "check.py"]],
  ["fish check.py; java -jar check.py; Rscript check.py", ["check.py", "check.py", "check.py"]],
  ["if ! ./tools/none.sh; then ./later.sh; fi", ["tools/none.sh", "later.sh"]],
  ["npx prettier --check src/a.ts package.json", []],
  ["npm run tools", []],
  ["jq -r .tool_input.file_path | grep -qE 'dist/|build/out' || build/", []],
  ["npm run lint/all && go run ./src && uv run check.py", ["check.py"]],
  ["jq . package.json > /dev/null", []],
  ["[[ -n $X && -f dist/out.js ]] && echo built", []],
  ["uv run --directory=$CLAUDE_PROJECT_DIR --no-project check.py", ["check.py"]],
  ["~/bin/check src/a.ts", ["../home/bin/check"]],
])("the command %s of a hook starts the listed files", (command, expected) => {
  const { cwd, home } = place;
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command }] }] };
  expect(programsInCommands(hooks, { cwd, home, variables: { CLAUDE_PROJECT_DIR: cwd } })).toEqual(
    expected.map((name) => join(cwd, name)),
  );
});

test("a hook without a shell starts its program and the script given to it", () => {
  const { cwd, home } = place;
  const hook = { command: "python3", args: ["-u", "check.py", "src/a.ts"] };
  expect(programsInCommands([hook], { cwd, home, variables: { CLAUDE_PROJECT_DIR: cwd } })).toEqual([
    join(cwd, "check.py"),
  ]);
});

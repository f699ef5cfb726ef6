// What a Grep whose glob ends in any name reads with ripgrep: no file that the glob cannot select.
import { chmodSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findRg, openToolBox, textOf } from "./support.ts";

const rg = findRg();

describe.runIf(rg !== null)("Grep with a glob that ends in any name", () => {
  // Seen: for **/test/**, every file of a repository was read.
  test.each([
    ["**/test/**", ["one/test/a.ts"]],
    ["packages/*/src/*.*", ["packages/one/src/b.ts", "packages/two/src/c.ts"]],
    ["/packages/t*/{src,lib}/**", ["packages/two/src/c.ts", "packages/two/lib/d.ts"]],
  ])("reads only what is found, or may be: %s", async (glob, found) => {
    const box = openToolBox();
    const files = [
      "one/test/a.ts",
      "packages/one/src/b.ts",
      "packages/two/src/c.ts",
      "packages/two/lib/d.ts",
      "packages/one/large.log",
    ];
    for (const name of files) box.put(name, "foo\n");
    const rgPath = box.put("../rg", `#!/bin/sh\n"${rg}" --debug "$@" 2> "${box.path("../log.txt")}"\n`);
    chmodSync(rgPath, 0o700);
    const { call, root } = openToolBox({ rgPath });
    const text = textOf(await call("Grep", { pattern: "foo", glob, path: box.root }, { cwd: root }));
    for (const name of files) expect([name, text.includes(name)]).toEqual([name, found.includes(name)]);
    expect(box.read("../log.txt")).toContain("ignoring ./packages/one/large.log:");
  });

  test("finds what is itself named as the folder, and nothing that git ignores", async () => {
    const box = openToolBox({ rgPath: rg });
    for (const name of ["a/src", "b/src/c.ts", "b/src/d.log", "dist/src/e.ts", "f.ts"]) box.put(name, "foo\n");
    box.put(".ignore", "dist/\n*.log\n!f.ts\n");
    const lines = textOf(await box.call("Grep", { pattern: "foo", glob: "*/src/**" })).split("\n");
    expect(lines.toSorted()).toEqual(["a/src", "b/src/c.ts"]);
  });

  test("leaves no file behind, and finds none of its own where it searches the temporary folder", async () => {
    const temporary = openToolBox();
    temporary.put("a/b.txt", "src\n");
    const environment = { ...temporary.dependencies.environment, CLAUDE_CODE_TMPDIR: temporary.root };
    const { call } = openToolBox({ rgPath: rg, environment });
    const path = temporary.root;
    expect(textOf(await call("Grep", { pattern: "src", glob: "*/*", path }))).toMatch(/^\S+a\/b\.txt$/);
    expect(textOf(await call("Grep", { pattern: "ignore", glob: "*.ignore/**", path }))).toMatch(/^No matches found/);
    expect(readdirSync(path)).toEqual(["a"]);
  });
});

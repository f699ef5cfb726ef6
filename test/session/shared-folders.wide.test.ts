// Folders that work trees have in common with the project: `worktree.symlinkDirectories` of settings.
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { put } from "../support/put.ts";
import { clearGroundsAfterwards, disposeAll, type Ground } from "./support.ts";
import { bash, git, repository, run, treesOf, write } from "./worktree-support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

/** With a folder of modules, which git ignores as a folder, so that a link of its name is none of what it ignores. */
function withModules(symlinkDirectories: unknown): Ground {
  const ground = repository();
  put(join(ground.work, ".gitignore"), "node_modules/\n");
  git(ground.work, "add", ".");
  git(ground.work, "commit", "-q", "-m", "ignore");
  put(join(ground.work, "node_modules/m/index.js"), "as it was");
  put(join(ground.pawlHome, "settings.json"), { worktree: { symlinkDirectories } });
  return ground;
}

const modulesOf = ({ work }: Ground): string => join(work, "node_modules/m/index.js");

test("shared folders are available to an agent, count as no change, and survive the removal of its work tree", async () => {
  const ground = withModules(["node_modules", "never/made"]);
  const { below, told, notices } = await run(ground, [bash("cat node_modules/m/index.js; ls -a")]);
  expect(JSON.stringify(below.at(-1)?.body?.messages)).toContain("as it was");
  expect(JSON.stringify(below.at(-1)?.body?.messages)).not.toContain("never");
  expect(told).not.toContain("work tree");
  expect(treesOf(ground)).toEqual([]);
  expect(readFileSync(modulesOf(ground), "utf8")).toBe("as it was");
  expect(notices).toEqual([]);
});

test("shared folders count as no change even if the process dies, because the marker names them beforehand", async () => {
  const ground = withModules(["node_modules", "../outside"]);
  let marked = "";
  const onNotice = (text: string): void => {
    const marker = treesOf(ground).find((path) => path.endsWith(".json"));
    // Told of the second name, when the first one is a link.
    if (text.includes("../outside") && marker !== undefined) marked = readFileSync(marker, "utf8");
  };
  await run(ground, [bash("ls")], { onNotice });
  expect(JSON.parse(marked)).toMatchObject({ tree: { shared: ["node_modules"] } });
});

test("shared folders are closed to an agent's edits like the project itself", async () => {
  const ground = withModules(["node_modules"]);
  await run(ground, [write("node_modules/m/index.js", "changed")], { permissionMode: "bypassPermissions" });
  expect(readFileSync(modulesOf(ground), "utf8")).toBe("as it was");
});

test("a folder that replaces the link of a shared folder counts as a change", async () => {
  const ground = withModules(["src/modules"]);
  put(join(ground.work, "src/modules/m.js"), "m");
  // A name that stood in the code as a whole would be seen by the rule that closes shared folders.
  const program =
    "const f=require('fs');const m=['src','modules'].join('/');f.unlinkSync(m);f.mkdirSync(m);f.writeFileSync(m+'/own.js','x')";
  const steps = [bash(`node -e "${program}"`)];
  const { told, folder } = await run(ground, steps, { permissionMode: "bypassPermissions" });
  expect(told).toContain("1 changed file not committed");
  expect(existsSync(join(folder, "src/modules/own.js"))).toBe(true);
  expect(existsSync(join(ground.work, "src/modules/m.js"))).toBe(true);
});

test("shared folders must not be outside the project, in git's folder, behind a link, or committed", async () => {
  const ground = repository();
  const outside = join(ground.home, "outside");
  mkdirSync(outside);
  symlinkSync(outside, join(ground.work, "out"));
  git(ground.work, "add", ".");
  git(ground.work, "commit", "-q", "-m", "a link");
  mkdirSync(join(outside, "deep"));
  const symlinkDirectories = ["../outside", outside, ".git/hooks", "src/../..", ".", "out/deep/", "src"];
  put(join(ground.pawlHome, "settings.json"), { worktree: { symlinkDirectories } });
  const { folder, notices } = await run(ground, [write("n.txt", "kept")]);
  expect(lstatSync(join(folder, "src")).isSymbolicLink()).toBe(false);
  const about = notices.filter((text) => text.startsWith("worktree.symlinkDirectories: "));
  expect(about.map((text) => /"([^"]+)"/u.exec(text)?.[1])).toEqual(symlinkDirectories.slice(0, 5));
});

test("shared folders come only from the settings of a trusted folder, and only from a list", async () => {
  const ground = withModules("node_modules");
  put(join(ground.work, ".claude/settings.json"), { worktree: { symlinkDirectories: ["node_modules"] } });
  const held = await run(ground, [bash("ls")]);
  expect(JSON.stringify(held.below.at(-1)?.body?.messages)).not.toContain("node_modules");
  expect(held.notices.join("\n")).toContain('"worktree" (line 1) should be {"symlinkDirectories": ["node_modules"]}');
  await disposeAll();
  writeFileSync(join(ground.pawlHome, "settings.json"), "{}");
  const trusted = await run(ground, [bash("ls")], { trust: true });
  expect(JSON.stringify(trusted.below.at(-1)?.body?.messages)).toContain("node_modules");
});

// Seen: if ~/.claude/settings.json was a link into a folder of dotfiles, a session in that folder wrote its own rules without a question.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { linkedPlaces } from "../../src/permissions/paths/linked-places.ts";
import { diskPaths } from "../../src/permissions/paths/path-forms.ts";
import { bash, make, makePlace, verdict, type Place } from "./support.ts";

let place: Place;
let far: string;
beforeAll(() => {
  place = makePlace();
  far = join(place.cwd, "dotfiles");
  const put = (file: string): void => {
    mkdirSync(dirname(join(far, file)), { recursive: true });
    writeFileSync(join(far, file), "x");
  };
  const link = (from: string, to: string): void => {
    mkdirSync(dirname(join(place.home, ".claude", to)), { recursive: true });
    symlinkSync(join(far, from), join(place.home, ".claude", to));
  };
  for (const file of [
    "conf.json",
    "guard.sh",
    "deploy/SKILL.md",
    "notes.md",
    "work/a.ts",
    "pawl/settings.json",
    "shared/run.sh",
  ])
    put(file);
  link("conf.json", "settings.json");
  link("guard.sh", "hooks/guard.sh");
  link("deploy", "skills/deploy");
  link("notes.md", "CLAUDE.md");
  link("work", "work");
  link("nowhere", "rules/gone.md");
  symlinkSync(join(far, "pawl"), join(place.home, ".pawl"));
  mkdirSync(join(place.home, ".agents/skills"), { recursive: true });
  symlinkSync(join(far, "shared"), join(place.home, ".agents/skills/shared"));
});
afterAll(() => place.remove());

const permissions = (more = {}) => {
  const { home } = place;
  const folders = [".claude", ".pawl", ".agents"].map((name) => join(home, name));
  const places = linkedPlaces(folders, home, diskPaths);
  return make(place, { mode: "acceptEdits", linked: () => places, ...more });
};
const write = (file: string, more = {}) =>
  verdict(permissions(more), place.cwd, "Write", { file_path: join(far, file) });

test.each(["conf.json", "guard.sh", "pawl/settings.json", "pawl/mcp.json"])(
  "a link target that decides what pawl may do takes a person to change: %s",
  async (file) => {
    expect(await write(file, { allow: ["Write", "Edit"] })).toBe("ask");
    expect(await bash(permissions({ allow: ["Bash"] }), place.cwd, `echo x > dotfiles/${file}`)).toBe("ask");
  },
);

test.each(["deploy/SKILL.md", "deploy/more/b.md", "notes.md", "shared/run.sh"])(
  "a link target with instructions for agents takes a person or a rule to change: %s",
  async (file) => {
    expect(await write(file)).toBe("ask");
    expect(await write(file, { allow: ["Edit(dotfiles/**)"] })).toBe("allow");
  },
);

test("files beside a link target, or in another kind of folder, are edited as usual", async () => {
  for (const file of ["other.json", "work/a.ts", "deployed/SKILL.md", "pawl/worktrees/one/a.ts"])
    expect(await write(file), file).toBe("allow");
});

// Seen: with thousands of plugin files, a link among the skills was not found.
test("many plugin files do not hide a nearer link, and exceeding the limit is reported", () => {
  const folder = join(place.home, "full/.claude");
  const names = Array.from({ length: 40 }, (_, at) => `f${at}`);
  for (const name of ["plugins/a/b", "skills"]) mkdirSync(join(folder, name), { recursive: true });
  symlinkSync(join(far, "deploy"), join(folder, "skills/deploy"));
  const cuts: string[] = [];
  for (const name of names) writeFileSync(join(folder, "plugins/a/b", name), "");
  const found = linkedPlaces([folder], place.home, diskPaths, () => cuts.push("cut"), 30);
  expect(found.map(({ link }) => link)).toContain(join(folder, "skills/deploy"));
  expect(cuts).toEqual(["cut"]);
});

test("a settings folder with another name is protected, too", async () => {
  const places = linkedPlaces([join(far, "pawl")], place.home, diskPaths);
  expect(await write("pawl/settings.json", { linked: () => places })).toBe("ask");
  expect(await write("pawl/settings.json", { linked: () => [] })).toBe("allow");
});

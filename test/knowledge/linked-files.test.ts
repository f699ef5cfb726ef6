import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scanFolder, scanSkills } from "../../src/knowledge/scan.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Seen: a command and a skill of a cloned repository were links to the `.env` that its user had put there.
test("a project's links lead only to files that are named like instructions, and a user's own links anywhere", () => {
  const top = temporaryFolder();
  for (const folder of ["commands", "skills/s", "skills/ok", "shared/tool"])
    mkdirSync(join(top, folder), { recursive: true });
  for (const name of [".env", "id_rsa", "guide.mdc", "shared/tool/SKILL.md"]) writeFileSync(join(top, name), "text");
  symlinkSync("../.env", join(top, "commands/a.md"));
  symlinkSync("../id_rsa", join(top, "commands/b.md"));
  symlinkSync("../guide.mdc", join(top, "commands/c.md"));
  symlinkSync("../../.env", join(top, "skills/s/SKILL.md"));
  symlinkSync("../../guide.mdc", join(top, "skills/ok/SKILL.md"));
  symlinkSync("../shared/tool", join(top, "skills/tool"));
  const accepts = (name: string): boolean => name.endsWith(".md");
  const { paths, problems } = scanFolder(join(top, "commands"), { accepts, bounds: [top] });
  expect(paths).toEqual([join(top, "commands/c.md")]);
  expect(problems.map(({ reason }) => reason)).toEqual(Array(2).fill(expect.stringContaining("a link to a file")));
  expect(scanSkills(join(top, "skills"), [top]).paths).toEqual(
    ["ok", "tool"].map((name) => join(top, "skills", name, "SKILL.md")),
  );
  expect(scanFolder(join(top, "commands"), { accepts, bounds: "anywhere" }).paths).toHaveLength(3);
});

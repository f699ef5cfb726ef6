// Trust in a folder is of the scripts that its skills name, too: they run with the rights that trust gives.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { currentEvidence } from "../../src/session/settings/found-files.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { put } from "../support/put.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
beforeEach(() => {
  root = temporaryFolder();
  for (const folder of ["home", "repo/.git", "repo/inner"]) mkdirSync(join(root, folder), { recursive: true });
});

function hashIn(cwd: string): string | undefined {
  const places = { cwd, home: join(root, "home"), env: {} };
  return loadSettings({ ...places, policyFolders: [join(root, "etc")], further: currentEvidence(places) }).project
    ?.hash;
}

const hook = (command: string): string =>
  `---\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: '${command}'\n---\nDo it.\n`;

// Seen: of each of these a changed script ran, or was permitted, without a question.
test.each([
  ["a hook", hook('"$CLAUDE_SKILL_DIR"/scripts/run.sh')],
  ["a hook in braces", hook("sh ${CLAUDE_SKILL_DIR}/scripts/run.sh")],
  ["a hook from the project", hook('"$CLAUDE_PROJECT_DIR"/.claude/skills/ship/scripts/run.sh')],
  ["a shell line", "Now: !`sh ${CLAUDE_SKILL_DIR}/scripts/run.sh`\n"],
  ["a block of shell", "```!\ncd x\nsh ${CLAUDE_SKILL_DIR}/scripts/run.sh\n```\n"],
  ["a rule", "---\nallowed-tools: Bash(${CLAUDE_SKILL_DIR}/scripts/run.sh *)\n---\nDo it.\n"],
  ["a rule of the elder form", "---\nallowed-tools:\n  - Bash(sh ${CLAUDE_SKILL_DIR}/scripts/run.sh:*)\n---\nDo it.\n"],
])("trust covers the text of a script that a skill names in %s", (_where, text) => {
  const folder = join(root, "repo/.claude/skills/ship");
  const script = join(folder, "scripts/run.sh");
  put(join(folder, "SKILL.md"), text);
  const changed = ["repo", "repo/inner"].filter((cwd) => {
    if (cwd === "repo/inner" && text.includes("PROJECT_DIR")) return true;
    put(script, "echo one");
    const before = hashIn(join(root, cwd));
    expect(before).toBeDefined();
    put(script, "echo two");
    return hashIn(join(root, cwd)) !== before;
  });
  expect(changed).toEqual(["repo", "repo/inner"]);
});

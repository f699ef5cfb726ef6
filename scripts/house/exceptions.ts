// There are no exceptions: no comment may switch a check off, and no linter setting may raise a size limit for single files.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Problem, Source } from "./sources.ts";

const disablingComments =
  /(?:^|[\s*/])((?:oxlint|eslint)-disable[\w-]*|@ts-(?:ignore|expect-error|nocheck)|(?:oxfmt|prettier)-ignore[\w-]*)/;
const sizeRules = ["max-lines", "max-lines-per-function"];
const linterSettings = ".oxlintrc.json";
const allowedIgnores = ["api/", "dist/", "coverage/", "demo/sample/"];

/** Returns the comments that switch checks off, in any source file of the repository. */
export function checkSwitches(sources: readonly Source[]): Problem[] {
  return sources.flatMap(({ file, comments }) =>
    comments.flatMap(({ text, line }) => {
      const found = disablingComments.exec(text)?.[1];
      const message = `"${found}" switches a check off: change the code so that the check passes`;
      return found === undefined ? [] : [{ file, line, rule: "no-exceptions", message }];
    }),
  );
}

/** Returns the linter settings that raise a size limit for anything but tests, or that ignore files. */
export function checkLinterSettings(root: string): Problem[] {
  if (!existsSync(join(root, linterSettings))) return [];
  const text = readFileSync(join(root, linterSettings), "utf8");
  const settings = JSON.parse(text) as {
    ignorePatterns?: string[];
    overrides?: { files: string[]; rules?: Record<string, unknown> }[];
  };
  const problem = (needle: string, message: string): Problem => {
    const line = text.slice(0, text.indexOf(JSON.stringify(needle))).split("\n").length;
    return { file: linterSettings, line, rule: "no-exceptions", message };
  };
  const ignored = (settings.ignorePatterns ?? []).filter((pattern) => !allowedIgnores.includes(pattern));
  const loosened = (settings.overrides ?? []).filter(
    ({ files, rules = {} }) => files.join() !== "test/**" && sizeRules.some((rule) => rule in rules),
  );
  return [
    ...ignored.map((pattern) => problem(pattern, `ignores ${pattern}: every source file is checked`)),
    ...loosened.map(({ files }) =>
      problem(files[0] ?? "", `sets a size of its own for ${files.join(", ")}: split what is too long instead`),
    ),
  ];
}

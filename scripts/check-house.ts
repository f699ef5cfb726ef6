// Checks the house rules that the linter does not have: import direction, circles, rooms, no exceptions. Usage: check-house.ts [root]
// The linter (.oxlintrc.json) checks sizes and import circles of tests.
import { join, resolve } from "node:path";
import { checkHouse } from "./house/check.ts";

const { problems, files } = checkHouse(resolve(process.argv[2] ?? join(import.meta.dirname, "..")));
for (const { file, line, rule, message } of problems) console.error(`${file}:${line}: ${rule}: ${message}`);
console.log(`house: ${files} files in src, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

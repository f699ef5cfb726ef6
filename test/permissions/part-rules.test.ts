// For a line of several commands, the question is about the commands that lack permission, and a rule is suggested for each of them.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PermissionAnswer, PermissionQuestion } from "../../src/protocol/permission.ts";
import { call, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "src"));
});
afterAll(() => place.remove());

/** Asks twice about the same line, and once about more. */
async function asked(command: string, answer: (question: PermissionQuestion) => PermissionAnswer) {
  const questions: PermissionQuestion[] = [];
  const permissions = make(place, { ask: async (question) => (questions.push(question), answer(question)) });
  for (const each of [command, command, `${command}; rm -rf src`])
    await call(permissions, place.cwd, "Bash", { command: each });
  return questions;
}

test.each([
  ["cd src && npm test && ls", "Bash(npm test *)"],
  ["cd src && rm -rf lib", "Bash(cd src && rm -rf lib)"],
  ["(cd src && node t.js); ls", String.raw`Bash(\(cd src && node t.js\); ls)`],
  ["cd /etc && cat .env", "Bash(cd /etc && cat .env)"],
  ["cd . && node t.js", "Bash(node t.js)"],
  ["cd .. && npm test", "Bash(cd .. && npm test)"],
  ["{ node; } < t.js", "Bash({ node; } < t.js)"],
  ["for i in 1; do node; done < t.js; ls", "Bash(for i in 1; do node; done < t.js; ls)"],
  ["ls; xargs rm", "Bash(ls; xargs rm)"],
  ["npm test 2>&1 | tail -20", "Bash(npm test *)"],
  ["ls | node", "Bash(ls | node)"],
  ["ls; sh <<< x", "Bash(ls; sh <<< x)"],
  ["ls; sh < x", "Bash(ls; sh < x)"],
  ["ls | xargs node", "Bash(ls | xargs node)"],
  ["node t.js > out.txt; ls", "Bash(node t.js > out.txt; ls)"],
  ['ls; node "$(ls)"', String.raw`Bash(ls; node "$\(ls\)")`],
  ["cd src && git commit -m x", "Bash(cd src && git commit -m x)"],
  ["for f in a b; do node $f; done", "Bash(for f in a b; do node $f; done)"],
])("the question about %j suggests %s, which answers that line and no more", async (command, rule) => {
  const questions = await asked(command, ({ suggestedRule }) => ({ behavior: "allow", rule: suggestedRule }));
  expect(questions.map(({ suggestedRule }) => suggestedRule)).toEqual([rule, expect.any(String)]);
  expect(questions[0]).not.toHaveProperty("suggestedRules");
});

test.each([
  ["npm test; npm publish; ls", ["npm test *", "npm publish"]],
  ["cat .env && X=1 node t.js 2>&1 | head", ["cat .env", "X=1 node t.js"]],
  ["a; b; c; d; e", ["a", "b", "c", "d", "e"]],
  ["a; b; c; d; e; f", undefined],
  ["a\nb", ["a", "b"]],
  ["cd /etc && npm test", ["cd /etc", "npm test *"]],
  ["node t.js; ls | sh", undefined],
])("the question about %j suggests a rule for each command that lacks one: %j", async (command, contents) => {
  const rules = contents?.map((ruleContent) => ({ toolName: "Bash", ruleContent }));
  const updates = [{ type: "addRules", rules: rules ?? [], behavior: "allow", destination: "session" } as const];
  const questions = await asked(command, () => ({ behavior: "allow", updates }));
  expect(questions[0]?.suggestedRules).toEqual(rules);
  expect(questions).toHaveLength(rules === undefined ? 3 : 2);
});

test.each([
  ["ls; cat x; node t.js", '"node t.js" needs permission (the rest of the line does not)', '"Bash(node t.js)"'],
  [
    "npm test; node t.js; node t.js",
    '"npm test" needs permission; so does "node t.js"',
    '"Bash(npm test *)" "Bash(node t.js)"',
  ],
  [
    "ls; cat .env; npm test",
    'cat .env" shows what may be secret, which needs permission; so does "npm test" (the rest of the line does not)',
    '"Bash(cat .env)" "Bash(npm test *)"',
  ],
  ["ls | node", '"node" needs permission', '"Bash(ls | node)"'],
  // Seen: only the first of six was named, and a rule for it was of no use.
  ["a; b; c; d; e; f; ls", '"a" needs permission; so do 5 more commands of the line', '"Bash(a; b; c; d; e; f; ls)"'],
])("a denial of %j names the commands that lack permission, and only their rules", async (command, why, rules) => {
  const decision = await call(make(place), place.cwd, "Bash", { command });
  expect(decision).toMatchObject({ behavior: "deny" });
  const { message } = decision as { message: string };
  expect(message).toContain(`${why}, and nobody can be asked in a headless run`);
  expect(message.endsWith(`To allow it, start pawl with --allowed-tools ${rules}.`), message).toBe(true);
});

test("a denial of very many commands counts no more than twenty, because each costs a judgement of the line", async () => {
  const command = Array.from({ length: 24 }, (_, at) => `tool${at}`).join("; ");
  const decision = await call(make(place), place.cwd, "Bash", { command });
  expect((decision as { message: string }).message).toContain(
    '"tool0" needs permission; so do at least 19 more commands',
  );
});

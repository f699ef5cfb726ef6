// The mode `auto`: what its judge is asked, what it is never asked, and who decides if the judge cannot.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Classify, Classification } from "../../src/permissions/permission-options.ts";
import type { PermissionAnswer, PermissionQuestion } from "../../src/protocol/permission.ts";
import { call, make, makePlace, type Place, type Setup } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "src"));
});
afterAll(() => place.remove());

const allow: Classification = { verdict: "allow" };
const block: Classification = { verdict: "block", reason: "it pushes, which nobody asked for" };
const unclear: Classification = { verdict: "unclear", why: "the model gave no clear answer" };

/** Answers each call in turn; the last answer stands for all that follow. */
function judged(
  answers: readonly Classification[],
  setup: Setup = {},
  person: PermissionAnswer = { behavior: "allow" },
) {
  const seen: Parameters<Classify>[0][] = [];
  const questions: PermissionQuestion[] = [];
  const classify: Classify = async (given) => {
    seen.push(given);
    return answers[seen.length - 1] ?? answers.at(-1)!;
  };
  const ask = async (question: PermissionQuestion): Promise<PermissionAnswer> => {
    questions.push(question);
    return person;
  };
  const permissions = make(place, { mode: "auto", classify, ask, ...setup });
  const run = (command: string, extra: Parameters<typeof call>[4] = {}) =>
    call(permissions, place.cwd, "Bash", { command }, extra);
  const write = (path: string) => call(permissions, place.cwd, "Write", { file_path: join(place.cwd, path) });
  return { permissions, seen, questions, run, write };
}

describe("the judge of auto mode", () => {
  test("is asked about what rules and modes leave open, with the exact call, and allows or blocks it", async () => {
    const { run, seen, questions } = judged([allow, block]);
    expect(await run("npm test")).toMatchObject({ behavior: "allow", reason: { type: "classifier" } });
    expect(await run("git push")).toMatchObject({
      behavior: "deny",
      reason: { type: "classifier", text: "it pushes, which nobody asked for" },
      message: expect.stringContaining("it pushes, which nobody asked for") as string,
    });
    expect(seen).toMatchObject([
      { toolName: "Bash", input: { command: "npm test" }, cwd: place.cwd, why: expect.stringContaining("npm test") },
      { input: { command: "git push" } },
    ]);
    expect(questions).toEqual([]);
  });

  test("is not asked about calls that need no permission or that a rule decides", async () => {
    const rules: Setup = { allow: ["Bash(npm test *)"], deny: ["Bash(curl *)"] };
    const { run, write, seen } = judged([block], rules);
    expect((await write("src/a.ts")).behavior).toBe("allow");
    expect((await run("ls src")).behavior).toBe("allow");
    expect((await run("mkdir src/b")).behavior).toBe("allow");
    expect((await run("npm test x")).behavior).toBe("allow");
    expect((await run("curl x")).behavior).toBe("deny");
    expect(seen).toEqual([]);
  });

  test("is not asked instead of a person about ask rules, asking hooks, protected files or critical removals", async () => {
    const { run, write, seen, questions } = judged([allow], { askRules: ["Bash(git push *)"] });
    expect((await run("git push origin")).behavior).toBe("allow");
    expect((await run("npm test", { hookDecision: { behavior: "ask" } })).behavior).toBe("allow");
    await write(".git/hooks/pre-commit");
    await run("rm -rf .");
    await run("echo x > .mcp.json");
    expect(seen).toEqual([]);
    expect(questions).toHaveLength(5);
    const alone = judged([allow], { ask: undefined, askRules: ["Bash"] });
    expect((await alone.run("npm test")).behavior).toBe("deny");
    expect((await alone.write(".git/config")).behavior).toBe("deny");
  });

  test("is not asked about leaving the sandbox, where questions are denied, or in another mode", async () => {
    const leaving = judged([allow], { confinementOf: () => ({ kind: "leaving" }) as never });
    await leaving.run("touch x");
    expect([leaving.seen.length, leaving.questions.length]).toEqual([0, 1]);
    const silent = judged([allow], { deniesInsteadOfAsking: () => true });
    expect((await silent.run("npm test")).behavior).toBe("deny");
    const other = judged([allow], { mode: "acceptEdits" });
    await other.run("npm test");
    expect([silent.seen, other.seen]).toEqual([[], []]);
  });
});

describe("a person in auto mode", () => {
  test("is asked, with the reason, when the judge cannot tell, fails or is missing; without a person the call is denied", async () => {
    const failing: Classify = () => Promise.reject(new Error("no network"));
    for (const [setup, why] of [
      [{ classify: async () => unclear }, "the model gave no clear answer"],
      [{ classify: failing }, "no network"],
      [{ classify: undefined }, "there is no judge"],
    ] as [Setup, string][]) {
      const { run, questions } = judged([unclear], setup);
      expect((await run("npm test")).behavior).toBe("allow");
      expect(questions).toMatchObject([{ why: expect.stringContaining(why) as string }]);
      const alone = judged([unclear], { ...setup, ask: undefined });
      expect(await alone.run("npm test")).toMatchObject({ behavior: "deny", message: expect.stringContaining(why) });
    }
  });

  test("is asked when the judge takes too long, and the judge's request is aborted", async () => {
    let fire = (): void => undefined;
    let ended: AbortSignal | undefined;
    const begun = Promise.withResolvers<void>();
    const clock = { timer: (_: number, onFire: () => void) => ((fire = onFire), () => undefined) };
    const classify: Classify = (_, signal) => {
      ended = signal;
      begun.resolve();
      return new Promise(() => undefined);
    };
    const { run, questions } = judged([], { classify, clock });
    const running = run("npm test");
    await begun.promise;
    fire();
    expect((await running).behavior).toBe("allow");
    expect(ended?.aborted).toBe(true);
    expect(questions).toMatchObject([{ why: expect.stringContaining("within 30 s") as string }]);
  });

  test("is asked after three blocked calls in a row, until the person allows one", async () => {
    const { run, seen, questions } = judged([block]);
    for (const _ of [1, 2, 3]) expect((await run("git push")).behavior).toBe("deny");
    expect((await run("npm test")).behavior).toBe("allow");
    expect([seen.length, questions.length]).toEqual([3, 1]);
    expect(questions[0]?.why).toContain("blocked 3 calls in a row");
    expect((await run("git push")).behavior).toBe("deny");
    expect(seen).toHaveLength(4);
    const refusing = judged([block, block, allow, block, block, block, block], {}, { behavior: "deny" });
    for (let at = 0; at < 8; at++) await refusing.run("git push");
    expect([refusing.seen.length, refusing.questions.length]).toEqual([6, 2]);
  });

  test("who interrupts while the judge is asked gets the call denied", async () => {
    const stop = new AbortController();
    const classify: Classify = async () => (stop.abort(), allow);
    const { run } = judged([], { classify });
    expect(await run("npm test", { signal: stop.signal })).toMatchObject({ behavior: "deny" });
  });
});

test("a blocked call is reported to the hook, which may let the model try it again", async () => {
  const told: unknown[] = [];
  const onBlocked: Setup["onBlocked"] = async ({ toolName }, reason) => {
    told.push([toolName, reason]);
    return told.length > 1;
  };
  const { run } = judged([block], { onBlocked });
  expect(await run("git push")).toMatchObject({ message: expect.stringContaining("Do not reach the same") as string });
  expect(await run("git push")).toMatchObject({ message: expect.stringContaining("you may try it again") as string });
  expect(told).toHaveLength(2);
});

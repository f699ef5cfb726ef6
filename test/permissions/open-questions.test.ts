// Permissions change while a question is open: what would no longer be asked is settled, and the question withdrawn.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  PermissionAnswer,
  PermissionDecision,
  PermissionMode,
  PermissionUpdate,
} from "../../src/protocol/permission.ts";
import type { Permissions } from "../../src/permissions/permissions.ts";
import { call, make, makePlace, verdict, type Place, type Setup } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

interface Open {
  permissions: Permissions;
  signal: AbortSignal;
  answer: (answer: PermissionAnswer) => void;
  decided: Promise<PermissionDecision>;
}

const write = (): [string, Record<string, unknown>] => ["Write", { file_path: join(place.cwd, "a.txt") }];
const npm: [string, Record<string, unknown>] = ["Bash", { command: "npm test" }];

async function opened([tool, input]: [string, Record<string, unknown>], setup: Setup = {}): Promise<Open> {
  const isOpen = Promise.withResolvers<AbortSignal>();
  const { promise, resolve } = Promise.withResolvers<PermissionAnswer>();
  const ask = (_: unknown, signal: AbortSignal): Promise<PermissionAnswer> => {
    isOpen.resolve(signal);
    return promise;
  };
  const permissions = make(place, { ask, headless: false, ...setup });
  const decided = call(permissions, place.cwd, tool, input);
  return { permissions, signal: await isOpen.promise, answer: resolve, decided };
}

const settled = async (ticks = 20): Promise<void> => {
  for (; ticks > 0; ticks -= 1) await new Promise((resolve) => setImmediate(resolve));
};

test("a rule that a skill grants for a turn settles an open question", async () => {
  const denied = await opened(npm);
  denied.permissions.grants.grant("deny", [{ rule: "Bash(npm *)", source: "a skill" }]);
  expect(await denied.decided).toMatchObject({ behavior: "deny", reason: { type: "rule" } });
  const allowed = await opened(npm);
  allowed.permissions.grants.grant("allow", [{ rule: "Bash(npm *)", source: "a skill" }]);
  expect(await allowed.decided).toMatchObject({ behavior: "allow", reason: { type: "rule" } });
  expect([denied, allowed].map(({ signal }) => signal.aborted)).toEqual([true, true]);
});

describe("an open question and another mode:", () => {
  test.each<[PermissionMode, object]>([
    ["acceptEdits", { behavior: "allow", reason: { type: "mode", mode: "acceptEdits" } }],
    ["bypassPermissions", { behavior: "allow", reason: { type: "mode", mode: "bypassPermissions" } }],
    ["plan", { behavior: "deny", reason: { type: "mode", mode: "plan" } }],
    [
      "dontAsk",
      { behavior: "deny", message: expect.stringContaining("the mode dontAsk denies instead of asking") as string },
    ],
  ])("%s settles it if the mode would not have asked, and withdraws it", async (mode, decision) => {
    const { permissions, signal, decided } = await opened(write());
    permissions.setMode(mode);
    expect(await decided).toMatchObject(decision);
    expect(signal.aborted).toBe(true);
  });

  test("a mode that would ask as well leaves it open, and the answer counts", async () => {
    const { permissions, signal, answer, decided } = await opened(npm);
    permissions.setMode("acceptEdits");
    await settled();
    expect(signal.aborted).toBe(false);
    answer({ behavior: "deny", message: "not now" });
    expect(await decided).toMatchObject({ behavior: "deny", reason: { type: "user" } });
  });

  test("no mode answers what a person must answer", async () => {
    const { permissions, signal, answer, decided } = await opened(["Ask", {}], { needsPerson: () => true });
    permissions.setMode("bypassPermissions");
    await settled();
    expect(signal.aborted).toBe(false);
    answer({ behavior: "allow", updatedInput: { answers: {} } });
    expect(await decided).toMatchObject({ behavior: "allow", updatedInput: { answers: {} } });
    const other = await opened(["Ask", {}], { needsPerson: () => true });
    other.permissions.setMode("dontAsk");
    expect(await other.decided).toMatchObject({ behavior: "deny" });
  });

  test("no mode answers which host a command may reach", async () => {
    const isOpen = Promise.withResolvers<AbortSignal>();
    const ask = (_: unknown, signal: AbortSignal) => {
      isOpen.resolve(signal);
      return new Promise<PermissionAnswer>(() => undefined);
    };
    const permissions = make(place, { ask });
    const question = { host: "a.test", port: 443, command: "curl a.test", toolUseId: "t", cwd: place.cwd };
    const over = new AbortController();
    const decided = permissions.askAboutHost(question, over.signal);
    const signal = await isOpen.promise;
    permissions.setMode("bypassPermissions");
    await settled();
    expect(signal.aborted).toBe(false);
    over.abort();
    expect(await decided).toMatchObject({ behavior: "deny" });
  });

  test("auto mode asks its judge once, and asks the person again if the judge cannot tell", async () => {
    let judged = 0;
    const classify = async () => {
      judged += 1;
      return { verdict: "unclear", why: "who knows" } as const;
    };
    const signals: AbortSignal[] = [];
    const ask = (_: unknown, signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<PermissionAnswer>(() => undefined);
    };
    const permissions = make(place, { ask, classify, headless: false });
    const over = new AbortController();
    const decided = call(permissions, place.cwd, ...npm, { signal: over.signal });
    await settled();
    permissions.setMode("auto");
    await settled();
    permissions.addSessionRule("Bash(ls *)");
    await settled();
    expect(judged).toBe(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    over.abort();
    await decided;
    const passes = await opened(npm, { classify: async () => ({ verdict: "allow" }) });
    passes.permissions.setMode("auto");
    expect(await passes.decided).toMatchObject({ behavior: "allow", reason: { type: "classifier" } });
  });
});

describe("an open question and other rules:", () => {
  const change = (behavior: "allow" | "deny"): PermissionUpdate => ({
    type: "addRules",
    rules: [{ toolName: "Bash", ruleContent: "npm *" }],
    behavior,
    destination: "session",
  });

  test.each<[string, (permissions: Permissions) => unknown, "allow" | "deny"]>([
    ["a rule of the session", (permissions) => permissions.addSessionRule("Bash(npm test)"), "allow"],
    ["an added allow rule", (permissions) => permissions.update(change("allow")), "allow"],
    ["an added deny rule", (permissions) => permissions.update(change("deny")), "deny"],
    [
      "replaced rules of files",
      (permissions) => permissions.replaceRules({ allow: [{ rule: "Bash", source: "x" }], deny: [], ask: [] }, []),
      "allow",
    ],
    [
      "what forbids more",
      (permissions) => permissions.narrowRules({ allow: [], deny: [{ rule: "Bash", source: "x" }], ask: [] }),
      "deny",
    ],
  ])("a new rule settles it: %s", async (_, settle, behavior) => {
    const { permissions, signal, decided } = await opened(npm);
    settle(permissions);
    expect(await decided).toMatchObject({ behavior, reason: { type: "rule" } });
    expect(signal.aborted).toBe(true);
  });

  test("an added folder settles it for what is read there", async () => {
    const { permissions, decided } = await opened(["Read", { file_path: join(place.home, "notes") }]);
    permissions.addDirectory(place.home);
    expect(await decided).toMatchObject({ behavior: "allow" });
  });

  test("a lasting answer to one question settles the others of its kind", async () => {
    const asked: AbortSignal[] = [];
    const first = Promise.withResolvers<PermissionAnswer>();
    const ask = (_: unknown, signal: AbortSignal) => {
      asked.push(signal);
      return asked.length === 1 ? first.promise : new Promise<PermissionAnswer>(() => undefined);
    };
    const permissions = make(place, { ask, headless: false });
    const decisions = [1, 2, 3].map(() => call(permissions, place.cwd, ...npm));
    await settled();
    expect(asked).toHaveLength(3);
    first.resolve({ behavior: "allow", rule: "Bash(npm test)" });
    const found = await Promise.all(decisions);
    expect(found.map(({ reason }) => reason.type)).toEqual(["user", "rule", "rule"]);
    expect(asked.slice(1).every(({ aborted }) => aborted)).toBe(true);
  });
});

test("a change while hooks are asked counts before a person is asked", async () => {
  const hook = Promise.withResolvers<null>();
  let asked = 0;
  const permissions = make(place, {
    beforeAsking: () => hook.promise,
    ask: async () => {
      asked += 1;
      return { behavior: "deny" };
    },
  });
  const decided = call(permissions, place.cwd, ...npm);
  await settled();
  permissions.setMode("bypassPermissions");
  hook.resolve(null);
  expect(await decided).toMatchObject({ behavior: "allow" });
  expect(asked).toBe(0);
});

describe("a call that a hook or the judge of auto mode would allow", () => {
  test.each<[string, (permissions: Permissions) => unknown]>([
    ["a rule", (permissions) => permissions.addSessionRule("Write", "deny")],
    ["plan mode", (permissions) => permissions.setMode("plan")],
  ])("is denied if %s forbids it before the hook answers", async (_name, forbid) => {
    const hook = Promise.withResolvers<{ behavior: "allow" }>();
    const permissions = make(place, { beforeAsking: () => hook.promise });
    const decided = call(permissions, place.cwd, ...write());
    await settled();
    forbid(permissions);
    hook.resolve({ behavior: "allow" });
    expect(await decided).toMatchObject({ behavior: "deny" });
  });

  test("runs with the hook's input, whether rules allow it by then or would still ask", async () => {
    const hook = Promise.withResolvers<{ behavior: "allow"; updatedInput: Record<string, unknown> }>();
    const permissions = make(place, { beforeAsking: () => hook.promise });
    const decided = call(permissions, place.cwd, ...npm);
    await settled();
    permissions.addSessionRule("Bash(npm *)");
    hook.resolve({ behavior: "allow", updatedInput: { command: "npm test --safe" } });
    expect(await decided).toMatchObject({ behavior: "allow", updatedInput: { command: "npm test --safe" } });
    const other = make(place, {
      beforeAsking: async () => (other.addSessionRule("Bash(ls *)"), { behavior: "allow" }),
    });
    expect(await call(other, place.cwd, ...npm)).toMatchObject({ behavior: "allow", reason: { type: "user" } });
  });

  test.each<[string, (permissions: Permissions) => unknown, object]>([
    [
      "a rule forbids it",
      (permissions) => permissions.addSessionRule("Bash(npm *)", "deny"),
      { behavior: "deny", reason: { type: "rule" } },
    ],
    ["plan mode begins", (permissions) => permissions.setMode("plan"), { behavior: "deny" }],
    ["a mode begins in which nobody is asked", (permissions) => permissions.setMode("dontAsk"), { behavior: "deny" }],
    ["a person is to be asked again", (permissions) => permissions.setMode("default"), { reason: { type: "user" } }],
    [
      "another rule is added",
      (permissions) => permissions.addSessionRule("Bash(ls *)"),
      { behavior: "allow", reason: { type: "classifier" } },
    ],
  ])("is judged again if %s before the judge answers", async (_name, change, decision) => {
    const judge = Promise.withResolvers<{ verdict: "allow" }>();
    const ask = async (): Promise<PermissionAnswer> => ({ behavior: "deny", message: "not now" });
    const permissions = make(place, { mode: "auto", classify: () => judge.promise, ask, headless: false });
    const decided = call(permissions, place.cwd, ...npm);
    await settled();
    change(permissions);
    judge.resolve({ verdict: "allow" });
    expect(await decided).toMatchObject(decision);
  });
});

describe("an agent's", () => {
  const below = async (what: [string, Record<string, unknown>], setup: Setup = {}) => {
    const parent = make(place, setup);
    const above = { permissions: parent, sharesFolders: true, shares: () => true };
    return { parent, ...(await opened(what, { parent: above, mode: "bypassPermissions" })) };
  };
  const reads: [string, Record<string, unknown>] = ["Read", { file_path: "/elsewhere/notes" }];

  test.each<[string, (parent: Permissions) => unknown, string, [string, Record<string, unknown>]]>([
    ["the mode", (parent) => parent.setMode("bypassPermissions"), "allow", npm],
    ["a stricter mode", (parent) => parent.setMode("dontAsk"), "deny", npm],
    ["a rule of the session", (parent) => parent.addSessionRule("Bash(npm test)"), "allow", npm],
    [
      "what files forbid more",
      (parent) => parent.narrowRules({ allow: [], deny: [{ rule: "Bash", source: "x" }], ask: [] }),
      "deny",
      npm,
    ],
    [
      "other rules of files",
      (parent) => parent.replaceRules({ allow: [{ rule: "Bash", source: "x" }], deny: [], ask: [] }, []),
      "allow",
      npm,
    ],
    ["a folder", (parent) => parent.addDirectory("/elsewhere"), "allow", reads],
  ])("open question is settled by a change in its parent: %s", async (_name, change, behavior, what) => {
    const { parent, decided, signal } = await below(what);
    change(parent);
    expect(await decided).toMatchObject({ behavior });
    expect(signal.aborted).toBe(true);
  });

  test("rules are those of its parent at any time, and its own do not reach the parent", async () => {
    const parent = make(place, { allow: ["Bash(npm test)"] });
    const permissions = make(place, {
      parent: { permissions: parent, sharesFolders: true, shares: (change) => change !== "Bash(ls)" },
    });
    expect(await verdict(permissions, place.cwd, ...npm)).toBe("allow");
    parent.replaceRules({ allow: [], deny: [{ rule: "Read", source: "x" }], ask: [] }, []);
    expect(await verdict(permissions, place.cwd, ...npm)).toBe("ask");
    expect(permissions.isReadDenied(join(place.cwd, "a"))).toBe(false);
    expect(permissions.removedTools(["Read", "Bash"])).toEqual(["Read"]);
    parent.grants.grant("allow", [{ rule: "Bash(npm test)", source: "a skill" }]);
    expect(await verdict(permissions, place.cwd, ...npm)).toBe("ask");
    expect([permissions.addLastingRule("Bash(npm test)"), permissions.addLastingRule("Bash(ls)")]).toEqual([
      true,
      true,
    ]);
    expect(parent.describeRules().map(({ rule }) => rule)).toEqual(["Bash(npm test)", "Bash(npm test)", "Read"]);
  });
});

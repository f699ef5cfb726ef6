// Laws of the task list, whatever is asked of it in whatever order.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  blocksOf,
  changeTask,
  emptyList,
  findTask,
  ownerNews,
  openBlockers,
  withReserved,
  withTask,
  type TaskActor,
  type TaskChange,
  type TaskList,
} from "../../../src/session/team/task.ts";
import { readList } from "../../../src/session/team/task-store.ts";

const names = ["ada", "bob", "team-lead"];
const actorOf = (name: string): TaskActor => ({ name, isLead: name === "team-lead" });
// Most ids and states are those that leave the histories a task to change.
const id = fc.constantFrom(1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8).map(String);
const change: fc.Arbitrary<TaskChange> = fc.record(
  {
    subject: fc.constantFrom("a", "b"),
    status: fc.constantFrom("pending", "pending", "in_progress", "in_progress", "in_progress", "completed", "deleted"),
    owner: fc.constantFrom(...names, ""),
    addBlocks: fc.array(id, { maxLength: 2 }),
    addBlockedBy: fc.array(id, { maxLength: 2 }),
    metadata: fc.dictionary(fc.constantFrom("x", "y"), fc.constantFrom(1, null)),
  },
  { requiredKeys: [] },
);
type Step = { make: true } | { make: false; id: string; by: string; change: TaskChange };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ make: true as const }) },
  { weight: 2, arbitrary: fc.record({ make: fc.constant(false as const), id, by: fc.constantFrom(...names), change }) },
);

function isAcyclic(list: TaskList): boolean {
  const left = new Map(list.tasks.map((task) => [task.id, task.blockedBy]));
  for (let isMoving = true; isMoving;) {
    isMoving = false;
    for (const [each, blockers] of left)
      if (!blockers.some((blocker) => left.has(blocker))) isMoving = left.delete(each);
  }
  return left.size === 0;
}

function three(): TaskList {
  let list = emptyList;
  for (const subject of ["one", "two", "three"]) {
    const made = withTask(list, { subject, description: "" });
    if (made.ok) list = made.list;
  }
  return list;
}

function after(list: TaskList, task: string, asked: TaskChange, by = "team-lead"): TaskList {
  const answer = changeTask(list, task, asked, actorOf(by));
  if (!answer.ok) throw new Error(answer.problem);
  return answer.list;
}

describe("any history of changes to a list", () => {
  test("never reuses an id, never makes a cycle or a dangling dependency, and can be written and read back", () => {
    let attemptsOfOthers = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: "max" }), (steps) => {
        let list = emptyList;
        const given = new Set<string>();
        for (const one of steps) {
          if (one.make) {
            const made = withTask(list, { subject: "s", description: "d" });
            if (!made.ok) continue;
            expect(given.has(made.task.id)).toBe(false);
            given.add(made.task.id);
            list = made.list;
          } else {
            const before = findTask(list, one.id);
            const answer = changeTask(list, one.id, one.change, actorOf(one.by));
            const wasOthers = before?.owner !== undefined && before.owner !== one.by && before.status !== "completed";
            const isOthers = wasOthers && one.by !== "team-lead";
            if (isOthers) attemptsOfOthers++;
            if (!answer.ok) continue;
            const { task, statusChange } = answer;
            if (statusChange?.to === "in_progress" || statusChange?.to === "completed")
              expect(openBlockers(answer.list, task)).toEqual([]);
            if (isOthers) {
              expect(answer.updatedFields).not.toContain("owner");
              expect(statusChange).toBeUndefined();
            }
            list = answer.list;
          }
          expect(isAcyclic(list)).toBe(true);
          expect(readList(JSON.parse(JSON.stringify(list)))).toEqual(list);
        }
      }),
      { numRuns: 150 },
    );
    expect(attemptsOfOthers).toBeGreaterThan(20);
  });

  test("a refused change gives its reason and changes nothing", () => {
    const list = three();
    const answer = changeTask(list, "1", { subject: "new", addBlockedBy: ["2", "99"] }, actorOf("ada"));
    expect(answer).toEqual({ ok: false, problem: 'There is no task "99" in the list.' });
    expect(list).toEqual(three());
  });
});

describe("a task that waits for others", () => {
  test("can be neither started nor completed before them, and is reported once it is free", () => {
    let list = after(three(), "3", { addBlockedBy: ["1", "2"] });
    expect(blocksOf(list, "1")).toEqual(["3"]);
    for (const status of ["in_progress", "completed"] as const)
      expect(changeTask(list, "3", { status }, actorOf("team-lead"))).toEqual({
        ok: false,
        problem: "Task #3 waits for #1, #2: those have to be completed first.",
      });
    list = after(list, "1", { status: "completed" });
    const last = changeTask(list, "2", { status: "completed" }, actorOf("ada"));
    expect(last).toMatchObject({ ok: true, freed: [{ id: "3" }] });
  });

  test("can never wait for itself, not even indirectly", () => {
    let list = after(three(), "2", { addBlockedBy: ["1"] });
    list = after(list, "3", { addBlockedBy: ["2"] });
    expect(changeTask(list, "1", { addBlockedBy: ["3"] }, actorOf("ada"))).toMatchObject({ ok: false });
    expect(changeTask(list, "3", { addBlocks: ["1"] }, actorOf("ada"))).toMatchObject({ ok: false });
    expect(changeTask(list, "1", { addBlocks: ["1"] }, actorOf("ada"))).toMatchObject({ ok: false });
  });

  test("becomes free when the task it waited for is deleted", () => {
    const list = after(three(), "3", { addBlockedBy: ["1"] });
    const gone = changeTask(list, "1", { status: "deleted" }, actorOf("ada"));
    expect(gone).toMatchObject({ ok: true, freed: [{ id: "3", blockedBy: [] }] });
  });
});

describe("the owner of a task", () => {
  test("is whoever starts it, and only the lead can change that", () => {
    const list = after(three(), "1", { status: "in_progress" }, "ada");
    expect(findTask(list, "1")).toMatchObject({ owner: "ada", status: "in_progress" });
    expect(changeTask(list, "1", { owner: "bob" }, actorOf("bob"))).toEqual({
      ok: false,
      problem: "Task #1 belongs to ada: take another one, or ask ada.",
    });
    expect(changeTask(list, "1", { status: "completed" }, actorOf("bob"))).toMatchObject({ ok: false });
    expect(findTask(after(list, "1", { owner: "bob" }), "1")?.owner).toBe("bob");
    expect(findTask(after(list, "1", { owner: "" }, "ada"), "1")?.owner).toBeUndefined();
  });
});

test("a change is reported to the agents it concerns, but not to the one that made it", () => {
  const news = (list: TaskList, asked: TaskChange, by: string) => {
    const answer = changeTask(list, "1", asked, actorOf(by));
    return answer.ok ? ownerNews(answer, by).map(({ to, text }) => `${to}: ${text}`) : [answer.problem];
  };
  const adas = after(three(), "1", { status: "in_progress" }, "ada");
  expect(news(three(), { status: "in_progress" }, "ada")).toEqual([]);
  expect(news(three(), { owner: "ada" }, "team-lead")).toEqual(["ada: Task #1 (one) is yours now."]);
  expect(news(adas, { owner: "bob" }, "team-lead")).toEqual([
    "ada: Task #1 (one) is not yours any more.",
    "bob: Task #1 (one) is yours now.",
  ]);
  expect(news(adas, { status: "deleted" }, "team-lead")).toEqual(["ada: Task #1 (one) was deleted."]);
  expect(news(adas, { status: "completed" }, "ada")).toEqual([]);
});

test("refuses texts that are too long and a missing subject, with a reason", () => {
  expect(withTask(emptyList, { subject: " ", description: "" })).toMatchObject({ ok: false });
  expect(withTask(emptyList, { subject: "x", description: "y".repeat(20_001) })).toMatchObject({
    problem: "description has 20001 characters; at most 20000 are kept. Write the rest into a file.",
  });
  expect(changeTask(three(), "1", { metadata: { a: "y".repeat(20_000) } }, actorOf("ada"))).toMatchObject({
    ok: false,
  });
});

test("rejects a value that is not a task list", () => {
  const list = after(three(), "2", { addBlockedBy: ["1"] });
  expect(readList(list)).toEqual(list);
  expect(readList({ ...list, nextId: 2 })).toBeUndefined();
  expect(readList({ ...list, tasks: [...list.tasks, list.tasks[0]] })).toBeUndefined();
  expect(readList({ ...list, tasks: list.tasks.slice(1) })).toBeUndefined();
  for (const wrong of [null, [], {}, { nextId: 1, tasks: [{}] }]) expect(readList(wrong)).toBeUndefined();
});

test("gives a reserved id to no other task", () => {
  const { list, id: reserved } = withReserved(three());
  const other = withTask(list, { subject: "o", description: "" });
  if (!other.ok) throw new Error(other.problem);
  expect(other.task.id).not.toBe(reserved);
  expect(withTask(other.list, { subject: "r", description: "" }, reserved)).toMatchObject({ task: { id: reserved } });
});

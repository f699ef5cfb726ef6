// Calls that run side by side: whose a result is can be told from its line.
import { expect, test } from "vitest";
import { CallNames } from "../../src/surface/show/call-names.ts";

test("a result gets its call's name if it is not right below its call", () => {
  const calls = new CallNames();
  calls.labelCall("a", "Write new.txt", null, 80);
  expect(calls.labelResult("a", "Created new.txt.", 80)).toBe("Created new.txt.");
  calls.labelCall("b", "Bash npm test", null, 80);
  calls.labelCall("c", "Read a.ts", null, 80);
  expect(calls.labelResult("b", "3 lines: ok", 80)).toBe("Bash npm test: 3 lines: ok");
  expect(calls.labelResult("c", "done", 80)).toBe("Read a.ts: done");
  expect(calls.labelResult("never told", "done", 80)).toBe("done");
});

test("a long call name is cut so that room remains for the result", () => {
  const calls = new CallNames();
  calls.labelCall("a", `Bash ${"x".repeat(100)}`, null, 80);
  calls.labelCall("b", "Read a.ts", null, 80);
  expect(calls.labelResult("a", "ok", 80)).toBe(`Bash ${"x".repeat(34)}…: ok`);
  expect(calls.labelResult("b", "y".repeat(50), 30)).toBe(`Read a.ts: ${"y".repeat(18)}…`);
});

// Seen with three agents at work: below the last of them stood three times "Read a.ts".
test("a call gets its agent's name if it is not below its agent or another call of that agent", () => {
  const calls = new CallNames();
  const shown: string[] = [];
  const call = (id: string, line: string, agent: string | null): number =>
    shown.push(calls.labelCall(id, line, agent, 80));
  call("a", "Task mend", null);
  call("a1", "Read a.ts", "a");
  call("b", "Task test", null);
  call("a2", "Bash npm test", "a");
  call("a3", "Bash ls", "a");
  call("b1", "Read a.ts", "b");
  expect(shown).toEqual([
    "Task mend",
    "Read a.ts",
    "Task test",
    "Task mend: Bash npm test",
    "Bash ls",
    "Task test: Read a.ts",
  ]);
  expect(calls.labelResult("a2", "ok", 80)).toBe("Bash npm test: ok");
  calls.labelResult("a", "mended", 80);
  expect(calls.labelCall("a4", "Read b.ts", "a", 80)).toBe("Read b.ts");
});

test("a result is named by its call alone, which a long name of its agent would leave no room for", () => {
  const calls = new CallNames();
  calls.labelCall("a", `Task ${"x".repeat(50)}`, null, 80);
  calls.labelCall("b", "Task test", null, 80);
  calls.labelCall("a1", "Bash npm test", "a", 80);
  calls.labelCall("b1", "Task look", "b", 80);
  expect(calls.labelResult("a1", "ok", 80)).toBe("Bash npm test: ok");
  expect(calls.labelCall("c1", "Read a.ts", "b1", 80)).toBe("Task look: Read a.ts");
});

test("a call gets its agent's name below another agent's result", () => {
  const calls = new CallNames();
  calls.labelCall("a", "Task mend", null, 80);
  calls.labelCall("b", "Task test", null, 80);
  calls.labelCall("b1", "Read a.ts", "b", 80);
  calls.labelResult("b1", "ok", 80);
  calls.labelResult("a", "mended", 80);
  expect(calls.labelCall("b2", "Bash ls", "b", 80)).toBe("Task test: Bash ls");
});

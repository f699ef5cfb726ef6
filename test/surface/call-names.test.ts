// Calls that run side by side: whose a result is can be told from its line.
import { expect, test } from "vitest";
import { CallNames } from "../../src/surface/show/call-names.ts";

test("a result gets its call's name if it is not right below its call", () => {
  const calls = new CallNames();
  calls.noteCallShown("a", "Write new.txt");
  expect(calls.labelResult("a", "Created new.txt.", 80)).toBe("Created new.txt.");
  calls.noteCallShown("b", "Bash npm test");
  calls.noteCallShown("c", "Read a.ts");
  expect(calls.labelResult("b", "3 lines: ok", 80)).toBe("Bash npm test: 3 lines: ok");
  expect(calls.labelResult("c", "done", 80)).toBe("Read a.ts: done");
  expect(calls.labelResult("never told", "done", 80)).toBe("done");
});

test("a long call name is cut so that room remains for the result", () => {
  const calls = new CallNames();
  calls.noteCallShown("a", `Bash ${"x".repeat(100)}`);
  calls.noteCallShown("b", "Read a.ts");
  expect(calls.labelResult("a", "ok", 80)).toBe(`Bash ${"x".repeat(34)}…: ok`);
  expect(calls.labelResult("b", "y".repeat(50), 30)).toBe(`Read a.ts: ${"y".repeat(18)}…`);
});

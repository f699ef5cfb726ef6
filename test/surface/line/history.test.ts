// The way back through what was sent, on to other sessions.
import { expect, test } from "vitest";
import { PromptHistory } from "../../../src/surface/line/history.ts";

const draft = { text: "half", cursor: 4 };

/** What Up shows, until there is no more. */
function upwards(history: PromptHistory): string[] {
  const shown: string[] = [];
  for (let last = history.older(draft); last !== undefined; last = history.older(last)) shown.push(last.text);
  return shown;
}

test("prompts of other sessions come after this session's, newest first, each once, and are loaded once", () => {
  let asked = 0;
  const history = new PromptHistory(() => {
    asked += 1;
    return ["first", "twice", "second", " ", "twice", "here"];
  });
  history.add("here");
  history.add("last");
  expect(history.older(draft)?.text).toBe("last");
  expect(asked).toBe(0);
  expect(upwards(history)).toEqual(["here", "twice", "second", "first"]);
  expect(upwards(history)).toEqual([]);
  expect(asked).toBe(1);
});

test("the Down key returns to the draft", () => {
  const history = new PromptHistory(() => ["first"]);
  history.add("last");
  history.older(draft);
  expect(history.older(draft)?.text).toBe("first");
  expect(history.newer({ text: "first", cursor: 0 })?.text).toBe("last");
  expect(history.newer({ text: "last", cursor: 0 })).toEqual(draft);
});

test("a search finds prompts of other sessions", () => {
  const history = new PromptHistory(() => ["mend the login"]);
  history.add("add a page");
  const found = history.find("log", "older");
  expect(found).toMatchObject({ text: "mend the login", cursor: 9 });
  expect(history.find("log", "older", (found?.at ?? 0) - 1)).toBeUndefined();
});

test("the history is limited to its newest entries", () => {
  const history = new PromptHistory(() => Array.from({ length: 900 }, (_, index) => `earlier ${index}`));
  history.add("last");
  const shown = upwards(history);
  expect([shown.length, shown[0], shown[1], shown.at(-1)]).toEqual([500, "last", "earlier 899", "earlier 401"]);
});

test("the Up key skips the newest prompt if that is what is typed already", () => {
  const history = new PromptHistory(() => ["earlier"]);
  history.add("sent");
  const typed = { text: "sent", cursor: 4 };
  expect(history.older(typed)?.text).toBe("earlier");
  expect(history.newer({ text: "earlier", cursor: 7 })?.text).toBe("sent");
  expect(history.newer(typed)).toEqual(typed);
});

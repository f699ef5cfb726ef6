// Results that a transcript did not take, and what the session still waits for of them.
import { expect, test } from "vitest";
import { Conversation } from "../../src/session/store/conversation.ts";
import { UnwrittenResults } from "../../src/session/store/unwritten-results.ts";
import { foldMessageInto } from "../../src/transcript/fold.ts";
import { assistant, open, result, use, user } from "../transcript/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Seen: a tool gave thirty documents at once, and no prompt was taken any more for as long as the process lived.
test("does not wait for a result that is too large for any transcript", () => {
  const conversation = new Conversation(open(temporaryFolder()), foldMessageInto, []);
  const unwritten = new UnwrittenResults(conversation);
  for (const message of [user("u1", "Go."), assistant("a1", "m1", [use("t1")])]) conversation.append(message);
  const large = result("r1", "t1", "x".repeat(64 << 20));
  expect(conversation.append(large)).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining("than a transcript takes") },
  });
  unwritten.observe(large);
  expect(unwritten.record()).toBeNull();
});

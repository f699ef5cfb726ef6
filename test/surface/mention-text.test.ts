import { expect, test } from "vitest";
import type { MentionNews } from "../../src/protocol/mention.ts";
import { mentionText } from "../../src/surface/show/mention-text.ts";

test.each<[Omit<MentionNews, "path" | "isTyped">, string | undefined, Partial<MentionNews>?]>([
  [{ outcome: "read", lines: { from: 1, count: 120, total: 120 } }, "Read src/x.ts (120 lines)"],
  [{ outcome: "read", lines: { from: 1, count: 1, total: 1 } }, "Read src/x.ts (1 line)"],
  [{ outcome: "read", lines: { from: 10, count: 11, total: 120 } }, "Read src/x.ts (lines 10-20 of 120)"],
  [{ outcome: "read", lines: { from: 7, count: 1, total: 120 } }, "Read src/x.ts (line 7 of 120)"],
  [{ outcome: "read" }, "Read src/x.ts"],
  [{ outcome: "listed", entries: 1 }, "Listed src/x.ts (1 entry)"],
  [{ outcome: "listed", entries: 12 }, "Listed src/x.ts (12 entries)"],
  [{ outcome: "missing" }, "Nothing was read for @src/x.ts: there is no such file"],
  [{ outcome: "refused", why: "No\x1b[2J.\nNever." }, "Not read: src/x.ts: No. Never."],
  [{ outcome: "failed", why: "It is too large." }, "Not read: src/x.ts: It is too large."],
  [{ outcome: "failed", why: "src/x.ts is binary data." }, "Not read: src/x.ts is binary data."],
  [{ outcome: "failed", why: "src/x.ts.gz is broken." }, "Not read: src/x.ts: src/x.ts.gz is broken."],
  [{ outcome: "too_large" }, "Not read: src/x.ts: the files that the prompt names are too large together"],
  [
    { outcome: "too_many" },
    "Not read: @src/x.ts and any after it: only the first 20 @ words of a prompt are looked up",
  ],
  // A person, a decorator; and what a command's file has as an example.
  [{ outcome: "missing" }, undefined, { path: "alice" }],
  [{ outcome: "missing" }, undefined, { isTyped: false }],
  // Seen: a line for each decorator and each price of a pasted text.
  [{ outcome: "missing" }, undefined, { path: "app.route(" }],
  [{ outcome: "missing" }, undefined, { path: "functools.wraps(f)" }],
  [{ outcome: "missing" }, undefined, { path: "https://a.test/x" }],
  [{ outcome: "missing" }, undefined, { path: "1.50" }],
  [
    { outcome: "missing" },
    "Nothing was read for @app/(auth)/x.tsx: there is no such file",
    { path: "app/(auth)/x.tsx" },
  ],
])("mentionText words %j", (news, line, more) => {
  expect(mentionText({ path: "src/x.ts", isTyped: true, ...news, ...more })).toBe(line);
});

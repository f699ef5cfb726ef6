// What `pawl sessions` prints, whatever sessions hold, and what its words mean.
import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { sessionReportText } from "../../src/cli/sessions-text.ts";
import { sessionListText } from "../../src/surface/show/session-list.ts";
import type { Message } from "../../src/protocol/message.ts";
import type { ListedSession } from "../../src/session/sessions/desk.ts";
import { MarkdownText } from "../../src/session/sessions/markdown.ts";
import { assistant, boundary, result, user } from "../transcript/support.ts";

const hostile = "\u001b]0;owned\u0007\u001b[2Jred\u202e\u200b\r\nnext\u009b31m";
/** Nothing but characters that are seen, and line ends. */
const safe = /^(?:\n|[^\p{Cc}\p{Cf}])*$/u;
const now = 10 * 24 * 3_600_000;

function listed(sessionId: string, more: Partial<ListedSession> = {}): ListedSession {
  return { sessionId, summary: "A name", lastModified: now - 3 * 3_600_000, path: "/x", ...more };
}

describe("the list of sessions", () => {
  test("has safe, single lines for each session, whatever its title, tag, folder and match contain", () => {
    const all = { summary: hostile, tag: hostile, cwd: hostile, match: hostile, firstPrompt: hostile };
    const text = sessionListText([listed("aaaaaaaa-1", all), listed("bbbbbbbb-2", { archived: true })], now, true);
    expect(text).toMatch(safe);
    expect(text.split("\n")).toHaveLength(6);
    expect(text).toContain("bbbbbbbb  3 h ago      A name (archived)\n");
    const info = { ...listed("aaaaaaaa-1", all), customTitle: hostile };
    const report = { info, path: hostile, prompts: 2, lastPrompt: hostile, agents: [hostile], openIn: true };
    expect(sessionReportText(report, now)).toMatch(safe);
  });

  test("shows as much of each id as distinguishes the sessions", () => {
    const text = sessionListText([listed("aaaaaaaa-1111-2"), listed("aaaaaaaa-2222-2")], now, false);
    expect(text).toMatch(/^aaaaaaaa-1111 [^\n]*\naaaaaaaa-2222 /);
  });
});

describe("a session as Markdown", () => {
  const written = (...messages: Message[]): string => {
    const text = new MarkdownText();
    return messages.map((message) => text.render(message)).join("");
  };

  test("puts calls and results into fences that they cannot close, and contains no control sequences", () => {
    const call = {
      type: "tool_use" as const,
      id: "c",
      name: `Bash*_\u001b[1m`,
      input: { command: "```\n# not a heading" },
    };
    const text = written(
      user("u", hostile),
      assistant("a", "m", [{ type: "thinking", thinking: "secret", signature: "x" }, call]),
      result("r", "c", `\`\`\`\`\n${hostile}`),
      assistant("b", "m2", [{ type: "text", text: "Done." }]),
    );
    expect(text).toMatch(safe);
    expect(text).not.toContain("secret");
    expect(text).toMatch(/\*\*Bash\\\*\\_\*\*\n\n````json\n[^]*\n````\n\nResult of Bash\\\*\\_:\n\n`````\n````\n/);
    expect(text.match(/^## /gmu)).toHaveLength(2);
  });

  test("marks summaries, cleared results, rewinds and interrupts, and cuts long results", () => {
    const summary = user("s", "It was about herons.", { isCompactSummary: true });
    const clearing = { why: "money" as const, savedTokens: 1, counted: null, expectedRequests: 1, netUsd: null };
    const cleared = [{ toolUseId: "c", marker: "(gone)" }];
    const text = written(
      boundary("b", [summary]),
      summary,
      { type: "results_cleared", uuid: "z", timestamp: "", cleared, ...clearing },
      { ...boundary("back", [user("k", "kept")]), trigger: "rewound" },
      result("r", "unknown", "x".repeat(30_000)),
      user("i", "stop", { isMeta: true, origin: "interruption" }),
      user("c", "memory", { isMeta: true, origin: "context" }),
    );
    expect(text).toContain("> The conversation was summed up here (auto): 1.0k tokens became 100.");
    expect(text).toContain("## Summary\n\nIt was about herons.");
    expect(text).toContain("> From here on, the model sees one line in place of each old result (1).");
    expect(text).toContain("> Gone back: from here on, the session continues after the message k.");
    expect(text).toContain("(10000 characters more)");
    expect(text).toContain("> Interrupted.");
    expect(text).not.toContain("memory");
  });
});

test.each<[words: string[], part: object]>([
  [[], { verb: "list", words: [], all: false, json: false, format: "markdown" }],
  [["--search", "a b", "--all"], { verb: "list", search: "a b", all: true }],
  [["rename", "x", "two", "words"], { verb: "rename", words: ["x", "two", "words"] }],
  [["export", "x", "--force", "-o", "y.md"], { verb: "export", force: true, output: "y.md" }],
  [["list", "--limit", "3"], { verb: "list", limit: 3 }],
  [["prune", "--older-than", "2w"], { verb: "prune", olderThan: 14 * 24 * 3_600_000 }],
  [["fork", "x", "--at", "u", "--title", "t"], { verb: "fork", at: "u", title: "t" }],
])("pawl sessions %j is parsed", (words, part) => {
  expect(parseArguments(["sessions", ...words])).toMatchObject({ kind: "sessions", sessions: part });
});

test.each<[words: string[], message: RegExp]>([
  [["rename", "x"], /takes a session and its new title/],
  [["list", "x"], /takes nothing more/],
  [["export", "x", "--format", "pdf"], /"pdf" is not one of markdown and json/],
  [["list", "--force"], /pawl sessions list does not take --force/],
  [["prune", "--older-than", "0d"], /an age such as 30d/],
  [["--seach", "x"], /did you mean --search\?/],
])("pawl sessions %j is refused with a sentence", (words, message) => {
  expect(() => parseArguments(["sessions", ...words])).toThrow(message);
});

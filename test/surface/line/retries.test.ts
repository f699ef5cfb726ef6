// Requests that are made again, as a person sees them.
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import type { SDKMessage } from "../../../src/protocol/sdk.ts";
import { assistant, blockEvent, delta, failure, success, system } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { Grid } from "./grid.ts";
import { start } from "./talk.ts";

test("the reason of a retry is shown once, and further tries only as the same again", async () => {
  const retry = (attempt: number, message: string, request_id?: string) => {
    const said = { attempt, max_retries: 10, retry_delay_ms: attempt * 4_000, message, request_id };
    return system({ subtype: "api_retry", error_status: 529, error: "overloaded", ...said });
  };
  const { type, text } = start(() => [
    retry(1, "Overloaded (req_1).", "req_1"),
    retry(2, "Overloaded (req_2).", "req_2"),
    retry(3, "Unreachable."),
    retry(4, "Unreachable."),
    retry(1, "Unreachable."),
    success("x"),
  ]);
  await type("go\r");
  const rows = text().split("\n");
  expect(rows.slice(rows.indexOf("> go") + 1, -3)).toEqual([
    "",
    "Overloaded (req_1) (attempt 1 of 10); retrying in 4 s",
    "the same again (attempt 2 of 10, request req_2); retrying in 8 s",
    "Unreachable (attempt 3 of 10); retrying in 12 s (press Esc to give up)",
    "the same again (attempt 4 of 10); retrying in 16 s (press Esc to give up)",
    "Unreachable (attempt 1 of 10); retrying in 4 s",
  ]);
});

const opening = blockEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });

/** Without their colours, with which the open word of an answer waits for its end. */
async function rowsShown(...messages: SDKMessage[]): Promise<string[]> {
  const { type, text } = start(() => [...messages, success("x")], { env: { TERM: "xterm" } });
  await type("go\r");
  const rows = stripVTControlCharacters(text()).split(/[\r\n]+/u);
  return rows.slice(rows.lastIndexOf("> go") + 1);
}

test.each([
  ["a retry", system({ subtype: "api_retry", attempt: 1, max_retries: 10, retry_delay_ms: 4_000, message: "Cut." })],
  ["an answer taken back", system({ subtype: "tombstone", retracted_message_uuids: ["u"], reason: "retry" })],
  ["calls carried out all the same", system({ subtype: "informational", tag: "answer_cut", content: "Cut." })],
  ["another model", system({ subtype: "informational", tag: "model_fallback", content: "Going on with b." })],
  ["an error", { ...assistant({ type: "text", text: "Cut." }), error: "server_error" as const }],
])("the text of an answer that broke off appears above the message about it: %s", async (_what, told) => {
  const rows = await rowsShown(opening, delta("The first wor"), told, opening, delta("Then."));
  expect(rows.slice(0, 3)).toEqual(["The first wor", expect.stringMatching(/./u), "Then."]);
});

test.each([
  ["a retry", system({ subtype: "api_retry", attempt: 1, max_retries: 10, retry_delay_ms: 4_000, message: "Cut." })],
  ["a warning", system({ subtype: "informational", level: "warning", content: "Cut." })],
  ["an error", { ...assistant({ type: "text", text: "Cut." }), error: "server_error" as const }],
  ["a failed turn", failure("error_during_execution", "model_error", ["Cut."])],
])("an empty row separates the prompt from %s", async (_what, message) => {
  const { type, text } = start(() => [message, success("x")]);
  await type("go\r");
  expect(text()).toContain("> go\n\nCut");
});

const calls = [
  assistant({ type: "tool_use", id: "t1", name: "Bash", input: { command: "one" } }),
  assistant({ type: "tool_use", id: "t2", name: "Bash", input: { command: "two" } }),
];
const attempts = [1, 2].map((attempt) =>
  system({ subtype: "api_retry", attempt, max_retries: 10, retry_delay_ms: 4_000, message: `Cut ${attempt}.` }),
);

// Seen: an empty row between two retries, because something was being typed when the second came.
test.each([
  ["retries", attempts, /^Cut 1/u, /^Cut 2/u],
  ["calls", calls, /^● Bash one/u, /^● Bash two/u],
] as const)(
  "text typed between two %s leaves an empty row only if it is sent",
  async (_what, messages, first, second) => {
    for (const [keys, between] of [
      ["ab\x7f\x7f", []],
      ["ab\r", ["+ ab", "(joins at the next step)", ""]],
    ] as const) {
      const next = Promise.withResolvers<void>();
      const { type, press, raw } = start(async function* () {
        yield messages[0]!;
        await next.promise;
        yield messages[1]!;
        await new Promise(() => undefined);
      });
      await type("go\r");
      await press(keys.slice(0, 2));
      next.resolve();
      await settled(8);
      for (const key of keys.slice(2)) await press(key);
      const grid = new Grid(80, 24);
      grid.write(raw().replaceAll("\x1b[?2004h", ""));
      const place = (row: RegExp): number => grid.text.findIndex((each) => row.test(each));
      expect(grid.text.slice(place(first) + 1, place(second))).toEqual(between);
    }
  },
);

test("a notice during an answer does not split a word", async () => {
  const beside = system({ subtype: "informational", tag: "hook_failed", content: "A hook failed." });
  const rows = await rowsShown(opening, delta("The first wo"), beside, delta("rd."));
  expect(rows.slice(0, 3)).toEqual(["The first", "A hook failed.", "word."]);
});

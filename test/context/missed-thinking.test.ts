// A server that wants the thinking back that it never signed wants it in the request for a summary, too.
import { expect, test } from "vitest";
import type { Message } from "../../src/protocol/message.ts";
import { assistant, drive, end, fixture, inputOf, modelInfo, readLoop, unsigned, user } from "./support.ts";

const never = new AbortController().signal;
const missed = { fail: { recovery: "thinking", kind: "thinking_rejected", thinkingMissed: true } } as const;

const full: Message[] = [
  ...readLoop(100, 3_000).map(unsigned),
  assistant("z", "mz", [{ type: "text", text: "done" }]),
  end("ze", "mz", 84_000, 0),
  user("q", "go on"),
];

test("a summary is requested again with the unsigned thinking that the server missed", async () => {
  const made = fixture({ says: [missed, "made it", "and again"] });
  const { value } = await drive(made.context.fit(inputOf(full), never));
  expect(value).toMatchObject({ kind: "ready", records: [expect.anything()] });
  await drive(made.context.fit(inputOf(full), never));
  expect(made.requests.map(({ thinking }) => thinking.type)).toEqual(["auto", "auto", "auto"]);
  const sent = made.requests.map(({ messages }) => JSON.stringify(messages).includes("thought 50"));
  expect(sent).toEqual([false, true, true]);
});

test("a server that still misses thinking gets a summary request without thinking", async () => {
  const made = fixture({ says: [missed, missed, "made it"] });
  await drive(made.context.fit(inputOf(full), never));
  expect(made.requests.map(({ thinking }) => thinking.type)).toEqual(["auto", "auto", "disabled"]);
});

// Seen: the request that was refused was made again as it was, until none was left.
test("a server that thinks although thinking is disabled gets its thinking back in the summary request", async () => {
  for (const unsignedThinking of [false, true]) {
    const { deps } = fixture();
    const requestBase = (name: string) => ({ ...deps.requestBase(name), thinking: { type: "disabled" } as const });
    const made = fixture({ says: [missed, "made it"], deps: { requestBase } });
    await drive(
      made.context.fit(inputOf(full, { model: { ...modelInfo, thinking: "adaptive", unsignedThinking } }), never),
    );
    const sent = made.requests.map(({ messages }) => JSON.stringify(messages).includes("thought 50"));
    expect(sent).toEqual([false, true]);
  }
});

test("thinking that is refused for another reason is left out of the next summary request", async () => {
  const refused = { fail: { recovery: "thinking", kind: "thinking_rejected" } } as const;
  const made = fixture({ says: [refused, "made it"] });
  await drive(made.context.fit(inputOf(full), never));
  const sent = made.requests.map(({ messages }) => JSON.stringify(messages).includes("thought 50"));
  expect(sent).toEqual([false, false]);
});

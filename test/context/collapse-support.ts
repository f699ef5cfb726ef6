/** Conversations with finished work in them, and what a test asks of a collapse. */
import type { ContextInput, FitResult, Message } from "../../src/protocol/index.ts";
import { countParts, type StagedCollapse } from "../../src/context/collapse-staged.ts";
import { SessionCollapseStore, type CollapseStoreOptions } from "../../src/context/collapse-store.ts";
import {
  assistant,
  drive,
  end,
  fixture,
  inputOf,
  readLoop,
  thinking,
  user,
  type Fixture,
  type FixtureOptions,
} from "./support.ts";

/** A prompt, `turns` turns of a read loop with results of `size` characters, an answer; all names begin with `name`. */
export function userTurn(name: string, turns: number, size = 3_500): Message[] {
  const work = readLoop(turns, size).slice(2);
  return [
    user(`${name}-p`, `prompt ${name}`),
    ...work.map((message) => renamed(message, name)),
    assistant(`${name}-a`, `${name}-ma`, [thinking(`thought of ${name}`), { type: "text", text: `answer ${name}` }]),
  ];
}

function renamed(message: Message, name: string): Message {
  const uuid = `${name}-${message.uuid}`;
  if (message.type === "assistant") {
    const content = message.content.map((block) =>
      block.type === "tool_use" ? { ...block, id: `${name}-${block.id}` } : block,
    );
    return { ...message, uuid, messageId: `${name}-${message.messageId}`, content };
  }
  if (message.type !== "user") return { ...message, uuid };
  const content = message.content.map((block) =>
    block.type === "tool_result" ? { ...block, tool_use_id: `${name}-${block.tool_use_id}` } : block,
  );
  return { ...message, uuid, content };
}

/** Four finished turns of the user's, whose last response the provider counted at `tokens`, and the next prompt. */
export function finished(tokens: number): Message[] {
  const turns = ["one", "two", "three", "four"].flatMap((name) => userTurn(name, 20));
  return [
    user("ctx", "memory", { isMeta: true, origin: "context" }),
    ...turns,
    end("e", "four-ma", tokens, 0),
    user("q", "go on"),
  ];
}

/** As if `messages` from the one to the other had been summarised. */
export function staged(
  messages: readonly Message[],
  from: string,
  to: string,
  summary = `summary of ${from}`,
): StagedCollapse {
  const at = (uuid: string) => messages.findIndex((message) => message.uuid === uuid);
  return { from, to, count: countParts(messages.slice(at(from), at(to) + 1)), summary };
}

export interface CollapseFixture extends Fixture {
  collapses: SessionCollapseStore;
  forgotten: () => number;
}

/** A session's defences with a store of their own. */
export function collapsing(options: FixtureOptions & Partial<CollapseStoreOptions> = {}): CollapseFixture {
  const { restored, onStaged, ...rest } = options;
  const collapses = new SessionCollapseStore({ restored, onStaged });
  let count = 0;
  const history = {
    fold: (messages: readonly Message[]) => [...messages],
    rerun: () => undefined,
    cacheTtl: "5m" as const,
    forgetShown: () => void count++,
    markNotShown: () => {},
    waitingSnips: () => [],
    refuseSnip: () => undefined,
  };
  const made = fixture({ ...rest, deps: { collapse: collapses, history, ...rest.deps } });
  return { ...made, collapses, forgotten: () => count };
}

export const collapseInput = (messages: readonly Message[], more: Parameters<typeof inputOf>[1] = {}) =>
  inputOf(messages, { fixedTokens: 1_000, ...more });

export const uuidsOf = (messages: readonly Message[]): string[] => messages.map(({ uuid }) => uuid);

/** Tokens of a request: of a window of 100,000, 92,000 count, and staging begins at 64,400, auto-compact at 82,800. */
export const [low, high] = [66_000, 84_000];

export const never = new AbortController().signal;

export async function fit(
  fixture: CollapseFixture,
  messages: readonly Message[],
  more: Partial<ContextInput> = {},
): Promise<Extract<FitResult, { kind: "ready" }>> {
  const { value } = await drive(fixture.context.fit(collapseInput(messages, more), never));
  if (value.kind !== "ready") throw new Error("full");
  return value;
}

/** Prepares requests until nothing more is summarised. */
export async function stageAll(fixture: CollapseFixture, messages: readonly Message[]): Promise<void> {
  await fixture.collapses.settled();
  for (let before = -1; before !== fixture.requests.length;) {
    before = fixture.requests.length;
    await fit(fixture, messages);
    await fixture.collapses.settled();
  }
}

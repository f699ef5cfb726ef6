import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ContentBlock, ImageBlock, Message, ModelInfo, ShrinkResult } from "../../src/protocol/index.ts";
import { createNormalizer } from "../../src/loop/normalize.ts";
import { foldMessage } from "../../src/transcript/index.ts";
import { pdf as pdfOf, png } from "../testing/images.ts";
import {
  assistant,
  drive,
  end,
  fixture,
  inputOf,
  modelInfo,
  namesOf,
  requestProblems,
  thinking,
  unboundModel,
  use,
  user,
} from "./support.ts";

const never = new AbortController().signal;
const image = (size = 10): ImageBlock => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: png(size, size) },
});
const heavy = (bytes: number): ImageBlock => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "A".repeat(bytes) },
});
const pdf = (pages: number) => pdfOf(pages) as ContentBlock;
const few: ModelInfo = { ...modelInfo, maxImages: 10, contextWindow: 1_000_000 };

/** One turn of a loop that looks at a picture. */
function look(turn: number, content: ContentBlock[] = [image()]): Message[] {
  return [
    assistant(`a${turn}`, `m${turn}`, [thinking(`${turn}`), use(`c${turn}`, "Read", { file_path: `/${turn}.png` })]),
    end(`e${turn}`, `m${turn}`, 1_000 * (turn + 1)),
    user(`r${turn}`, [{ type: "tool_result", tool_use_id: `c${turn}`, content }] as ContentBlock[], {
      toolUseResult: { kind: "picture" },
    }),
  ];
}

const turns = (count: number): Message[] => [
  user("p", "look at all of them"),
  ...Array.from({ length: count }, (_, turn) => look(turn)).flat(),
];

const countIn = (messages: readonly Message[], type: string): number =>
  JSON.stringify(messages).split(`"type":"${type}"`).length - 1;

async function fitted(made: ReturnType<typeof fixture>, messages: readonly Message[], model = few) {
  const { value, events } = await drive(made.context.fit(inputOf(messages, { model }), never));
  if (value.kind !== "ready") throw new Error("full");
  return { ...value, events };
}

describe("the media of a conversation", () => {
  test("beyond the limit of images lose the oldest, down to half of the limit, in one recorded step", async () => {
    const messages = turns(11);
    const { messages: next, records, events, applied } = await fitted(fixture(), messages);
    expect(countIn(next, "image")).toBe(5);
    expect(JSON.stringify(next[3])).toContain(
      "[An image (image/png, 1 KB) was here; it was left out: a request takes only so many",
    );
    expect(next[3]).not.toHaveProperty("toolUseResult");
    expect(records).toMatchObject([{ type: "compact_boundary", trigger: "auto" }]);
    expect(foldMessage(messages, records[0]!)).toEqual(next);
    expect(namesOf(events)).toEqual(["media_left_out"]);
    expect(applied).toMatchObject([{ layer: "media_limit" }]);
    expect(requestProblems(next)).toEqual([]);
  });

  test("that were never sent stay, even if they are more than half of the limit", async () => {
    const tail = user("q", [...Array.from({ length: 8 }, () => image()), { type: "text", text: "and these" }]);
    const { messages: next } = await fitted(fixture(), [...turns(4), tail]);
    expect(next.at(-2)).toBe(tail);
    // The last result was not sent either.
    expect(countIn(next, "image")).toBe(9);
  });

  test("that were never sent are limited to what a request takes", async () => {
    const tail = user(
      "q",
      Array.from({ length: 14 }, (_, at) => image(at + 1)),
    );
    const { messages: next } = await fitted(fixture(), [user("p", "hi"), tail]);
    expect(countIn(next, "image")).toBe(10);
    expect(JSON.stringify(next)).not.toContain(png(4, 4));
    expect(JSON.stringify(next)).toContain(png(5, 5));
  });

  test("beyond the limit of pages or bytes lose the oldest too", async () => {
    const small: ModelInfo = { ...few, contextWindow: 200_000 };
    const pages = await fitted(fixture(), [...look(0, [pdf(60)]), ...look(1, [pdf(30)]), ...look(2, [pdf(20)])], small);
    expect(countIn(pages.messages, "document")).toBe(2);
    const bytes = await fitted(fixture(), [
      ...look(0, [heavy(20e6)]),
      ...look(1, [heavy(6e6)]),
      ...look(2, [heavy(6e6)]),
    ]);
    expect(countIn(bytes.messages, "image")).toBe(2);
  });

  test("are removed together with the thinking bound to them, and no other thinking", async () => {
    const bound = await fitted(fixture(), turns(11));
    expect(bound.messages.at(-1)).toMatchObject({ type: "thinking_stripped", reason: "rewritten" });
    const free = await fitted(fixture(), turns(11), {
      ...few,
      ...unboundModel,
      maxImages: 10,
      contextWindow: 1_000_000,
    });
    expect(free.messages.map(({ type }) => type)).not.toContain("thinking_stripped");
    const ofAnother = await fitted(fixture(), turns(11), { ...few, ...unboundModel, id: "another", maxImages: 10 });
    expect(ofAnother.messages.at(-1)).toMatchObject({ type: "thinking_stripped" });
  });

  test("within the limits stay unchanged", async () => {
    const messages = turns(10);
    const { messages: next, records } = await fitted(fixture(), messages);
    expect(next).toBe(messages);
    expect(records).toEqual([]);
  });
});

test("media are removed at most once per half of the limit, and the normaliser never has to drop images", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 24 }), fc.integer({ min: 20, max: 60 }), async (maxImages, count) => {
      const model = { ...few, maxImages };
      const made = fixture();
      const normalize = createNormalizer();
      let messages: readonly Message[] = [user("p", "look")];
      let steps = 0;
      for (let turn = 0; turn < count; turn++) {
        const { messages: next, records } = await fitted(made, [...messages, ...look(turn)], model);
        steps += records.length;
        messages = next;
        const sent = normalize(messages, { model: model.id, thinking: true, maxImages });
        expect(sent.mended.images).toBe(0);
        expect(countIn(messages, "image")).toBeLessThanOrEqual(maxImages);
      }
      expect(steps).toBeLessThanOrEqual(Math.ceil(count / (maxImages / 2)));
    }),
    { numRuns: 40 },
  );
});

test("checking the limits looks at each message only once", async () => {
  const made = fixture();
  const messages = turns(200).map((message) => (message.type === "user" ? user(message.uuid, "text") : message));
  await fitted(made, messages);
  let touched = 0;
  const watched = new Proxy([...messages, user("new", "go on")], {
    get(target, key, receiver) {
      if (typeof key === "string" && /^\d+$/.test(key) && Number(key) < 500) touched++;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  await fitted(made, watched);
  expect(touched).toBe(0);
});

describe("the reaction to media that the API refused", () => {
  async function react(messages: readonly Message[], refusal: { status?: number; detail?: string }, media = true) {
    const { context } = fixture();
    const { value } = await drive(
      context.compactReactively({ ...inputOf(messages, { model: few }), media, refusal }, never),
    );
    return value;
  }

  function left(value: ShrinkResult): readonly Message[] {
    if (value.kind !== "shrunk") throw new Error(value.why);
    expect(value.afterTokens).toBeLessThan(value.beforeTokens);
    return value.messages;
  }

  test("leaves out a document and not the image beside it", async () => {
    const messages = [user("p", [image(), pdf(2), { type: "text", text: "compare" }])];
    const next = left(await react(messages, { status: 400, detail: "The PDF specified is password protected." }));
    expect([countIn(next, "image"), countIn(next, "document")]).toEqual([1, 0]);
  });

  test("leaves out every image of a size that only matters among many images", async () => {
    const messages = [user("p", [image(3000), image(100)]), ...look(0), ...look(1, [image(50)])];
    const detail =
      "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels";
    const next = left(await react(messages, { status: 400, detail }));
    expect(JSON.stringify(next)).not.toContain(png(3000, 3000));
    expect(JSON.stringify(next)).toContain(png(100, 100));
    expect(JSON.stringify(next)).toContain(png(10, 10));
    expect(JSON.stringify(next)).not.toContain(png(50, 50));
  });

  test("treats media that arrived during the response as new, and keeps everything before that response", async () => {
    const [call, , result] = look(1);
    const cut = [
      user("p", [image(7)]),
      ...look(0),
      call!,
      result!,
      assistant("b1", "m1", [use("d1")]),
      end("e1", "m1", 9),
    ];
    const messages = [...cut, user("s1", [{ type: "tool_result", tool_use_id: "d1", content: "text" }])];
    const next = left(await react(messages, { status: 400, detail: "Could not process image" }));
    expect(next.slice(0, 4)).toEqual(messages.slice(0, 4));
    expect(countIn(next, "image")).toBe(2);
  });

  test("leaves out all media of the named kind if none is new, and all media if there is none of that kind", async () => {
    const messages = [
      user("p", [image(), pdf(1)]),
      assistant("a", "m", [{ type: "text", text: "ok" }]),
      end("e", "m", 9),
      user("q", "?"),
    ];
    const images = left(await react(messages, { detail: "Could not process image" }));
    expect([countIn(images, "image"), countIn(images, "document")]).toEqual([0, 1]);
    const all = left(
      await react(messages.with(0, user("p", [image()])), { detail: "The PDF specified was not valid." }),
    );
    expect(countIn(all, "image")).toBe(0);
  });

  test("leaves out the oldest half of too many bytes before anything is summarised", async () => {
    const messages = [user("p", [heavy(8e6)]), ...look(0, [heavy(7e6)]), ...look(1, [heavy(5e6)])];
    const next = left(await react(messages, { status: 413, detail: "Request exceeds the maximum size" }, false));
    expect(countIn(next, "image")).toBe(1);
    // As from nginx, whose default limit is 1 MB.
    const page = { status: 413, detail: "413 Request Entity Too Large" };
    const one = left(await react([user("p", "look"), ...look(0, [heavy(1.2e6)])], page, false));
    expect(countIn(one, "image")).toBe(0);
    const beside = [user("p", "x".repeat(2_000_000)), ...look(0, [heavy(6e5)])];
    expect(JSON.stringify(left(await react(beside, page, false))).length).toBeLessThan(1e6);
    const text = await react([user("p", "x".repeat(1_000))], { status: 413 }, false);
    expect(text).toMatchObject({ kind: "no_progress", why: "there is nothing to leave out but the last turn" });
  });
});

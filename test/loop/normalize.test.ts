// The net under every request: for any history whatever, what is sent is what the API takes.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createNormalizer, type NormalizeOptions, type Normalized } from "../../src/loop/normalize.ts";
import type { ContentBlock, Message, UserMessage } from "../../src/protocol/message.ts";
import type { ApiMessage } from "../../src/protocol/model.ts";
import { requestFaults } from "./support/checks.ts";
import { userMessage } from "./support/harness.ts";
import { histories, normalizeOptions } from "./support/histories.ts";
import { textBlock, thinkingBlock, toolUse } from "./support/script.ts";
import { wireFaults } from "./support/wire.ts";

const options: NormalizeOptions = { model: "model-a", thinking: true, maxImages: 100 };

function normalized(messages: readonly Message[], change: Partial<NormalizeOptions> = {}): Normalized {
  return createNormalizer()(messages, { ...options, ...change });
}

function answer(content: ContentBlock[], messageId: string, model = "model-a"): Message {
  return {
    type: "assistant",
    uuid: `a-${messageId}-${content.length}-${Math.abs(JSON.stringify(content).length)}`,
    timestamp: "",
    messageId,
    model,
    content,
  };
}

function result(id: string, content: string | ContentBlock[] = "ok", isError?: true): UserMessage {
  return userMessage("", `r-${id}`, {
    content: [
      {
        type: "tool_result",
        tool_use_id: id,
        content: content as string,
        ...(isError === undefined ? {} : { is_error: isError }),
      },
    ],
  });
}

function imagesIn(messages: readonly ApiMessage[]): number {
  return JSON.stringify(messages).split('"type":"image"').length - 1;
}

describe("a request made from any history", () => {
  test("fulfils the invariants I1, I2, I3, I4 and I6", () => {
    fc.assert(
      fc.property(histories, normalizeOptions, fc.boolean(), (messages, change, paused) => {
        const request = normalized(messages, { ...change, paused });
        const endsWithAnswer = request.messages.at(-1)?.role === "assistant";
        expect(requestFaults(request, paused && endsWithAnswer)).toEqual([]);
        expect(endsWithAnswer && !paused).toBe(false);
      }),
      { numRuns: 600 },
    );
  });

  test("is accepted by the validator of the scripted server", () => {
    fc.assert(
      fc.property(histories, normalizeOptions, (messages, change) => {
        expect(wireFaults(normalized(messages, change))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("contains thinking only where allowed, and only as the original block", () => {
    fc.assert(
      fc.property(histories, normalizeOptions, (messages, change) => {
        const known = new Set<ContentBlock>();
        const lastStrip = messages.findLastIndex((message) => message.type === "thinking_stripped");
        messages.forEach((message, at) => {
          if (message.type === "assistant" && message.model === change.model && at > lastStrip)
            for (const block of message.content) known.add(block);
        });
        const sent = normalized(messages, change).messages.flatMap((message) => message.content);
        const thinking = sent.filter((block) => block.type === "thinking" || block.type === "redacted_thinking");
        expect(thinking.every((block) => known.has(block))).toBe(true);
        if (!change.thinking) expect(thinking).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("has at most the allowed number of images (I7)", () => {
    fc.assert(
      fc.property(histories, normalizeOptions, (messages, change) => {
        const request = normalized(messages, change);
        const all = imagesIn(normalized(messages, { ...change, maxImages: 1_000 }).messages);
        expect(imagesIn(request.messages)).toBe(Math.min(all, change.maxImages));
        expect(request.mended.images).toBe(Math.max(0, all - change.maxImages));
      }),
      { numRuns: 300 },
    );
  });

  test("is not changed by normalising it again", () => {
    fc.assert(
      fc.property(histories, normalizeOptions, (messages, change) => {
        const once = normalized(messages, change).messages;
        const again = once.map((message, at): Message =>
          message.role === "user"
            ? userMessage("", `u${at}`, { content: message.content })
            : {
                type: "assistant",
                uuid: `u${at}`,
                timestamp: "",
                messageId: `m${at}`,
                model: change.model,
                content: message.content,
              },
        );
        expect(normalized(again, change).messages).toEqual(once);
      }),
      { numRuns: 300 },
    );
  });

  test("is the same from a normalizer with memory, which keeps past messages as the same objects", () => {
    fc.assert(
      fc.property(histories, normalizeOptions, (messages, { model, thinking }) => {
        const change = { model, thinking, maxImages: 1_000 };
        const remembering = createNormalizer();
        let before: ApiMessage[] = [];
        for (let end = 1; end <= messages.length; end++) {
          const prefix = messages.slice(0, end);
          const now = remembering(prefix, { ...options, ...change });
          expect(now).toEqual(normalized(prefix, change));
          if (messages[end - 1]?.type === "thinking_stripped") before = [];
          for (let at = 0; at < before.length - 2; at++) expect(now.messages[at]).toBe(before[at]);
          before = now.messages;
        }
      }),
      { numRuns: 200 },
    );
  });

  test("keeps sent messages as the same objects", () => {
    const remembering = createNormalizer();
    const messages: Message[] = [userMessage("Go.", "p")];
    let sent: ApiMessage[] = [];
    for (const turn of ["a", "b", "c"]) {
      messages.push(answer([toolUse("Read", {}, turn)], `m${turn}`), result(turn, "text"));
      const now = remembering([...messages], options).messages;
      for (const [at, message] of sent.entries()) expect(now[at], `${turn} ${at}`).toBe(message);
      sent = now;
    }
    expect(sent).toHaveLength(7);
  });

  test("is right after the past was rewritten or the options changed", () => {
    fc.assert(
      fc.property(histories, histories, normalizeOptions, normalizeOptions, (one, other, first, second) => {
        const remembering = createNormalizer();
        remembering(one, { ...options, ...first });
        expect(remembering(other, { ...options, ...second })).toEqual(normalized(other, second));
        const joined = [...one.slice(0, 4), ...other];
        expect(remembering(joined, { ...options, ...first })).toEqual(normalized(joined, first));
      }),
      { numRuns: 150 },
    );
  });

  test("is right when the record has the messages in another order, or lacks one", () => {
    const swaps = fc.array(fc.nat(1_000), { maxLength: 8 });
    fc.assert(
      fc.property(histories, swaps, fc.option(fc.nat(1_000)), normalizeOptions, (messages, places, left, change) => {
        const recorded = [...messages];
        for (const place of places) {
          const at = place % recorded.length;
          recorded.splice(at, 2, ...recorded.slice(at, at + 2).toReversed());
        }
        if (left !== null) recorded.splice(left % recorded.length, 1);
        const remembering = createNormalizer();
        for (const end of [messages.length - 2, messages.length])
          remembering(messages.slice(0, Math.max(1, end)), { ...options, ...change });
        expect(remembering(recorded, { ...options, ...change })).toEqual(normalized(recorded, change));
      }),
      { numRuns: 1_000 },
    );
  });

  test("is right when a message of the open segment was rewritten or a strip mark removed", () => {
    const open = [userMessage("Do it.", "p"), answer([toolUse("Read", {}, "a")], "m1")];
    const remembering = createNormalizer();
    for (const text of ["long", "short"]) {
      const messages = [...open, result("a", text), userMessage("Next.", "n")];
      expect(remembering(messages, options)).toEqual(normalized(messages));
    }
    const strip: Message = { type: "thinking_stripped", uuid: "s", timestamp: "", reason: "rejected" };
    const turn = (id: string) => [answer([thinkingBlock(id), textBlock(id)], id), userMessage("Next.", `n${id}`)];
    const marked = [...open.slice(0, 1), ...turn("m1"), strip, ...turn("m2")];
    for (const messages of [marked, marked.filter((message) => message !== strip)])
      expect(remembering(messages, options)).toEqual(normalized(messages));
  });

  test("keeps the sent objects in the next run, wherever the record has a response's results", () => {
    const turn = (id: string) => {
      const [one, two] = [answer([toolUse(`a${id}`)], id), answer([toolUse(`b${id}`), textBlock("x")], id)];
      const results = [result(`a${id}`), result(`b${id}`)] as const;
      return { held: [one, two, ...results], recorded: [one, results[0], two, results[1]] };
    };
    const turns = ["m1", "m2", "m3", "m4"].map(turn);
    const prompt = userMessage("Do it.", "p");
    const remembering = createNormalizer();
    const sent = remembering([prompt, ...turns.flatMap(({ held }) => held)], options).messages;
    const next = remembering(
      [prompt, ...turns.flatMap(({ recorded }) => recorded), userMessage("And now?", "q")],
      options,
    ).messages;
    for (let at = 0; at < sent.length - 2; at++) expect(next[at]).toBe(sent[at]);
    expect(next.slice(0, -1)).toEqual(sent.slice(0, -1));
  });

  test("pairs each call with its own result", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 6 }), (ids) => {
        // The same ids turn after turn, as some endpoints give them.
        const messages = [
          userMessage("Go.", "p"),
          ...ids.flatMap((id, turn) => [
            answer([toolUse("Read", { turn }, id)], `m${turn}`),
            result(id, `result ${turn}`),
          ]),
        ];
        const request = normalized(messages);
        expect(requestFaults(request)).toEqual([]);
        const said = request.messages.flatMap((message) => message.content);
        const results = said.flatMap((block) => (block.type === "tool_result" ? [block.content] : []));
        expect(results).toEqual(ids.map((_, turn) => `result ${turn}`));
      }),
    );
  });
});

describe("the normalizer", () => {
  const prompt = userMessage("Do it.", "p");

  test("moves results from between the blocks of a response behind its last block, in call order", () => {
    const one = toolUse("Read", {}, "one");
    const two = toolUse("Read", {}, "two");
    const messages = [
      prompt,
      answer([one], "m1"),
      result("one"),
      answer([two, textBlock("more")], "m1"),
      result("two"),
    ];
    const request = normalized(messages);
    expect(request.messages.map((message) => message.content.map((block) => block.type))).toEqual([
      ["text"],
      ["tool_use", "tool_use", "text"],
      ["tool_result", "tool_result"],
    ]);
    expect(request.mended).toEqual({ missingResults: 0, strayResults: 0, calls: 0, endings: 0, images: 0 });
  });

  test("adds an error result for a call without one, and drops a result without a call", () => {
    const messages = [prompt, answer([toolUse("Read", {}, "one")], "m1"), result("other"), userMessage("Go on.", "n")];
    const request = normalized(messages);
    expect(request.messages.at(-1)?.content).toMatchObject([
      { type: "tool_result", tool_use_id: "one", is_error: true },
      { type: "text", text: "Go on." },
    ]);
    expect(request.mended).toMatchObject({ missingResults: 1, strayResults: 1 });
  });

  test("drops unsigned thinking, trailing thinking and empty text, but keeps empty signed thinking", () => {
    const empty = thinkingBlock("", "sig");
    const content = [thinkingBlock("cut", null), empty, textBlock(" "), textBlock("hi"), thinkingBlock("late")];
    const request = normalized([prompt, answer(content, "m1"), userMessage("Next.", "n")]);
    expect(request.messages[1]?.content).toEqual([empty, textBlock("hi")]);
  });

  test("sends unsigned thinking back to a model that does not sign, until the model refused some", () => {
    const unsigned = thinkingBlock("hm", null);
    const content = [unsigned, thinkingBlock(" ", null), textBlock("hi"), thinkingBlock("late", null)];
    const messages = [prompt, answer(content, "m1"), userMessage("Next.", "n")];
    const sent = (history: readonly Message[]) => normalized(history, { unsignedThinking: true }).messages[1]?.content;
    expect(sent(messages)).toEqual([unsigned, textBlock("hi")]);
    const refused: Message = { type: "thinking_stripped", uuid: "s", timestamp: "", reason: "rejected" };
    const later = answer([thinkingBlock("more", null), textBlock("two")], "m2");
    const request = normalized([refused, ...messages, later], { unsignedThinking: true });
    expect(JSON.stringify(request.messages)).not.toContain('"thinking"');
  });

  test("drops a response of thinking alone and joins the messages around it", () => {
    const request = normalized([prompt, answer([thinkingBlock("hm")], "m1"), userMessage("Next.", "n")]);
    expect(request.messages).toEqual([{ role: "user", content: [textBlock("Do it."), textBlock("Next.")] }]);
  });

  test("drops thinking of another model and thinking before a strip mark", () => {
    const messages: Message[] = [
      prompt,
      answer([thinkingBlock("a"), textBlock("one")], "m1"),
      { type: "thinking_stripped", uuid: "s", timestamp: "", reason: "rejected" },
      userMessage("Next.", "n"),
      answer([thinkingBlock("b"), textBlock("two")], "m2"),
      userMessage("And.", "o"),
      answer([thinkingBlock("c"), textBlock("three")], "m3", "model-b"),
      userMessage("Last.", "q"),
    ];
    const sent = JSON.stringify(normalized(messages).messages);
    expect(["sig:a", "sig:b", "sig:c"].map((signature) => sent.includes(signature))).toEqual([false, true, false]);
  });

  test("strips only the thinking before a mark inside a response", () => {
    const messages: Message[] = [
      prompt,
      answer([thinkingBlock("a"), textBlock("one")], "m1"),
      { type: "thinking_stripped", uuid: "s", timestamp: "", reason: "rejected" },
      answer([thinkingBlock("b"), textBlock("two")], "m1"),
      userMessage("Next.", "n"),
    ];
    const sent = JSON.stringify(normalized(messages).messages);
    expect([sent.includes("sig:a"), sent.includes("sig:b")]).toEqual([false, true]);
  });

  test("keeps a provider's call only together with its result", () => {
    const use: ContentBlock = {
      type: "opaque",
      wire: { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
    };
    const found: ContentBlock = {
      type: "opaque",
      wire: { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
    };
    const next = userMessage("Next.", "n");
    expect(normalized([prompt, answer([use, found], "m1"), next]).messages[1]?.content).toEqual([use, found]);
    expect(normalized([prompt, answer([use, textBlock("x")], "m1"), next]).messages[1]?.content).toEqual([
      textBlock("x"),
    ]);
    expect(normalized([prompt, answer([found, textBlock("x")], "m1"), next]).messages[1]?.content).toEqual([
      textBlock("x"),
    ]);
    const paused = normalized([prompt, answer([thinkingBlock("hm"), use], "m1")], { paused: true });
    expect(paused.messages[1]?.content).toEqual([thinkingBlock("hm"), use]);
    expect(paused.messages).toHaveLength(2);
  });

  test("drops a provider's call that shares its id with a tool call", () => {
    const use: ContentBlock = {
      type: "opaque",
      wire: { type: "server_tool_use", id: "x", name: "web_search", input: {} },
    };
    const found: ContentBlock = {
      type: "opaque",
      wire: { type: "web_search_tool_result", tool_use_id: "x", content: [] },
    };
    const own = toolUse("Read", {}, "x");
    const request = normalized([prompt, answer([use, found, own], "m1"), result("x")]);
    expect(request.messages[1]?.content).toEqual([own]);
    expect(requestFaults(request)).toEqual([]);
  });

  test("reduces an error result to text", () => {
    const image = { type: "image", source: { type: "url", url: "https://example.com/a.png" } } as const;
    const messages = [
      prompt,
      answer([toolUse("Read", {}, "one"), toolUse("Read", {}, "two"), toolUse("Read", {}, "three")], "m1"),
      result("one", "", true),
      result("two", [image], true),
      result("three", []),
    ];
    const request = normalized(messages);
    expect(requestFaults(request)).toEqual([]);
    expect(wireFaults(request)).toEqual([]);
    expect(JSON.stringify(request.messages)).not.toContain("example.com");
  });

  test("sends a prompt that is only a document", () => {
    const said: ContentBlock = {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "Read me." },
    };
    const request = normalized([userMessage("", "p", { content: [said] })]);
    expect(request.messages).toEqual([{ role: "user", content: [said] }]);
  });

  test("replaces the oldest images, also those in tool results, by a line of text (I7)", () => {
    const image = { type: "image", source: { type: "url", url: "https://example.com/a.png" } } as const;
    const messages = [
      userMessage("", "p", { content: [textBlock("Look."), image] }),
      answer([toolUse("Read", {}, "one"), toolUse("Read", {}, "two")], "m1"),
      result("one", [textBlock("first"), image, image]),
      result("two", [image]),
    ];
    const request = normalized(messages, { maxImages: 2 });
    expect(imagesIn(request.messages)).toBe(2);
    expect(request.mended.images).toBe(2);
    expect(imagesIn(request.messages.slice(0, 2))).toBe(0);
    expect(JSON.stringify(request.messages).split("An image was here")).toHaveLength(3);
    expect(imagesIn(normalized(messages, { maxImages: 4 }).messages)).toBe(4);
  });

  test("adds a user message to a conversation that ends with the assistant", () => {
    const request = normalized([prompt, answer([textBlock("Half")], "m1")]);
    expect(request.messages.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
    expect(request.mended.endings).toBe(1);
  });

  test("sets cache breakpoints at the last two user messages", () => {
    const messages = [
      prompt,
      answer([textBlock("a")], "m1"),
      userMessage("b", "2"),
      answer([textBlock("c")], "m2"),
      userMessage("d", "3"),
    ];
    expect(normalized(messages.slice(0, 1)).cacheBreakpoints).toEqual([0]);
    expect(normalized(messages.slice(0, 3)).cacheBreakpoints).toEqual([0, 2]);
    expect(normalized(messages).cacheBreakpoints).toEqual([2, 4]);
  });

  test("normalises ten thousand turns once, not again for each request", () => {
    const messages: Message[] = [prompt];
    for (let turn = 0; turn < 10_000; turn++)
      messages.push(answer([toolUse("Read", {}, `c${turn}`)], `m${turn}`), result(`c${turn}`));
    const normalize = createNormalizer();
    const first = normalize(messages, options).messages;
    const second = normalize([...messages, userMessage("More.", "n")], options).messages;
    expect(first).toHaveLength(20_001);
    expect(second.slice(0, -2).every((message, at) => message === first[at])).toBe(true);
  });
});

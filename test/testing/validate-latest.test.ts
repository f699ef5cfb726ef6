import { describe, expect, it } from "vitest";
import { assistant, paired, refuses, result, text, texts, use, user, withTools } from "./cases.ts";
import { headers, request } from "./support.ts";

const latest = { ...headers, "anthropic-version": "2026-10-21" };
const cited = (value: string) =>
  text(value, { citations: [{ type: "char_location", cited_text: "x", document_index: 0 }] });
const found = (inner: object) => ({ type: "search_result", source: "s", title: "t", content: [inner] });

describe("the protocol's latest version", () => {
  const good: [string, unknown][] = [
    ["a request as the official SDKs send it", request()],
    ["tools and their results", withTools(paired(text("and now?")))],
    ["citations of the model, sent back", request({ messages: [user("go"), assistant([cited("so")]), user("ok")] })],
    ["a user's text without citations", request({ messages: [user([text("go", { citations: [] })])] })],
    [
      "citations asked for of a search result",
      request({ messages: [user([{ ...found(text("a")), citations: { enabled: true } }, text("go")])] }),
    ],
  ];
  it.each(good)("accepts %s", (_name, body) => {
    expect(texts(body, latest)).toEqual([]);
  });

  refuses([
    ["a temperature", request({ temperature: 1 }), "temperature: Extra inputs are not permitted", latest],
    [
      "top_p on a model that had it",
      request({ model: "claude-sonnet-4-5", top_p: 0.5 }),
      "top_p: Extra inputs are not permitted",
      latest,
    ],
    ["top_k, be it none", request({ top_k: null }), "top_k: Extra inputs are not permitted", latest],
    [
      "a user's text with citations",
      request({ messages: [user([cited("so")])] }),
      "messages.0.content.0.text.citations: `text` blocks in `user` messages cannot have citations",
      latest,
    ],
    [
      "citations in a search result",
      request({ messages: [user([found(cited("so")), text("go")])] }),
      "messages.0.content.0.search_result.content.0.text.citations",
      latest,
    ],
    [
      "citations in a search result of a tool",
      withTools([user("go"), assistant([use("t1")]), user([result("t1", { content: [found(cited("so"))] })])]),
      "messages.2.content.0.tool_result.content.0.search_result.content.0.text.citations",
      latest,
    ],
    [
      "a document of the assistant's",
      request({
        messages: [
          user("go"),
          assistant([{ type: "document", source: { type: "text", media_type: "text/plain", data: "x" } }]),
          user("ok"),
        ],
      }),
      "`document` blocks can only be in `user` messages",
      latest,
    ],
  ]);

  it("refuses what earlier versions and compatible endpoints still accept", () => {
    expect(texts(request({ model: "claude-sonnet-4-5", temperature: 0.5 }))).toEqual([]);
    expect(texts(request({ messages: [user([cited("so")])] }))).toEqual([]);
    const sampled = request({ model: "any-model", temperature: 0.5 });
    expect(texts(sampled, latest, { endpoint: "compatible" })).toEqual([]);
  });
});

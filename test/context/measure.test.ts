import fc from "fast-check";
import { expect, test } from "vitest";
import type { ApiMessage, ContentBlock, DocumentBlock, ImageBlock, Message } from "../../src/protocol/index.ts";
import { boundedMediaBytes, mediaTokenBound } from "../../src/context/index.ts";
import { contextPolicy, defaultPolicy } from "../../src/context/policy.ts";
import { requestTokens, spanTokens, textTokens, wholeTokens } from "../../src/context/measure.ts";
import { effectiveWindow, fittingMaxTokens, windowFigures } from "../../src/context/window.ts";
import {
  assistant,
  conversation,
  end,
  modelInfo,
  readLoop,
  result,
  thinking,
  timestamp,
  use,
  user,
} from "./support.ts";

function png(width: number, height: number): ImageBlock {
  const bytes = Buffer.alloc(33);
  bytes.write("\x89PNG\r\n\x1a\n", "latin1");
  bytes.write("IHDR", 12);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return { type: "image", source: { type: "base64", media_type: "image/png", data: bytes.toString("base64") } };
}

test("the tokens are the last response's own count plus an estimate of what came after", () => {
  const counted: Message[] = [
    user("p", "x".repeat(70_000)),
    assistant("a", "m", [{ type: "text", text: "y" }]),
    end("e", "m", 1234, 66),
  ];
  expect(requestTokens(counted, 999_999, 1)).toBe(1300);
  const more = [...counted, user("q", "z".repeat(3_500))];
  expect(requestTokens(more, 999_999, 1)).toBeGreaterThan(1300 + 1_000 * 1.1);
  expect(requestTokens(more, 999_999, 1)).toBeLessThan(1300 + 1_020 * 1.1);
});

test("only the input counts of a response whose answer was taken back", () => {
  const asked = [user("p", "go"), assistant("a", "m1", [use("c")]), end("e1", "m1", 900, 90), result("r", "c", "x")];
  const cut = end("e2", "m2", 1_000, 8_000);
  expect(requestTokens([...asked, cut], 999_999, 1)).toBe(1_000);
  expect(requestTokens([...asked, assistant("b", "m2", [{ type: "text", text: "x" }]), cut], 999_999, 1)).toBe(9_000);
});

test("a result recorded between the blocks of a response is not part of its count", () => {
  const long = "z".repeat(35_000);
  const messages = [
    user("p", "hi"),
    assistant("a", "m", [use("c1")]),
    result("r1", "c1", long),
    assistant("b", "m", [use("c2")]),
    end("e", "m", 500, 0),
    result("r2", "c2", long),
  ];
  expect(requestTokens(messages, 0, 1)).toBeGreaterThan(500 + 2 * 10_000);
  const before = [...messages.slice(0, 1), result("r0", "c0", long), ...messages.slice(1)];
  expect(requestTokens(before, 0, 1)).toBe(requestTokens(messages, 0, 1));
});

test("a response without usage is ignored in favour of an earlier one", () => {
  const messages = [
    user("p", "hi"),
    assistant("a", "m", []),
    end("e", "m", 400, 0),
    user("q", "x"),
    assistant("b", "n", [{ type: "text", text: "y".repeat(3_500) }]),
    end("f", "n", 0, 0),
  ];
  expect(requestTokens(messages, 0, 1)).toBeGreaterThan(1400);
  expect(requestTokens(messages.slice(0, 2), 7_000, 1)).toBeGreaterThan(7_000);
});

test("thinking that is not sent does not count", () => {
  const thought = assistant("a", "m", [thinking("t".repeat(35_000)), { type: "text", text: "x" }]);
  const stripped: Message = { type: "thinking_stripped", uuid: "s", timestamp, reason: "rewritten" };
  expect(spanTokens([thought])).toBeGreaterThan(10_000);
  expect(spanTokens([thought, stripped])).toBeLessThan(50);
  expect(spanTokens([stripped, thought])).toBeGreaterThan(10_000);
});

test("prose that begins with a bracket is measured as prose", () => {
  const rest = "x".repeat(700);
  for (const start of ["[This result", "[2026-11-22 10:00:00] start", "[info] ", "{ not json"])
    expect(textTokens(start + rest)).toBe(textTokens(`${start.slice(1)}-${rest}`));
  for (const start of ['{"a":', "[1, ", '[\n  "', "{}", "[[", "[]", "[-1.5]"])
    expect(textTokens(start + rest)).toBeGreaterThan(textTokens(`x${start}${rest}`) * 1.3);
});

test("linked documents are billed at the request's page limit, but measured as short for the window", () => {
  const linked = (type: "url" | "file") => ({
    type: "document" as const,
    source: type === "url" ? { type, url: "https://x/a.pdf" } : { type, file_id: "f" },
  });
  const asked = [user("d", [linked("url"), linked("file")]), user("i", [png(28, 28)])];
  expect(mediaTokenBound(asked)).toBe(600 * 3_000 + 4_784);
  expect(mediaTokenBound(asked, { window: 1_000_000 })).toBe(1_000_000 + 4_784);
  expect(mediaTokenBound(asked, { window: 200_000 })).toBe(200_000 + 4_784);
  expect(mediaTokenBound(asked, { window: 40_000 })).toBe(200_000 + 4_784);
  expect(mediaTokenBound(asked, { isCounted: true })).toBe(4_784);
  const nested = user("r", [{ type: "tool_result", tool_use_id: "c", content: [linked("url")] }]);
  expect(mediaTokenBound([nested], { window: 1_000_000 })).toBe(1_000_000);
  expect(spanTokens([user("d", [linked("url")])])).toBe(4 + 30_000);
});

test("JSON counts more tokens per byte than prose, and other scripts count by their bytes", () => {
  expect(textTokens("a".repeat(350))).toBe(100);
  expect(textTokens(`{"${"a".repeat(248)}`)).toBe(100);
  expect(textTokens("語".repeat(100))).toBe(86);
});

test("images count by their pixels, up to the largest possible count", () => {
  expect(spanTokens([user("i", [png(280, 56)])])).toBe(4 + 20);
  expect(spanTokens([user("i", [png(60_000, 60_000)])])).toBe(4 + 4_784);
  expect(spanTokens([user("i", [{ type: "image", source: { type: "url", url: "x" } }])])).toBe(4 + 4_784);
  expect(
    mediaTokenBound([
      user("i", [png(28, 28)]),
      user("r", [{ type: "tool_result", tool_use_id: "c", content: [png(28, 28)] }]),
    ]),
  ).toBe(2 * 4_784);
});

test("base64 does not bound the bill if the model scales pictures down", () => {
  const data = "A".repeat(400_000);
  const picture: ImageBlock = { type: "image", source: { type: "base64", media_type: "image/png", data } };
  const document: DocumentBlock = { type: "document", source: { type: "base64", media_type: "application/pdf", data } };
  const linked = { type: "image" as const, source: { type: "url" as const, url: "x" } };
  const sent = (...content: ContentBlock[]): ApiMessage[] => [{ role: "user", content }];
  const scaled = { ...modelInfo, imageTokens: 1_568 };
  expect(boundedMediaBytes(sent(picture, linked, { type: "text", text: data }), scaled)).toBe(400_000);
  expect(boundedMediaBytes(sent({ type: "tool_result", tool_use_id: "c", content: [picture] }), scaled)).toBe(400_000);
  expect(boundedMediaBytes(sent(document), scaled)).toBe(400_000 - 3 * 4_784);
  expect(boundedMediaBytes(sent(picture, document), modelInfo)).toBe(0);
});

test("documents count by their pages", () => {
  const pdf = (text: string) =>
    user("d", [
      {
        type: "document",
        source: {
          type: "base64",
          media_type: "application/pdf",
          data: Buffer.from(`%PDF-1.7 ${text}`).toString("base64"),
        },
      },
    ]);
  expect(spanTokens([pdf("/Type /Page /Type/Page /Type /Pages")])).toBe(4 + 6_000);
  expect(spanTokens([pdf("/Type /Pages /Count 7")])).toBe(4 + 21_000);
  expect(spanTokens([pdf("x".repeat(250_000))])).toBe(4 + 9_000);
  expect(spanTokens([pdf("")])).toBe(4 + 3_000);
});

test("adding messages always raises the count", () => {
  fc.assert(
    fc.property(conversation, (messages) => {
      expect(wholeTokens([...messages, user("x", "more")], 0)).toBeGreaterThan(wholeTokens(messages, 0));
      expect(requestTokens([...messages, user("x", "more")], 0, 1)).toBeGreaterThan(requestTokens(messages, 0, 1));
    }),
  );
});

test("the window figures depend on the requested output, within limits", () => {
  expect(effectiveWindow(200_000, 8_000)).toBe(192_000);
  expect(effectiveWindow(200_000, 64_000)).toBe(180_000);
  expect(effectiveWindow(20_000, 64_000)).toBe(15_000);
  expect(windowFigures(200_000, 64_000, defaultPolicy)).toEqual({
    window: 200_000,
    effective: 180_000,
    warnAt: 144_000,
    compactAt: 162_000,
    blockAt: 177_000,
  });
  expect(windowFigures(20_000, 64_000, defaultPolicy)).toMatchObject({ effective: 15_000, blockAt: 14_250 });
});

test("max_tokens stays within what the prompt leaves, but allows a useful reply", () => {
  fc.assert(
    fc.property(fc.nat(300_000), fc.integer({ min: 1, max: 128_000 }), (estimated, wanted) => {
      const fitting = fittingMaxTokens(200_000, estimated, wanted);
      expect(fitting).toBeGreaterThan(0);
      expect(fitting).toBeLessThanOrEqual(wanted);
      expect(fitting).toBeLessThanOrEqual(Math.max(1_024, 200_000 - estimated));
    }),
  );
});

test.each<[string, Record<string, string>, object, object]>([
  [
    "nothing",
    {},
    {},
    { autoCompact: true, reactiveCompact: true, autoCompactPercent: 90, autoCompactWindow: undefined },
  ],
  ["auto-compact off", { DISABLE_AUTO_COMPACT: "1" }, {}, { autoCompact: false, reactiveCompact: true }],
  [
    "compaction off",
    { DISABLE_COMPACT: "true" },
    {},
    { autoCompact: false, reactiveCompact: false, microcompact: false, contextCollapse: false, snip: true },
  ],
  ["off by setting", {}, { autoCompactEnabled: false }, { autoCompact: false, microcompact: true }],
  [
    "the milder layers off",
    { DISABLE_MICROCOMPACT: "1", DISABLE_CONTEXT_COLLAPSE: "1", DISABLE_SNIP: "1" },
    {},
    { autoCompact: true, microcompact: false, contextCollapse: false, snip: false },
  ],
  [
    "the milder layers off by setting",
    {},
    { microcompactEnabled: false, contextCollapseEnabled: false, snipEnabled: false },
    { autoCompact: true, microcompact: false, contextCollapse: false, snip: false },
  ],
  ["a value that does not mean yes", { DISABLE_AUTO_COMPACT: "0" }, {}, { autoCompact: true }],
  ["a lower percentage", { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "50" }, {}, { autoCompactPercent: 50 }],
  [
    "a higher percentage, which does nothing",
    { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "99" },
    {},
    { autoCompactPercent: 90 },
  ],
  ["a value that is not a percentage", { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: "lots" }, {}, { autoCompactPercent: 90 }],
  [
    "a window",
    { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "150000" },
    { autoCompactWindow: 500_000 },
    { autoCompactWindow: 150_000 },
  ],
  ["a window too small to be meant", { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "10" }, {}, { autoCompactWindow: undefined }],
  ["the least window", { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" }, {}, { autoCompactWindow: 100_000 }],
  ["a window too large to be meant", {}, { autoCompactWindow: 1_000_001 }, { autoCompactWindow: undefined }],
  ["a part of a token", {}, { autoCompactWindow: 200_000.5 }, { autoCompactWindow: 200_000 }],
  [
    "the setting where the variable is empty",
    { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "", PAWL_COLLAPSE_PCT: " " },
    { autoCompactWindow: 500_000, contextCollapsePercent: 50 },
    { autoCompactWindow: 500_000, collapsePercent: 50 },
  ],
  [
    "the setting where the variable cannot be meant",
    { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "all", PAWL_COLLAPSE_PCT: "0" },
    { autoCompactWindow: 500_000, contextCollapsePercent: 50 },
    { autoCompactWindow: 500_000, collapsePercent: 50 },
  ],
  ["no long window", { CLAUDE_CODE_DISABLE_1M_CONTEXT: "1" }, {}, { maxContextTokens: 200_000 }],
  [
    "no long window, and a smaller cap",
    { CLAUDE_CODE_DISABLE_1M_CONTEXT: "1", CLAUDE_CODE_MAX_CONTEXT_TOKENS: "50000" },
    {},
    { maxContextTokens: 50_000 },
  ],
  [
    "no long window, and a larger cap",
    { CLAUDE_CODE_DISABLE_1M_CONTEXT: "1", CLAUDE_CODE_MAX_CONTEXT_TOKENS: "500000" },
    {},
    { maxContextTokens: 200_000 },
  ],
  ["a cap on the window", { CLAUDE_CODE_MAX_CONTEXT_TOKENS: "50000" }, {}, { maxContextTokens: 50_000 }],
])("the policy is right for %s", (_name, environment, settings, expected) => {
  expect(contextPolicy(settings, environment)).toMatchObject(expected);
});

test("an auto-compact window changes only the compaction threshold", () => {
  const policy = { ...defaultPolicy, autoCompactWindow: 100_000 };
  expect(windowFigures(1_000_000, 8_000, policy)).toMatchObject({
    effective: 992_000,
    compactAt: 82_800,
    warnAt: 793_600,
  });
});

test("measuring ten thousand messages examines only the new ones", () => {
  const messages: Message[] = readLoop(5_000, 200);
  messages.push(assistant("z", "mz", [{ type: "text", text: "done" }]), end("ze", "mz", 90_000), user("q", "next"));
  let looked = 0;
  const watched = new Proxy(messages, {
    get(target, key, receiver) {
      if (typeof key === "string" && /^\d+$/.test(key)) looked++;
      return Reflect.get(target, key, receiver);
    },
  });
  requestTokens(watched, 0, 1);
  expect(looked).toBeLessThan(10);
});

test("max_tokens leaves a margin for errors of the estimate", () => {
  expect(fittingMaxTokens(200_000, 100_000, 8_000)).toBe(8_000);
  expect(fittingMaxTokens(32_768, 30_000, 8_000)).toBe(32_768 - 30_000 - 1_024);
  expect(fittingMaxTokens(10_000, 5_000, 8_000)).toBe(4_500);
  expect(fittingMaxTokens(10_000, 9_900, 8_000)).toBe(1_024);
});

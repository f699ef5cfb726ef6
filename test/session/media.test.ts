// Images and documents through a whole session, over real HTTP, against the server that refuses what the API refuses.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { createEngine, tool, type EngineOptions, type QueryEngine } from "../../src/index.ts";
import { pictureSize } from "../../src/lib/image-header.ts";
import type { ContentBlock, ImageBlock } from "../../src/protocol/message.ts";
import { noticeOf } from "../../src/surface/show/notice.ts";
import {
  startScriptedServer,
  type Fault,
  type RequestRecord,
  type Reply,
  type Script,
} from "../../src/testing/index.ts";
import { noise, plainPng } from "../support/pictures.ts";
import { image, pdf, png } from "../testing/images.ts";
import {
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  optionsFor,
  resultOf,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
const open: QueryEngine[] = [];
afterEach(async () => {
  await disposeAll();
  await Promise.all(open.splice(0).map((engine) => engine.dispose()));
});

interface World {
  ground: Ground;
  requests: () => RequestRecord[];
  engine: (extra?: EngineOptions) => Promise<QueryEngine>;
}

async function world(script: Script): Promise<World> {
  const server = await startScriptedServer(script);
  onTestFinished(() => server.close());
  const ground = layGround();
  return {
    ground,
    requests: () => server.requests.filter(({ endpoint }) => endpoint === "messages"),
    engine: async ({ env, ...extra } = {}) => {
      const options = optionsFor(ground, scripted({ steps: [] }), {
        env: { ANTHROPIC_BASE_URL: server.url, ...env },
        ...extra,
      });
      const engine = await createEngine({ ...options, transport: undefined });
      open.push(engine);
      return engine;
    },
  };
}

const wide = plainPng(2400, 120);
const block = (bytes: Buffer, type = "image/png") => image(bytes.toString("base64"), type) as ContentBlock;
const read = (file: string): Reply => ({ content: ["I look.", { tool: "Read", input: { file_path: file } }] });

/** Images of a request, however deep. */
function imagesIn(record: RequestRecord | undefined): ImageBlock[] {
  const found: ImageBlock[] = [];
  JSON.stringify(record?.body?.messages, (_key, value: unknown) => {
    if (typeof value === "object" && value !== null && "type" in value && value.type === "image")
      found.push(value as ImageBlock);
    return value;
  });
  return found;
}

function sizesIn(record: RequestRecord | undefined): string[] {
  return imagesIn(record).map(({ source }) => {
    const size = source.type === "base64" ? pictureSize(Buffer.from(source.data, "base64")) : undefined;
    return `${size?.width} × ${size?.height}`;
  });
}

const bodyOf = (record: RequestRecord | undefined): string => JSON.stringify(record?.body?.messages);

describe("an image that is too large is scaled down before it is first sent", () => {
  test("when it is in a prompt, whatever media type it claims, and nothing larger is recorded", async () => {
    const { engine, requests } = await world({ steps: ["I see."] });
    const session = await engine();
    const { result } = await turn(session, [block(wide, "image/jpeg"), { type: "text", text: "what is it?" }]);
    expect(result).toMatchObject({ subtype: "success", result: "I see." });
    expect(requests().map(sizesIn)).toEqual([["2000 × 100"]]);
    expect(bodyOf(requests()[0])).toContain("scaled down from 2400 × 120 to 2000 × 100 pixels");
    const transcript = readFileSync(session.getTranscriptPath()!, "utf8");
    expect(transcript).not.toContain(wide.toString("base64").slice(0, 400));
  });

  test("when it comes from Read, whose result for clients is what was sent", async () => {
    const { engine, requests, ground } = await world({ steps: [read("shot.png"), "Done."] });
    writeFileSync(join(ground.work, "shot.png"), wide);
    const { messages } = await turn(await engine(), "look at shot.png");
    expect(requests().map(sizesIn)).toEqual([[], ["2000 × 100"]]);
    const told = messages.find((message) => message.type === "user" && message.tool_use_result !== undefined);
    const sent = imagesIn(requests()[1])[0]?.source;
    expect(told).toMatchObject({
      tool_use_result: { type: "image", file: { base64: sent?.type === "base64" && sent.data } },
    });
  });

  test("when it comes from a custom tool, in its result and in its follow-up", async () => {
    const shot = tool("shot", "Takes a picture.", { type: "object" }, async () => ({
      content: [{ type: "text", text: "here" }, block(wide) as ImageBlock],
      followUp: [block(wide)],
    }));
    const { engine, requests } = await world({ steps: [{ content: [{ tool: "shot", input: {} }] }, "Done."] });
    const { result } = await turn(await engine({ customTools: [shot], allowedTools: ["shot"] }), "go");
    expect(result.subtype).toBe("success");
    expect(requests().map(sizesIn)).toEqual([[], ["2000 × 100", "2000 × 100"]]);
  });

  test("when a custom tool gives it a wrong media type; other files become a line that names them", async () => {
    const picture = (bytes: Buffer, media_type: string) =>
      ({ type: "image", source: { type: "base64", media_type, data: bytes.toString("base64") } }) as ImageBlock;
    const shot = tool("shot", "Takes pictures.", { type: "object" }, async () => ({
      content: [picture(wide, "image/jpg"), picture(Buffer.from("BM bitmap"), "image/bmp")],
    }));
    const { engine, requests } = await world({ steps: [{ content: [{ tool: "shot", input: {} }] }, "Done."] });
    const { result } = await turn(await engine({ customTools: [shot], allowedTools: ["shot"] }), "go");
    expect(result.subtype).toBe("success");
    expect(requests().map(sizesIn)).toEqual([[], ["2000 × 100"]]);
    expect(bodyOf(requests()[1])).toMatch(/not a valid PNG, JPEG, GIF or WebP file\. It is in \S+\.bin\./);
  });

  test("when it is in a prompt that waited in the queue", async () => {
    const { engine, requests } = await world({
      steps: [{ content: [{ tool: "Glob", input: { pattern: "*" } }] }, "Done."],
    });
    const session = await engine();
    let isDone = false;
    await turn(session, "go", {
      onMessage(message) {
        if (message.type === "assistant" && !isDone) session.enqueue([block(wide), { type: "text", text: "and this" }]);
        isDone ||= message.type === "assistant";
      },
    });
    expect(requests().map(sizesIn)).toEqual([[], ["2000 × 100"]]);
  });

  test("to the size that an older model accepts", async () => {
    const { engine, requests } = await world({ steps: ["ok"] });
    await turn(await engine({ model: "claude-sonnet-4-5" }), [block(wide)]);
    expect(requests().map(sizesIn)).toEqual([["1568 × 78"]]);
  });

  test("to the size that a conversation with many images accepts", async () => {
    const count = 22;
    const script = { steps: [...Array.from({ length: count }, (_, at) => read(`${at}.png`)), "Done."] };
    const { engine, requests, ground } = await world(script);
    for (let at = 0; at < count; at++)
      writeFileSync(join(ground.work, `${at}.png`), plainPng(at < 2 ? 8100 : 40, 40 + at));
    const { result } = await turn(await engine(), "look at them all");
    expect(result).toMatchObject({ subtype: "success", num_turns: count + 1 });
    expect(requests().map(({ outcome }) => outcome)).toEqual(Array(count + 1).fill("complete"));
    expect(imagesIn(requests().at(-1))).toHaveLength(count);
  });

  test("or is replaced by a line that names a file with its content if it cannot be scaled", async () => {
    const { engine, requests } = await world({ steps: ["I cannot see it."] });
    const session = await engine();
    const damaged = Buffer.concat([wide.subarray(0, 60), Buffer.alloc(500, 7)]);
    await turn(session, [block(damaged), { type: "text", text: "what is it?" }]);
    expect(imagesIn(requests()[0])).toEqual([]);
    const path = /It is in (\S+media\S*\.png)\./.exec(bodyOf(requests()[0]))?.[1];
    expect(readFileSync(path!)).toEqual(damaged);
  });

  test("and an interrupt meanwhile leaves a recorded prompt and a working session", async () => {
    const { engine, requests } = await world({ steps: ["Fine."] });
    const session = await engine();
    const large = plainPng(5000, 5000);
    const asked = session.submitMessage([block(large), { type: "text", text: "look" }]);
    const first = asked.next();
    session.interrupt();
    const messages = [(await first).value!];
    for await (const message of asked) messages.push(message);
    expect(resultOf(messages)).toMatchObject({ terminal_reason: "aborted_streaming" });
    expect(JSON.stringify(session.getMessages())).toContain("making it smaller was interrupted");
    expect((await turn(session, "never mind")).result).toMatchObject({ result: "Fine." });
    expect(requests().map(({ outcome }) => outcome)).toEqual(["complete"]);
  });
});

const bad = (message: string): Fault => ({ kind: "bad_request", message });
const small = image(png(40, 30)) as ContentBlock;
const paper = pdf(2) as ContentBlock;

describe("an image that the API refuses is replaced by text, and the session goes on", () => {
  test.each<[string, Fault, ContentBlock]>([
    [
      "many images",
      bad(
        "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
      ),
      small,
    ],
    [
      "8000 pixels",
      bad(
        "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
      ),
      small,
    ],
    [
      "5 MB",
      bad("messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 5484000 bytes > 5242880 bytes"),
      small,
    ],
    [
      "a wrong type",
      bad("messages.0.content.0.image.source.base64.data: Image does not match the provided media type image/png"),
      small,
    ],
    ["damage", bad("Could not process image"), small],
    ["pages", bad("A maximum of 100 PDF pages may be provided."), paper],
    [
      "a password",
      bad("messages.0.content.0.document.source.base64.data: The PDF specified is password protected."),
      paper,
    ],
    ["no PDF", bad("The PDF specified was not valid."), paper],
    ["bytes", { kind: "too_large", message: "Request exceeds the maximum size" }, block(plainPng(900, 800, noise))],
  ])("%s", async (_name, fault, medium) => {
    const { engine, requests } = await world({ steps: [{ fault }, "Without it, then.", "Still here."] });
    const session = await engine();
    const { messages, result } = await turn(session, [medium, { type: "text", text: "what is it?" }]);
    expect(result).toMatchObject({ subtype: "success", is_error: false, result: "Without it, then." });
    expect(messages.filter((message) => message.type === "assistant" && message.error !== undefined)).toEqual([]);
    const [refused, then] = requests();
    expect([refused?.outcome, then?.outcome]).toEqual(["error", "complete"]);
    expect(bodyOf(refused)).toMatch(/"type":"(?:image|document)"/);
    expect(bodyOf(then)).not.toMatch(/"type":"(?:image|document)"/);
    expect(bodyOf(then)).toContain("was here; it was left out");
    const told = messages.map((message) => noticeOf(message)?.text ?? "").join("\n");
    expect(told).toContain("images or documents were left out of the conversation");
    expect(told).toContain(fault.kind === "too_large" ? "shortened, asking again" : "was refused: asking again");
    expect(told).not.toContain("summarised");
    await session.dispose();
    const resumed = await engine({ resume: session.getSessionId() });
    expect((await turn(resumed, "and now?")).result).toMatchObject({ result: "Still here." });
    expect(bodyOf(requests()[2])).not.toMatch(/"type":"(?:image|document)"/);
    expect(bodyOf(requests()[2])).toContain("was here; it was left out");
  });

  test("once in a turn: a second refusal is reported, and the next prompt works", async () => {
    const { engine, requests } = await world({
      steps: [{ fault: bad("Could not process image") }, { fault: bad("Could not process image") }, "Fine."],
    });
    const session = await engine();
    const { result } = await turn(session, [small, { type: "text", text: "look" }]);
    expect(result).toMatchObject({ subtype: "error_during_execution", terminal_reason: "image_error" });
    expect((await turn(session, "never mind")).result).toMatchObject({ result: "Fine." });
    expect(imagesIn(requests().at(-1))).toEqual([]);
  });
});

test("a refused image that must not be left out is named by its file", async () => {
  const { ground, engine } = await world({ steps: [read("wide.png"), { fault: bad("Could not process image") }] });
  writeFileSync(join(ground.work, "wide.png"), wide);
  const session = await engine({ env: { DISABLE_COMPACT: "1" } });
  const { result } = await turn(session, "look");
  expect(result).toMatchObject({ terminal_reason: "image_error" });
  expect(result.subtype === "success" ? [] : result.errors).toEqual([
    expect.stringContaining("It came with wide.png."),
  ]);
});

test("drops the oldest images in a few steps beyond the request's limit, keeping thinking and cache valid", async () => {
  const count = 20;
  const looks = Array.from({ length: count }, (_, at): Reply => ({
    content: [{ thinking: `Picture ${at}.` }, { tool: "Read", input: { file_path: `${at}.png` } }],
  }));
  const { engine, requests, ground } = await world({ steps: [...looks, "Seen."] });
  for (let at = 0; at < count; at++) writeFileSync(join(ground.work, `${at}.png`), plainPng(60 + at, 60));
  const settings = JSON.stringify({ models: { "claude-sonnet-5-5": { maxImages: 8 } } });
  const { result, messages } = await turn(await engine({ settings }), "look at them all");
  expect(result).toMatchObject({ subtype: "success", result: "Seen." });
  expect(requests().map(({ outcome }) => outcome)).toEqual(Array(count + 1).fill("complete"));
  const counts = requests().map((record) => imagesIn(record).length);
  expect(Math.max(...counts)).toBe(8);
  const steps = counts.filter((images, at) => at > 0 && images < counts[at - 1]!).length;
  expect(steps).toBe(3);
  const boundaries = messages.filter((message) => message.type === "system" && message.subtype === "compact_boundary");
  expect(boundaries).toHaveLength(steps);
});

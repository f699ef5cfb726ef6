import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMediaFit } from "../../src/context/media-source.ts";
import type { MediaFitDeps, MediaTerms } from "../../src/context/media-fit-types.ts";
import { pictureSize } from "../../src/lib/image-header.ts";
import { PictureError } from "../../src/lib/image/picture.ts";
import type { Converted, ConvertTask } from "../../src/lib/image/convert.ts";
import { shrink as inThread } from "../../src/lib/image/shrink.ts";
import type { ContentBlock, DocumentBlock, ImageBlock } from "../../src/protocol/index.ts";
import { validateRequest } from "../../src/testing/index.ts";
import { jpegFile, plainPng, paintQuarters } from "../support/pictures.ts";
import { gif, jpeg, pdf, png, webp } from "../testing/images.ts";
import { byTestDepth } from "../support/test-depth.ts";

const never = new AbortController().signal;
const newest: MediaTerms = { imageEdge: 2576, imageTokens: 4784, pdfPages: 600 };
const older: MediaTerms = { imageEdge: 1568, imageTokens: 1568, pdfPages: 100 };

const image = (data: string, type = "image/png") =>
  ({ type: "image", source: { type: "base64", media_type: type, data } }) as ImageBlock;

/** Headers alone are made smaller to headers alone. */
async function toHeader({ bytes, target }: ConvertTask): Promise<Converted> {
  const original = pictureSize(bytes)!;
  return { bytes: Buffer.from(png(target.width, target.height), "base64"), type: "image/png", size: target, original };
}

interface Made {
  content: ContentBlock[];
  kept: { bytes: number; extension: string }[];
  tasks: ConvertTask[];
}

async function fit(
  content: ContentBlock[],
  options: Partial<MediaFitDeps> & { path?: string; signal?: AbortSignal; terms?: () => MediaTerms } = {},
): Promise<Made> {
  const kept: Made["kept"] = [];
  const tasks: ConvertTask[] = [];
  const { path, signal = never, shrink = toHeader, ...deps } = options;
  const fitMedia = createMediaFit({
    terms: () => newest,
    clock: { timer: () => () => undefined },
    saveFile: async (bytes, extension) => {
      kept.push({ bytes: bytes.length, extension });
      return `/kept/${kept.length}.${extension}`;
    },
    ...deps,
    shrink: (task, inner) => {
      tasks.push(task);
      return shrink(task, inner);
    },
  });
  return { content: await fitMedia(content, path === undefined ? { signal } : { signal, path }), kept, tasks };
}

const textIn = (content: readonly ContentBlock[]): string =>
  content.map((block) => (block.type === "text" ? block.text : `<${block.type}>`)).join("\n");

function sizeOf(block: ContentBlock | undefined) {
  if (block?.type !== "image" || block.source.type !== "base64") throw new Error("no image");
  return pictureSize(Buffer.from(block.source.data, "base64"));
}

test("content that fits stays the same object and starts no thread", async () => {
  const content: ContentBlock[] = [
    { type: "text", text: "look" },
    image(png(2000, 1500)),
    image(jpeg(900, 1200), "image/jpeg"),
    image(webp("VP8X", 1999, 10), "image/webp"),
    image(gif(10, 10), "image/gif"),
    { type: "image", source: { type: "url", url: "https://example.com/huge.png" } },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "plain" } },
    pdf(3) as ContentBlock,
  ];
  const made = await fit(content);
  expect(made.content).toBe(content);
  expect([made.tasks, made.kept]).toEqual([[], []]);
});

describe("an image that is too large", () => {
  test("is scaled down, and the model is told by how much", async () => {
    const file = plainPng(2400, 1200, paintQuarters(2400, 1200)).toString("base64");
    const { content } = await fit([{ type: "text", text: "before" }, image(file), { type: "text", text: "after" }], {
      shrink: inThread,
    });
    expect(textIn(content)).toBe(
      "before\n<image>\n[The image was scaled down from 2400 × 1200 to 2000 × 1000 pixels: coordinates of the original are 1.20 times as large.]\nafter",
    );
    expect(sizeOf(content[1])).toEqual({ width: 2000, height: 1000 });
  });

  test("is scaled to the size that the model would see, and no smaller", async () => {
    const sizes = async (width: number, height: number, terms: MediaTerms) =>
      sizeOf((await fit([image(png(width, height))], { terms: () => terms })).content[0]);
    expect(await sizes(4000, 3000, newest)).toEqual({ width: 2000, height: 1500 });
    expect(await sizes(3000, 3000, newest)).toEqual({ width: 1930, height: 1930 });
    expect(await sizes(1800, 400, older)).toEqual({ width: 1568, height: 348 });
    expect(await sizes(3000, 3000, older)).toEqual({ width: 1092, height: 1092 });
    expect(await sizes(1500, 1500, older)).toEqual({ width: 1500, height: 1500 });
    expect(await sizes(9000, 40, { pdfPages: 100 })).toEqual({ width: 2000, height: 9 });
  });

  test("only in bytes is replaced by a lighter one of the same size, without a note", async () => {
    const heavy = Buffer.concat([Buffer.from(png(1000, 1000), "base64"), Buffer.alloc(4_000_000)]).toString("base64");
    const { content, tasks } = await fit([image(heavy)]);
    expect(textIn(content)).toBe("<image>");
    expect(tasks).toMatchObject([{ target: { width: 1000, height: 1000 }, mostBytes: 3_932_160 }]);
  });

  test("inside a tool result is scaled down there", async () => {
    const result: ContentBlock = {
      type: "tool_result",
      tool_use_id: "c",
      content: [{ type: "text", text: "shot" }, image(png(3000, 100))],
    };
    const [block] = (await fit([result])).content;
    expect(block?.type === "tool_result" && typeof block.content !== "string" && textIn(block.content)).toMatch(
      /^shot\n<image>\n\[The image was scaled down from 3000 × 100 to 2000 × 67/,
    );
  });

  test("and in an unsupported format is replaced by a line that says where it is and how to convert it", async () => {
    const { content, kept } = await fit([image(webp("VP8X", 4000, 3000), "image/webp")]);
    expect(textIn(content)).toBe(
      "[An image (image/webp, 4000 × 3000 pixels, 1 KB) was left out: it has more than 2000 pixels a side or 5 MB: a webp file is not made smaller here; convert it to PNG or JPEG, for instance with ImageMagick. It is in /kept/1.webp.]",
    );
    expect(kept).toEqual([{ bytes: 30, extension: "webp" }]);
  });

  test("and damaged is replaced by a line with the reason and the path it was read from", async () => {
    const { content, kept } = await fit([image(png(5000, 5000))], { shrink: inThread, path: "/work/a.png" });
    expect(textIn(content)).toMatch(
      /^\[An image \(image\/png, 5000 × 5000 pixels, 1 KB\) was left out: it has more than 2000 pixels a side or 5 MB, and its header makes no sense\. It is in \/work\/a\.png\.\]$/,
    );
    expect(kept).toEqual([]);
  });

  test("for the memory is not decoded at all", async () => {
    const { content, tasks } = await fit([image(png(60_000, 60_000))]);
    expect(textIn(content)).toMatch(/more pixels than can be made smaller here/);
    expect(tasks).toEqual([]);
  });

  test("on one side only, but extremely, is not decoded either", async () => {
    const { content, tasks } = await fit([image(png(1, 100_001)), image(png(100_001, 1)), image(png(100_000, 1))]);
    expect(textIn(content).match(/more pixels than can be made smaller here/g)).toHaveLength(2);
    expect(tasks.map(({ bytes }) => pictureSize(Buffer.from(bytes)))).toEqual([{ width: 100_000, height: 1 }]);
  });

  test("for the model but not for the API is sent unchanged if it cannot be scaled down", async () => {
    const shrink = () => Promise.reject(new PictureError("no"));
    const content = [image(png(1900, 100))];
    expect((await fit(content, { terms: () => older, shrink })).content).toEqual(content);
  });

  test("is replaced by a line if there is no time to scale it down", async () => {
    const controller = new AbortController();
    const shrink = (_: ConvertTask, signal: AbortSignal) =>
      new Promise<Converted>((_resolve, reject) => {
        const stop = (): void => reject(new PictureError("making it smaller was interrupted"));
        if (signal.aborted) stop();
        else signal.addEventListener("abort", stop);
      });
    const fitting = fit([image(png(3000, 3000))], { shrink, signal: controller.signal });
    controller.abort();
    expect(textIn((await fitting).content)).toMatch(/5 MB, and making it smaller was interrupted\. It is in/);
    const late = fit([image(png(3000, 3000))], {
      shrink,
      clock: {
        timer: (_ms, fire) => {
          queueMicrotask(fire);
          return () => undefined;
        },
      },
    });
    expect(textIn((await late).content)).toMatch(/interrupted/);
  });

  test("is left out without a path if the disk cannot save it", async () => {
    const keep = () => Promise.reject(new Error("ENOSPC"));
    expect(textIn((await fit([image("AAAA")], { saveFile: keep })).content)).toBe(
      "[An image (3 B) was left out: its data is not a valid PNG, JPEG, GIF or WebP file.]".replace("3 B", "1 KB"),
    );
  });
});

describe("the type of media is taken from their bytes", () => {
  test("and a wrong type is corrected", async () => {
    const { content } = await fit([image(jpeg(10, 10)), image(png(10, 10), "image/jpg")]);
    expect(content).toEqual([image(jpeg(10, 10), "image/jpeg"), image(png(10, 10))]);
  });

  test("and data URLs, line breaks and URL-safe base64 are decoded", async () => {
    const file = jpegFile(40, 30).toString("base64");
    const lines = file.replaceAll(/.{76}/g, "$&\r\n");
    const url = file.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    for (const data of [`data:image/jpeg;base64,${file}`, lines, url])
      expect((await fit([image(data, "image/jpeg")])).content).toEqual([image(file, "image/jpeg")]);
  });

  // What comes from OpenAI's kind of messages has pictures so, and the API fetches no address of that kind.
  test("and a data URL given as an address becomes the picture, while other addresses stay", async () => {
    const file = jpegFile(40, 30).toString("base64");
    const at = (url: string): ContentBlock => ({ type: "image", source: { type: "url", url } });
    const { content } = await fit([at(`data:image/jpeg;base64,${file}`), at("https://a.example/b.png")]);
    expect(content).toEqual([image(file, "image/jpeg"), at("https://a.example/b.png")]);
  });

  test("so that a PDF called an image becomes a document, and the other way round", async () => {
    const { source } = pdf(2);
    const { content } = await fit([
      image(source.data),
      {
        type: "document",
        title: "t",
        source: { ...source, media_type: "application/pdf", data: png(10, 10) },
      } as ContentBlock,
    ]);
    expect(content).toEqual([{ type: "document", source }, image(png(10, 10))]);
  });

  test("and anything else becomes a line of text", async () => {
    const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>").toString("base64");
    const { content, kept } = await fit([
      image(svg),
      { ...pdf(1), source: { ...pdf(1).source, data: svg } } as ContentBlock,
    ]);
    expect(textIn(content)).toBe(
      "[An image (1 KB) was left out: its data is not a valid PNG, JPEG, GIF or WebP file. It is in /kept/1.bin.]\n[A document (1 KB) was left out: its data is not a valid PDF file. It is in /kept/2.bin.]",
    );
    expect(kept).toHaveLength(2);
  });

  test("but a document named like another kind of file is saved as that kind", async () => {
    const titled = (title: string, data: string): ContentBlock => ({
      ...(pdf(1) as DocumentBlock),
      title,
      source: { type: "base64", media_type: "application/pdf", data },
    });
    const { content, kept } = await fit([titled("a.WAV", "AAAA"), titled("a.pdf", "AAAA"), titled("a.../x", "AAAA")]);
    expect(kept.map(({ extension }) => extension)).toEqual(["wav", "bin", "bin"]);
    expect(textIn(content)).toMatch(
      /^\[A document "a\.WAV" \(1 KB\) was left out: it cannot be shown here\. It is in \/kept\/1\.wav\.\]/u,
    );
  });
});

describe("a document", () => {
  test.each<[string, Buffer, MediaTerms, RegExp]>([
    [
      "with too many pages",
      Buffer.from(pdf(101).source.data, "base64"),
      older,
      /"r" \(application\/pdf, 101 pages, .*takes up to 100 pages/,
    ],
    [
      "that is locked with a password",
      Buffer.from("%PDF-1.4 trailer << /Encrypt 5 0 R >>"),
      newest,
      /locked with a password/,
    ],
    [
      "larger than a request",
      Buffer.concat([Buffer.from("%PDF-1.4\n"), Buffer.alloc(21_100_000)]),
      newest,
      /larger than a request/,
    ],
  ])("%s is replaced by a line", async (_name, bytes, terms, said) => {
    const source = { type: "base64", media_type: "application/pdf", data: bytes.toString("base64") } as const;
    const { content, kept } = await fit([{ type: "document", title: "r", source }], { terms: () => terms });
    expect(textIn(content)).toMatch(said);
    expect(textIn(content)).toContain("It is in /kept/1.pdf.");
    expect(kept).toHaveLength(1);
  });

  test("with as many pages as the model takes is sent", async () => {
    const content = [pdf(100) as ContentBlock];
    expect((await fit(content, { terms: () => older })).content).toBe(content);
  });
});

const side = fc.oneof(
  fc.integer({ min: 0, max: 2_100 }),
  fc.constantFrom(1568, 1569, 2000, 2001, 2576, 7999, 8001, 65_000),
);
const data = fc.oneof(
  fc.tuple(fc.constantFrom(png, gif, jpeg), side, side).map(([make, width, height]) => make(width, height)),
  fc
    .tuple(fc.constantFrom("VP8 ", "VP8L", "VP8X"), side, side)
    .map(([kind, width, height]) =>
      webp(kind, Math.min(16_383, Math.max(1, width)), Math.min(16_383, Math.max(1, height))),
    ),
  fc.base64String({ maxLength: 60 }),
  fc.string({ maxLength: 20 }),
  fc.integer({ min: 1, max: 120 }).map((pages) => pdf(pages).source.data),
);
const medium = fc
  .tuple(
    data,
    fc.constantFrom("image", "document"),
    fc.constantFrom("image/png", "image/jpeg", "image/jpg", "application/pdf"),
  )
  .map(([bytes, type, media_type]) => ({ type, source: { type: "base64", media_type, data: bytes } }) as ContentBlock);

test("any media come out acceptable to the strict server among many others, and fit unchanged the next time", async () => {
  const others = Array.from({ length: 20 }, () => image(png(100, 100)));
  const headers = { "x-api-key": "k", "anthropic-version": "2023-06-01" };
  await fc.assert(
    fc.asyncProperty(fc.array(medium, { maxLength: 4 }), fc.constantFrom(newest, older), async (media, terms) => {
      const { content } = await fit(media, { terms: () => terms });
      const model = terms === newest ? "claude-opus-4-8" : "claude-sonnet-4-5";
      const messages = [{ role: "user", content: [{ type: "text", text: "look" }, ...others, ...content] }];
      const violations = validateRequest({ model, max_tokens: 100, messages }, headers);
      // Pages add up over a request, which is another defence's business.
      expect(violations.filter(({ message }) => !message.includes("PDF pages"))).toEqual([]);
      expect((await fit(content, { terms: () => terms })).content).toBe(content);
    }),
    { numRuns: byTestDepth(150, 400) },
  );
});

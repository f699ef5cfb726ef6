import { writeFileSync, chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createMediaFit } from "../../src/context/index.ts";
import type { ImageBlock } from "../../src/protocol/message.ts";
import { plainPng } from "../support/pictures.ts";
import { openToolBox, textOf } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function png(width: number, height: number, extra = 0): Buffer {
  const head = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\x08\x02\0\0\0", "latin1");
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return Buffer.concat([head, Buffer.alloc(extra + 16)]);
}

function gif(width: number, height: number): Buffer {
  const bytes = Buffer.from("GIF89a\0\0\0\0\0\0\0\0", "latin1");
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

function jpeg(width: number, height: number): Buffer {
  const app = Buffer.concat([Buffer.from([0xff, 0xe1, 0x04, 0x02]), Buffer.alloc(0x400)]);
  const frame = Buffer.from([0xff, 0xff, 0xc2, 0x00, 0x11, 0x08, 0, 0, 0, 0, 0x03]);
  frame.writeUInt16BE(height, 6);
  frame.writeUInt16BE(width, 8);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), app, frame, Buffer.alloc(16)]);
}

function webp(kind: "VP8X" | "VP8 " | "VP8L", width: number, height: number): Buffer {
  const bytes = Buffer.alloc(40);
  bytes.write("RIFF", 0, "latin1");
  bytes.write(`WEBP${kind}`, 8, "latin1");
  if (kind === "VP8X") {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  } else if (kind === "VP8 ") {
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  } else bytes.writeUInt32LE((width - 1) | ((height - 1) << 14), 21);
  return bytes;
}

const fitting = {
  fitMedia: createMediaFit({
    terms: () => ({ imageEdge: 1568, imageTokens: 1568, pdfPages: 100 }),
    clock: { timer: () => () => undefined },
  }),
};

describe("an image", () => {
  test.each([
    ["image/png", png(300, 200)],
    ["image/gif", gif(300, 200)],
    ["image/jpeg", jpeg(300, 200)],
    ["image/webp", webp("VP8X", 300, 200)],
    ["image/webp", webp("VP8 ", 300, 200)],
    ["image/webp", webp("VP8L", 300, 200)],
  ])("of the type %s is recognised by its bytes, not its name, and measured", async (type, bytes) => {
    const box = openToolBox();
    const path = box.put("picture.dat", bytes);
    const result = await box.call("Read", { file_path: path });
    expect(result.content).toEqual([
      { type: "image", source: { type: "base64", media_type: type, data: bytes.toString("base64") } },
    ]);
    expect(result.output).toMatchObject({
      type: "image",
      file: {
        type,
        originalSize: bytes.length,
        dimensions: { originalWidth: 300, originalHeight: 200, displayWidth: 300, displayHeight: 200 },
      },
    });
  });

  test("larger than the model needs is scaled down, and clients get what is sent", async () => {
    const box = openToolBox(fitting);
    box.put("wide.png", plainPng(2000, 400));
    const result = await box.call("Read", { file_path: "wide.png" });
    expect(textOf(result)).toMatch(/^\[image\]\n\[The image was scaled down from 2000 × 400 to 1568 × 314 pixels/);
    const sent = (result.content as ImageBlock[])[0]!.source;
    const dimensions = { originalWidth: 2000, originalHeight: 400, displayWidth: 1568, displayHeight: 314 };
    expect(result.output).toMatchObject({
      type: "image",
      file: { base64: sent.type === "base64" && sent.data, type: "image/png", dimensions },
    });
  });

  test("that cannot be scaled down is an error with the reason and its path", async () => {
    const box = openToolBox(fitting);
    const path = box.put("bomb.png", png(50_000, 50_000));
    const bomb = await box.call("Read", { file_path: "bomb.png" });
    expect(bomb.isError).toBe(true);
    expect(textOf(bomb)).toMatch(/image\/png, 50000 × 50000 pixels.*more pixels than can be made smaller here/);
    expect(textOf(bomb)).toContain(`It is in ${path}.`);
  });

  test("with more bytes than any useful picture is not read", async () => {
    const box = openToolBox();
    box.put("big.png", png(100, 100, 68_000_000));
    expect(textOf(await box.call("Read", { file_path: "big.png" }))).toMatch(
      /too large for an image: 68\.0 MB, and at most 67\.1 MB can be read/,
    );
  });

  test.each([
    ["a cut header", png(1, 1).subarray(0, 18)],
    ["no size", png(0, 5)],
    ["a JPEG without a frame", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8])],
  ])("with %s is refused", async (_, bytes) => {
    const box = openToolBox();
    box.put("a.png", bytes);
    expect(textOf(await box.call("Read", { file_path: "a.png" }))).toMatch(/its header is damaged or cut/);
  });
});

describe("a PDF", () => {
  const page = "<< /Type /Page /Parent 1 0 R >>\n";

  test("is sent as a document", async () => {
    const box = openToolBox();
    const bytes = Buffer.from(`%PDF-1.4\n<< /Type /Pages >>\n${page.repeat(10)}`);
    const path = box.put("a.pdf", bytes);
    const result = await box.call("Read", { file_path: path });
    const data = bytes.toString("base64");
    expect(result.content).toEqual([
      { type: "document", source: { type: "base64", media_type: "application/pdf", data } },
    ]);
    expect(result.output).toEqual({ type: "pdf", file: { filePath: path, base64: data, originalSize: bytes.length } });
  });

  test("is refused with advice if it has many pages, is encrypted or is too large", async () => {
    const box = openToolBox();
    box.put("long.pdf", `%PDF-1.4\n${page.repeat(11)}`);
    box.put("locked.pdf", `%PDF-1.4\n${page}trailer << /Encrypt 5 0 R >>`);
    box.put("big.pdf", Buffer.concat([Buffer.from("%PDF-1.4\n"), Buffer.alloc(24_000_000)]));
    expect(textOf(await box.call("Read", { file_path: "long.pdf" }))).toMatch(
      /about 11 pages.*pages field, such as "1-5"/,
    );
    expect(textOf(await box.call("Read", { file_path: "locked.pdf" }))).toMatch(/encrypted/);
    expect(textOf(await box.call("Read", { file_path: "big.pdf" }))).toMatch(
      /24\.0 MB, and a request takes up to 21\.0 MB/,
    );
  });

  test("is read page by page through pdftotext, which gets the opened file after --", async () => {
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, "pdftotext"),
      '#!/bin/sh\necho "$@"; case $9 in /proc/*) readlink "$9" ;; *) echo "$9" ;; esac\n',
    );
    chmodSync(join(folder, "pdftotext"), 0o755);
    const box = openToolBox({ environment: { PATH: folder } });
    const path = box.put("-a.pdf", `%PDF-1.4\n${page}`);
    const [told, opened] = textOf(await box.call("Read", { file_path: path, pages: "2-4" })).split("\n");
    expect(told).toMatch(/^-f 2 -l 4 -layout -enc UTF-8 -- \/\S+ -$/u);
    expect(opened).toBe(path);
    expect(textOf(await box.call("Read", { file_path: path, pages: "1-30" }))).toMatch(/20 pages at most/);
    expect(textOf(await box.call("Read", { file_path: path, pages: "x" }))).toMatch(/pages must look like/);
  });

  test("is refused in pdftotext's own words if pdftotext cannot read it", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "pdftotext"), "#!/bin/sh\necho Incorrect password >&2\nexit 1\n", { mode: 0o755 });
    const box = openToolBox({ environment: { PATH: folder } });
    box.put("a.pdf", `%PDF-1.4\n${page}`);
    const said = textOf(await box.call("Read", { file_path: "a.pdf", pages: "1" }));
    expect(said).toMatch(/^pdftotext could not read .*a\.pdf: Incorrect password$/u);
  });

  test("cannot be read by pages without pdftotext, and the error names the package", async () => {
    const box = openToolBox({ environment: { PATH: "relative:/nowhere" } });
    box.put("a.pdf", "%PDF-1.4\n");
    expect(textOf(await box.call("Read", { file_path: "a.pdf", pages: "1" }))).toMatch(/poppler-utils/);
  });

  test("header in the middle of a text does not make it a PDF", async () => {
    const box = openToolBox();
    box.put("a.ts", 'const magic = "%PDF-";\n');
    expect(textOf(await box.call("Read", { file_path: "a.ts" }))).toBe('1\tconst magic = "%PDF-";');
  });
});

describe("a notebook", () => {
  const notebook = {
    nbformat: 4,
    metadata: { language_info: { name: "python" } },
    cells: [
      { cell_type: "markdown", id: "intro", source: ["# Title\n", "text"] },
      {
        cell_type: "code",
        source: "print(1)",
        execution_count: 3,
        outputs: [
          { output_type: "stream", name: "stdout", text: ["1\n"] },
          { output_type: "display_data", data: { "image/png": "AAAA", "text/plain": "<Figure>" } },
          { output_type: "error", ename: "ValueError", evalue: "bad", traceback: ["\u001b[31mline\u001b[0m"] },
        ],
      },
    ],
  };

  test("is shown cell by cell with its outputs", async () => {
    const box = openToolBox();
    const path = box.put("a.ipynb", JSON.stringify(notebook));
    const result = await box.call("Read", { file_path: path });
    expect(textOf(result)).toBe(
      [
        '<cell id="intro" type="markdown">\n# Title\ntext\n</cell>',
        '<cell id="cell-1" type="python">\nprint(1)\n</cell>\n<output>\n1\n\n<Figure>\n[image/png not shown]\nValueError: bad\nline\n</output>',
      ].join("\n"),
    );
    expect(result.output).toMatchObject({
      type: "notebook",
      file: { filePath: path, cells: [{ cell_id: "intro" }, { cell_id: "cell-1", execution_count: 3 }] },
    });
  });

  test("shows at most ten pictures after their cells, scaled down, and within the token limit", async () => {
    const box = openToolBox(fitting);
    const picture = (width: number) => ({
      output_type: "display_data",
      data: {
        "image/png": plainPng(width, 28).toString("base64").replace(/.{76}/g, "$&\n"),
        "image/svg+xml": "<svg/>",
      },
    });
    const cell = (source: string, ...outputs: object[]) => ({ cell_type: "code", source, outputs });
    const read = async (...cells: object[]) => {
      box.put("a.ipynb", JSON.stringify({ ...notebook, cells }));
      const { content } = await box.call("Read", { file_path: "a.ipynb" });
      return typeof content === "string" ? [content] : content;
    };
    const shown = await read(cell("plot()", picture(2_100)), cell("done()"));
    expect(shown.map(({ type }: { type?: string }) => type)).toEqual(["text", "image", "text", "text"]);
    expect(shown[0]).toMatchObject({
      text: expect.stringContaining("[image/png is shown below]\n[image/svg+xml not shown]"),
    });
    expect(JSON.stringify(shown)).toContain("scaled down from 2100 × 28 to 1568");
    const many = await read(cell("", ...Array.from({ length: 12 }, () => picture(28))));
    expect(JSON.stringify(many).match(/is shown below/g)).toHaveLength(10);
    expect(many.filter((part) => typeof part !== "string" && part.type === "image")).toHaveLength(10);
    const poor = openToolBox({ ...fitting, environment: { CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS: "150" } });
    const dear = await poor.call("Read", { file_path: box.path("a.ipynb") });
    expect(JSON.stringify(dear.content)).toMatch(/^"<cell id/);
  });

  test("shows an output by its best text, and the beginning of a cell that is too long", async () => {
    const box = openToolBox();
    const shown = (data: object) => ({ output_type: "execute_result", data });
    const outputs = [
      shown({ "text/html": "<b>1</b>" }),
      shown({ "text/latex": ["$x$"], "text/html": "<i>x</i>" }),
      shown({ "text/html": "<p>", "text/plain": "plain" }),
    ];
    const cells = [{ cell_type: "code", source: "f()", outputs }];
    box.put("rich.ipynb", JSON.stringify({ ...notebook, cells }));
    expect(textOf(await box.call("Read", { file_path: "rich.ipynb" }))).toContain(
      "<output>\n<b>1</b>\n$x$\nplain\n</output>",
    );
    const huge = [{ cell_type: "code", source: "y = 1\n".repeat(40_000) }, ...cells];
    box.put("huge.ipynb", JSON.stringify({ ...notebook, cells: huge }));
    expect(textOf(await box.call("Read", { file_path: "huge.ipynb" }))).toMatch(
      /^<cell id="cell-0" type="python">\n(?:y = 1\n){1000}[^]*… \[cell cut here\]\n\[PARTIAL view: 0 of 2 cells/,
    );
  });

  test("in a format before 4 is shown too, but cannot be edited", async () => {
    const box = openToolBox();
    const code = {
      cell_type: "code",
      language: "python",
      input: ["print(1)\n", "x"],
      prompt_number: 2,
      outputs: [
        { output_type: "stream", stream: "stdout", text: ["1\n"] },
        { output_type: "pyout", prompt_number: 2, text: ["42"], png: "AAAA" },
        { output_type: "pyerr", ename: "ValueError", evalue: "bad", traceback: ["line"] },
      ],
    };
    const cells = [
      { cell_type: "heading", level: 2, source: ["Old"] },
      { cell_type: "markdown", source: "text" },
      code,
    ];
    const text = JSON.stringify({ nbformat: 3, metadata: { name: "" }, worksheets: [{ cells }] });
    const path = box.put("old.ipynb", text);
    const shown = textOf(await box.call("Read", { file_path: path }));
    expect(shown).toContain(
      '<cell id="cell-0" type="markdown">\n## Old\n</cell>\n<cell id="cell-1" type="markdown">\ntext',
    );
    expect(shown).toContain('<cell id="cell-2" type="python">\nprint(1)\nx\n</cell>');
    expect(shown).toContain("1\n\n42\n[image/png not shown]\nValueError: bad\nline");
    const edit = { notebook_path: path, cell_id: "cell-1", new_source: "other" };
    expect(textOf(await box.call("NotebookEdit", edit))).toContain("is a notebook in an old format");
    expect(box.read("old.ipynb")).toBe(text);
  });

  test("that names its language only in its kernel is shown in that language", async () => {
    const box = openToolBox();
    const metadata = { kernelspec: { language: "julia", name: "julia-1.9" } };
    box.put("a.ipynb", JSON.stringify({ ...notebook, metadata }));
    expect(textOf(await box.call("Read", { file_path: "a.ipynb" }))).toContain('type="julia"');
  });

  test("with a long output is cut in the middle, and a broken one is refused with the reason", async () => {
    const box = openToolBox();
    const stream = { output_type: "stream", text: "x".repeat(20_000) };
    const error = { output_type: "error", ename: "ValueError", evalue: "bad", traceback: [] };
    const long = { ...notebook, cells: [{ cell_type: "code", source: "", outputs: [stream, error] }] };
    box.put("long.ipynb", JSON.stringify(long));
    box.put("broken.ipynb", "{");
    box.put("other.ipynb", "[]");
    expect(textOf(await box.call("Read", { file_path: "long.ipynb" }))).toMatch(
      /x… \[10016 more characters\] …x+\nValueError: bad\n<\/output>/,
    );
    expect(textOf(await box.call("Read", { file_path: "broken.ipynb" }))).toMatch(
      /broken\.ipynb is not a notebook: its JSON is broken/,
    );
    expect(textOf(await box.call("Read", { file_path: "other.ipynb" }))).toMatch(/it has no list of cells/);
  });
});

// Ctrl+V: the picture in the clipboard. The desktop's programs are stood in for.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { clipboardPicture, type ClipboardPicture } from "../../../src/surface/line/clipboard.ts";
import { Editor } from "../../../src/surface/line/editor.ts";
import { Pictures } from "../../../src/surface/line/pictures.ts";
import { TypedAhead } from "../../../src/surface/line/typed-ahead.ts";
import { settled } from "../support/sink.ts";
import { shown } from "./tabbing.ts";
import { echo, start } from "./talk.ts";

const picture = Buffer.from("\x89PNG\r\n\x1a\n and the rest", "latin1");
let root: string;
let repo: string;
let bin: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-clipboard-"));
  repo = join(root, "repo");
  mkdirSync(join(repo, ".git"), { recursive: true });
  writeFileSync(join(root, "picture.png"), picture);
});
beforeEach(() => {
  bin = mkdtempSync(join(root, "bin-"));
});
afterAll(() => rmSync(root, { recursive: true }));

function program(name: string, body: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(bin, name), 0o755);
}

const prints = (words: string): string => `[ "$*" = "${words}" ] && exec cat ${join(root, "picture.png")}; exit 1`;
const waylandWords = "--no-newline --type image/png";
const x11Words = "-selection clipboard -target image/png -out";

function look(env: Record<string, string>, platform: NodeJS.Platform = "linux"): Promise<ClipboardPicture> {
  const { signal } = new AbortController();
  return clipboardPicture({ env: { PATH: `${bin}:/usr/bin:/bin`, ...env }, cwd: repo, platform, signal });
}

test("the clipboard is read with the program of the desktop", async () => {
  program("wl-paste", prints(waylandWords));
  expect(await look({ WAYLAND_DISPLAY: "wayland-0" })).toEqual({ ok: true, data: picture });
  program("wl-paste", "exit 1");
  program("xclip", prints(x11Words));
  expect(await look({ DISPLAY: ":0", WAYLAND_DISPLAY: "" })).toEqual({ ok: true, data: picture });
  expect(await look({ DISPLAY: ":0", WAYLAND_DISPLAY: "wayland-0" })).toEqual({ ok: true, data: picture });
  program("osascript", `echo '«data PNGf${picture.toString("hex").toUpperCase()}»'`);
  expect(await look({}, "darwin")).toEqual({ ok: true, data: picture });
});

test("a missing picture or program is explained in a sentence", async () => {
  const none = { ok: false, why: "There is no picture in the clipboard." };
  program("xclip", "echo words");
  expect(await look({ DISPLAY: ":0" })).toEqual(none);
  program("xclip", "echo 'Error: target image/png not available' >&2; exit 1");
  expect(await look({ DISPLAY: ":0" })).toEqual(none);
  program("osascript", "exit 1");
  expect(await look({}, "darwin")).toEqual(none);
  rmSync(join(bin, "osascript"));
  const missing = { ok: false, why: "Reading the clipboard needs osascript, which is not installed here." };
  expect(await look({}, "darwin")).toEqual(process.platform === "darwin" ? none : missing);
  expect(await look({})).toMatchObject({ ok: false, why: expect.stringContaining("no desktop here") });
});

test("a clipboard program of the repository is not run, and none gets API keys", async () => {
  program("xclip", `[ -z "$ANTHROPIC_API_KEY" ] && ${prints(x11Words)}`);
  expect(await look({ DISPLAY: ":0", ANTHROPIC_API_KEY: "secret" })).toMatchObject({ ok: true });
  bin = mkdtempSync(join(repo, "bin-"));
  program("xclip", prints(x11Words));
  expect(await look({ DISPLAY: "nowhere:1" })).toMatchObject({ ok: false });
});

async function typed(keys: readonly string[], env: Record<string, string>): Promise<unknown> {
  const talk = start(echo, { env: { NO_COLOR: "1", PATH: `${bin}:/usr/bin:/bin`, ...env } });
  for (const key of keys) {
    const before = talk.raw();
    await talk.type(key);
    while (key === "\x16" && talk.raw() === before) await settled();
  }
  return { shown: shown(talk), prompts: talk.engine.prompts, text: talk.text() };
}

const image = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: picture.toString("base64") },
};

test("a picture is sent with each prompt that contains its mark", async () => {
  program("xclip", prints(x11Words));
  const keys = ["what is ", "\x16", "here?\r", "again \x1b[A", "\r", "\x16", "\x17\x17", "none of [Image #7]\r"];
  const { prompts } = (await typed(keys, { DISPLAY: ":0" })) as { prompts: unknown[] };
  const text = "what is [Image #1] here?";
  expect(prompts).toEqual([
    { prompt: [{ type: "text", text }, image] },
    { prompt: [{ type: "text", text }, image] },
    { prompt: "none of [Image #7]" },
  ]);
});

test("typed text stays if there is no clipboard", async () => {
  const seen = await typed(["what is ", "\x16"], { DISPLAY: "" });
  expect(seen).toMatchObject({ shown: "> what is", text: expect.stringContaining("no desktop here") });
});

test("an error of the clipboard program is reported", async () => {
  const [{ signal }, told] = [new AbortController(), [] as string[]];
  const pictures = new Pictures({
    env: { PATH: `${bin}:/usr/bin:/bin`, DISPLAY: ":0", ODD: "a\0b" },
    cwd: repo,
    platform: "linux",
    signal,
    onChange: () => undefined,
    notice: (text) => told.push(text),
  });
  pictures.insertFromClipboard(new Editor());
  await pictures.close();
  expect(told).toEqual([expect.stringMatching(/null bytes/u)]);
});

test("a prompt that joins the running turn includes its picture", async () => {
  const [{ signal }, enqueued] = [new AbortController(), [] as unknown[]];
  const pictures = new Pictures({
    env: { PATH: `${bin}:/usr/bin:/bin`, DISPLAY: ":0" },
    cwd: repo,
    platform: "linux",
    signal,
    onChange: () => undefined,
    notice: (text) => enqueued.push(text),
  });
  program("xclip", prints(x11Words));
  const editor = new Editor();
  pictures.insertFromClipboard(editor);
  pictures.insertFromClipboard(editor);
  await pictures.close();
  expect(editor.text).toBe("[Image #1] ");
  const ahead = new TypedAhead({
    mark: "> ",
    gap: () => undefined,
    line: () => undefined,
    notice: () => undefined,
    withAttachments: (text) => pictures.withPictures(text),
  });
  ahead.queue("see [Image #1]", { enqueue: (prompt) => enqueued.push(prompt), supportedCommands: () => [] });
  expect(enqueued).toEqual([[{ type: "text", text: "see [Image #1]" }, image]]);
});

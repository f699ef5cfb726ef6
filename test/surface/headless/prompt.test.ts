import { createReadStream, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { UsageError } from "../../../src/lib/usage-error.ts";
import type { StartTimer } from "../../../src/surface/deadline.ts";
import { readPrompt } from "../../../src/surface/headless/prompt.ts";
import { settled } from "../support/sink.ts";

const noTimer = (): (() => void) => () => undefined;

function read(
  argument: string | undefined,
  stdin: Readable | undefined,
  start = noTimer as Parameters<typeof readPrompt>[0]["start"],
) {
  const notices: string[] = [];
  const reading = readPrompt({ stdin, argument, notice: (text) => notices.push(text), start });
  return { reading, notices };
}

describe("readPrompt", () => {
  test("a terminal on stdin is not read", async () => {
    expect(await read("do it", undefined).reading).toBe("do it");
  });

  test("what is piped in comes after the argument", async () => {
    expect(await read("explain", Readable.from([Buffer.from("line 1\n"), Buffer.from("line 2\n")])).reading).toBe(
      "explain\nline 1\nline 2\n",
    );
  });

  test("without an argument stdin is the prompt, whatever the chunks and without a byte order mark", async () => {
    const bytes = Buffer.from("\ufeffnaïve 👩‍👩‍👧");
    expect(await read(undefined, Readable.from([...bytes].map((byte) => Buffer.from([byte])))).reading).toBe(
      "naïve 👩‍👩‍👧",
    );
  });

  test("an empty stdin adds nothing", async () => {
    expect(await read("x", Readable.from([])).reading).toBe("x");
    expect(await read("x", Readable.from([Buffer.from(" \n")])).reading).toBe("x");
  });

  test.each([
    [undefined, undefined],
    ["  ", Readable.from([])],
    [undefined, Readable.from([Buffer.from("\n\n")])],
  ])("no prompt at all is a usage error (%#)", async (argument, stdin) => {
    await expect(read(argument, stdin).reading).rejects.toThrow(
      new UsageError('No prompt: give one as an argument, pawl -p "…", or on standard input.'),
    );
  });

  test("where nobody asked for a headless run it says that there is no terminal", async () => {
    const reading = readPrompt({
      stdin: Readable.from([]),
      argument: undefined,
      isUnasked: true,
      notice: () => undefined,
    });
    await expect(reading).rejects.toThrow(
      "A conversation needs a terminal, and there is no prompt to answer: give one",
    );
  });

  test("UTF-16 with its mark is read, and other text than UTF-8 is told: a file in GBK was noise", async () => {
    const wide = Buffer.from("\ufeff中文\r\n", "utf16le");
    for (const bytes of [Buffer.from(wide), Buffer.from(wide).swap16()]) {
      const { reading, notices } = read("explain", Readable.from([bytes]));
      expect(await reading).toBe("explain\n中文\r\n");
      expect(notices).toEqual([]);
    }
    const { reading, notices } = read("explain", Readable.from([Buffer.from([0xd6, 0xd0, 0x21])]));
    expect(await reading).toMatch(/^explain\n.*!$/u);
    expect(notices).toEqual([expect.stringContaining("standard input is not valid UTF-8")]);
  });

  test("a pipe nobody writes to or closes holds an argument up for 3 s, no longer", async () => {
    const stdin = new PassThrough();
    let late = (): void => undefined;
    const { reading, notices } = read("x", stdin, (milliseconds, then) => {
      expect(milliseconds).toBe(3000);
      late = then;
      return () => undefined;
    });
    await settled();
    late();
    expect(await reading).toBe("x");
    expect(notices).toEqual([
      "nothing arrived on standard input for 3 s; continuing without it (< /dev/null skips the wait)",
    ]);
    expect(stdin.destroyed).toBe(true);
  });

  // Seen: a session that could not be resumed was said to go on without standard input, where the start had taken long.
  test("nothing is said to go on where standard input was given up on before", async () => {
    let fire = (): void => undefined;
    const start: StartTimer = (_, onFire) => {
      fire = onFire;
      return () => undefined;
    };
    const stdin = new PassThrough();
    const { reading, notices } = read("do it", stdin, start);
    stdin.destroy();
    fire();
    expect(await reading).toBe("do it");
    expect(notices).toEqual([]);
  });

  // Seen: where the start took long, a file that was given was left out, and of /dev/null it was said that nothing came.
  test("a file is read however late its first byte comes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-prompt-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "build.log"), "it broke");
    const hurried: StartTimer = (_, late) => {
      queueMicrotask(late);
      return () => undefined;
    };
    const { reading, notices } = read("why?", createReadStream(join(folder, "build.log")), hurried);
    expect(await reading).toBe("why?\nit broke");
    expect(notices).toEqual([]);
    expect(await read("x", createReadStream("/dev/null"), hurried).reading).toBe("x");
  });

  test("once a byte has come, stdin is read to its end however slow it is", async () => {
    const stdin = new PassThrough();
    let isCancelled = false;
    const { reading } = read("x", stdin, () => () => (isCancelled = true));
    stdin.write("first ");
    await settled();
    expect(isCancelled).toBe(true);
    stdin.end("second");
    expect(await reading).toBe("x\nfirst second");
  });

  test("without an argument there is no limit to the wait", async () => {
    const stdin = new PassThrough();
    const { reading } = read(undefined, stdin, () => {
      throw new Error("no timer is wanted");
    });
    await settled();
    stdin.end("late");
    expect(await reading).toBe("late");
  });

  test("more than 10 MB is refused, and the rest is not read", async () => {
    let served = 0;
    const stdin = new Readable({
      read() {
        served += 1;
        this.push(Buffer.alloc(1_000_000, 97));
      },
    });
    await expect(read("x", stdin).reading).rejects.toThrow("Standard input is larger than 10 MB");
    expect(served).toBeLessThan(40);
  });

  test("10 MB exactly is taken", async () => {
    const chunks = Array.from({ length: 10 }, () => Buffer.alloc(1_000_000, 97));
    expect((await read(undefined, Readable.from(chunks)).reading).length).toBe(10_000_000);
  });

  // Seen: nohup puts one in the place of a terminal, so nohup pawl -p "…" & ended with 2.
  test("a stdin that is open for writing alone adds nothing", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-prompt-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const writable = (name: string) => createReadStream("", { fd: openSync(join(folder, name), "w") });
    expect(await read("x", writable("one")).reading).toBe("x");
    await expect(read(undefined, writable("two")).reading).rejects.toThrow(/^No prompt: give one/u);
  });

  test("a stdin that cannot be read is a usage error", async () => {
    const stdin = new Readable({
      read() {
        this.destroy(Object.assign(new Error("EISDIR: illegal operation on a directory, read"), { code: "EISDIR" }));
      },
    });
    await expect(read("x", stdin).reading).rejects.toThrow(/^Standard input could not be read: EISDIR/u);
  });
});

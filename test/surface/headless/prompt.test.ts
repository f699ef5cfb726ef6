import { createReadStream, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { UsageError } from "../../../src/lib/usage-error.ts";
import type { StartTimer } from "../../../src/surface/deadline.ts";
import { readPrompt } from "../../../src/surface/headless/prompt.ts";
import { settled } from "../support/sink.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

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
  test("does not read a terminal", async () => {
    expect(await read("do it", undefined).reading).toBe("do it");
  });

  test("appends piped input to the argument", async () => {
    expect(await read("explain", Readable.from([Buffer.from("line 1\n"), Buffer.from("line 2\n")])).reading).toBe(
      "explain\nline 1\nline 2\n",
    );
  });

  test("uses stdin as the prompt without an argument, decoded across chunks and without a byte order mark", async () => {
    const bytes = Buffer.from("\ufeffnaïve 👩‍👩‍👧");
    expect(await read(undefined, Readable.from([...bytes].map((byte) => Buffer.from([byte])))).reading).toBe(
      "naïve 👩‍👩‍👧",
    );
  });

  test("ignores an empty stdin", async () => {
    expect(await read("x", Readable.from([])).reading).toBe("x");
    expect(await read("x", Readable.from([Buffer.from(" \n")])).reading).toBe("x");
  });

  test.each([
    [undefined, undefined],
    ["  ", Readable.from([])],
    [undefined, Readable.from([Buffer.from("\n\n")])],
  ])("throws a usage error if there is no prompt (%#)", async (argument, stdin) => {
    await expect(read(argument, stdin).reading).rejects.toThrow(
      new UsageError('No prompt: give one as an argument, pawl -p "…", or on standard input.'),
    );
  });

  test("says that a conversation needs a terminal if -p was not given", async () => {
    const reading = readPrompt({
      stdin: Readable.from([]),
      argument: undefined,
      isImplicitlyHeadless: true,
      notice: () => undefined,
    });
    await expect(reading).rejects.toThrow(
      "A conversation needs a terminal, and there is no prompt to answer: give one",
    );
  });

  test("decodes UTF-16 with a byte order mark, and warns about other text that is not UTF-8", async () => {
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

  test("waits 3 s for a silent pipe if there is an argument", async () => {
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
  test("says nothing about continuing if stdin was destroyed before", async () => {
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
  test("reads a file however late its first byte comes", async () => {
    const folder = temporaryFolder();
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

  test("reads stdin to its end once a byte has come", async () => {
    const stdin = new PassThrough();
    let isCancelled = false;
    const { reading } = read("x", stdin, () => () => (isCancelled = true));
    stdin.write("first ");
    await settled();
    expect(isCancelled).toBe(true);
    stdin.end("second");
    expect(await reading).toBe("x\nfirst second");
  });

  test("waits without a limit if there is no argument", async () => {
    const stdin = new PassThrough();
    const { reading } = read(undefined, stdin, () => {
      throw new Error("no timer is wanted");
    });
    await settled();
    stdin.end("late");
    expect(await reading).toBe("late");
  });

  test("refuses more than 10 MB without reading the rest", async () => {
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

  test("accepts exactly 10 MB", async () => {
    const chunks = Array.from({ length: 10 }, () => Buffer.alloc(1_000_000, 97));
    expect((await read(undefined, Readable.from(chunks)).reading).length).toBe(10_000_000);
  });

  // Seen: nohup puts one in the place of a terminal, so nohup pawl -p "…" & ended with 2.
  test("ignores a stdin that is open for writing only", async () => {
    const folder = temporaryFolder();
    const writable = (name: string) => createReadStream("", { fd: openSync(join(folder, name), "w") });
    expect(await read("x", writable("one")).reading).toBe("x");
    await expect(read(undefined, writable("two")).reading).rejects.toThrow(/^No prompt: give one/u);
  });

  test("throws a usage error if stdin cannot be read", async () => {
    const stdin = new Readable({
      read() {
        this.destroy(Object.assign(new Error("EISDIR: illegal operation on a directory, read"), { code: "EISDIR" }));
      },
    });
    await expect(read("x", stdin).reading).rejects.toThrow(/^Standard input could not be read: EISDIR/u);
  });
});

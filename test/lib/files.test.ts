import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { open, type FileHandle } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { removeAbandoned, writeFileAtomically } from "../../src/lib/atomic-write.ts";
import { KeyedLock } from "../../src/lib/keyed-lock.ts";
import { quoteName } from "../../src/lib/quote-name.ts";
import { depth } from "../support/depth.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "pawl-lib-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("writing in one step", () => {
  test("replaces the bytes, keeps the mode asked for, leaves nothing beside", async () => {
    const path = join(folder(), "a");
    writeFileSync(path, "old");
    chmodSync(path, 0o640);
    await writeFileAtomically(path, Buffer.from("new"), { mode: 0o640, flush: true });
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(path, ".."))).toEqual(["a"]);
  });

  test.runIf(process.platform === "linux")("keeps the mode where Node's permission model takes paths alone", () => {
    const path = join(folder(), "a");
    writeFileSync(path, "old");
    const source = JSON.stringify(new URL("../../src/lib/atomic-write.ts", import.meta.url).href);
    const script = `
      const { writeFileAtomically } = await import(${source});
      await writeFileAtomically(${JSON.stringify(path)}, Buffer.from("new"), { mode: 0o751, owner: { uid: 65534, gid: 65534 } });`;
    const permitted = ["--permission", "--allow-fs-read=*", "--allow-fs-write=*"];
    execFileSync(process.execPath, [...permitted, "--input-type=module", "-e", script]);
    expect(readFileSync(path, "utf8")).toBe("new");
    const { gid, mode } = statSync(path);
    // A group that it cannot be given to leaves its bits; Node 22 gives it.
    expect(mode & 0o777).toBe(gid === 65534 ? 0o751 : 0o711);
    expect(readdirSync(join(path, ".."))).toEqual(["a"]);
  });

  // Seen on shares and sticks whose files have one mode and belong to whoever mounted them.
  test("needs no leave to change a mode that is the one asked for already", async () => {
    const path = join(folder(), "a");
    writeFileSync(path, "old");
    const handle = await open(path);
    await handle.close();
    const refusing = vi
      .spyOn(Object.getPrototypeOf(handle) as FileHandle, "chmod")
      .mockRejectedValue(Object.assign(new Error("EPERM: operation not permitted, fchmod"), { code: "EPERM" }));
    onTestFinished(() => refusing.mockRestore());
    await writeFileAtomically(path, Buffer.from("new"), { mode: 0o600 });
    expect(readFileSync(path, "utf8")).toBe("new");
    const refused = writeFileAtomically(path, Buffer.from("newer"), { mode: 0o640 });
    await expect(refused).rejects.toMatchObject({ code: "EPERM" });
    expect(readFileSync(path, "utf8")).toBe("new");
  });

  test("goes without a flush where the file system has none, and not where the disk fails", async () => {
    const path = join(folder(), "a");
    const handle = await open(join(path, ".."));
    const syncing = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync");
    onTestFinished(() => syncing.mockRestore());
    await handle.close();
    syncing.mockRejectedValueOnce(Object.assign(new Error("EINVAL: invalid argument, fsync"), { code: "EINVAL" }));
    await writeFileAtomically(path, Buffer.from("new"), { flush: true });
    expect(readFileSync(path, "utf8")).toBe("new");
    syncing.mockRejectedValueOnce(Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" }));
    const failed = writeFileAtomically(path, Buffer.from("newer"), { flush: true });
    await expect(failed).rejects.toMatchObject({ code: "EIO" });
    expect(readFileSync(path, "utf8")).toBe("new");
  });

  test("abandoned at the last look, leaves the old file and nothing beside", async () => {
    const path = join(folder(), "a");
    writeFileSync(path, "old");
    const write = writeFileAtomically(path, Buffer.from("new"), {
      beforeReplace: () => Promise.reject(new Error("changed")),
    });
    await expect(write).rejects.toThrow("changed");
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(join(path, ".."))).toEqual(["a"]);
  });

  test("throws what the system says, with nothing left", async () => {
    const path = folder();
    await expect(writeFileAtomically(join(path, "no", "a"), Buffer.from("x"))).rejects.toMatchObject({
      code: "ENOENT",
    });
    await expect(writeFileAtomically(path, Buffer.from("x"))).rejects.toMatchObject({ code: "EISDIR" });
    const long = join(path, "n".repeat(300));
    await expect(writeFileAtomically(long, Buffer.from("x"))).rejects.toMatchObject({
      code: "ENAMETOOLONG",
      path: long,
    });
    expect(readdirSync(path)).toEqual([]);
  });

  test("what processes left that died in the middle can be told from all else", () => {
    const path = folder();
    const name = (pid: string) => `.pawl-${pid}-${"0a".repeat(9)}.tmp`;
    for (const file of [name("7"), name("8"), name("x"), ".pawl-7.tmp", "a"]) writeFileSync(join(path, file), "");
    removeAbandoned(path, (pid) => pid === 8);
    expect(readdirSync(path).toSorted()).toEqual([".pawl-7.tmp", name("8"), name("x"), "a"].toSorted());
    removeAbandoned(join(path, "missing"), () => false);
  });

  test("its files name the process that writes them", async () => {
    const path = folder();
    await writeFileAtomically(join(path, "a"), Buffer.from("new"), {
      beforeReplace: async () => removeAbandoned(path, (pid) => pid === process.pid),
    });
    expect(readdirSync(path)).toEqual(["a"]);
  });

  test("does not write through a link", async () => {
    const path = folder();
    writeFileSync(join(path, "target"), "old");
    symlinkSync("target", join(path, "link"));
    await writeFileAtomically(join(path, "link"), Buffer.from("new"));
    expect(readFileSync(join(path, "target"), "utf8")).toBe("old");
  });
});

describe("a lock by key", () => {
  test("runs one at a time and in order, for each key alone, and forgets", async () => {
    const lock = new KeyedLock();
    const seen: string[] = [];
    const first = Promise.withResolvers<void>();
    const work = [
      lock.run("a", async () => {
        await first.promise;
        seen.push("a1");
      }),
      lock.run("a", async () => void seen.push("a2")),
      lock.run("b", async () => void seen.push("b1")),
    ];
    await work[2];
    expect(seen).toEqual(["b1"]);
    first.resolve();
    await Promise.all(work);
    expect(seen).toEqual(["b1", "a1", "a2"]);
    expect(lock.size).toBe(0);
  });

  test("goes on after a failure", async () => {
    const lock = new KeyedLock();
    const failed = lock.run("a", () => Promise.reject(new Error("no")));
    const next = lock.run("a", async () => "yes");
    await expect(failed).rejects.toThrow("no");
    expect(await next).toBe("yes");
    expect(lock.size).toBe(0);
  });
});

describe("names as text", () => {
  test.each([
    ["plain.txt", "plain.txt"],
    ["with blank & 'quote'.txt", "with blank & 'quote'.txt"],
    ["grün 日本.txt", "grün 日本.txt"],
    ["a\nb", "$'a\\nb'"],
    ["it's\t\u001b[31m", "$'it\\'s\\t\\x1b[31m'"],
    ["\u202etxt.exe", "$'\\xe2\\x80\\xaetxt.exe'"],
    ["$'looks quoted'", "$'$\\'looks quoted\\''"],
  ])("%j", (name, shown) => expect(quoteName(name)).toBe(shown));

  test("bytes that are no UTF-8 are spelled out", () => {
    expect(quoteName(Buffer.from([0x63, 0xe9, 0x2e, 0xe2, 0x82]))).toBe("$'c\\xe9.\\xe2\\x82'");
  });

  test.runIf(existsSync("/bin/bash"))("bash reads a quoted name back as the same bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 12, min: 1 }), (bytes) => {
        const shown = quoteName(Buffer.concat([Buffer.from("\n"), bytes]));
        const back = execFileSync("/bin/bash", ["-c", `printf %s ${shown}`]);
        expect(back.equals(Buffer.concat([Buffer.from("\n"), bytes]))).toBe(true);
      }),
      { numRuns: depth(30, 100) },
    );
  });
});

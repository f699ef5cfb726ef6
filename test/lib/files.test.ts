import { chmodSync, existsSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { open, type FileHandle } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { removeUnfinishedWrites, writeFileAtomically } from "../../src/lib/atomic-write.ts";
import { KeyedLock } from "../../src/lib/keyed-lock.ts";
import { quoteName } from "../../src/lib/quote-name.ts";
import { byTestDepth } from "../support/test-depth.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("writeFileAtomically", () => {
  test("replaces the content, sets the requested mode, and leaves no other file behind", async () => {
    const path = join(temporaryFolder(), "a");
    writeFileSync(path, "old");
    chmodSync(path, 0o640);
    await writeFileAtomically(path, Buffer.from("new"), { mode: 0o640, flush: true });
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(path, ".."))).toEqual(["a"]);
  });

  test.runIf(process.platform === "linux")(
    "sets the mode although Node's permission model refuses to change it through a descriptor",
    () => {
      const path = join(temporaryFolder(), "a");
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
    },
  );

  // Seen on shares and sticks whose files have one mode and belong to the user who mounted them.
  test("does not fail if changing the mode is refused but the file has the requested mode already", async () => {
    const path = join(temporaryFolder(), "a");
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

  test("continues if the file system does not support fsync, and fails if the disk reports an error", async () => {
    const path = join(temporaryFolder(), "a");
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

  test("leaves the old file and nothing else behind if the last check rejects", async () => {
    const path = join(temporaryFolder(), "a");
    writeFileSync(path, "old");
    const write = writeFileAtomically(path, Buffer.from("new"), {
      beforeReplace: () => Promise.reject(new Error("changed")),
    });
    await expect(write).rejects.toThrow("changed");
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(join(path, ".."))).toEqual(["a"]);
  });

  test("throws the system's error and leaves nothing behind", async () => {
    const path = temporaryFolder();
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

  test("removes the temporary files of processes that have died, and no others", () => {
    const path = temporaryFolder();
    const name = (pid: string) => `.pawl-${pid}-${"0a".repeat(9)}.tmp`;
    for (const file of [name("7"), name("8"), name("x"), ".pawl-7.tmp", "a"]) writeFileSync(join(path, file), "");
    removeUnfinishedWrites(path, (pid) => pid === 8);
    expect(readdirSync(path).toSorted()).toEqual([".pawl-7.tmp", name("8"), name("x"), "a"].toSorted());
    removeUnfinishedWrites(join(path, "missing"), () => false);
  });

  test("puts the pid of this process into the names of its temporary files", async () => {
    const path = temporaryFolder();
    await writeFileAtomically(join(path, "a"), Buffer.from("new"), {
      beforeReplace: async () => removeUnfinishedWrites(path, (pid) => pid === process.pid),
    });
    expect(readdirSync(path)).toEqual(["a"]);
  });

  test("replaces a symbolic link instead of writing through it", async () => {
    const path = temporaryFolder();
    writeFileSync(join(path, "target"), "old");
    symlinkSync("target", join(path, "link"));
    await writeFileAtomically(join(path, "link"), Buffer.from("new"));
    expect(readFileSync(join(path, "target"), "utf8")).toBe("old");
  });
});

describe("KeyedLock", () => {
  test("runs work one at a time and in order for each key, and forgets keys that are free", async () => {
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

  test("continues with the next work after a failure", async () => {
    const lock = new KeyedLock();
    const failed = lock.run("a", () => Promise.reject(new Error("no")));
    const next = lock.run("a", async () => "yes");
    await expect(failed).rejects.toThrow("no");
    expect(await next).toBe("yes");
    expect(lock.size).toBe(0);
  });
});

describe("quoteName", () => {
  test.each([
    ["plain.txt", "plain.txt"],
    ["with blank & 'quote'.txt", "with blank & 'quote'.txt"],
    ["grün 日本.txt", "grün 日本.txt"],
    ["a\nb", "$'a\\nb'"],
    ["it's\t\u001b[31m", "$'it\\'s\\t\\x1b[31m'"],
    ["\u202etxt.exe", "$'\\xe2\\x80\\xaetxt.exe'"],
    ["$'looks quoted'", "$'$\\'looks quoted\\''"],
  ])("quotes %j only if it is not safe to print", (name, shown) => expect(quoteName(name)).toBe(shown));

  test("spells out bytes that are not UTF-8", () => {
    expect(quoteName(Buffer.from([0x63, 0xe9, 0x2e, 0xe2, 0x82]))).toBe("$'c\\xe9.\\xe2\\x82'");
  });

  test.runIf(existsSync("/bin/bash"))("quotes names so that bash reads back the same bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 12, size: "max", min: 1 }), (bytes) => {
        const shown = quoteName(Buffer.concat([Buffer.from("\n"), bytes]));
        const back = execFileSync("/bin/bash", ["-c", `printf %s ${shown}`]);
        expect(back.equals(Buffer.concat([Buffer.from("\n"), bytes]))).toBe(true);
      }),
      { numRuns: byTestDepth(30, 100) },
    );
  });
});

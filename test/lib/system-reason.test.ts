// The system's errors in words.
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { readRegularFile } from "../../src/lib/regular-file.ts";
import { isMachineError, reasonOf, refusalText, systemCode } from "../../src/lib/system-reason.ts";
import { fileErrorText } from "../../src/tools/failure.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const refused = (path: string, code = "EACCES"): Error => Object.assign(new Error("no"), { code, path });

test("a reason contains the code, and neither the path nor the system call", () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-reason-"));
  folders.push(folder);
  expect(readRegularFile(join(folder, "none"), 1)).toEqual({
    ok: false,
    why: "there is no such file or folder (ENOENT)",
    code: "ENOENT",
  });
  expect(reasonOf(refused(folder, "EOVERFLOW"))).toBe("EOVERFLOW");
  expect(reasonOf(new Error("something else"))).toBe("something else");
});

/** As Node throws what it has no name for. */
function unnamed(code: "EDQUOT" | "ESTALE"): Error {
  const errno = -constants.errno[code];
  const text = `Unknown system error ${errno}`;
  return Object.assign(new Error(`${text}: ${text}, write`), { errno, code: text, syscall: "write" });
}

test.skipIf(process.platform === "win32")(
  "codes that Node.js has no names for are named, such as those of a used-up quota",
  () => {
    expect(reasonOf(unnamed("EDQUOT"))).toBe("the disk quota is used up (EDQUOT)");
    expect(reasonOf(unnamed("ESTALE"))).toBe("the server of this network folder no longer knows it (ESTALE)");
    expect(isMachineError(unnamed("EDQUOT"))).toBe(true);
    expect(fileErrorText(unnamed("EDQUOT"), "write", "a.ts")).toBe(
      "Cannot write a.ts: the disk quota is used up. Free some space first.",
    );
    expect(fileErrorText(unnamed("ESTALE"), "read", "a.ts")).toContain("no longer knows it");
    expect(systemCode({ code: "Unknown system error -99999" })).toBeUndefined();
  },
);

// Seen: "the session could not be closed properly: , Unknown error: Read-only file system".
test("the code of a failed recursive removal is found in its message", () => {
  const unremoved = (words: string): Error =>
    Object.assign(new Error(`, Unknown error: ${words} '/a/b'`), {
      errno: -4094,
      code: "",
      syscall: "rm",
      path: "/a/b",
    });
  expect(reasonOf(unremoved("Read-only file system"))).toBe("the file system is read-only (EROFS)");
  expect(refusalText(unremoved("Device or resource busy"))).toBe("/a/b: it is in use, or is a mount point (EBUSY).");
  expect(systemCode(unremoved("Too many open files"))).toBe("EMFILE");
  expect(systemCode(unremoved("Value too large for defined data type"))).toBeUndefined();
  expect(systemCode({ code: "" })).toBeUndefined();
});

// Seen in a home on a share whose files have one mode: they can be written, and it was said that they cannot.
test("the reason says that the mode may not be changed if chmod was refused", () => {
  const error = Object.assign(new Error("EPERM: operation not permitted, fchmod"), {
    code: "EPERM",
    syscall: "fchmod",
  });
  expect(reasonOf(error)).toBe("its mode may not be changed (EPERM)");
});

// Seen in containers: settings, servers and trust that were mounted as single files can be written, and not replaced.
test("the refusal of a file that is a mount point of its own says so", () => {
  const error = refused("/home/u/.pawl/trust.json", "EBUSY");
  expect(refusalText(error)).toBe("/home/u/.pawl/trust.json: it is in use, or is a mount point (EBUSY).");
});

test("the reason names the owner of a path that belongs to another user", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-reason-"));
  folders.push(folder);
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(reasonOf(refused(file))).toBe("permission denied (EACCES)");
  if (process.getuid?.() !== 0) {
    expect(reasonOf(refused("/no-such-folder/file"))).toBe("permission denied (EACCES; / belongs to root)");
    return context.skip("only root gives files away");
  }
  const theirs = join(folder, "theirs");
  mkdirSync(theirs);
  chownSync(theirs, 12_345, 12_345);
  expect(reasonOf(refused(join(theirs, "a/b")))).toBe(`permission denied (EACCES; ${theirs} belongs to user 12345)`);
  expect(reasonOf(Object.assign(refused(theirs), { syscall: "spawn rg" }))).toBe("permission denied (EACCES)");
  expect(reasonOf(refused(theirs, "EPERM"))).toBe("permission denied (EPERM; it belongs to user 12345)");
});

// The simulated disk forgets what a real one forgets, and fails where it is told to.
import { expect, test } from "vitest";
import { Choices } from "./choices.ts";
import { ProcessDeadError, Disk, noTrouble, type DiskTrouble, type Mount } from "./disk.ts";
import { Trace } from "./trace.ts";

const text = (words: string): Uint8Array => Buffer.from(words);

function made(trouble: DiskTrouble = noTrouble): {
  disk: Disk;
  mount: Mount;
  owner: { name: string; isDead: boolean };
} {
  const disk = new Disk(() => 0, new Trace(false));
  const owner = { name: "p", isDead: false };
  const mount = disk.mount(owner, trouble, () => {
    owner.isDead = true;
  });
  mount.makeFolder("/a");
  return { disk, mount, owner };
}

function append(mount: Mount, words: string): number {
  const file = mount.open("/a/f", "append");
  mount.write(file, text(words), 0, words.length);
  return file;
}

test("written data survives the process, and synced data survives a power cut", () => {
  for (let seed = 0; seed < 50; seed++) {
    const { disk, mount } = made();
    const file = append(mount, "synced ");
    mount.sync(file);
    mount.write(file, text("written"), 0, 7);
    expect(disk.text("/a/f")).toBe("synced written");
    disk.cutPower(new Choices(seed));
    const kept = disk.text("/a/f").replace(/\0+$/, "");
    expect("synced written".startsWith(kept) && kept.startsWith("synced ")).toBe(true);
  }
});

test("a power cut can lose all unsynced data or leave zeros in its place", () => {
  const contents = new Set<string>();
  for (let seed = 0; seed < 200; seed++) {
    const { disk, mount } = made();
    append(mount, "0123456789");
    disk.cutPower(new Choices(seed));
    contents.add(disk.text("/a/f"));
  }
  expect(contents).toContain("");
  expect(contents).toContain("0123456789");
  expect([...contents].some((words) => words.includes("\0"))).toBe(true);
});

test("a process that dies in a write leaves the part it wrote and does nothing more", () => {
  const { disk, mount, owner } = made({ ...noTrouble, death: { at: 2, share: 0.5 } });
  const file = append(mount, "first ");
  expect(() => mount.write(file, text("second"), 0, 6)).toThrow(ProcessDeadError);
  expect(owner.isDead).toBe(true);
  expect(() => mount.write(file, text("third"), 0, 5)).toThrow(ProcessDeadError);
  expect(disk.text("/a/f")).toBe("first sec");
});

test("a disk call fails at the chosen call, as often as chosen", () => {
  const { mount } = made({ ...noTrouble, fault: { operation: "write", code: "ENOSPC", at: 2, times: 1 } });
  const file = append(mount, "a");
  expect(() => mount.write(file, text("b"), 0, 1)).toThrow(/ENOSPC/);
  expect(mount.faultCount).toBe(1);
  expect(mount.write(file, text("c"), 0, 1)).toBe(1);
});

test("a fault aimed at words hits the write that contains them, not one whose buffer does", () => {
  const aimed = { words: "aim", strike: { code: "EIO", times: 1 } };
  const { mount } = made({ ...noTrouble, aimed });
  const file = append(mount, "a");
  const scratch = text("b aim");
  expect(mount.write(file, scratch, 0, 1)).toBe(1);
  expect(() => mount.write(file, scratch, 0, 5)).toThrow(/EIO/);
});

test("an existing file cannot be created, and a missing one cannot be read", () => {
  const { mount } = made();
  append(mount, "a");
  expect(() => mount.open("/a/f", "create")).toThrow(/EEXIST/);
  expect(() => mount.open("/a/g", "read")).toThrow(/ENOENT/);
  expect(() => mount.open("/b/g", "append")).toThrow(/ENOENT/);
  expect(mount.openFiles()).toHaveLength(1);
});

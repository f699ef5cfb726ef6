// The file of a value: whole at every moment, one change at a time, also between processes.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/lib/system-clock.ts";
import { KeptFile, KeptFileError } from "../../../src/session/team/kept-file.ts";
import { changeTask, findTask } from "../../../src/session/team/task.ts";
import { readList } from "../../../src/session/team/task-store.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "../../../src/transcript/index.ts";
import { nodeProcesses } from "../../../src/transcript/process-table.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

let folder = "";
beforeEach(() => {
  folder = temporaryFolder();
});

const path = (): string => join(folder, "deep", "count.json");

function kept(files: TranscriptFileSystem = nodeFileSystem, at: string | null = path()): KeptFile<number> {
  const parse = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
  const machine = { files, processes: nodeProcesses, clock: systemClock };
  return new KeptFile({ path: at, ...machine, flush: false, empty: 0, what: "count", parse });
}

const add = (file: KeptFile<number>): Promise<number> =>
  file.change((value) => ({ value: value + 1, answer: value + 1 }));

describe("a kept file", () => {
  test("returns the last written value to every reader", async () => {
    const answers = await Promise.all([kept(), kept(), kept()].map(add));
    expect(answers.toSorted((one, other) => one - other)).toEqual([1, 2, 3]);
    expect(kept().read()).toBe(3);
    expect(readdirSync(join(folder, "deep"))).toEqual(["count.json"]);
  });

  test("keeps its value in memory when there is no path", async () => {
    const file = kept(nodeFileSystem, null);
    await add(file);
    expect(file.read()).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(["write", "close", "rename"] as const)(
    "keeps the old value and leaves no draft when %s fails",
    async (call) => {
      await add(kept());
      let isBroken = false;
      const broken: TranscriptFileSystem = {
        ...nodeFileSystem,
        [call]: (...given: never[]) => {
          const isOwn = call === "rename" || isBroken;
          if (isOwn) throw Object.assign(new Error("full"), { code: "ENOSPC" });
          return (nodeFileSystem[call] as (...all: never[]) => unknown)(...given);
        },
        open: (file, how) => {
          isBroken = file.endsWith(".new");
          return nodeFileSystem.open(file, how);
        },
      };
      await expect(add(kept(broken))).rejects.toThrow(
        /the count cannot be written to .*: the disk is full \(ENOSPC\)\.$/iu,
      );
      expect(kept().read()).toBe(1);
      expect(readdirSync(join(folder, "deep"))).toEqual(["count.json"]);
    },
  );

  test("keeps the old value when a process dies before the rename, and removes that draft later", async () => {
    await add(kept());
    const left = join(folder, "deep", "count.json.999999999-x-0.new");
    writeFileSync(left, "17");
    const mine = join(folder, "deep", `count.json.${process.pid}-x-0.new`);
    writeFileSync(mine, "18");
    expect(await add(kept())).toBe(2);
    expect(readdirSync(join(folder, "deep")).toSorted()).toEqual(["count.json", `count.json.${process.pid}-x-0.new`]);
  });

  test("is neither lost nor overwritten when it cannot be read", async () => {
    await add(kept());
    writeFileSync(path(), '{"half":');
    await expect(add(kept())).rejects.toThrow(KeptFileError);
    await expect(add(kept())).rejects.toThrow("Move that file away to begin a new one.");
    expect(readFileSync(path(), "utf8")).toBe('{"half":');
  });
});

const source = (name: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../../src", name)));

/** Takes what it can of a shared list, under its own name. */
const taker = `
import { systemClock } from ${source("lib/system-clock.ts")};
import { KeptFile } from ${source("session/team/kept-file.ts")};
import { changeTask, emptyList, withTask } from ${source("session/team/task.ts")};
import { readList } from ${source("session/team/task-store.ts")};
import { nodeFileSystem } from ${source("transcript/index.ts")};
import { nodeProcesses } from ${source("transcript/process-table.ts")};
const [path, name] = process.argv.slice(1);
const file = new KeptFile({ path, files: nodeFileSystem, processes: nodeProcesses, clock: systemClock, flush: false, empty: emptyList, what: "list", parse: readList });
const step = (work) => file.change((list) => { const answer = work(list); return { value: answer.ok ? answer.list : undefined, answer }; });
const mine = [];
for (let at = 0; at < 15; at++) {
  await step((list) => withTask(list, { subject: name + at, description: "" }));
  const got = await step((list) => changeTask(list, String(at + 1), { status: "in_progress" }, { name, isLead: false }));
  if (got.ok && got.statusChange !== undefined) mine.push(String(at + 1));
}
process.stdout.write(JSON.stringify(mine));
`;

function takes(name: string): Promise<string[]> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", taker, path(), name], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (bytes: Buffer) => (said += bytes.toString()));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(JSON.parse(said) as string[]) : reject(new Error(`exit code ${code}`)),
    );
  });
}

test("two processes lose no task, use no id twice, and never own the same task", async () => {
  const [ada, bob] = await Promise.all([takes("ada"), takes("bob")]);
  const list = readList(JSON.parse(readFileSync(path(), "utf8")));
  if (list === undefined) throw new Error("There is no list.");
  expect(list.tasks.map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, at) => String(at + 1)));
  expect(ada!.filter((id) => bob!.includes(id))).toEqual([]);
  for (const [name, ids] of [
    ["ada", ada],
    ["bob", bob],
  ] as const)
    for (const id of ids!) expect(findTask(list, id)?.owner).toBe(name);
  expect(ada!.length + bob!.length).toBe(15);
  expect(changeTask(list, "1", { status: "in_progress" }, { name: "carl", isLead: false }).ok).toBe(false);
});

// Very large transcripts, and many of them: listed, searched, exported and copied in bounded memory.
import { closeSync, mkdirSync, openSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { readCatalog } from "../../src/transcript/catalog/catalog.ts";
import { projectFolder, readSession, transcriptPath } from "../../src/transcript/index.ts";
import { forkSession } from "../../src/transcript/fork.ts";
import { exportSession } from "../../src/session/sessions/export.ts";
import { boundary, idOf, user } from "../transcript/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const timestamp = "2026-11-20T12:00:00.000Z";

/** Turns of a prompt, an answer and a result of `resultBytes`; every 50th line is broken. */
function write(path: string, id: string, turns: number, resultBytes: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "w");
  let [seq, parentUuid] = [0, null as string | null];
  const put = (type: string, more: object): void => {
    const base = {
      v: 1,
      type,
      seq: seq++,
      uuid: `${seq}`,
      parentUuid,
      sessionId: id,
      timestamp,
      cwd: "/p",
      version: "0",
    };
    writeSync(file, `${JSON.stringify({ ...base, ...more })}\n`);
    if (seq % 50 === 0) writeSync(file, `{"v":1,"type":"user","broken\n`);
  };
  const say = (message: object & { type: string }): void => {
    put(message.type, { message: { ...message, uuid: `${seq + 1}`, timestamp } });
    parentUuid = `${seq}`;
  };
  put("session", { data: { createdAt: timestamp, cwd: "/p", source: "cli" } });
  for (let turn = 0; turn < turns; turn++) {
    say(user("", `prompt ${turn} heron${turn}`, { origin: "human" }));
    const use = { type: "tool_use", id: `c${turn}`, name: "Read", input: {} };
    say({
      type: "assistant",
      messageId: `m${turn}`,
      model: "x",
      content: [{ type: "text", text: `answer ${turn}` }, use],
    } as never);
    const content = [{ type: "tool_result", tool_use_id: `c${turn}`, content: "x".repeat(resultBytes) }];
    say({ type: "user", content } as never);
    if (turn === Math.floor(turns / 3)) put("title", { data: { title: "In the middle" } });
  }
  say(boundary("", [user("end", "summary")]));
  closeSync(file);
}

test(
  "lists, searches, exports and forks a transcript of 100 MB with broken lines in bounded memory",
  { timeout: 120_000 },
  async () => {
    const home = temporaryFolder();
    const path = transcriptPath(projectFolder(home, "/p"), idOf(1));
    write(path, idOf(1), 1_000, 100_000);
    expect(statSync(path).size).toBeGreaterThan(100_000_000);
    const look = (search?: string) =>
      readCatalog({ home, folders: [dirname(path)], ...(search === undefined ? {} : { search }) });
    const before = process.memoryUsage().rss;
    expect(await look()).toMatchObject([{ title: "In the middle", firstPrompt: "prompt 0 heron0" }]);
    expect(await look("heron998 answer")).toHaveLength(1);
    expect(await look("heron1000")).toEqual([]);
    let written = 0;
    for (const piece of exportSession({ sessionId: idOf(1), path, sizeBytes: 0, modifiedAt: 0 }, "json"))
      written += piece.length;
    expect(written).toBeGreaterThan(90_000_000);
    for (const piece of exportSession({ sessionId: idOf(1), path, sizeBytes: 0, modifiedAt: 0 }, "markdown"))
      written += piece.length;
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
    const copy = forkSession(path, idOf(2), { clock: { now: () => 0 }, upTo: "2000" });
    expect(readSession(copy.path).messages.length).toBeGreaterThan(1_000);
  },
);

test("lists a thousand sessions, and much faster the second time", { timeout: 120_000 }, async () => {
  const home = temporaryFolder();
  const folder = projectFolder(home, "/p");
  for (let index = 0; index < 1_000; index++) write(transcriptPath(folder, idOf(index)), idOf(index), 8, 5_000);
  const cpu = async (work: () => Promise<unknown>): Promise<number> => {
    const start = process.cpuUsage();
    await work();
    const { user: own, system } = process.cpuUsage(start);
    return (own + system) / 1_000;
  };
  const look = (search?: string) =>
    readCatalog({ home, folders: [folder], ...(search === undefined ? {} : { search }) });
  const cold = await cpu(async () => expect(await look()).toHaveLength(1_000));
  const warm = await cpu(async () => expect(await look()).toHaveLength(1_000));
  const search = await cpu(async () => expect(await look("heron7 answer")).toHaveLength(1_000));
  console.log(
    `1,000 sessions, CPU: cold ${cold.toFixed(0)} ms, warm ${warm.toFixed(0)} ms, search ${search.toFixed(0)} ms`,
  );
  expect(warm).toBeLessThan(cold / 4);
});

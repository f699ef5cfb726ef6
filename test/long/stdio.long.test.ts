// A program drives the real process: a reader that stops costs no memory, and signals end it as they are meant to.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { messageEvents } from "../e2e/support/wire.ts";
import { drive } from "../surface/stdio/client.ts";

function residentMegabytes(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Bytes that the system buffers between this port and its client. */
function underWay(port: string): number {
  const own = `:${Number(port).toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync("/proc/net/tcp", "utf8").trim().split("\n").slice(1);
  return rows.reduce((sum, row) => {
    const [, local = "", remote = "", , queues = ""] = row.trim().split(/\s+/u);
    if (!local.endsWith(own) && !remote.endsWith(own)) return sum;
    return queues.split(":").reduce((all, length) => all + Number.parseInt(length, 16), sum);
  }, 0);
}

test.skipIf(process.platform !== "linux")(
  "a process holds at most a megabyte for a reader that stops for a minute, however much the model says",
  { timeout: 600_000 },
  () => {
    const text = "word ".repeat(3_200_000);
    const events = messageEvents([{ type: "text", text }], { splits: 4_000 });
    return drive(
      () => ({ kind: "stream", events }),
      { args: ["--include-partial-messages"], isProcess: true },
      async (client) => {
        const { pid = 0, stdout } = client.link;
        const { port } = new URL(client.server.url);
        client.sendPrompt("the first one is read");
        await client.result(1);
        const [before, sentBefore] = [residentMegabytes(pid), client.server.sent()];
        stdout.pause();
        for (let count = 0; count < 3; count += 1) client.sendPrompt(`tell ${count}`);
        await client.server.whenAsked(2);
        let [heldKb, megabytes] = [0, 0];
        for (let second = 0; second < 60; second += 1) {
          await pause(1_000);
          heldKb = Math.max(heldKb, (client.server.sent() - sentBefore - underWay(port)) / 1024);
          megabytes = Math.max(megabytes, residentMegabytes(pid));
        }
        console.log(
          `a minute without a reader: ${heldKb.toFixed(0)} KB of 48 MB taken from the model; resident ${before.toFixed(0)} MB before, ${megabytes.toFixed(0)} MB at most`,
        );
        expect(heldKb).toBeLessThan(1024);
        // What it holds at one moment depends on when it last collected: 17 to 33 MB more were seen, and the model has 48 to say.
        expect(megabytes - before).toBeLessThan(48);
        expect(client.server.requests).toHaveLength(2);
        stdout.resume();
        await client.result(4);
        expect((await client.close()).code).toBe(0);
      },
    );
  },
);

test("SIGTERM ends the process with 143 and no result, SIGINT with 130 and a result", async () => {
  for (const [signal, code, results] of [
    ["SIGTERM", 143, 0],
    ["SIGINT", 130, 1],
  ] as const)
    await drive([{ kind: "hang" }], { isProcess: true }, async (client) => {
      await client.request("initialize");
      client.sendPrompt("go");
      await client.server.whenAsked(1);
      process.kill(client.link.pid ?? 0, signal);
      expect(await client.ended).toMatchObject({ code });
      expect(client.results()).toHaveLength(results);
    });
});

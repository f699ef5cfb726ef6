// A program drives the real process: a reader that stops costs no memory, and signals end it as they are meant to.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { drive, says } from "../surface/stdio/client.ts";

function residentMegabytes(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test.skipIf(process.platform !== "linux")(
  "twenty answers of 4 MB wait in the pipe and at the server, not in memory",
  { timeout: 180_000 },
  () =>
    drive(
      [says("word ".repeat(800_000))],
      { args: ["--include-partial-messages"], isProcess: true },
      async (client) => {
        await client.request("initialize");
        const { pid = 0, stdout } = client.link;
        stdout.pause();
        for (let count = 0; count < 20; count += 1) client.say(`tell ${count}`);
        await pause(5_000);
        const early = residentMegabytes(pid);
        await pause(20_000);
        const late = residentMegabytes(pid);
        expect(late - early).toBeLessThan(20);
        expect(client.server.requests.length).toBeLessThan(3);
        stdout.resume();
        await client.result(20);
        expect((await client.close()).code).toBe(0);
        console.log(`resident: ${early.toFixed(0)} MB after 5 s, ${late.toFixed(0)} MB after 25 s without a reader`);
      },
    ),
);

test("SIGTERM ends the process with 143, without a result, and SIGINT the turn with one", async () => {
  for (const [signal, code, results] of [
    ["SIGTERM", 143, 0],
    ["SIGINT", 130, 1],
  ] as const)
    await drive([{ kind: "hang" }], { isProcess: true }, async (client) => {
      await client.request("initialize");
      client.say("go");
      await client.server.asked(1);
      process.kill(client.link.pid ?? 0, signal);
      expect(await client.ended).toMatchObject({ code });
      expect(client.results()).toHaveLength(results);
    });
});

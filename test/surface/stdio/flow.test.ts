// In which order messages become turns, what a slow reader costs, and how it all ends.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import type { DrivenEngine } from "../../../src/surface/engine-port.ts";
import { runStdio } from "../../../src/surface/stdio/run.ts";
import { StopDesk } from "../../../src/surface/stop-desk.ts";
import { delta, fakeEngine, success } from "../support/messages.ts";
import { Collector, settled, SlowReader } from "../support/sink.ts";
import { calls, drive, says, type Client } from "./client.ts";

const untilGo = "until [ -e go ]; do sleep 0.02; done";
const letGo = ({ place }: Client): void => writeFileSync(join(place.folder, "go"), "");

const one = "0b0b0b0b-1111-4222-8333-000000000001";

describe("messages", () => {
  test("with priority next join the running turn, and others get their own turns in order", () =>
    drive(
      [calls(["Bash", { command: untilGo }]), says("both"), says("third")],
      { args: ["--allowed-tools", "Bash"] },
      async (client) => {
        client.sendPrompt("first");
        await client.server.whenAsked(1);
        client.sendPrompt("third");
        client.sendPrompt("second", { priority: "next", uuid: one });
        // Once this is answered, both have been read.
        await client.request("mcp_status");
        letGo(client);
        expect(await client.result(1)).toMatchObject({ result: "both" });
        expect(await client.result(2)).toMatchObject({ result: "third" });
        expect(JSON.stringify(client.server.requests[1]?.body.messages)).toContain("second");
        expect(client.messages.filter(({ isReplay }) => isReplay === true)).toMatchObject([{ uuid: one }]);
        await client.close();
        expect(client.results()).toHaveLength(2);
      },
    ));

  test("with priority now end the running turn and come before waiting ones", () =>
    drive(
      (_, at) => (at === 0 ? { kind: "hang" } : says(`answer ${at}`)),
      {},
      async (client) => {
        client.sendPrompt("first");
        await client.server.whenAsked(1);
        client.sendPrompt("third");
        client.sendPrompt("second", { priority: "now" });
        await client.result(3);
        expect(client.results().map(({ result }) => result)).toEqual([undefined, "answer 1", "answer 2"]);
        const [, second] = client.server.requests.map(({ body }) => JSON.stringify(body.messages));
        expect([second?.includes("second"), second?.includes("third")]).toEqual([true, false]);
      },
    ));

  test("with priority now keep their order and come before one that was to join the turn", () =>
    drive(
      (_, at) => (at === 0 ? { kind: "hang" } : says(`answer ${at}`)),
      {},
      async (client) => {
        client.sendPrompt("first");
        await client.server.whenAsked(1);
        const lines = [["fourth", "next"] as const, ["second", "now"] as const, ["third", "now"] as const].map(
          ([content, priority]) => JSON.stringify({ type: "user", message: { role: "user", content }, priority }),
        );
        client.write(`${lines.join("\n")}\n`);
        await client.result(4);
        const last = client.server.requests.map(({ body }) => JSON.stringify(body.messages));
        expect(last.slice(1).map((sent) => sent.match(/second|third|fourth/gu))).toEqual([
          ["second"],
          ["second", "third"],
          ["second", "third", "fourth"],
        ]);
      },
    ));

  test("without a query join the conversation and reach the model with the next turn", () =>
    drive([says("x")], { args: ["--replay-user-messages"] }, async (client) => {
      client.sendPrompt("a note", { shouldQuery: false, uuid: one });
      client.sendPrompt("and now?");
      await client.result();
      const again = client.messages.filter(({ isReplay }) => isReplay === true);
      expect(again).toMatchObject([
        { uuid: one, message: { content: "a note" } },
        { message: { content: "and now?" } },
      ]);
      expect(client.server.requests).toHaveLength(1);
      const sent = JSON.stringify(client.server.requests[0]?.body.messages);
      expect(sent.indexOf("a note")).toBeLessThan(sent.indexOf("and now?"));
      expect(sent).toContain("a note");
      await client.close();
      expect(client.results()).toHaveLength(1);
    }));

  test("that wait at the end of the input are still answered, and keep_alive is ignored", () =>
    drive([says("one"), says("two")], {}, async (client) => {
      client.write('{"type":"keep_alive"}\n');
      client.sendPrompt("a");
      client.sendPrompt("b");
      client.write('{"type":"keep_alive"}\n');
      const { code, stderr } = await client.close();
      expect(client.results().map(({ result }) => result)).toEqual(["one", "two"]);
      expect([code, stderr.includes("was ignored")]).toEqual([0, false]);
    }));

  test("report the end of a background command after the last turn", () =>
    drive(
      [calls(["Bash", { command: untilGo, run_in_background: true }]), says("begun")],
      { args: ["--allowed-tools", "Bash"] },
      async (client) => {
        client.sendPrompt("begin");
        await client.result();
        const closing = client.close();
        letGo(client);
        expect((await closing).code).toBe(0);
        expect(client.messages.at(-1)).toMatchObject({
          subtype: "task_notification",
          status: "completed",
          exit_code: 0,
        });
      },
    ));
});

describe("a reader that has stopped", () => {
  function started(turn: Parameters<typeof fakeEngine>[0]) {
    const engine = fakeEngine(turn);
    const [stdin, stdout, stop] = [new PassThrough(), new SlowReader(), new StopDesk()];
    const running = runStdio({
      open: async () => engine as unknown as DrivenEngine,
      stdin,
      stdout,
      stderr: new Collector(),
      env: {},
      asksClient: false,
      replaysUserMessages: false,
      mayBypass: false,
      version: "1",
      stop,
      newId: () => "id",
    });
    return { engine, stdin, stdout, running };
  }

  test("makes the turn wait, and gets everything once it continues", async () => {
    const text = "x".repeat(10_000);
    const { engine, stdin, stdout, running } = started(function* () {
      for (let count = 0; count < 500; count += 1) yield delta(text);
      yield success("done");
    });
    stdin.end('{"type":"user","message":{"role":"user","content":"go"}}\n');
    await settled(50);
    expect(engine.yielded).toBeLessThan(30);
    stdout.open();
    expect(await running).toBe(0);
    expect(stdout.text.split("\n")).toHaveLength(502);
  });

  test("keeps further requests from being read", async () => {
    const { stdin, stdout, running } = started(() => []);
    const line = '{"type":"control_request","request_id":"ID","request":{"subtype":"SUBTYPE"}}\n';
    const subtype = "x".repeat(80);
    let isFull = false;
    for (let count = 0; count < 40_000 && !isFull; count += 1) {
      isFull = !stdin.write(line.replace("ID", `r${count}`).replace("SUBTYPE", subtype)) && count > 9_000;
      if (count % 500 === 0) await settled(1);
    }
    await settled(20);
    expect(isFull).toBe(true);
    stdout.open();
    stdin.end();
    await running;
    expect(stdout.text.length).toBeGreaterThan(1_000_000);
  });
});

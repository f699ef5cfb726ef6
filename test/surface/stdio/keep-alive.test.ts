// Signs of life while there is nothing to say.
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { DrivenEngine } from "../../../src/surface/engine-port.ts";
import { keepAliveMs } from "../../../src/surface/stdio/keep-alive.ts";
import { runStdio } from "../../../src/surface/stdio/run.ts";
import { StopDesk } from "../../../src/surface/stop.ts";
import { delta, fakeEngine, success, type Turn } from "../support/messages.ts";
import { Collector, settled } from "../support/sink.ts";

function begin(turn: Turn) {
  const [stdin, stdout] = [new PassThrough(), new Collector()];
  const late: (() => void)[] = [];
  const ended = runStdio({
    stdin,
    stdout,
    stderr: new Collector(),
    stop: new StopDesk(),
    env: {},
    open: async () => fakeEngine(turn) as unknown as DrivenEngine,
    asksClient: false,
    mayBypass: false,
    replaysUserMessages: false,
    version: "1",
    newId: () => "id",
    start: (milliseconds, then) => {
      if (milliseconds !== keepAliveMs) return () => undefined;
      late.push(then);
      return () => undefined;
    },
  });
  const tick = async (): Promise<void> => {
    late.shift()?.();
    await settled(5);
  };
  const signs = (): number => stdout.text.split('{"type":"keep_alive"}\n').length - 1;
  const say = (): boolean => stdin.write('{"type":"user","message":{"role":"user","content":"go"}}\n');
  return { stdin, ended, tick, signs, say };
}

test("come while a turn is silent, not while it talks or nothing runs, and end with the session", async () => {
  let goOn = (): void => undefined;
  const { stdin, ended, tick, signs, say } = begin(async function* () {
    yield delta("a");
    await new Promise<void>((resolve) => (goOn = resolve));
    yield delta("b");
    await new Promise<void>((resolve) => (goOn = resolve));
    yield success("done");
  });
  for (let at = 0; at < 3; at += 1) await tick();
  expect(signs()).toBe(0);
  say();
  await settled(10);
  await tick();
  expect(signs()).toBe(0);
  await tick();
  await tick();
  expect(signs()).toBe(2);
  goOn();
  await settled(10);
  await tick();
  expect(signs()).toBe(2);
  await tick();
  expect(signs()).toBe(3);
  goOn();
  await settled(10);
  for (let at = 0; at < 3; at += 1) await tick();
  expect(signs()).toBe(3);
  stdin.end();
  expect(await ended).toBe(0);
});

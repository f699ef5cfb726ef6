// Signs of life while there is nothing to say.
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { DrivenEngine } from "../../../src/surface/engine-port.ts";
import { keepAliveMs, probeMs } from "../../../src/surface/stdio/keep-alive.ts";
import { runStdio } from "../../../src/surface/stdio/run.ts";
import { StopDesk } from "../../../src/surface/stop-desk.ts";
import { delta, fakeEngine, success, type Turn } from "../support/messages.ts";
import { Collector, settled } from "../support/sink.ts";

function begin(turn: Turn, env: Record<string, string> = {}, cannotOpen?: Error) {
  const [stdin, stdout] = [new PassThrough(), new Collector()];
  const late: (() => void)[] = [];
  const ended = runStdio({
    stdin,
    stdout,
    stderr: new Collector(),
    stop: new StopDesk(),
    env,
    open: async () => {
      if (cannotOpen !== undefined) throw cannotOpen;
      return fakeEngine(turn) as unknown as DrivenEngine;
    },
    asksClient: false,
    mayBypass: false,
    replaysUserMessages: false,
    version: "1",
    newId: () => "id",
    start: (milliseconds, then) => {
      if (milliseconds !== keepAliveMs && milliseconds !== probeMs) return () => undefined;
      late.push(then);
      return () => void late.splice(0, late.length, ...late.filter((each) => each !== then));
    },
  });
  const tick = async (): Promise<void> => {
    late.shift()?.();
    await settled(5);
  };
  const signs = (): number => stdout.text.split('{"type":"keep_alive"}\n').length - 1;
  const say = (): boolean => stdin.write('{"type":"user","message":{"role":"user","content":"go"}}\n');
  return { stdin, stdout, ended, tick, signs, say, waiting: () => late.length };
}

test("keep_alive is written only while a turn is silent, and never after the session", async () => {
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

test("keep_alive is written soon after a client of the control protocol closes its input", async () => {
  let goOn = (): void => undefined;
  const { stdin, ended, tick, signs, say } = begin(async function* () {
    yield delta("a");
    await new Promise<void>((resolve) => (goOn = resolve));
    yield success("done");
  });
  stdin.write('{"type":"control_request","request_id":"1","request":{"subtype":"initialize"}}\n');
  await settled(10);
  say();
  await settled(10);
  stdin.end();
  await settled(10);
  expect(signs()).toBe(0);
  await tick();
  expect(signs()).toBe(1);
  goOn();
  expect(await ended).toBe(0);
});

test("a client that fails at unknown types gets an empty line instead of keep_alive", async () => {
  let goOn = (): void => undefined;
  const { stdin, stdout, ended, tick, signs, say } = begin(
    async function* () {
      await new Promise<void>((resolve) => (goOn = resolve));
      yield success("done");
    },
    { CLAUDE_CODE_ENTRYPOINT: "sdk-py", CLAUDE_AGENT_SDK_VERSION: "0.1.39" },
  );
  say();
  await settled(10);
  await tick();
  await tick();
  expect([signs(), stdout.text]).toEqual([0, "\n"]);
  goOn();
  stdin.end();
  expect(await ended).toBe(0);
});

test("no keep_alive delays the end if the session could not be opened", async () => {
  const { stdin, ended, signs, say, waiting } = begin(
    async function* () {
      yield success("never");
    },
    {},
    new Error("no such session"),
  );
  stdin.write('{"type":"control_request","request_id":"1","request":{"subtype":"initialize"}}\n');
  say();
  await expect(ended).rejects.toThrow("no such session");
  expect([signs(), waiting()]).toEqual([0, 0]);
});

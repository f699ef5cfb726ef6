/** Servers as processes that violate the protocol, or stop writing. */
import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { StdioTransport } from "../../src/mcp/stdio.ts";

/** Started, and ended with the test. `said`: its messages and why it was let go of, in order. */
async function started(program: string, isPatient = false) {
  const tag = `m${randomUUID()}`;
  const clock = { timer: (_ms: number, fire: () => void) => (isPatient ? {} : setImmediate(fire), () => {}) };
  const start = { command: process.execPath, args: ["-e", program], cwd: "/", env: { PAWL_TASK: tag }, tag, clock };
  const transport = new StdioTransport({ ...start, log: () => {} });
  onTestFinished(() => transport.close());
  const said: unknown[] = [];
  const over = new Promise<void>((resolve) => (transport.onclose = resolve));
  const first = new Promise<void>((resolve) => {
    transport.onmessage = (message) => (said.push(message), resolve());
    transport.onerror = ({ message }) => (said.push(message), resolve());
  });
  await transport.start();
  return { transport, said, first, over };
}

// Seen: a program of .NET, which marks its output as UTF-8, was waited for until it was given up: its first answer was ignored.
test("reads a first message that begins with a byte order mark", async () => {
  const message = { jsonrpc: "2.0", id: 0, result: {} };
  const { said, first } = await started(`console.log("\\ufeff" + ${JSON.stringify(JSON.stringify(message))})`);
  await first;
  expect(said).toEqual([message]);
});

// Python's json writes them by itself: the answer was none, and its call was waited for, for half an hour.
test("reads an answer with NaN or Infinity as null", async () => {
  const line =
    '{"jsonrpc":"2.0","id":1,"result":{"a":NaN,"b":[-Infinity,Infinity,-1],"said":"NaN \\"-Infinity\\" \\\\"}}';
  const { said, first } = await started(`console.log(${JSON.stringify(line)})`);
  await first;
  const result = { a: null, b: [null, null, -1], said: 'NaN "-Infinity" \\' };
  expect(said).toEqual([{ jsonrpc: "2.0", id: 1, result }]);
});

// Seen: its call was waited for, for half an hour.
test("drops a server that closes its standard output but stays", async () => {
  const { transport, said, over } = await started(
    `require("node:fs").closeSync(1); process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6)`,
  );
  await over;
  expect(said).toEqual(["it closed its standard output"]);
  expect(transport.lastWords).toBe("it closed its standard output");
});

test("reports a server that exits with its own last output", async () => {
  const { transport, said, over } = await started(`console.error("no such database"); process.exit(3)`, true);
  await over;
  expect([said, transport.lastWords]).toEqual([[], "no such database"]);
});

test.each([
  ["process.exit(9)", "it ended with exit code 9"],
  ['process.kill(process.pid, "SIGKILL")', "it was ended by the signal SIGKILL"],
  ['console.error("ready"); process.kill(process.pid, "SIGKILL")', "it was ended by the signal SIGKILL"],
])("says how a server ended that did not say it itself: %s", async (program, ending) => {
  const { transport, over } = await started(program, true);
  await over;
  expect(transport.howItEnded).toBe(ending);
});

test("leaves the reason to a server that gives one before it exits", async () => {
  const { transport, over } = await started(`console.error("no such database"); process.exit(3)`, true);
  await over;
  expect(transport.howItEnded).toBeUndefined();
});

test.each([
  `console.log("Ok to proceed? (y)\\n"); process.exit(1)`,
  `process.stdout.write("Ok to proceed? (y) ", () => process.exit(1))`,
  `process.stdout.write("[error] Ok to proceed? (y)", () => process.exit(1))`,
])("has a server's last line that was no message as its words, if it wrote no errors: %s", async (program) => {
  const { transport, over } = await started(program, true);
  await over;
  expect(transport.lastWords).toMatch(/^(?:\[error\] )?Ok to proceed\? \(y\)$/u);
  expect(transport.howItEnded).toBeUndefined();
});

test("reads a last message whose line does not end", async () => {
  const { said, over } = await started(`process.stdout.write('{"jsonrpc":"2.0","method":"over"}')`, true);
  await over;
  expect(said).toEqual([{ jsonrpc: "2.0", method: "over" }]);
});

test.each([`{"jsonrpc":"2.0","met`, `[{"jsonrpc":"2.0","met`])(
  "has no half message as the words of a server that ended while it wrote: %s",
  async (half) => {
    const { transport, said, over } = await started(`process.stdout.write('${half}')`, true);
    await over;
    expect([said, transport.lastWords, transport.howItEnded]).toEqual([[], "", "it ended with exit code 0"]);
  },
);

test("closes a server's input first, and gives it time to exit", async () => {
  const { transport, first, said } = await started(
    `process.on("SIGTERM", () => console.log('{"method":"killed"}'));
     process.stdin.resume().on("end", () => { console.error("put away"); process.exit(0); });
     console.log('{"method":"there"}');`,
    true,
  );
  await first;
  await transport.close();
  expect([said, transport.lastWords]).toEqual([[{ jsonrpc: "2.0", method: "there" }], "put away"]);
});

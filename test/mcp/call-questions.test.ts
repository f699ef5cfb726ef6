// What a server asks while it is called, as its calls end.
import { expect, test } from "vitest";
import { CallQuestions } from "../../src/mcp/call-questions.ts";

interface Call {
  running: Promise<void>;
  end: () => void;
  cancel: () => void;
}

function begin(questions: CallQuestions): Call {
  const { promise, resolve } = Promise.withResolvers<void>();
  const controller = new AbortController();
  const running = questions.trackCall(controller.signal, promise);
  const cancel = (): void => {
    controller.abort("user");
    resolve();
  };
  return { running, end: resolve, cancel };
}

async function isOpenAfter(questions: CallQuestions, ends: readonly (() => void)[]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let signal: AbortSignal | undefined;
  const put = questions.ask(new AbortController().signal, (given) => {
    signal = given;
    return promise;
  });
  for (const end of ends) end();
  await new Promise(setImmediate);
  const isOpen = signal?.aborted === false;
  resolve();
  await put;
  return isOpen;
}

test("a question stays open while another call runs, and after a call that was answered", async () => {
  const questions = new CallQuestions();
  const [one, other] = [begin(questions), begin(questions)];
  expect(await isOpenAfter(questions, [one.cancel])).toBe(true);
  expect(await isOpenAfter(questions, [other.end])).toBe(true);
});

test("a question is withdrawn if the last call is cancelled", async () => {
  const questions = new CallQuestions();
  const [one, other] = [begin(questions), begin(questions)];
  expect(await isOpenAfter(questions, [one.end, other.cancel])).toBe(false);
});

test("a question asked while no call runs is not withdrawn", async () => {
  const questions = new CallQuestions();
  let call: Call | undefined;
  expect(await isOpenAfter(questions, [() => (call = begin(questions)), () => call?.cancel()])).toBe(true);
});

// Whatever is typed during an answer, taken back, joined and sent again: the model gets each word once, in the order of the list.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ContentBlock } from "../../../src/protocol/message.ts";
import { blockText } from "../../../src/protocol/block-text.ts";
import { assistant, success, toolResult } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { start } from "./talk.ts";

const [up, lineStart, enter] = ["\x1b[A", "\x01", "\r"];

/** What the list and the line hold, as far as a person can tell. */
class Model {
  waiting: string[] = [];
  text = "";
  cursor = 0;

  write(word: string): void {
    this.text = this.text.slice(0, this.cursor) + word + this.text.slice(this.cursor);
    this.cursor += word.length;
  }

  send(): void {
    this.waiting.push(this.text);
    [this.text, this.cursor] = ["", 0];
  }

  takeBack(): void {
    const newest = this.waiting.at(-1) ?? "";
    if (this.text !== "" && [newest, this.text].some((line) => line.trimStart().startsWith("/"))) return;
    this.waiting.pop();
    this.text = this.text === "" ? newest : `${newest}\n${this.text}`;
    this.cursor = newest.length;
  }
}

/** A turn of two calls, which takes prompts between them, and all that reaches the model or runs. */
function workingTurn() {
  const received: string[] = [];
  const gates: (() => void)[] = [];
  const gate = (): Promise<void> => new Promise((resolve) => void gates.push(resolve));
  const talk = start(async function* (engine, prompt) {
    if (prompt !== "go") received.push(typeof prompt === "string" ? prompt : blockText(prompt as ContentBlock[]));
    else
      for (const id of ["t1", "t2"]) {
        yield assistant({ type: "tool_use", id, name: "Bash", input: { command: "make" } });
        await gate();
        yield toolResult("made", false, id);
        if (id === "t2") continue;
        for (let left = engine.takeQueued(); left !== undefined; left = engine.takeQueued()) {
          received.push(blockText(left.prompt));
          const own = { uuid: left.uuid, session_id: "s", parent_tool_use_id: null };
          yield { ...own, type: "user", message: { role: "user", content: left.prompt as never }, isReplay: true };
        }
      }
    yield success("x");
  });
  const proceed = async (): Promise<void> => {
    gates.shift()?.();
    await settled(8);
  };
  return { ...talk, received, proceed };
}

test("each word that is sent during an answer, also after it was taken back, arrives once and in its order", async () => {
  const step = fc.constantFrom("prompt", "command", "up", "up", "word", "break");
  const steps = fc.array(step, { maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(steps, steps, async (before, after) => {
      const { type, press, proceed, received, pause, talk } = workingTurn();
      const model = new Model();
      let words = 0;
      const write = async (begin: string): Promise<void> => {
        const word = `${begin}w${(words += 1)}`;
        model.write(word);
        await press(word);
      };
      const run = async (name: string): Promise<void> => {
        if (name === "up") {
          const rows = model.text.slice(0, model.cursor).split("\n").length - 1;
          if (model.waiting.length === 0) return;
          await press(up.repeat(rows) + lineStart);
          model.cursor = 0;
          model.takeBack();
          await press(up);
        } else if (name === "break") {
          model.write("\n");
          await press("\n");
        } else if (name === "word") await write(" ");
        else {
          await write(name === "command" && model.text === "" ? "/cost " : " ");
          model.send();
          await type(enter);
        }
      };
      await type("go\r");
      for (const name of before) await run(name);
      await proceed();
      const commandAt = model.waiting.findIndex((line) => line.startsWith("/"));
      const expected = model.waiting.splice(0, commandAt === -1 ? Infinity : commandAt);
      for (const name of after) await run(name);
      expected.push(...model.waiting);
      await proceed();
      for (let turn = 0; turn < expected.length; turn += 1) await settled(8);
      await pause();
      expect(received).toEqual(expected);
      talk.close();
    }),
    { numRuns: 60 },
  );
});

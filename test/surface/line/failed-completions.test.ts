// The code that finds completions may be gone: another version of the package was installed while the terminal was open.
import { expect, test } from "vitest";
import type { CompletionEngine } from "../../../src/surface/line/completion-patterns.ts";
import { Completions } from "../../../src/surface/line/completions.ts";
import { plainStyle } from "../../../src/surface/show/style.ts";
import { settled } from "../support/sink.ts";

function failing() {
  const notices: string[] = [];
  const offers: unknown[] = [];
  const options = {
    style: plainStyle,
    offer: (menu: unknown) => void offers.push(menu),
    onChange: () => undefined,
    notice: (text: string) => void notices.push(text),
    after: (_milliseconds: number, then: () => void) => (then(), () => undefined),
  };
  const completions = new Completions(options, () => Promise.reject(new Error("no such \x1b[2Jmodule")));
  return { completions, notices, offers };
}

const engine = {} as CompletionEngine;
const told = "Nothing could be completed: no such module";

test.each(["/", "@"])(
  "suggestions for %j that cannot be loaded are reported once, not at each character",
  async (sign) => {
    const { completions, notices, offers } = failing();
    for (const text of ["a", "ab", "abc"]) {
      const draft = { text: sign + text, cursor: text.length + 1 };
      expect(completions.suggest(engine, draft, true)).toBe(true);
      await settled(4);
    }
    await completions.close();
    expect(notices).toEqual([told]);
    expect(offers).toEqual([undefined, undefined, undefined]);
  },
);

test("Tab reports each time that nothing can be loaded", async () => {
  const { completions, notices } = failing();
  for (let time = 0; time < 2; time += 1) {
    expect(completions.completeNow(engine, { text: "/co", cursor: 3 })).toBe(true);
    await settled(4);
  }
  await completions.close();
  expect(notices).toEqual([told, told]);
});

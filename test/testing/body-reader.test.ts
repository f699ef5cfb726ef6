import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BodyReader } from "../../src/testing/wire/body-reader.ts";

const conversation = fc.array(
  fc.oneof(fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.jsonValue() }), fc.jsonValue()),
  { maxLength: 8 },
);

describe("reading bodies incrementally", () => {
  it("gives the same as JSON.parse, whatever was read before", () => {
    const step = fc.record({
      keep: fc.nat(8),
      more: conversation,
      head: fc.jsonValue(),
      spaces: fc.constantFrom(undefined, 2, "\t"),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        const reader = new BodyReader();
        let messages: unknown[] = [];
        for (const { keep, more, head, spaces } of steps) {
          messages = [...messages.slice(0, keep), ...more];
          const text = JSON.stringify(
            { model: "m", system: head, messages, tools: [head], stream: true },
            undefined,
            spaces,
          );
          expect(reader.read(text)).toEqual(JSON.parse(text));
          expect(reader.read(Buffer.from(text))).toEqual(JSON.parse(text));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("refuses exactly what JSON.parse refuses", () => {
    const body = '{"model":"m","messages":[{"a":"x\\"y"},[1,2],"s",true,null,1e3],"tools":[{"n":{}}]}';
    fc.assert(
      fc.property(
        fc.nat(body.length - 1),
        fc.constantFrom("", '"', "{", "}", "[", "]", ",", ":", "\\", "1", " "),
        (at, put) => {
          const changed = body.slice(0, at) + put + body.slice(at + 1);
          const outcome = (read: () => unknown) => {
            try {
              return { value: read() };
            } catch (error) {
              return { error: error instanceof SyntaxError };
            }
          };
          const reader = new BodyReader();
          reader.read(body);
          expect(outcome(() => reader.read(changed))).toEqual(outcome(() => JSON.parse(changed)));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("shares unchanged parts, and does not mistake a longer number for a shorter one", () => {
    const reader = new BodyReader();
    const tools = [{ name: "Read", description: "x".repeat(200) }];
    const first = reader.read(JSON.stringify({ tools, messages: [{ a: 1 }, 12, { b: 2 }] })) as never as Body;
    const second = reader.read(JSON.stringify({ tools, messages: [{ a: 1 }, 12, { b: 3 }, 4] })) as never as Body;
    expect(second.messages[0]).toBe(first.messages[0]);
    expect(second.messages[2]).not.toBe(first.messages[2]);
    expect(second.tools).toBe(first.tools);
    expect((reader.read(JSON.stringify({ messages: [{ a: 1 }, 123] })) as Body).messages).toEqual([{ a: 1 }, 123]);
  });

  it("refuses lone surrogates and bytes that are not UTF-8, as the API does", () => {
    const body = (text: string) => `{"messages":[{"content":"${text}"}]}`;
    const read = (text: string) => () => new BodyReader().read(body(text));
    for (const half of ["\\ud83d", "\\ude00", "\\ud83d \\ude00", "\\\\\\uD83D"])
      expect(read(half)).toThrow("surrogate");
    for (const whole of ["\\ud83d\\ude00", "\\\\ud83d", "\u{1f600}"]) expect(read(whole)).not.toThrow();
    expect(() => new BodyReader().read(Buffer.from(body("\xff"), "latin1"))).toThrow("UTF-8");
  });

  it("keeps a member named __proto__ as JSON.parse does", () => {
    const text = '{"__proto__":{"x":1},"messages":[{"__proto__":1}]}';
    expect(Object.keys(new BodyReader().read(text) as object)).toEqual(Object.keys(JSON.parse(text) as object));
  });
});

interface Body {
  messages: unknown[];
  tools: unknown[];
}

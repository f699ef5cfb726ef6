import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { actionOf } from "../../../src/surface/line/bindings.ts";
import { KeyReader, type Key } from "../../../src/surface/line/keys.ts";

/** Keys as words: text and pastes in quotes. */
function read(chunks: (string | Buffer)[], { first = "x", between = 0 } = {}): string[] {
  let now = 0;
  const reader = new KeyReader(() => (now += between));
  reader.push(first);
  return joined(chunks.flatMap((chunk) => reader.push(chunk)));
}

/** Text that came in pieces is one. */
function joined(keys: Key[]): string[] {
  const words: string[] = [];
  let open = "";
  for (const key of [...keys, undefined]) {
    if (key?.type === "text") open += key.text;
    else {
      if (open !== "") words.push(JSON.stringify(open));
      open = "";
      if (key !== undefined) words.push(key.type === "press" ? key.name : `paste ${JSON.stringify(key.text)}`);
    }
  }
  return words;
}

describe("KeyReader, for keys", () => {
  test.each<[string, string[]]>([
    ["ab\r", ['"ab"', "enter"]],
    ["\n", ["ctrl+j"]],
    ["a\r\nb", ['"a"', "enter", '"b"']],
    ["\x1b\r", ["alt+enter"]],
    ["\x1b[A\x1b[B\x1bOC\x1b[D", ["up", "down", "right", "left"]],
    ["\x1b[1;5D\x1b[1;3C\x1b\x1b[D", ["ctrl+left", "alt+right", "alt+left"]],
    ["\x1b[H\x1bOF\x1b[1~\x1b[4~\x1b[7~\x1b[8~\x1b[3~", ["home", "end", "home", "end", "home", "end", "delete"]],
    // urxvt tells Ctrl and Shift by the last character.
    ["\x1bOd\x1bOc\x1bOa\x1bOb", ["ctrl+left", "ctrl+right", "ctrl+up", "ctrl+down"]],
    ["\x1b[3^\x1b[7^", ["ctrl+delete", "ctrl+home"]],
    ["\x1b[3$a\x1b[7$b\x1b[8$\r", ["shift+delete", '"a"', "shift+home", '"b"', "shift+end", "enter"]],
    ["\x7f\b\x1b\x7f\x17", ["backspace", "ctrl+h", "alt+backspace", "ctrl+w"]],
    ["\x1bb\x1bB\x1f\0", ["alt+b", "alt+b", "ctrl+_", "ctrl+@"]],
    ["日本\x01é", ['"日本"', "ctrl+a", '"é"']],
  ])("%j", (bytes, want) => {
    expect(read([bytes])).toEqual(want);
  });

  test.each<[string, string[]]>([
    ["\x1b[13;2u\x1b[27;2;13~", ["shift+enter", "shift+enter"]],
    ["\x1b[99;5u\x1b[27u\x1b[98;3u", ["ctrl+c", "escape", "alt+b"]],
    ["\x1b[1089::99;5u", ["ctrl+c"]],
    ["\x1b[45:95;6u", ["ctrl+shift+-"]],
    ["\x1b[97;1u\x1b[97:65;2u\x1b[233;2u", ['"aAÉ"']],
    ["\x1b[57441;2u\x1b[99999999u", []],
    ["\x1b[127;5u\x1b[57414;2u", ["ctrl+backspace", "shift+enter"]],
    ["\x1b[57417u\x1b[57418u\x1b[57419u\x1b[57420;129u", ["left", "right", "up", "down"]],
    ["\x1b[57417;5u\x1b[57423u\x1b[57424u\x1b[57426u", ["ctrl+left", "home", "end", "delete"]],
    ["\x1b[97;9u\x1b[118;10u\x1b[99;13u\x1b[120;17u\x1b[122;33u", []],
    ["\x1b[97;65u\x1b[98;129u", ['"ab"']],
  ])("names keys that are sent by their codes: %j", (bytes, want) => {
    expect(read([bytes])).toEqual(want);
  });

  test("gives keys with two encodings the same action", () => {
    for (const [code, name] of [
      ["105;5u", "tab"],
      ["109;5u", "enter"],
      ["91;5u", "escape"],
    ] as const)
      expect(read([`\x1b[${code}`]).map((each) => actionOf(each))).toEqual([actionOf(name)]);
  });

  test("ignores mouse events, terminal answers and function keys", () => {
    const others = ["\x1b[<0;1;1M", "\x1b[M", "\x1b[?62;4c", "\x1b]11;rgb:0/0/0\x1b\\", "\x1bP1$r0m\x1b\\"];
    const functions = ["\x1bOP", "\x1b[15~", "\x1b[[A", "\x1b[I", "\x1b[200;1R", "\x9b"];
    for (const bytes of [...others, ...functions]) expect(read([`${bytes}a`])).toEqual(['"a"']);
  });

  test.each([
    "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
    "\x1b]10;rgb:c0/c0/c0\x07",
    "\x1b]lmy – title\x1b\\",
    "\x1bP>|XTerm(390)\x1b\\",
    "\x1bP1+r544e=787465726d\x1b\\",
    "\x1b_Gi=31;OK\x1b\\",
    "\x1b[?62;22c",
    "\x1b[[A",
  ])("ignores an answer of the terminal, wherever it is split: %j", (whole) => {
    const bytes = Buffer.from(`a${whole}b`);
    for (let cut = 1; cut < bytes.length; cut += 1)
      expect(read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(['"ab"']);
    expect(read(Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(['"ab"']);
  });

  test("ignores an incomplete answer of the terminal, and still reads the key after it", () => {
    for (const [key, name] of [
      ["\x03", "ctrl+c"],
      ["\r", "enter"],
      ["\x1b[A", "up"],
      ["\x1b[200~x\x1b[201~", 'paste "x"'],
    ] as const)
      for (const chunks of [[`\x1b]11;rgb:0${key}`], ["\x1b]1", "1;rgb", `:0${key}`]])
        expect(read([...chunks, "b"])).toEqual([name, '"b"']);
    const reader = new KeyReader(() => 0);
    expect(joined(reader.push("a\x1b]11;rgb:0"))).toEqual(['"a"']);
    expect(reader.waitMs).toBeGreaterThan(100);
    expect(reader.endEscape()).toEqual([]);
    expect(joined(reader.push("b"))).toEqual(['"b"']);
  });

  test.each([
    ["\x1b]", "alt+]"],
    ["\x1bP", "alt+p"],
    ["\x1b_", "alt+_"],
  ])("reads %j as a key with Alt if nothing follows", (bytes, name) => {
    const reader = new KeyReader(() => 0);
    expect(reader.push(bytes)).toEqual([]);
    expect(joined(reader.endEscape())).toEqual([name]);
    expect(joined(reader.push("11;"))).toEqual(['"11;"']);
    expect(read([bytes, "a"])).toEqual([name, '"a"']);
  });

  test("reads a lone ESC as Esc, and as Alt if another key follows soon", () => {
    expect(read(["\x1b", "b"])).toEqual(["alt+b"]);
    expect(read(["\x1b", "[A"])).toEqual(["up"]);
    expect(read(["\x1b\x1b", "[D"])).toEqual(["alt+left"]);
    for (const [between, last] of [
      [200, "alt+b"],
      [600, '"b"'],
    ] as const) {
      let now = 0;
      const reader = new KeyReader(() => now);
      expect(reader.push("\x1b")).toEqual([]);
      expect(reader.isEscapeOpen).toBe(true);
      expect(joined(reader.endEscape())).toEqual(["escape"]);
      expect(reader.endEscape()).toEqual([]);
      now += between;
      expect(joined(reader.push("b"))).toEqual([last]);
      reader.push("\x1b");
      reader.endEscape();
      expect(joined(reader.push("x\x15"))).toEqual(['"x"', "ctrl+u"]);
    }
  });

  test("joins only whole sequences to an Esc that had no effect", () => {
    const reader = new KeyReader(() => 0);
    const afterEscape = (...chunks: string[]): string[] => {
      reader.push("\x1b");
      reader.endEscape();
      return joined(chunks.flatMap((chunk) => reader.push(chunk)));
    };
    expect(afterEscape("o", "k")).toEqual(['"ok"']);
    expect(afterEscape("O", "K")).toEqual(['"OK"']);
    expect(afterEscape("[", "a", "]")).toEqual(['"[a]"']);
    expect(afterEscape("[A")).toEqual(["up"]);
    expect(afterEscape("OA")).toEqual(["up"]);
  });

  test("reads ESC O as Alt+O if nothing follows", () => {
    const reader = new KeyReader(() => 0);
    expect(reader.push("\x1bO")).toEqual([]);
    expect(reader.isEscapeOpen).toBe(true);
    expect(joined(reader.endEscape())).toEqual(["alt+o"]);
    expect(joined(reader.push("H"))).toEqual(['"H"']);
  });

  test("reads an early line feed as Enter, because the terminal converted it", () => {
    expect(read([], { first: "" })).toEqual([]);
    expect(joined(new KeyReader(() => 0).push("hello\n"))).toEqual(['"hello"', "enter"]);
    expect(joined(new KeyReader(() => 0).push("one\ntwo\x7f"))).toEqual(['"one"', "ctrl+j", '"two"', "backspace"]);
  });

  test("reads CR LF as one Enter wherever it is split, and as two keys after a pause", () => {
    expect(read(["a\r", "\nb", "\r", "\n\r", "\n"])).toEqual(['"a"', "enter", '"b"', "enter", "enter"]);
    expect(read(["\r", "", "\n", "\n"])).toEqual(["enter", "ctrl+j"]);
    expect(read(["\x1b\r", "\n"])).toEqual(["alt+enter", "ctrl+j"]);
    expect(read(["\x1b[200~x", "\x1b[201~\r", "\n"])).toEqual([`paste "x"`, "enter"]);
    expect(read(["\r", "\n"], { between: 200 })).toEqual(["enter", "ctrl+j"]);
  });

  test("reads the same keys wherever a sequence is split", () => {
    const whole = "a\x1b[1;5Db\x1b[13;2u\x1bOH日\x1b[200~x\r\ny\x1b[201~c";
    const bytes = Buffer.from(whole);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const keys = read([bytes.subarray(0, cut), bytes.subarray(cut)]);
      expect(keys).toEqual(['"a"', "ctrl+left", '"b"', "shift+enter", "home", '"日"', String.raw`paste "x\ny"`, '"c"']);
    }
  });
});

describe("KeyReader, for pastes", () => {
  test("ends a paste without an end marker at Ctrl+C", () => {
    const reader = new KeyReader(() => 0);
    expect(joined(["\x1b[200~lost", "\x1b[20", "\r", "\x03"].flatMap((chunk) => reader.push(chunk)))).toEqual([
      String.raw`paste "lost[20\n"`,
      "ctrl+c",
    ]);
    expect(joined(reader.push("a\r"))).toEqual(['"a"', "enter"]);
  });

  test.each(["\x1b[99;5u", "\x1b[99;69u", "\x1b[1089::99;5u"])(
    "ends a paste without an end marker at a Ctrl+C that is sent by its code: %j",
    (pressed) => {
      const reader = new KeyReader(() => 0);
      expect(joined(["\x1b[200~lost", pressed].flatMap((chunk) => reader.push(chunk)))).toEqual([
        'paste "lost"',
        "ctrl+c",
      ]);
      expect(joined(["\x1b[200~a", "\x1b[118;5u", "b\x1b[201~"].flatMap((chunk) => reader.push(chunk)))).toEqual([
        'paste "a[118;5ub"',
      ]);
    },
  );

  test("reads a paste as one text in which nothing acts as a key", () => {
    const keys = read(["ask: \x1b[200~one\r\ntwo\n\tthree\x03\x1b[A\x7f\x9b2J\rfour\x1b[201~\r"]);
    expect(keys).toEqual(['"ask: "', String.raw`paste "one\ntwo\n\tthree[A2J\nfour"`, "enter"]);
  });

  test("reads the same paste in any chunks", () => {
    const whole = "a\x1b[200~b\r\nc\x1b[201~d\x1b[200~\x1b[201~\r";
    const cut = fc.integer({ min: 1, max: whole.length - 1 });
    fc.assert(
      fc.property(fc.uniqueArray(cut, { maxLength: 6 }), (cuts) => {
        const at = [0, ...cuts.toSorted((one, other) => one - other), whole.length];
        const chunks = at.slice(1).map((end, index) => whole.slice(at[index], end));
        const keys = read(chunks);
        expect(keys).toEqual(['"a"', String.raw`paste "b\nc"`, '"d"', "enter"]);
      }),
    );
  });
});

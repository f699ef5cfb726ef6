// One key changed in the text of a settings file, however that is laid out: what it then says, and that nothing else is lost.
import fc from "fast-check";
import { expect, test } from "vitest";
import { editSettings } from "../../src/settings/edit.ts";
import { parseJsonc } from "../../src/settings/jsonc.ts";

type Value = string | number | Value[] | { [key: string]: Value };

const texts = fc.constantFrom("a", "// a", "/* a", "*/", ",", "}", '"', "\\", "x\ny");
const { value: values } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.nat(9),
    texts,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "//"), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const settings = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), values, { maxKeys: 4, noNullPrototype: true });

/** What stands between two words. */
const gaps = fc.infiniteStream(
  fc.constantFrom(
    "",
    "",
    " ",
    "\n",
    "\n  ",
    "\n\t",
    "\r\n",
    " // , note\n",
    "/* , */",
    ' /* "a": 1,\n} */ ',
    "//\n//\n  ",
  ),
);

/** The same with other blanks and comments in it, and now and then a comma too many. */
function laidOut(value: Value, gap: () => string, isSpare: () => boolean): string {
  if (typeof value !== "object") return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((each) => laidOut(each, gap, isSpare))
    : Object.entries(value).map(
        ([key, each]) => `${JSON.stringify(key)}${gap()}:${gap()}${laidOut(each, gap, isSpare)}`,
      );
  const inner = parts.map((part) => `${gap()}${part}${gap()}`).join(",");
  const end = parts.length > 0 && isSpare() ? `,${gap()}` : gap();
  return `${isList ? "[" : "{"}${inner}${end}${isList ? "]" : "}"}`;
}

const files = fc.tuple(settings, gaps, fc.infiniteStream(fc.boolean())).map(([object, between, spare]) => {
  const gap = (): string => between.next().value;
  return { object, text: `${gap()}${laidOut(object, gap, () => spare.next().value)}${gap()}` };
});

function read(text: string): unknown {
  const parsed = parseJsonc(text);
  if (!parsed.ok) throw new Error(`${parsed.message} in ${JSON.stringify(text)}`);
  expect(parsed.repeated).toEqual([]);
  return JSON.parse(JSON.stringify(parsed.value));
}

function isPlain(value: Value): value is { [key: string]: Value } {
  return typeof value === "object" && !Array.isArray(value);
}

const runs = { numRuns: 400 };

test("dropping a key removes it and nothing else", () => {
  fc.assert(
    fc.property(files, fc.nat(), ({ object, text }, pick) => {
      const places = Object.entries(object).flatMap(([key, value]) => [
        [key],
        ...(isPlain(value) ? Object.keys(value).map((below) => [key, below]) : []),
      ]);
      fc.pre(places.length > 0);
      const [key, below] = places[pick % places.length]! as [string, string?];
      const expected = structuredClone(object);
      if (below === undefined) delete expected[key];
      else delete (expected[key] as Record<string, Value>)[below];
      const path = below === undefined ? [key] : [key, below];
      expect(read(editSettings(text, path, { kind: "drop" }))).toEqual(expected);
    }),
    runs,
  );
});

test("dropping an item of a list removes it and nothing else", () => {
  fc.assert(
    fc.property(files, fc.nat(), ({ object, text }, pick) => {
      const [key, list] = Object.entries(object).find(([, value]) => Array.isArray(value) && value.length > 0) ?? [];
      fc.pre(key !== undefined && Array.isArray(list));
      const index = pick % list.length;
      const expected = { ...object, [key]: list.toSpliced(index, 1) };
      expect(read(editSettings(text, [key], { kind: "dropItem", index }))).toEqual(expected);
    }),
    runs,
  );
});

test("setting or adding a value writes it once and keeps everything else, comments included", () => {
  const paths = fc.constantFrom(["a"], ["e"], ["a", "b"], ["e", "f", "g"], ["a", "b", "c"]);
  fc.assert(
    fc.property(files, paths, values, fc.boolean(), ({ object, text }, path, value, isAdded) => {
      const expected = structuredClone(object);
      const holder = path.slice(0, -1).reduce<Value>((at, key) => (isPlain(at) ? (at[key] ??= {}) : at), expected);
      fc.pre(isPlain(holder));
      const key = path.at(-1)!;
      const old = holder[key];
      holder[key] = isAdded ? [...(Array.isArray(old) ? old : []), value] : value;
      const edited = editSettings(text, path, { kind: isAdded ? "add" : "set", value });
      expect(read(edited)).toEqual(expected);
      const comments = (all: string): number => all.split("note").length + all.split("/* ,").length;
      if (old === undefined) expect(comments(edited)).toBeGreaterThanOrEqual(comments(text));
    }),
    runs,
  );
});

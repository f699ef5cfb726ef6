import fc from "fast-check";
import { Validator } from "@cfworker/json-schema";
import { describe, expect, test } from "vitest";
import { withServerFieldNames } from "../../src/mcp/field-names.ts";
import { fitSchema, type FitSchema } from "../../src/mcp/schema.ts";
import { toCheckableSchema } from "../../src/session/tools/checked-schema.ts";
import type { ToolInputSchema } from "../../src/protocol/tool.ts";

function fit(value: unknown): FitSchema {
  const fitted = fitSchema(value);
  if (typeof fitted === "string") throw new Error(fitted);
  return fitted;
}

const told = (value: unknown): ToolInputSchema => fit(value).schema;
const field = (schema: unknown): unknown => told({ type: "object", properties: { a: schema } }).properties?.["a"];

describe("a schema of an input", () => {
  test.each([[undefined], [null], [true], [[]], [{}], [{ type: "OBJECT" }], [{ properties: null, required: null }]])(
    "that is empty accepts any object (%j)",
    (nothing) => {
      expect(told(nothing)).toEqual({ type: "object" });
    },
  );

  test("loses only its invalid keywords", () => {
    const properties = { a: { type: "any" }, b: "string", c: null, d: { type: ["string", "file"], title: "D" } };
    expect(told({ properties: [], required: "a", $defs: [] })).toEqual({ type: "object" });
    expect(told({ properties })).toEqual({ type: "object", properties: { a: {}, b: {}, c: {}, d: { title: "D" } } });
    expect(field({ type: "String", enum: [], items: [], anyOf: null, not: 3 })).toEqual({ type: "string" });
    expect(field({ anyOf: [{ type: "string" }, null] })).toEqual({});
  });

  test("keeps valid dependentRequired entries", () => {
    const dependentRequired = { card: ["address", "address", 7], coupon: [] };
    expect(told({ dependentRequired })).toMatchObject({ dependentRequired: { card: ["address"], coupon: [] } });
    for (const wrong of [{ card: "address" }, ["card"], null])
      expect(told({ dependentRequired: wrong })).toEqual({ type: "object" });
  });

  test("is kept down to the maximum depth, and accepts anything below", () => {
    const deep = (levels: number): unknown =>
      levels === 0 ? { type: "string" } : { type: "object", properties: { a: deep(levels - 1) } };
    expect(JSON.stringify(told(deep(100)))).toMatch(/"properties":\{"a":\{\}\}/u);
    expect(field({ default: [[deep(100)]], title: "A" })).toEqual({ title: "A" });
  });

  test("with a very long enumeration shows some of its values as examples", () => {
    const values = Array.from({ length: 10_000 }, (_, at) => `value ${at}`);
    expect(field({ type: "string", enum: values })).toEqual({ type: "string", examples: values.slice(0, 20) });
    expect(field({ enum: values.slice(0, 500) })).toEqual({ enum: values.slice(0, 500) });
  });

  test("does not require fields that have a default", () => {
    const properties = { a: { type: "string", default: "x" }, b: { type: "string" } };
    expect(told({ properties, required: ["a", "b"] })).toEqual({ type: "object", properties, required: ["b"] });
    expect(field({ properties, required: ["a"] })).toEqual({ properties });
  });

  test.each(["^\\p{L}+$", "(?<year>\\d{4})", "(?<=a)b", "[^]", "\\u{1F600}", "(a)\\k<n>", "\\cJ"])(
    "drops the pattern %s, which other validators cannot read",
    (pattern) => {
      expect(field({ type: "string", pattern })).toEqual({ type: "string" });
      expect(field({ patternProperties: { [pattern]: {} } })).toEqual({ patternProperties: {} });
    },
  );

  test("keeps patterns that all validators can read", () => {
    for (const pattern of ["^[a-z]+$", "(?:a|b)?", "(?!__)x", "\\u00e4", "\\[\\]", "^(?=.*\\d)[\\w.-]{3,}$"])
      expect(field({ pattern })).toEqual({ pattern });
  });

  const $defs = { a: { type: "string" }, yes: true, "b/c d~": { type: "number" }, "%zz": { type: "null" } };
  test.each([
    ["#/$defs/a", "#/$defs/a"],
    ["#/$defs/yes", "#/$defs/yes"],
    ["#/$defs/b~1c%20d~0", "#/$defs/b~1c%20d~0"],
    ["#/$defs/%zz", "#/$defs/%zz"],
    ["#", "#"],
    ["#/properties/pair/items/1", "#/properties/pair/prefixItems/1"],
    ["#/$defs/none", undefined],
    ["#/$defs/constructor", undefined],
    ["#/$defs/a/type", undefined],
    ["#/$defs/a/type/length", undefined],
    ["#a", undefined],
    ["https://a.test/$defs/a", undefined],
  ])("keeps a reference only if it leads to a schema within it: %s", ($ref, kept) => {
    const pair = { type: "array", items: [{ type: "string" }, { type: "number" }] };
    const schema = told({
      properties: { one: { $ref }, some: { anyOf: [{ $ref }, { type: "string" }] }, pair },
      $defs,
    });
    const one = kept === undefined ? {} : { $ref: kept };
    expect(schema.properties).toMatchObject({ one, some: { anyOf: [one, { type: "string" }] } });
    if (kept === undefined) expect(JSON.stringify(schema)).not.toContain("$ref");
  });

  test("drops circular references, which a validator would follow without end", () => {
    const properties = {
      one: { $ref: "#/properties/one" },
      four: { dependentSchemas: { a: { $ref: "#/properties/four" } } },
      two: { anyOf: [{ $ref: "#/$defs/three" }, { type: "string" }] },
      tree: { type: "object", properties: { below: { $ref: "#/properties/tree" } } },
    };
    const schema = told({ properties, $defs: { three: { allOf: [{ $ref: "#/properties/two" }] } } });
    const validator = new Validator(schema as never, "2020-12");
    expect(validator.validate({ one: 1, two: "a", four: { a: 1 }, tree: { below: { below: {} } } }).valid).toBe(true);
    expect(validator.validate({ tree: { below: { below: 7 } } }).valid).toBe(false);
  });

  // Seen: a field of one of two schemas that lie elsewhere took nothing, whatever the model gave.
  test.each([
    { oneOf: [{ $ref: "https://a.example/a" }, { $ref: "https://a.example/b" }] },
    { not: { $ref: "https://a.example/a" } },
    { not: { anyOf: [{ $ref: "#/$defs/gone" }, { type: "null" }] } },
    JSON.parse('{"if": {"$ref": "#/$defs/gone"}, "then": {"type": "string"}, "else": {"type": "boolean"}}') as object,
    { oneOf: [{ $ref: "#/$defs/far" }, { $ref: "#/$defs/farther" }] },
    { items: { oneOf: [{ $ref: "#/$defs/tree" }, { $ref: "#/$defs/far" }] } },
  ])("accepts everything in place of a dropped reference: %j", (a) => {
    const far = { $ref: "https://a.example/a" };
    const tree = { properties: { child: { $ref: "#/$defs/tree" }, of: { $ref: "#/$defs/far" } } };
    const $defs = { far, farther: { $ref: "#/$defs/far" }, tree };
    const validator = new Validator(told({ properties: { a }, $defs }) as never, "2020-12");
    for (const value of [1, [{ of: 1 }]]) expect(validator.validate({ a: value }).valid).toBe(true);
  });

  test("has references by address or anchor as paths", () => {
    const leaf = { $id: "leaf.json", $anchor: "leaf", type: "object", properties: { b: { $ref: "#/$defs/b" } } };
    const whole = {
      $id: "https://x.test/all.json",
      type: "object",
      properties: Object.fromEntries(
        ["#/$defs/leaf", "leaf.json", "https://x.test/leaf.json", "leaf.json#leaf", "leaf.json#/$defs/b", "#low"].map(
          ($ref, at) => [`p${at}`, { $ref }],
        ),
      ),
      $defs: { leaf: { ...leaf, $defs: { b: { type: "integer" } } }, low: { $anchor: "low", type: "string" } },
    };
    const { properties, $defs } = told(whole) as unknown as Record<string, Record<string, { $ref?: string }>>;
    const references = Object.values(properties ?? {}).map(({ $ref }) => $ref);
    const [leafPath, lowPath] = ["#/$defs/leaf", "#/$defs/low"];
    expect(references).toEqual([leafPath, leafPath, leafPath, leafPath, `${leafPath}/$defs/b`, lowPath]);
    expect($defs?.["leaf"]).toMatchObject({ properties: { b: { $ref: `${leafPath}/$defs/b` } } });
  });

  test("has references by address or anchor as paths also in fields with the name of a keyword", () => {
    const low = { $anchor: "low", type: "string" };
    const names = ["default", "examples", "enum", "properties"];
    const schema = { properties: Object.fromEntries(names.map((name) => [name, { $ref: "#low" }])), $defs: { low } };
    const { properties } = told({ type: "object", ...schema }) as unknown as { properties: object };
    expect(Object.values(properties)).toEqual(names.map(() => ({ $ref: "#/$defs/low" })));
  });

  // Seen: none of its server's tools could be used.
  test("may have a field whose name is not well-formed", () => {
    expect(fitSchema({ properties: { "\ud800": { $anchor: "odd" }, a: { $ref: "#odd" } } })).not.toBeTypeOf("string");
  });

  test("is too long if its parts are used so often that they multiply", () => {
    let part: object = { type: "string" };
    for (let depth = 0; depth < 40; depth++) part = { type: "object", properties: { a: part, b: part } };
    expect(fitSchema(part)).toMatch(/longer than 64 KiB/u);
  });

  test("has a reference to the address of a schema that contains itself as a path", () => {
    const tree = { $id: "T0", type: "object", properties: { kids: { type: "array", items: { $ref: "T0" } } } };
    expect(field(tree)).toMatchObject({ properties: { kids: { items: { $ref: "#/properties/a" } } } });
    expect(told(tree)).toMatchObject({ properties: { kids: { items: { $ref: "#" } } } });
    expect(field({ $id: "T0", properties: { b: { $ref: "elsewhere" } } })).toEqual({ properties: { b: {} } });
  });

  test("has no dangling references after schemas were loosened", () => {
    const far = { $ref: "https://a.example/a" };
    const $defs = { a: { oneOf: [{ type: "string" }, far] }, b: { oneOf: [{ $ref: "#/$defs/a/oneOf/0" }, {}] } };
    const schema = told({ properties: { b: { $ref: "#/$defs/b/oneOf/0" }, c: { $ref: "#/$defs/a" } }, $defs });
    expect(schema["properties"]).toEqual({ b: {}, c: { $ref: "#/$defs/a" } });
    expect(new Validator(schema as never, "2020-12").validate({ b: 1, c: 1 }).valid).toBe(true);
    // One that has the next one lose its own, and so on.
    const chain = Array.from({ length: 600 }, (_, at) => [
      `d${at}`,
      { oneOf: [{ $ref: `#/$defs/d${at - 1}/oneOf/1/items` }, { items: {} }] },
    ]);
    const startedAt = process.cpuUsage().user;
    expect(JSON.stringify(told({ $defs: Object.fromEntries(chain) }))).not.toContain("$ref");
    expect((process.cpuUsage().user - startedAt) / 1_000).toBeLessThan(1_500);
  });

  test("keeps fields named like keywords when a reference is dropped", () => {
    const gone = { $ref: "#/$defs/gone", description: "another" };
    const { description } = gone;
    const schema = told({ properties: { not: gone, if: gone, else: { type: "string" }, oneOf: gone } });
    expect(schema["properties"]).toEqual({
      not: { description },
      if: { description },
      else: { type: "string" },
      oneOf: { description },
    });
  });

  test("turns oneOf into anyOf if one alternative lost its reference, and keeps the others", () => {
    const gone = { $ref: "#/$defs/gone", description: "the other" };
    const properties = {
      a: { oneOf: [{ type: "string" }, gone] },
      b: { oneOf: [{ properties: { x: { type: "null" } } }, { type: "string" }], not: { const: 1 }, items: gone },
    };
    const { description } = gone;
    expect(told({ properties })["properties"]).toEqual({
      a: { anyOf: [{ type: "string" }, { description }] },
      b: { ...properties.b, items: { description } },
    });
  });

  // Seen: the first took seconds to be looked through, of one tool; a call of the second too, and twice as long with each one more.
  test.each([
    [900, [1, 2]],
    [22, [1, 1]],
  ])("with %i schemas that refer to one another is read and checked quickly", (count, steps) => {
    const $defs = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `d${at}`,
        { allOf: steps.map((step) => ({ $ref: `#/$defs/d${at + step}` })) },
      ]),
    );
    const startedAt = process.cpuUsage().user;
    const schema = told({ properties: { a: { $ref: "#/$defs/d0" } }, $defs });
    const few = told({ properties: { a: { $ref: `#/$defs/d${count - 4}` } }, $defs });
    expect(new Validator(schema as never, "2020-12").validate({ a: 1 }).valid).toBe(true);
    expect((process.cpuUsage().user - startedAt) / 1_000).toBeLessThan(1_500);
    expect(few["properties"]).toEqual({ a: { $ref: `#/$defs/d${count - 4}` } });
  });

  test("is always valid for the API", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (some, more) => {
        const schema = {
          properties: { some, more },
          anyOf: [some, more],
          $defs: { some },
          required: [some],
          items: more,
        };
        const fitted = told(schema);
        expect(fitted.type).toBe("object");
        for (const name of Object.keys(fitted.properties ?? {})) expect(name).toMatch(/^[\w.-]{1,64}$/u);
        const checked = toCheckableSchema(structuredClone(fitted));
        expect(() => new Validator(checked as never, "2020-12").validate({})).not.toThrow();
      }),
      { examples: [[{ "x-own": { id: "a" } }, { "x-own": { a: { id: "http://[" } } }]] },
    );
  });
});

describe("alternatives at the top", () => {
  const a = { type: "string" };
  const b = { type: "number" };

  test("are merged into one object with all their fields", () => {
    const schema = {
      oneOf: [
        { properties: { a }, required: ["a"] },
        { properties: { b }, required: ["b"] },
      ],
    };
    expect(told(schema)).toEqual({
      type: "object",
      properties: { a, b },
      description: "One of these is needed: a, or b.",
    });
  });

  test("require what each of them requires, and combine their values", () => {
    const way = (kind: string, more: object) => ({
      properties: { kind: { const: kind }, ...more },
      required: ["kind"],
    });
    const schema = { anyOf: [way("one", { a }), way("two", { a: b }), { type: "null" }] };
    expect(told(schema)).toEqual({
      type: "object",
      properties: { kind: { enum: ["one", "two"] }, a: { anyOf: [a, b] } },
      required: ["kind"],
    });
  });

  test("may be parts, and may be defined elsewhere in the schema", () => {
    const $defs = { B: { properties: { b }, required: ["b"] }, Self: { allOf: [{ $ref: "#/$defs/Self" }] } };
    const allOf = [{ properties: { a: {} } }, { $ref: "#/$defs/B" }, { $ref: "#/$defs/Self" }, { $ref: "#" }];
    expect(told({ properties: { a }, required: ["a"], allOf, $defs })).toMatchObject({
      type: "object",
      properties: { a, b },
      required: ["a", "b"],
    });
    expect(told({ $ref: "#/definitions/X", definitions: { X: { properties: { a } } } })).toMatchObject({
      properties: { a },
    });
  });
});

describe("fields whose names the API does not accept", () => {
  test("are renamed for the model, and sent to the server under their own names", () => {
    const long = "k".repeat(80);
    const properties = { $filter: { type: "string", description: "What to keep" }, "a b": {}, a_b: {}, [long]: true };
    const { schema, fields } = fit({ properties, required: ["$filter", "a_b"], if: { required: ["a b"] } });
    const names = Object.keys(schema.properties ?? {});
    expect(names.slice(0, 3)).toEqual(["_filter", expect.stringMatching(/^a_b_[0-9a-f]{8}$/u), "a_b"]);
    expect(names[3]).toMatch(/^k{55}_[0-9a-f]{8}$/u);
    expect(schema).toMatchObject({ required: ["_filter", "a_b"] });
    expect(schema).not.toHaveProperty("if");
    expect(schema.properties?.["_filter"]).toEqual({ type: "string", description: "($filter) What to keep" });
    const input = Object.fromEntries(names.map((name) => [name, name]));
    expect(Object.keys(withServerFieldNames({ ...input, other: 1 }, fields))).toEqual([
      "$filter",
      "a b",
      "a_b",
      long,
      "other",
    ]);
  });
});

// An answer of the form that was asked for, or no success.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEngine, type EngineOptions } from "../../src/index.ts";
import { SchemaChecker } from "../../src/session/tools/json-schema.ts";
import { StructuredOutput } from "../../src/session/tools/structured-output.ts";
import { createScriptedModel, type Script } from "../../src/testing/index.ts";
import type { SDKMessage, SDKResultMessage } from "../../src/protocol/sdk.ts";

const schema = {
  type: "object",
  properties: { port: { type: "integer" }, name: { type: "string" } },
  required: ["port"],
  additionalProperties: false,
};
type Input = string | number | Input[] | { [key: string]: Input };
const gives = (input: { [key: string]: Input }) => ({ content: [{ tool: "StructuredOutput", input }] });

async function run(script: Script, options: Partial<EngineOptions> = {}, prompts = ["go"]) {
  const model = createScriptedModel(script);
  await using engine = await createEngine({
    env: { ANTHROPIC_API_KEY: "any" },
    home: "/nonexistent",
    persistSession: false,
    tools: [],
    outputFormat: { type: "json_schema", schema },
    transport: (exchange) => model.handle(exchange),
    ...options,
  });
  const messages: SDKMessage[] = [];
  for (const prompt of prompts) for await (const message of engine.submitMessage(prompt)) messages.push(message);
  const results = messages.filter((message): message is SDKResultMessage => message.type === "result");
  return { messages, results, requests: model.requests };
}

describe("an answer by the tool StructuredOutput", () => {
  test("becomes the result, and ends the turn without another request", async () => {
    const { results, requests } = await run({ steps: [gives({ port: 8080 })] });
    expect(results).toMatchObject([{ subtype: "success", structured_output: { port: 8080 }, result: '{"port":8080}' }]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body).toMatchObject({ tools: [{ name: "StructuredOutput", input_schema: schema }] });
  });

  // Seen: tuples of draft 7, as generators write them, had the API refuse every request of the session.
  test("can follow a schema of an older draft", async () => {
    const place = { type: "array", items: [{ type: "number" }, { type: "string" }], additionalItems: false };
    const rate = { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: false };
    const old = { type: "object", properties: { place, rate }, required: ["place"] };
    for (const draft of [{}, { $schema: "http://json-schema.org/draft-04/schema#" }]) {
      const outputFormat = { type: "json_schema" as const, schema: { ...draft, ...old } };
      const steps = [
        gives({ place: [1, "a", 2] }),
        gives({ place: [1, "a"], rate: 0 }),
        gives({ place: [1, "a"], rate: 1 }),
      ];
      const { results, requests } = await run({ steps }, { outputFormat });
      expect(results).toMatchObject([{ subtype: "success", structured_output: { place: [1, "a"], rate: 1 } }]);
      expect(requests.flatMap(({ violations }) => violations)).toEqual([]);
      expect(requests).toHaveLength(3);
    }
  });

  // Seen: of zod-to-json-schema, which refers to a part by where it stood first.
  test("can follow an older schema with a reference into a tuple", async () => {
    const named = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const pair = { type: "array", items: [named, { $ref: "#/definitions/a~1b/items/0" }], additionalItems: named };
    const more = { type: "array", items: { $ref: "#/definitions/a~1b/additionalItems" } };
    const first = { $ref: "#/definitions/a~1b/items/0/properties/n" };
    const properties = { pair: { $ref: "#/definitions/a~1b" }, more, first };
    const schema = { type: "object", properties, definitions: { "a/b": pair } };
    const outputFormat = { type: "json_schema" as const, schema };
    const good = { pair: [{ n: 1 }, { n: 2 }], more: [{ n: 3 }], first: 4 };
    const steps = [gives({ ...good, pair: [{ n: 1 }, {}] }), gives({ ...good, more: [{}] }), gives(good)];
    const { results, requests } = await run({ steps }, { outputFormat });
    expect(results).toMatchObject([{ subtype: "success", structured_output: good }]);
    expect(requests.flatMap(({ violations }) => violations)).toEqual([]);
    expect(requests).toHaveLength(3);
  });

  test("can follow a frozen schema", async () => {
    const properties = Object.freeze({ port: Object.freeze({ type: "integer" }) });
    const outputFormat = { type: "json_schema" as const, schema: Object.freeze({ type: "object", properties }) };
    const { results } = await run({ steps: [gives({ port: 8080 })] }, { outputFormat });
    expect(results).toMatchObject([{ subtype: "success", structured_output: { port: 8080 } }]);
  });

  test.each<[string, Partial<EngineOptions>]>([
    ["denied", { tools: ["Read"], disallowedTools: ["*"] }],
    ["asked about", { tools: ["Read"], settings: '{"permissions":{"ask":["*"]}}' }],
  ])("is accepted even if all tools are %s", async (_name, options) => {
    const { results, requests } = await run({ steps: [gives({ port: 1 })] }, options);
    expect(results).toMatchObject([{ subtype: "success", structured_output: { port: 1 } }]);
    expect(JSON.stringify(requests[0]?.body)).toContain('"name":"StructuredOutput"');
    expect(JSON.stringify(requests[0]?.body).includes('"name":"Read"')).toBe(options.disallowedTools === undefined);
  });

  test("that does not fit is reported to the model, which tries again", async () => {
    const { results, requests } = await run({ steps: [gives({ port: "many" }), gives({ port: 1 })] });
    expect(results).toMatchObject([{ subtype: "success", structured_output: { port: 1 } }]);
    expect(JSON.stringify(requests[1]?.body)).toContain("port: Instance type");
  });

  test("is converted as intended if it does not fit: a list from a JSON string, a number from text", async () => {
    const ports = { type: "array", items: { type: "integer" } };
    const outputFormat = {
      type: "json_schema" as const,
      schema: { ...schema, properties: { ...schema.properties, ports } },
    };
    const said = gives({ port: "8080", ports: "[1, 2]" });
    const { results, requests } = await run({ steps: [said] }, { outputFormat });
    const read = { port: 8080, ports: [1, 2] };
    expect(results).toMatchObject([{ subtype: "success", structured_output: read, result: JSON.stringify(read) }]);
    expect(requests).toHaveLength(1);
    const list = { type: "json_schema" as const, schema: ports };
    const wrapped = await run({ steps: [gives({ value: "[1, 2]" })] }, { outputFormat: list });
    expect(wrapped.results).toMatchObject([{ subtype: "success", structured_output: [1, 2] }]);
  });

  // Seen: {"output": {…}} and an answer without its "value" were refused five times, and the run failed.
  test.each<[string, object, { [key: string]: Input }, unknown]>([
    ["in a property of the model's own", schema, { output: { port: 1 } }, { port: 1 }],
    ["without the wrapping property", { oneOf: [schema] }, { port: 1 }, { port: 1 }],
    ["inside that property although it would fit without it", {}, { value: 1 }, 1],
  ])("is accepted %s if it then fits", async (_name, form, input, value) => {
    const outputFormat = { type: "json_schema" as const, schema: form as Record<string, unknown> };
    const { results } = await run({ steps: [gives(input)] }, { outputFormat });
    expect(results).toMatchObject([{ subtype: "success", structured_output: value }]);
  });

  test.each<{ [key: string]: Input }>([{ tree: { port: 1 } }, { output: { port: 1 }, more: 1 }, { output: {} }, {}])(
    "is not searched for inside other values if the schema or other fields stand beside it: %j",
    async (input) => {
      const properties = { ...schema.properties, tree: { type: "object" } };
      const outputFormat = { type: "json_schema" as const, schema: { ...schema, properties } };
      const { requests } = await run({ steps: [gives(input), gives({ port: 2 })] }, { outputFormat });
      expect(JSON.stringify(requests[1]?.body)).toContain("The answer does not fit the schema");
    },
  );

  // Seen: of {"alice": {"a": 1}} the inner one was taken, and alice was lost.
  test("is not searched for inside other values if the schema names no properties", async () => {
    const form = { type: "object", additionalProperties: { type: "integer" } };
    const outputFormat = { type: "json_schema" as const, schema: form };
    const { requests } = await run({ steps: [gives({ alice: { a: 1 } }), gives({ a: 1 })] }, { outputFormat });
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests[1]?.body)).toContain("The answer does not fit the schema");
  });

  test("with an id beyond the precision of numbers is requested again, by the tool or as a message", async () => {
    const id = "2512292042121000001";
    const raw = { content: [{ tool: "StructuredOutput", input: {}, rawInput: `{"port":${id}}` }] };
    const { results, requests } = await run({ steps: [`{"port":${id}}`, raw, gives({ port: 7, name: id })] });
    expect(results).toMatchObject([{ subtype: "success", structured_output: { port: 7, name: id } }]);
    expect(JSON.stringify(requests[2]?.body)).toContain("has more digits than a number can hold here");
  });

  test("that is a string keeps all its digits, also as a message", async () => {
    const outputFormat = { type: "json_schema" as const, schema: { type: "string" } };
    for (const id of ["2512292042121000001", "[2512292042121000001]"]) {
      const { results, requests } = await run({ steps: [JSON.stringify(id)], fallback: "." }, { outputFormat });
      expect(results).toMatchObject([{ subtype: "success", structured_output: id }]);
      expect(requests).toHaveLength(1);
    }
  });

  test("that never fits is no success, and the number of tries is limited", async () => {
    const { results, requests } = await run({ fallback: gives({ port: "many" }) });
    expect(results).toMatchObject([
      {
        subtype: "error_max_structured_output_retries",
        is_error: true,
        terminal_reason: "structured_output_retry_exhausted",
        errors: [expect.stringContaining("in 5 tries")],
      },
    ]);
    expect(requests).toHaveLength(5);
    const fewer = await run(
      { fallback: gives({}) },
      { env: { ANTHROPIC_API_KEY: "k", MAX_STRUCTURED_OUTPUT_RETRIES: "2" } },
    );
    expect(fewer.requests).toHaveLength(2);
  });

  const denies = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } } as const;
  test("that does not fit is named in the failure, whatever the model says after it", async () => {
    const { results } = await run({ steps: [gives({ port: "many" })], fallback: "I give up." });
    const errors = [expect.stringMatching(/in 5 tries\. The last one: port: Instance type/u)];
    expect(results).toMatchObject([{ subtype: "error_max_structured_output_retries", errors }]);
  });

  test.each<[string, Partial<EngineOptions>]>([
    ["a hook", { hooks: { PreToolUse: [{ callback: async () => denies }] } }],
    ["a question that nobody answers", { settings: '{"permissions":{"ask":["StructuredOutput"]}}' }],
  ])("that %s refuses counts as a try", async (_name, options) => {
    const { results, requests } = await run({ fallback: gives({ port: 1 }) }, { maxTurns: 12, ...options });
    expect(results).toMatchObject([
      { subtype: "error_max_structured_output_retries", errors: [expect.stringContaining("in 5 tries")] },
    ]);
    expect(requests).toHaveLength(5);
  });

  // Seen: the hook or the budget made the model go on, which got a sixth try, and with a hook a fourteenth.
  test.each<[string, Partial<EngineOptions>]>([
    ["a Stop hook", { hooks: { Stop: [{ callback: async () => ({ decision: "block", reason: "More." }) }] } }],
    ["a token budget", { tokenBudget: 50_000 }],
  ])("gets no try beyond the limit if %s asks for more", async (_name, options) => {
    const steps = Array.from({ length: 5 }, () => gives({ port: "many" }));
    const { messages, results, requests } = await run({ steps, fallback: gives({ port: 1 }) }, options);
    expect(results).toMatchObject([
      { subtype: "error_max_structured_output_retries", errors: [expect.stringContaining("in 5 tries")] },
    ]);
    expect(requests).toHaveLength(5);
    expect(messages.filter((message) => "tag" in message && message.tag === "out_of_tries")).toHaveLength(1);
  });

  test("that is invalid JSON counts as a try", async () => {
    const broken = { content: [{ tool: "StructuredOutput", input: {}, rawInput: '{"port": ' }] };
    const { results, requests } = await run({ fallback: broken }, { maxTurns: 12 });
    expect(results).toMatchObject([{ subtype: "error_max_structured_output_retries" }]);
    expect(requests).toHaveLength(5);
  });

  test("stays valid if the next call was refused", async () => {
    let asked = 0;
    const PreToolUse = [{ callback: async () => ((asked += 1) === 1 ? {} : denies) }];
    const twice = { content: [...gives({ port: 1 }).content, ...gives({ port: 2 }).content] };
    const { results } = await run({ steps: [twice] }, { hooks: { PreToolUse } });
    expect(results).toMatchObject([{ subtype: "success", structured_output: { port: 1 } }]);
  });

  test("is required anew in every turn", async () => {
    const { results } = await run({ steps: [gives({ port: 1 }), "no", gives({ port: 2 })] }, {}, ["one", "two"]);
    expect(results).toMatchObject([{ structured_output: { port: 1 } }, { structured_output: { port: 2 } }]);
  });

  test("is judged by Stop hooks like any other", async () => {
    let asked = 0;
    const Stop = [{ callback: async () => ((asked += 1) === 1 ? { decision: "block", reason: "Look again." } : {}) }];
    const { results } = await run({ steps: [gives({ port: 1 }), gives({ port: 2 })] }, { hooks: { Stop } });
    expect(results).toMatchObject([{ subtype: "success", structured_output: { port: 2 } }]);
    expect(asked).toBe(2);
  });
});

describe("an answer in words", () => {
  test("is accepted if it is exactly the requested JSON", async () => {
    const { results } = await run({ steps: ['```json\n{"port": 3}\n```'] });
    expect(results).toMatchObject([{ subtype: "success", structured_output: { port: 3 } }]);
  });

  test("is otherwise refused, and the model is told so a limited number of times", async () => {
    const good = await run({ steps: ["It is 8080.", gives({ port: 8080 })] });
    expect(good.results).toMatchObject([{ subtype: "success", structured_output: { port: 8080 } }]);
    const { results, requests } = await run({ fallback: "It is 8080." });
    expect(results).toMatchObject([{ subtype: "error_max_structured_output_retries" }]);
    expect(requests).toHaveLength(5);
  });

  test.each([
    ["prevents the end", { continue: false, stopReason: "Enough." }, "stop_hook_prevented"],
    ["blocks as often as it may", { decision: "block", reason: "More." }, "completed"],
  ])("is accepted, too, if a Stop hook %s", async (_, said, terminal_reason) => {
    const hooks = { Stop: [{ callback: async () => said }] };
    const { results } = await run({ fallback: '{"port": 3}' }, { hooks });
    expect(results).toMatchObject([{ subtype: "success", structured_output: { port: 3 }, terminal_reason }]);
  });

  test("replaces an earlier answer, but does not count beside a tool call", async () => {
    const once = () => {
      let asked = 0;
      return [{ callback: async () => ((asked += 1) === 1 ? { decision: "block", reason: "Look again." } : {}) }];
    };
    const later = await run({ steps: [gives({ port: 1 }), '{"port": 2}'] }, { hooks: { Stop: once() } });
    expect(later.results).toMatchObject([{ structured_output: { port: 2 } }]);
    const beside = { content: ['{"port": 8}', { tool: "StructuredOutput", input: { port: 9 } }] };
    const { results } = await run({ steps: [beside] });
    expect(results).toMatchObject([{ structured_output: { port: 9 } }]);
  });

  test("that does not fit is reported if the cap on blocks comes before the last try", async () => {
    const env = { ANTHROPIC_API_KEY: "any", CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "2" };
    const { results, requests } = await run({ fallback: "It is 8080." }, { env });
    const errors = [expect.stringContaining("in 3 tries")];
    expect(results).toMatchObject([{ subtype: "error_max_structured_output_retries", errors }]);
    expect(requests).toHaveLength(3);
  });

  test("is still required when a hook defers a call, which is named and can be resumed", async () => {
    let asked = 0;
    const deferred = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "defer" } };
    const PreToolUse = [{ matcher: "Glob", callback: async () => ((asked += 1) === 1 ? deferred : {}) }];
    const glob = { content: [{ tool: "Glob", input: { pattern: "*.none" } }] };
    const options = { hooks: { PreToolUse }, tools: ["Glob"] };
    const { results } = await run({ steps: [glob, gives({ port: 4 })] }, options, ["go", "on"]);
    expect(results).toMatchObject([
      { subtype: "error_during_execution", terminal_reason: "tool_deferred", deferred_tool_use: { name: "Glob" } },
      { subtype: "success", structured_output: { port: 4 } },
    ]);
  });

  test("other ends of a turn keep their own reasons", async () => {
    const { results } = await run({ fallback: gives({}) }, { maxTurns: 1 });
    expect(results).toMatchObject([{ subtype: "error_max_turns" }]);
  });
});

describe("a schema", () => {
  test("that is no object is wrapped for the model, including its references", async () => {
    const tree = {
      type: "array",
      items: { anyOf: [{ $ref: "#/$defs/leaf" }, { $ref: "#" }] },
      $defs: { leaf: { type: "integer" } },
    };
    const value = [1, [2]];
    const { results, requests } = await run(
      { steps: [gives({ value: ["x"] }), gives({ value })] },
      { outputFormat: { type: "json_schema", schema: tree } },
    );
    expect(results).toMatchObject([{ subtype: "success", structured_output: value }]);
    expect(requests[0]?.body).toMatchObject({
      tools: [
        {
          input_schema: {
            type: "object",
            properties: { value: { items: { anyOf: [{}, { $ref: "#/properties/value" }] } } },
          },
        },
      ],
    });
  });

  test.each<[object, { [key: string]: Input }]>([
    [{}, {}],
    [{ type: "string" }, { port: 1 }],
    [{ anyOf: [{ type: "object" }, { type: "null" }] }, {}],
  ])("makes an answer without the required wrapper count as a failed try: %j %j", async (other, input) => {
    const outputFormat = { type: "json_schema" as const, schema: other as Record<string, unknown> };
    const { results, requests } = await run({ fallback: gives(input) }, { outputFormat, maxTurns: 12 });
    const errors = [expect.stringContaining('the property "value"')];
    expect(results).toMatchObject([{ subtype: "error_max_structured_output_retries", errors }]);
    expect(requests).toHaveLength(5);
  });

  test("with formats rejects no string because of them", () => {
    const text = { type: "string", format: "email" };
    const parts = { format: text, many: { type: "array", items: [text, text] }, either: { anyOf: [text] } };
    const checker = new SchemaChecker({ type: "object", properties: { ...parts, fixed: { const: { format: "x" } } } });
    const value = { format: "me", many: ["me", "you"], either: "me", fixed: { format: "x" } };
    expect(checker.check(value)).toEqual({ ok: true });
    expect(checker.check({ ...value, format: 5 }).ok).toBe(false);
    expect(checker.check({ ...value, fixed: {} }).ok).toBe(false);
  });

  test("keeps a reference by the name of an anchor when it is wrapped", () => {
    const schema = { type: "array", items: { $ref: "#leaf" }, $defs: { leaf: { $anchor: "leaf", type: "integer" } } };
    const { properties, $defs } = new StructuredOutput({ schema }).tool.inputSchema;
    expect(properties).toEqual({ value: { type: "array", items: { $ref: "#leaf" } } });
    expect($defs).toEqual(schema.$defs);
  });

  test("keeps the references of a schema with an id of its own when it is wrapped", () => {
    const leaf = { $id: "leaf", properties: { a: { $ref: "#/properties/b" }, b: { type: "integer" } } };
    const schema = { $id: "all", type: "array", items: { $ref: "#/$defs/leaf" }, $defs: { leaf } };
    const { tool } = new StructuredOutput({ schema });
    expect(tool.inputSchema).toMatchObject({ properties: { value: schema } });
    expect(tool.inputSchema).not.toHaveProperty("$defs");
    const checker = new SchemaChecker(tool.inputSchema);
    expect(checker.check({ value: [{ a: 5 }] }).ok).toBe(true);
    expect(checker.check({ value: [{ a: "5" }] }).ok).toBe(false);
    const { $id: _, ...nameless } = schema;
    const inner = new SchemaChecker(new StructuredOutput({ schema: nameless }).tool.inputSchema);
    expect([5, "5"].map((a) => inner.check({ value: [{ a }] }).ok)).toEqual([true, false]);
  });

  test("can contain the same subschema with its id more than once", () => {
    const day = { $id: "Day", type: "string", format: "date" };
    const dependencies = { from: { id: "q", required: ["to"] }, to: { id: "q", required: ["from"] } };
    const span = { type: "object", properties: { from: day, to: day, id: { type: "string" } }, dependencies };
    const checker = new SchemaChecker(span);
    expect(checker.check({ from: "a", to: "b", id: "c" })).toEqual({ ok: true });
    for (const wrong of [{ from: 5 }, { to: 5 }, { id: 5 }]) expect(checker.check(wrong).ok).toBe(false);
    const named = { properties: { a: { $ref: "Day" } }, $defs: { Day: day } };
    expect(new SchemaChecker(named).check({ a: 5 }).ok).toBe(false);
  });

  test("can have repeated ids under unknown keywords", () => {
    const kind = { const: { id: "x" }, "x-ui": { id: "name", below: { id: "http://[" } } };
    const checker = new SchemaChecker({
      type: "object",
      properties: { one: kind, other: kind, id: { type: "string" } },
    });
    expect(checker.check({ one: { id: "x" }, id: "a" })).toEqual({ ok: true });
    for (const wrong of [{ one: {} }, { id: 5 }]) expect(checker.check(wrong).ok).toBe(false);
  });

  test.each([
    [{ type: "thing" }, 'it has the type "thing"'],
    [{ type: "object", properties: { a: { pattern: "(" } } }, "properties/a has a"],
    [{ type: "object", required: "port" }, "required"],
    [{ type: "object", properties: [] }, "properties"],
    [{ $ref: "#/nowhere" }, "nowhere"],
    [{ type: "object", properties: { a: { items: { $ref: "#/$defs/none" } } } }, "leads nowhere"],
    [{ type: "object", properties: { a: { $ref: "https://example.com/x.json" } } }, "leads nowhere"],
    [{ items: { anyOf: {} } }, "anyOf"],
  ])("that is invalid is refused at the start: %j", async (broken, why) => {
    const starting = createEngine({
      env: { ANTHROPIC_API_KEY: "any" },
      persistSession: false,
      outputFormat: { type: "json_schema", schema: broken },
    });
    await expect(starting).rejects.toThrow(
      new RegExp(`^The schema of outputFormat \\(--json-schema\\) is not a valid JSON Schema: .*${why}`, "u"),
    );
  });

  test("can refer to its parts by any of their names", () => {
    const leaf = { $anchor: "leaf", $id: "https://example.com/leaf", type: "string" };
    const places = ["#/$defs/a%20b", "#", "https://example.com/leaf", "leaf"];
    const properties = Object.fromEntries(places.map(($ref, index) => [`p${index}`, { $ref }]));
    const rich = {
      $id: "https://example.com/all",
      $defs: { "a b": leaf },
      "x-see": { $ref: "other.yaml" },
      properties,
    };
    expect(new SchemaChecker(rich).check({ p0: "x", p1: {}, p2: "y", p3: "z" }).ok).toBe(true);
  });

  test("can allow null as OpenAPI does", () => {
    const properties = { a: { type: "string", nullable: true }, nullable: { type: "string", nullable: false } };
    const checker = new SchemaChecker({ type: "object", properties });
    for (const a of [null, "x"]) expect(checker.check({ a }).ok).toBe(true);
    for (const wrong of [{ a: 1 }, { nullable: null }]) expect(checker.check(wrong).ok).toBe(false);
  });

  test("checks any value without throwing", () => {
    const checker = new SchemaChecker(schema);
    fc.assert(fc.property(fc.jsonValue(), (value) => typeof checker.check(value).ok === "boolean"));
    expect(checker.check(undefined).ok).toBe(false);
  });
});

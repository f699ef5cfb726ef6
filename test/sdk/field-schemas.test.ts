// A tool whose fields have schemas of a validating library: what these say as JSON Schema is whole within the tool's own.
import { expect, test } from "vitest";
import { createSdkMcpServer, query, tool, type QueryOptions, type StandardSchema } from "../../src/index.ts";
import type { ToolPart } from "../../src/testing/index.ts";
import { clearGroundsAfterwards, layGround, scripted } from "../session/support.ts";

clearGroundsAfterwards();

/** As validating libraries offer theirs. */
function field(said: () => Record<string, unknown>): StandardSchema {
  const jsonSchema = { input: said };
  const schema = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }), jsonSchema } };
  return schema as StandardSchema;
}

const list = (item: string) => ({ type: "array", items: { $ref: item } });
const tree = () => ({ type: "object", properties: { name: { type: "string" }, below: list("#") }, required: ["name"] });
const named = () => ({
  type: "object",
  properties: { const: list("#/$defs/Leaf"), default: { $ref: "#/$defs/Leaf" }, at: { $ref: "https://a.example/b" } },
  default: { $ref: "#" },
  $defs: { Leaf: { type: "string", minLength: 2 } },
});

const schemas = { tree: field(tree), own: field(named) };

test("references within a field's schema point into that field", () => {
  const { properties } = tool("plant", "Plants.", schemas, async () => "").inputSchema;
  const leaf = { $ref: "#/properties/own/$defs/Leaf" };
  expect(properties).toEqual({
    tree: { ...tree(), properties: { name: { type: "string" }, below: list("#/properties/tree") } },
    own: { ...named(), properties: { const: list(leaf.$ref), default: leaf, at: { $ref: "https://a.example/b" } } },
  });
});

test.each(["of the session", "of a server in the process"])(
  "a tool %s is called with input that fits recursive schemas",
  async (place) => {
    const got: unknown[] = [];
    const plant = tool("plant", "Plants.", schemas, async (input) => (got.push(input), "planted"));
    const isOwn = place === "of the session";
    const name = isOwn ? "plant" : "mcp__garden__plant";
    const fits = { tree: { name: "oak", below: [{ name: "twig", below: [] }] }, own: { const: ["ab"] } };
    const inputs: ToolPart["input"][] = [
      fits,
      { tree: { name: "oak", below: [{ below: [] }] } },
      { own: { default: "a" } },
    ];
    const model = scripted({ steps: [{ content: inputs.map((input) => ({ tool: name, input })) }, "Done."] });
    const ground = layGround();
    const options: QueryOptions = {
      cwd: ground.work,
      home: ground.home,
      env: { ANTHROPIC_API_KEY: "any" },
      transport: (exchange) => model.handle(exchange),
      allowedTools: [name],
      ...(isOwn
        ? { customTools: [plant] }
        : { mcpServers: { garden: createSdkMcpServer({ name: "garden", tools: [plant] }) } }),
    };
    for await (const _ of query({ prompt: "Go.", options }));
    expect(got).toEqual([fits]);
  },
);

test("a field's pattern may be one that is invalid with the flag u", async () => {
  const got: unknown[] = [];
  const slug = field(() => ({ type: "string", pattern: String.raw`^[\w-.]+$` }));
  const named = tool("named", "Names.", { slug }, async (input) => (got.push(input), "named"));
  const inputs = [{ slug: "a-b.c" }, { slug: "a b" }];
  const model = scripted({ steps: [{ content: inputs.map((input) => ({ tool: "named", input })) }, "Done."] });
  const ground = layGround();
  const place = { cwd: ground.work, home: ground.home, env: { ANTHROPIC_API_KEY: "any" } };
  const transport: QueryOptions["transport"] = (exchange) => model.handle(exchange);
  const options: QueryOptions = { ...place, transport, allowedTools: ["named"], customTools: [named] };
  for await (const _ of query({ prompt: "Go.", options }));
  expect(got).toEqual([{ slug: "a-b.c" }]);
});

test("a field without a JSON Schema is named together with its tool", () => {
  const date = field(() => {
    throw new Error("Date cannot be represented in JSON Schema");
  });
  expect(() => tool("remind", "Reminds.", { due: date }, async () => "")).toThrow(
    expect.objectContaining({
      name: "UsageError",
      message:
        'remind: the schema of "due" cannot be expressed as JSON Schema (Date cannot be represented in JSON Schema): use another type, or pass a JSON Schema.',
    }),
  );
});

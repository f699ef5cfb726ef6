// Fields of a request that a server does not know: what it refused once it is not sent again.
import { expect, test } from "vitest";
import { sendableCallId } from "../../../src/lib/call-id.ts";
import { createAnthropicModel, type Transport } from "../../../src/model/index.ts";
import type { ModelFailure, ModelOutcome, ModelRequest, RequestField } from "../../../src/protocol/model.ts";
import { failureOf, modelRequest, pieces, said, streaming } from "../support/wire.ts";

type Body = Record<string, unknown>;

/** Refuses what `refuses` says of a body, and answers everything else. */
function server(refuses: (body: Body) => string | undefined, more: { promptCacheTtl?: "1h" } = {}) {
  const bodies: Body[] = [];
  const betas: (string | undefined)[] = [];
  const transport: Transport = async ({ body, headers }) => {
    betas.push(headers["anthropic-beta"]);
    const read = JSON.parse(Buffer.from(body).toString()) as Body;
    bodies.push(read);
    const message = refuses(read);
    if (message === undefined) return { status: 200, headers: streaming, body: pieces([said("hi")]) };
    const error = JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } });
    return { status: 400, headers: {}, body: pieces([error]) };
  };
  const model = createAnthropicModel({ transport, version: "1.0.0", ...more });
  const ask = async (request: ModelRequest): Promise<ModelOutcome> => {
    const stream = model.stream(request, new AbortController().signal);
    for (;;) {
      const step = await stream.next();
      if (step.done === true) return step.value;
    }
  };
  return { ask, bodies, betas };
}

/** What was refused of requests that are made until one is answered, and the last body. */
async function untilAnswered(
  refuses: (body: Body) => string | undefined,
  change: Partial<ModelRequest> = {},
  more = {},
) {
  const { ask, bodies, betas } = server(refuses, more);
  const fields: (RequestField | undefined)[] = [];
  for (;;) {
    const outcome = await ask(asked(change));
    if (outcome.ok) return { fields, last: bodies.at(-1)!, betas: betas.at(-1) };
    const failure = failureOf(outcome);
    expect(failure.recovery).toBe("field");
    fields.push(failure.field);
  }
}

const asked = (change: Partial<ModelRequest> = {}): ModelRequest => ({
  ...modelRequest(),
  model: "claude-opus-4-6",
  effort: "high",
  system: [{ text: "Be brief.", cacheBreakpoint: true }],
  cacheBreakpoints: [0],
  ...change,
});

test.each<[RequestField, string, (body: Body) => boolean]>([
  [
    "cache_control",
    "system.0.cache_control: Extra inputs are not permitted",
    (body) => JSON.stringify(body).includes("cache_control"),
  ],
  ["thinking", "thinking: Extra inputs are not permitted", (body) => body["thinking"] !== undefined],
  ["output_config", "output_config: Extra inputs are not permitted", (body) => body["output_config"] !== undefined],
])("%s is left out for a model after that model's server refused it", async (field, message, has) => {
  const { ask, bodies } = server((body) => (has(body) && body["model"] === "claude-opus-4-6" ? message : undefined));
  const request = asked();
  expect(failureOf(await ask(request))).toMatchObject({ recovery: "field", field } satisfies Partial<ModelFailure>);
  expect((await ask(request)).ok).toBe(true);
  expect((await ask(asked())).ok).toBe(true);
  await ask(asked({ model: "claude-sonnet-4-6" }));
  expect(bodies.map(has)).toEqual([true, false, false, true]);
  const { [field]: _, ...without } = bodies[0]!;
  if (field !== "cache_control") expect(bodies[1]).toEqual(without);
});

test("extra fields of a server's calls are sent back to it, and left out once refused", async () => {
  const call = {
    type: "tool_use",
    id: "call_1",
    name: "Read",
    input: {},
    provider_specific_fields: { signature: "s" },
  };
  const { provider_specific_fields: _, ...bare } = call;
  const messages = [
    { role: "user", content: [{ type: "text", text: "go" }] },
    { role: "assistant", content: [call] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "x" }] },
  ] as unknown as ModelRequest["messages"];
  const refused = "messages.1.content.0.tool_use.provider_specific_fields: Extra inputs are not permitted";
  const refuses = (body: Body) =>
    JSON.stringify(body["messages"]).includes("provider_specific") ? refused : undefined;
  const callOf = (body: Body): unknown => (body["messages"] as { content: unknown[] }[])[1]?.content[0];
  const { fields, last } = await untilAnswered(refuses, { messages });
  expect(fields).toEqual(["tool_use"]);
  expect(callOf(last)).toEqual(bare);
  const taken = await untilAnswered(() => undefined, { messages });
  expect(callOf(taken.last)).toEqual(call);
});

test.each([
  ["messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", "functions.Read:0"],
  ["messages.2.content.0.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'", "functions.Read:0"],
  ["messages.1.content.0.tool_use.id: String should have at most 64 characters", `call_${"x".repeat(90)}`],
  [
    "Value 'functions.Read:0' at 'messages.2.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
    "functions.Read:0",
  ],
  [
    "litellm.ContextWindowExceededError: OpenAIException - Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 51 instead.",
    `ws_${"6".repeat(48)}`,
    40,
  ],
])(
  "call ids of another server are sent back, and in another form once refused: %s",
  async (refused, given, longest = 64) => {
    const id = sendableCallId(given);
    const messages: ModelRequest["messages"] = [
      { role: "user", content: [{ type: "text", text: "go" }] },
      { role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "x" }] },
    ];
    const idsOf = (body: Body): string[] =>
      JSON.stringify(body["messages"]).match(/(?<="(?:id|tool_use_id)":")[^"]+/g) ?? [];
    const isTaken = (each: string): boolean => /^[\w-]+$/.test(each) && each.length <= longest;
    const refuses = (body: Body) => (idsOf(body).every(isTaken) ? undefined : refused);
    const model = "claude-of-ours";
    const { fields, last } = await untilAnswered(refuses, { model, messages });
    expect(fields).toEqual(["tool_use.id"]);
    expect(new Set(idsOf(last)).size).toBe(1);
    const taken = await untilAnswered(() => undefined, { model, messages });
    expect(idsOf(taken.last)).toEqual([given, given]);
  },
);

test("extra fields of calls are kept if an id is refused in every form", async () => {
  const { ask } = server(() => "messages.1.content.0.tool_use.id: String should match pattern '^x$'");
  const change = { model: "claude-of-ours" };
  expect(failureOf(await ask(asked(change)))).toMatchObject({ recovery: "field", field: "tool_use.id" });
  expect(failureOf(await ask(asked(change))).recovery).toBe("none");
});

test("requests refused at the same time are both repeated; a refusal without the field is final", async () => {
  const { ask } = server(() => "thinking: Extra inputs are not permitted");
  const both = await Promise.all([ask(asked()), ask(asked())]);
  expect(both.map((outcome) => failureOf(outcome).recovery)).toEqual(["field", "field"]);
  expect(failureOf(await ask(asked())).recovery).toBe("none");
});

const typeOf = (body: Body): unknown => (body["thinking"] as Body | undefined)?.["type"];
const adaptiveRefused = [
  "adaptive thinking is not supported on this model",
  "This model does not support adaptive thinking.",
  '"thinking.type.adaptive" is not supported for this model. Use "thinking.type.enabled" instead.',
  "thinking: Input tag 'adaptive' found using 'type' does not match any of the expected tags: 'disabled', 'enabled'",
  "thinking.type: Input should be 'enabled' or 'disabled'",
  "thinking: unknown variant `adaptive`, expected `enabled` or `disabled`",
];

test.each(adaptiveRefused)("a model without adaptive thinking gets a thinking budget: %s", async (message) => {
  const { fields, last } = await untilAnswered((body) => (typeOf(body) === "adaptive" ? message : undefined));
  expect(fields).toEqual(["thinking.adaptive"]);
  expect(last["thinking"]).toEqual({ type: "enabled", budget_tokens: 4_000 });
});

test.each([adaptiveRefused[0]!, "thinking: Extra inputs are not permitted"])(
  "a model that also refuses a thinking budget gets no thinking parameter: %s",
  async (second) => {
    const refusals: Record<string, string> = { adaptive: adaptiveRefused[0]!, enabled: second };
    const { fields, last } = await untilAnswered((body) => refusals[String(typeOf(body))]);
    expect(fields).toEqual(["thinking.adaptive", "thinking"]);
    expect(last).not.toHaveProperty("thinking");
  },
);

test.each([
  "thinking.adaptive.display: Extra inputs are not permitted",
  "thinking: unknown field `display`, expected `type`",
  "thinking.display is not supported",
])("a refused thinking display is left out, and thinking stays on: %s", async (message) => {
  const refuses = (body: Body) => ("display" in ((body["thinking"] ?? {}) as Body) ? message : undefined);
  const { fields, last } = await untilAnswered(refuses);
  expect(fields).toEqual(["thinking.display"]);
  expect(last["thinking"]).toEqual({ type: "adaptive" });
});

test("a value that the server names as expected is not taken for the refused one", async () => {
  const refuses = (body: Body) =>
    typeOf(body) === "enabled" ? "invalid thinking type 'enabled', expected 'adaptive' or 'disabled'" : undefined;
  const { fields, last } = await untilAnswered(refuses, { thinking: { type: "enabled", budgetTokens: 2_000 } });
  expect([fields, typeOf(last)]).toEqual([["thinking.enabled"], "adaptive"]);
});

test("a refused thinking budget becomes adaptive thinking, and refused disabled thinking is left out", async () => {
  const of = (type: string) => `"thinking.type.${type}" is not supported for this model.`;
  const adaptiveOnly = (body: Body) => (typeOf(body) === "enabled" ? of("enabled") : undefined);
  const budget = { type: "enabled", budgetTokens: 2_000 } as const;
  const thought = await untilAnswered(adaptiveOnly, { thinking: budget });
  expect([thought.fields, typeOf(thought.last)]).toEqual([["thinking.enabled"], "adaptive"]);
  const always = (body: Body) => (typeOf(body) === "disabled" ? of("disabled") : undefined);
  const told = await untilAnswered(always, { thinking: { type: "disabled" } });
  expect([told.fields, typeOf(told.last)]).toEqual([["thinking"], undefined]);
});

test("a refused cache lifetime is left out, and prompts are still cached", async () => {
  const refuses = (body: Body) =>
    JSON.stringify(body).includes('"ttl"') ? "system.0.cache_control.ttl: Extra inputs are not permitted" : undefined;
  const { fields, last } = await untilAnswered(refuses, {}, { promptCacheTtl: "1h" });
  expect(fields).toEqual(["cache_control.ttl"]);
  expect(JSON.stringify(last).match(/"cache_control":\{"type":"ephemeral"\}/g)).toHaveLength(2);
});

test.each([
  ["effort", { task_budget: { type: "tokens", total: 50_000 } }, true],
  ["task_budget", { effort: "high" }, false],
] as const)("of output_config, only %s is left out if only that is refused", async (part, kept, hasBeta) => {
  const refuses = (body: Body) =>
    part in ((body["output_config"] ?? {}) as Body)
      ? `output_config.${part}: Extra inputs are not permitted`
      : undefined;
  const wishes = { model: "claude-opus-4-8", taskBudget: { total: 50_000 } };
  const { fields, last, betas } = await untilAnswered(refuses, wishes);
  expect(fields).toEqual([`output_config.${part}`]);
  expect(last["output_config"]).toEqual(kept);
  expect(betas?.includes("task-budgets") ?? false).toBe(hasBeta);
});

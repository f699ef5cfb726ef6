// Fields of a request that a server does not know: what it refused once it is not sent again.
import { expect, test } from "vitest";
import { createAnthropicModel, type Transport } from "../../../src/model/index.ts";
import type { ModelFailure, ModelOutcome, ModelRequest, RequestField } from "../../../src/protocol/model.ts";
import { failureOf, modelRequest, pieces, said, streaming } from "../support/wire.ts";

type Body = Record<string, unknown>;

/** Refuses what `refuses` says of a body, and answers everything else. */
function server(refuses: (body: Body) => string | undefined) {
  const bodies: Body[] = [];
  const transport: Transport = async ({ body }) => {
    const read = JSON.parse(Buffer.from(body).toString()) as Body;
    bodies.push(read);
    const message = refuses(read);
    if (message === undefined) return { status: 200, headers: streaming, body: pieces([said("hi")]) };
    const error = JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } });
    return { status: 400, headers: {}, body: pieces([error]) };
  };
  const model = createAnthropicModel({ transport, version: "1.0.0" });
  const ask = async (request: ModelRequest): Promise<ModelOutcome> => {
    const stream = model.stream(request, new AbortController().signal);
    for (;;) {
      const step = await stream.next();
      if (step.done === true) return step.value;
    }
  };
  return { ask, bodies };
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
  [
    "thinking",
    "thinking: Input tag 'adaptive' found using 'type' does not match any of the expected tags: 'disabled', 'enabled'",
    (body) => body["thinking"] !== undefined,
  ],
  [
    "output_config",
    "output_config.effort: Extra inputs are not permitted",
    (body) => body["output_config"] !== undefined,
  ],
])("%s is left out of what comes after it was refused, for that model alone", async (field, message, has) => {
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

test("two requests that were refused at once are both made again, and what is refused without the field is over", async () => {
  const { ask } = server(() => "thinking: Extra inputs are not permitted");
  const both = await Promise.all([ask(asked()), ask(asked())]);
  expect(both.map((outcome) => failureOf(outcome).recovery)).toEqual(["field", "field"]);
  expect(failureOf(await ask(asked())).recovery).toBe("none");
});

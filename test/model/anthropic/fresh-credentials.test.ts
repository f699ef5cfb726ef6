// Credentials that a server refuses, and those that are sent in their place.
import { describe, expect, onTestFinished, test } from "vitest";
import { createAnthropicModel, type AnthropicModel, type AnthropicModelOptions } from "../../../src/model/index.ts";
import { gate } from "../support/servers.ts";
import { answering, failureOf, hear, modelRequest, said } from "../support/wire.ts";

function modelAt(options: Partial<AnthropicModelOptions>): AnthropicModel {
  const model = createAnthropicModel({ version: "1.2.3", ...options });
  onTestFinished(() => model.dispose());
  return model;
}

describe("fresh credentials", () => {
  test("are sent once after the server refused the first ones", async () => {
    const refused = { status: 401, headers: {}, body: ["{}"] };
    const transport = answering(refused, said("ok"), said("again"));
    let asked = 0;
    const refreshCredentials = (): Promise<{ authToken: string }> => Promise.resolve({ authToken: `fresh-${++asked}` });
    const model = modelAt({ transport, apiKey: "sk-ant-old", refreshCredentials });
    expect((await hear(model)).outcome.ok).toBe(true);
    expect((await hear(model)).outcome.ok).toBe(true);
    expect(transport.requests.map(({ headers }) => headers["authorization"] ?? headers["x-api-key"])).toEqual([
      "sk-ant-old",
      "Bearer fresh-1",
      "Bearer fresh-1",
    ]);
    const stubborn = modelAt({ transport: answering(refused, refused), apiKey: "sk-ant-old", refreshCredentials });
    expect(failureOf((await hear(stubborn)).outcome).message).toContain("ANTHROPIC_AUTH_TOKEN");
    const none = modelAt({
      transport: answering(refused),
      apiKey: "sk-ant-old",
      refreshCredentials: () => Promise.resolve(undefined),
    });
    expect(failureOf((await hear(none)).outcome)).toMatchObject({ kind: "authentication_failed", recovery: "none" });
  });

  test("are requested after a 403 to an expired token; an unchanged token is not sent again", async () => {
    const refused = { status: 403, headers: {}, body: ['{"error_code":"403","message":"Invalid access token."}'] };
    const transport = answering(refused, said("ok"), refused, said("never"));
    const refreshCredentials = (): Promise<{ authToken: string }> => Promise.resolve({ authToken: "fresh" });
    const model = modelAt({ transport, authToken: "old", refreshCredentials });
    expect((await hear(model)).outcome.ok).toBe(true);
    expect(failureOf((await hear(model)).outcome)).toMatchObject({ kind: "permission_denied", recovery: "none" });
    expect(transport.requests.map(({ headers }) => headers["authorization"])).toEqual([
      "Bearer old",
      "Bearer fresh",
      "Bearer fresh",
    ]);
  });

  test("are requested once for all calls refused at the same time, and reused by a late refusal", async () => {
    const refused = { status: 401, headers: {}, body: ["{}"] };
    const late = gate();
    const answers = answering(refused, refused, refused, said("one"), said("two"), said("three"));
    const { requests } = answers;
    const transport: typeof answers = Object.assign(
      (request: Parameters<typeof answers>[0]) => {
        const answer = answers(request);
        return requests.length === 3 ? late.opened.then(() => answer) : answer;
      },
      { requests },
    );
    let asked = 0;
    const refreshCredentials = async (): Promise<{ authToken: string }> => {
      asked += 1;
      await new Promise(setImmediate);
      return { authToken: "fresh" };
    };
    const model = modelAt({ transport, authToken: "old", refreshCredentials });
    const heard = [hear(model), hear(model), hear(model)];
    expect((await Promise.all(heard.slice(0, 2))).every(({ outcome }) => outcome.ok)).toBe(true);
    late.open();
    expect((await heard[2])?.outcome.ok).toBe(true);
    expect(asked).toBe(1);
    expect(requests.slice(3).map(({ headers }) => headers["authorization"])).toEqual(Array(3).fill("Bearer fresh"));
  });

  test("are requested once even if a second call is refused while the first refusal is still read", async () => {
    const refused = { status: 401, headers: {}, body: ["{}"] };
    const [reading, late, rest] = [gate(), gate(), gate()];
    async function* slowly() {
      reading.open();
      await rest.opened;
      yield Buffer.from("{}");
    }
    const answers = answering(refused, refused, said("one"), said("two"));
    const { requests } = answers;
    const transport: typeof answers = Object.assign(
      async (request: Parameters<typeof answers>[0]) => {
        const at = requests.length;
        const answer = await answers(request);
        if (at === 1) await late.opened;
        return at === 0 ? { ...answer, body: slowly() } : answer;
      },
      { requests },
    );
    let asked = 0;
    const refreshCredentials = (): Promise<{ authToken: string }> => Promise.resolve({ authToken: `fresh-${++asked}` });
    const model = modelAt({ transport, authToken: "old", refreshCredentials });
    const heard = [hear(model), hear(model)];
    await reading.opened;
    late.open();
    expect((await heard[1])?.outcome.ok).toBe(true);
    rest.open();
    expect((await heard[0])?.outcome.ok).toBe(true);
    expect(requests.slice(2).map(({ headers }) => headers["authorization"])).toEqual(Array(2).fill("Bearer fresh-1"));
  });

  test("are requested for a call even after a token count was refused with them, and the other way round", async () => {
    const refused = { status: 401, headers: {}, body: ["{}"] };
    const { signal } = new AbortController();
    const modelWith = (transport: ReturnType<typeof answering>) => {
      let asked = 0;
      return modelAt({
        transport,
        authToken: "old",
        refreshCredentials: async () => ({ authToken: `fresh-${++asked}` }),
      });
    };
    const keysOf = ({ requests }: ReturnType<typeof answering>) =>
      requests.map(({ headers }) => headers["authorization"]);
    const countFirst = answering(refused, refused, refused, said("ok"));
    const one = modelWith(countFirst);
    expect(await one.countTokens?.(modelRequest(), signal)).toBeUndefined();
    expect((await hear(one)).outcome.ok).toBe(true);
    expect(keysOf(countFirst)).toEqual(["Bearer old", "Bearer fresh-1", "Bearer fresh-1", "Bearer fresh-2"]);
    const counted = { status: 200, headers: {}, body: ['{"input_tokens":7}'] };
    const countLast = answering(refused, refused, refused, counted);
    const other = modelWith(countLast);
    expect(failureOf((await hear(other)).outcome).kind).toBe("authentication_failed");
    expect(await other.countTokens?.(modelRequest(), signal)).toBe(7);
    expect(keysOf(countLast)).toEqual(["Bearer old", "Bearer fresh-1", "Bearer fresh-1", "Bearer fresh-2"]);
  });

  test("are sent even if the refusal's body is very long", async () => {
    let read = 0;
    async function* page() {
      for (; read < 1_000; read++) yield Buffer.alloc(1_024, " ");
    }
    const answers = answering({ status: 401, headers: {}, body: [] }, said("ok"));
    const transport = async (request: Parameters<typeof answers>[0]) => {
      const answer = await answers(request);
      return answer.status === 401 ? { ...answer, body: page() } : answer;
    };
    const model = modelAt({ transport, authToken: "old", refreshCredentials: async () => ({ authToken: "fresh" }) });
    expect((await hear(model)).outcome.ok).toBe(true);
    expect(read).toBeLessThan(100);
  });

  test("are requested once if a gateway refuses only token counts", async () => {
    for (const status of [401, 403]) {
      const refused = { status, headers: {}, body: ["{}"] };
      let asked = 0;
      const refreshCredentials = (): Promise<{ authToken: string }> => {
        asked += 1;
        return Promise.resolve({ authToken: "fresh" });
      };
      const transport = answering(refused, refused, refused, refused, said("ok"));
      const model = modelAt({ transport, authToken: "old", refreshCredentials });
      const { signal } = new AbortController();
      for (let count = 0; count < 3; count++) expect(await model.countTokens?.(modelRequest(), signal)).toBeUndefined();
      expect(asked).toBe(1);
      expect((await hear(model)).outcome.ok).toBe(true);
    }
  });
});

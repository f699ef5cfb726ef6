import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import {
  createScriptedModel,
  startScriptedServer,
  type RequestView,
  type Script,
  type ServerOptions,
} from "../../src/testing/index.ts";
import { assistant, result, text, use, user } from "./cases.ts";
import { png } from "./images.ts";
import { eventsOf, headers, messageOf, post, readTool, request } from "./support.ts";

async function withServer(
  script: Script,
  use: (server: Awaited<ReturnType<typeof startScriptedServer>>) => Promise<void>,
  options: ServerOptions = {},
) {
  const server = await startScriptedServer(script, options);
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

function send(url: string, body: unknown, init: RequestInit = {}) {
  return fetch(`${url}/v1/messages`, { method: "POST", headers, body: JSON.stringify(body), ...init });
}

describe("scripted server over HTTP", () => {
  it("streams the scripted steps in order and reports them as used", async () => {
    const script: Script = {
      steps: [{ content: ["Looking.", { tool: "Read", input: { file_path: "a.ts" } }] }, "Done."],
    };
    await withServer(script, async (server) => {
      const first = await send(server.url, request({ stream: true, tools: [readTool] }));
      expect(first.status).toBe(200);
      const events = eventsOf(await first.text());
      expect(events[0]?.event).toBe("message_start");
      expect(events.at(-1)?.event).toBe("message_stop");
      const message = messageOf(events);
      expect(message.content).toMatchObject([
        { type: "text", text: "Looking." },
        { type: "tool_use", name: "Read", input: { file_path: "a.ts" } },
      ]);
      expect(() => server.assertDone()).toThrow("step 2 was not used");
      const second = await send(server.url, request({ tools: [readTool] }));
      expect(await second.json()).toMatchObject({
        type: "message",
        content: [{ type: "text", text: "Done." }],
        stop_reason: "end_turn",
      });
      server.assertDone();
    });
  });

  it("breaks the connection in the middle of a block after its beginning was sent", async () => {
    const script: Script = { steps: [{ content: "A long enough answer", fault: { kind: "reset", at: "mid_block" } }] };
    await withServer(script, async (server) => {
      const response = await send(server.url, request({ stream: true }));
      const decoder = new TextDecoder();
      let seen = "";
      await expect(async () => {
        for await (const chunk of response.body ?? []) seen += decoder.decode(chunk, { stream: true });
      }).rejects.toThrow();
      expect(seen).toContain("content_block_delta");
      expect(seen).not.toContain("content_block_stop");
      expect(server.requests[0]?.outcome).toBe("cut");
    });
  });

  it("breaks the connection before the headers", async () => {
    await withServer({ steps: [{ fault: { kind: "reset", at: "headers" } }] }, async (server) => {
      await expect(send(server.url, request())).rejects.toThrow();
      expect(server.requests[0]).toMatchObject({ outcome: "cut", isBilled: false });
    });
  });

  it("stalls without sending a byte until it is closed", async () => {
    const server = await startScriptedServer({
      steps: [{ content: "never", fault: { kind: "stall", at: "first_event" } }],
    });
    const response = await send(server.url, request({ stream: true }));
    const reading = response.text().then(
      () => "ended",
      () => "broken",
    );
    await server.close();
    expect(server.requests[0]?.outcome).toBe("cut");
    expect(await reading).toBe("broken");
  });

  it("is closed at the end of its block with `await using`, even after a failure", async () => {
    let url = "";
    const failing = async () => {
      await using server = await startScriptedServer({ fallback: "ok" });
      ({ url } = server);
      throw new Error("the test failed");
    };
    await expect(failing()).rejects.toThrow("the test failed");
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it("stops producing when the client goes away", async () => {
    await withServer({ steps: [{ content: "x".repeat(5000), pace: { delayMs: 60_000 } }] }, async (server) => {
      const controller = new AbortController();
      const response = await send(server.url, request({ stream: true }), { signal: controller.signal });
      const reader = response.body?.getReader();
      await reader?.read();
      const recorded = new Promise<void>((resolve) => {
        const poll = () => (server.requests[0]?.outcome === "cut" ? resolve() : setImmediate(poll));
        poll();
      });
      controller.abort();
      await recorded;
      expect(server.requests[0]?.usage?.output_tokens).toBe(0);
    });
  });

  it("serves under a base path and answers health, models and unknown paths", async () => {
    await withServer({ fallback: "ok" }, async (server) => {
      const prefixed = await fetch(`${server.url}/anthropic/v1/messages?beta=true`, {
        method: "POST",
        headers,
        body: JSON.stringify(request()),
      });
      expect(prefixed.status).toBe(200);
      expect((await fetch(server.url)).status).toBe(200);
      expect((await fetch(server.url, { method: "HEAD" })).status).toBe(200);
      const models = (await (await fetch(`${server.url}/v1/models`, { headers })).json()) as { data: { id: string }[] };
      expect(models.data.map(({ id }) => id)).toContain("claude-opus-5-5");
      expect((await fetch(`${server.url}/v1/models/claude-opus-5-5`, { headers })).status).toBe(200);
      expect((await fetch(`${server.url}/v1/models/claude-none`, { headers })).status).toBe(404);
      expect((await fetch(`${server.url}/v1/models/%zz`, { headers })).status).toBe(404);
      const nothing = await fetch(`${server.url}/v1/files`);
      expect(nothing.status).toBe(404);
      expect(await nothing.text()).toContain(
        "GET /v1/files does not exist. The scripted model only serves POST /v1/messages and /v1/messages/count_tokens, and GET /v1/models",
      );
    });
  });

  it("says how to add an unknown model in assertDone only, while the client gets the API's own message", async () => {
    const asked = request({ model: "claude-3-5-sonnet-latest" });
    const model = createScriptedModel({ fallback: "ok" });
    expect((await post(model, asked)).json).toMatchObject({ error: { message: "model: claude-3-5-sonnet-latest" } });
    expect(() => model.assertDone()).toThrow(
      'To add the model, give the script "models": {"claude-3-5-sonnet-latest":{}}',
    );
    const models = { "claude-3-5-sonnet-latest": {} };
    expect((await post(createScriptedModel({ fallback: "ok", models }), asked)).status).toBe(200);
  });

  it("accepts threads, but stores none, so that a client that continues one sends everything again", async () => {
    const model = createScriptedModel({ steps: ["One.", "Two."] });
    const threads = { headers: { ...headers, "anthropic-beta": "message-threads-2026-08-12" } };
    const create = { type: "create" };
    const first = (await post(model, request({ thread: create }), threads)).json as Record<string, unknown>;
    const thread = { type: "continue", previous_message_id: first["id"] };
    // What a thread is gone on with answers a call that only the server knows.
    const lost = await post(model, request({ thread, messages: [user([result("t1")])] }), threads);
    expect(lost.status).toBe(404);
    expect(lost.json).toMatchObject({
      error: { type: "not_found_error", details: { error_code: "thread_not_found" } },
    });
    const whole = [user("hello"), assistant(first["content"]), user("more")];
    const second = await post(model, request({ thread: create, messages: whole }), threads);
    expect(second.json).toMatchObject({ content: [text("Two.")] });
    model.assertDone();
  });

  it("lists models only for clients with a key, and records those without one", async () => {
    await withServer({ fallback: "ok" }, async (server) => {
      const version = { "anthropic-version": "2023-06-01" };
      for (const path of ["/v1/models", "/v1/models/claude-opus-5-5"]) {
        expect((await fetch(`${server.url}${path}`, { headers: version })).status).toBe(401);
      }
      expect(server.violations.map(({ message }) => message)).toEqual(Array(2).fill("x-api-key header is required"));
    });
  });

  it("refuses a body over 32 MB with 413", async () => {
    await withServer({ fallback: "ok" }, async (server) => {
      const response = await send(server.url, request({ system: "x".repeat(33 * 1024 * 1024) }));
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ error: { type: "request_too_large" } });
    });
  });

  it("serves many conversations at once without mixing them up", async () => {
    const script: Script = {
      perConversation: true,
      steps: Array.from({ length: 5 }, (_, turn) => (view: RequestView) => `${view.firstUserText} ${turn}`),
    };
    await withServer(script, async (server) => {
      const talk = async (name: string) => {
        const messages: { role: string; content: unknown }[] = [{ role: "user", content: name }];
        for (let turn = 0; turn < 5; turn++) {
          const answer = (await (await send(server.url, request({ messages }))).json()) as { content: unknown };
          expect(answer.content).toEqual([{ type: "text", text: `${name} ${turn}` }]);
          messages.push({ role: "assistant", content: answer.content }, { role: "user", content: "on" });
        }
      };
      await Promise.all(Array.from({ length: 30 }, (_, index) => talk(`session ${index}`)));
      server.assertDone();
      expect(server.requests).toHaveLength(150);
    });
  });

  it("leaves no handle open after close, so that its process ends", async () => {
    const source = `
      import { startScriptedServer } from ${JSON.stringify(new URL("../../src/testing/index.ts", import.meta.url).href)};
      const server = await startScriptedServer({ steps: ["hi", { content: "x", fault: "stall" }] });
      const send = (stream) => fetch(server.url + "/v1/messages", { method: "POST", headers: ${JSON.stringify(headers)}, body: JSON.stringify({ ...${JSON.stringify(request())}, stream }) });
      await (await send(false)).text();
      const stalled = (await send(true)).text().catch(() => "broken");
      await server.close();
      console.log(await stalled);`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", source], {
      timeout: 50_000,
    });
    expect(stdout.trim()).toBe("broken");
  });
});

describe("a malformed request", () => {
  const odd = [{ toString: 1 }, [{ valueOf: 1, toString: 1 }], null, "__proto__"];
  const source = { type: "base64", media_type: "image/png", data: png(1, 1) };
  const whole = request({
    model: "claude-sonnet-4-5",
    max_tokens: 4000,
    system: [{ type: "text", text: "s" }],
    tools: [readTool, { type: "web_search_20250305", name: "web_search" }],
    tool_choice: { type: "auto" },
    thinking: { type: "enabled", budget_tokens: 1024 },
    context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
    messages: [
      user([text("go"), { type: "image", source }]),
      assistant([use("t1")]),
      user([result("t1", { content: [text("r"), { type: "image", source }] })]),
    ],
  });
  const beta = { ...headers, "anthropic-beta": "context-management-2025-06-27" };

  it("is answered or refused, and never fails the server, whatever value is in whatever place", async () => {
    const model = createScriptedModel({ steps: [], fallback: "x" });
    expect((await post(model, whole, { headers: beta })).status).toBe(200);
    const failed: string[] = [];
    for (const path of pathsIn(whole))
      for (const value of odd) {
        const { status, text: said } = await post(model, replaced(whole, path, value), { headers: beta });
        if (status >= 500) failed.push(`${path.join(".")} ${JSON.stringify(value)}: ${said}`);
      }
    expect(failed).toEqual([]);
  });

  it("is billed to its model even if that is named __proto__", async () => {
    const model = createScriptedModel({ steps: [], fallback: "x" }, { endpoint: "compatible" });
    expect((await post(model, request({ model: "__proto__" }))).status).toBe(200);
    expect(Object.keys(model.bill.perModel)).toEqual(["__proto__"]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

function pathsIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...path, key]))];
}

function replaced(whole: unknown, [key, ...rest]: string[], value: unknown): unknown {
  if (key === undefined) return value;
  const copy = (Array.isArray(whole) ? [...whole] : { ...(whole as object) }) as Record<string, unknown>;
  copy[key] = replaced(copy[key], rest, value);
  return copy;
}

// What breaks on a real connection, and what silence and interruptions do.
import { describe, expect, test } from "vitest";
import { createAnthropicModel, type AnthropicModelOptions } from "../../../src/model/index.ts";
import type { ModelEvent } from "../../../src/protocol/model.ts";
import { manualTimers, settle } from "../support/manual-timers.ts";
import { begin, gate, serve, type LocalServer } from "../support/servers.ts";
import {
  answering,
  blocksOf,
  close,
  failureOf,
  hang,
  hear,
  modelRequest,
  open,
  said,
  sse,
  start,
  stop,
  streaming,
  text,
  textBlock,
} from "../support/wire.ts";

const modelOf = (
  { url }: LocalServer,
  options: Partial<AnthropicModelOptions> = {},
): ReturnType<typeof createAnthropicModel> => createAnthropicModel({ baseUrl: url, version: "1.0.0", ...options });

const half = sse(
  start({ input_tokens: 7 }),
  ...textBlock(0, "whole"),
  open(1, { type: "text", text: "" }),
  text(1, "half"),
);

describe("a connection", () => {
  test("reset before the answer is a connection failure that names the endpoint", async () => {
    const server = await serve((request) => request.socket.resetAndDestroy());
    const failure = failureOf((await hear(modelOf(server))).outcome);
    expect(failure).toMatchObject({ kind: "connection", recovery: "retry" });
    expect(failure.message).toContain(server.url);
  });

  test("reset in the middle of a block keeps complete blocks and the usage", async () => {
    const server = await serve((request, response) => {
      begin(response).write(half, () => request.socket.resetAndDestroy());
    });
    const { events, outcome } = await hear(modelOf(server));
    expect(blocksOf(events).map(({ block }) => block)).toEqual([{ type: "text", text: "whole" }]);
    expect(outcome).toMatchObject({
      ok: false,
      failure: { kind: "connection", recovery: "retry", requestId: "req_1" },
      usage: { inputTokens: 7 },
    });
  });

  test("closed in the middle of a chunked body is a connection failure", async () => {
    const server = await serve((request, response) => {
      begin(response).write(half, () => request.socket.destroy());
    });
    expect(failureOf((await hear(modelOf(server))).outcome)).toMatchObject({ kind: "connection", recovery: "retry" });
  });

  test("ended properly in the middle of the message is a truncated_stream failure", async () => {
    const server = await serve((_, response) => void begin(response).end(half));
    expect(failureOf((await hear(modelOf(server))).outcome)).toMatchObject({
      kind: "truncated_stream",
      recovery: "retry",
    });
  });

  test("refused because nothing listens says so", async () => {
    const server = await serve(() => undefined);
    await new Promise((resolve) => server.server.close(resolve));
    const failure = failureOf((await hear(modelOf(server))).outcome);
    expect(failure).toMatchObject({ kind: "connection", recovery: "retry" });
    expect(failure.message).toContain("nothing listens there");
  });

  test("that answers something other than HTTP is a failure", async () => {
    const server = await serve(() => undefined);
    server.server.on("connection", (socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"));
    expect(failureOf((await hear(modelOf(server))).outcome).kind).toMatch(/not_configured|connection/);
  });

  test("that switches protocols unasked is a connection failure", async () => {
    const server = await serve(() => undefined);
    server.server.removeAllListeners("request");
    server.server.on("request", (request) =>
      request.socket.end("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    );
    expect(failureOf((await hear(modelOf(server))).outcome)).toMatchObject({ kind: "connection", recovery: "retry" });
  });

  test("that breaks while an error's body is read keeps the failure of the status", async () => {
    const server = await serve((request, response) => {
      response
        .writeHead(529, { "content-type": "application/json" })
        .write('{"type":"err', () => request.socket.destroy());
    });
    expect(failureOf((await hear(modelOf(server))).outcome)).toMatchObject({
      kind: "overloaded",
      status: 529,
      recovery: "retry",
    });
  });

  test("that ends while the call is being abandoned does not crash the process", async () => {
    const error = sse(start(), { type: "error", error: { type: "overloaded_error", message: "busy" } });
    const server = await serve((_, response) => void begin(response).end(error));
    const model = modelOf(server);
    for (let call = 0; call < 20; call++) expect(failureOf((await hear(model)).outcome).kind).toBe("overloaded");
    await settle();
    model.dispose();
  });

  test("that sends an endless error body is closed, and the status decides", async () => {
    const server = await serve((_, response) => {
      response.writeHead(500, { "content-type": "text/plain" });
      const more = (error?: Error | null): void => {
        if (!error && !response.destroyed) response.write("x".repeat(65_536), more);
      };
      more();
    });
    expect(failureOf((await hear(modelOf(server))).outcome)).toMatchObject({ kind: "server_error", status: 500 });
    await server.disconnected();
  });
});

describe("silence", () => {
  test("before the first byte ends the call at the limit and closes the connection", async () => {
    const asked = gate();
    const server = await serve(() => asked.open());
    const timers = manualTimers();
    const heard = hear(modelOf(server, { timers, firstByteMs: 60_000 }));
    await asked.opened;
    await timers.advance(59_999);
    expect(timers.pending).toBe(1);
    await timers.advance(1);
    const { outcome } = await heard;
    expect(failureOf(outcome)).toMatchObject({ kind: "stalled", recovery: "retry" });
    expect(failureOf(outcome).message).toContain("sent nothing for 60 seconds");
    expect(outcome).not.toHaveProperty("usage.inputTokens");
    await server.disconnected();
    expect(timers.pending).toBe(0);
  });

  test("after the headers counts as silence before the first byte", async () => {
    const server = await serve((_, response) => begin(response).flushHeaders());
    const timers = manualTimers();
    const lines: string[] = [];
    const status = gate();
    const heard = hear(
      modelOf(server, {
        timers,
        firstByteMs: 5000,
        idleMs: 1000,
        onDebug: (line) => {
          lines.push(line);
          if (line.includes("status 200")) status.open();
        },
      }),
    );
    await status.opened;
    await settle();
    await timers.advance(4999);
    expect(lines).toHaveLength(2);
    await timers.advance(1);
    expect(failureOf((await heard).outcome).kind).toBe("stalled");
  });

  /** Pings, 50 s apart, behind what comes first. */
  function pinging(first: string) {
    const [timers, asked] = [manualTimers(), gate()];
    let next = gate();
    const source = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(first);
      asked.open();
      for (;;) {
        await next.opened;
        next = gate();
        yield Buffer.from('event: ping\ndata: {"type":"ping"}\n\n');
      }
    };
    const headers = { "content-type": "text/event-stream" };
    const model = createAnthropicModel({
      baseUrl: "http://127.0.0.1:1",
      version: "1.0.0",
      timers,
      idleMs: 60_000,
      openingMs: 200_000,
      transport: () => Promise.resolve({ status: 200, headers, body: source() }),
    });
    const stop = new AbortController();
    const heard = hear(model, modelRequest(), stop.signal);
    const pings = async (): Promise<void> => {
      await asked.opened;
      for (let at = 0; at < 5; at++) {
        await timers.advance(50_000);
        next.open();
        await settle();
      }
    };
    return { heard, pings, stop: () => stop.abort("user") };
  }

  test("of content is limited even if pings keep coming", async () => {
    const { heard, pings } = pinging("");
    await pings();
    const message = expect.stringContaining("API_TIMEOUT_MS") as string;
    expect(failureOf((await heard).outcome)).toMatchObject({ kind: "stalled", recovery: "retry", message });
  });

  test("of content is no longer limited once a block has begun", async () => {
    const begun = { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } };
    // Together with what came before it, as it mostly does.
    const { heard, pings, stop } = pinging(`data: {"type":"ping"}\n\ndata: ${JSON.stringify(begun)}\n\n`);
    await pings();
    stop();
    expect(failureOf((await heard).outcome)).toMatchObject({ kind: "aborted" });
  });

  test("in the middle of the stream ends the call at the idle limit and keeps what came", async () => {
    const server = await serve((_, response) => void begin(response).write(half));
    const timers = manualTimers();
    const seen = gate();
    const heard = hear(modelOf(server, { timers, idleMs: 60_000 }), modelRequest(), undefined, (event) => {
      if (event.type === "raw" && JSON.stringify(event.event).includes("half")) seen.open();
    });
    await seen.opened;
    await settle();
    await timers.advance(60_000);
    const { events, outcome } = await heard;
    expect(failureOf(outcome)).toMatchObject({ kind: "stalled", requestId: "req_1" });
    expect(outcome.usage?.inputTokens).toBe(7);
    expect(blocksOf(events)).toHaveLength(1);
    await server.disconnected();
  });

  test("has a longer limit for a server on this machine", async () => {
    const limits = async (baseUrl: string): Promise<number> => {
      const timers = manualTimers();
      const heard = hear(
        createAnthropicModel({ baseUrl, version: "1.0.0", timers, transport: () => new Promise(() => undefined) }),
      );
      await settle();
      let waited = 0;
      while (timers.pending > 0) {
        await timers.advance(10_000);
        waited += 10_000;
      }
      expect(failureOf((await heard).outcome).kind).toBe("stalled");
      return waited;
    };
    expect(await limits("https://api.anthropic.com")).toBe(60_000);
    expect(await limits("http://127.0.0.1:11434")).toBe(600_000);
    expect(await limits("http://localhost:8080/v1")).toBe(600_000);
    expect(await limits("http://[::1]:8080")).toBe(600_000);
  });

  /** An answer of which one byte comes each `gapMs`. */
  async function dripping(gapMs: number): Promise<{ ok: boolean; armed: number; bytes: number }> {
    const timers = manualTimers();
    const bytes = [...Buffer.from(said("drip"))];
    async function* drip(): AsyncGenerator<Uint8Array> {
      for (const byte of bytes) {
        await timers.advance(gapMs);
        yield Uint8Array.of(byte);
      }
    }
    const { outcome } = await hear(
      createAnthropicModel({
        transport: () => Promise.resolve({ status: 200, headers: streaming, body: drip() }),
        timers,
        version: "1.0.0",
      }),
    );
    return { ok: outcome.ok, armed: timers.armed, bytes: bytes.length };
  }

  test("ends with any byte: a slow drip of bytes is no stall", async () => {
    expect(await dripping(59_999)).toMatchObject({ ok: true });
    expect(await dripping(60_000)).toMatchObject({ ok: false });
  });

  test("is watched with a few timers, not with one for each byte", async () => {
    const { armed, bytes } = await dripping(100);
    expect(bytes).toBeGreaterThan(500);
    expect(armed).toBeLessThan(5);
  });

  test("of the consumer does not count: it may take as long as it likes", async () => {
    const timers = manualTimers();
    const model = createAnthropicModel({
      transport: answering({ body: [sse(start()), sse(...textBlock(0, "x"), stop)] }),
      timers,
      version: "1.0.0",
    });
    const { outcome } = await (async () => {
      const stream = model.stream(modelRequest(), new AbortController().signal);
      for (;;) {
        const result = await stream.next();
        if (result.done === true) return { outcome: result.value };
        await timers.advance(3_600_000);
      }
    })();
    expect(outcome.ok).toBe(true);
  });

  test("is not ended by empty chunks", async () => {
    const timers = manualTimers();
    async function* nothing(): AsyncGenerator<Uint8Array> {
      for (;;) {
        await timers.advance(10_000);
        yield new Uint8Array();
      }
    }
    const transport = (): Promise<{
      status: number;
      headers: Record<string, string>;
      body: AsyncIterable<Uint8Array>;
    }> => Promise.resolve({ status: 200, headers: streaming, body: nothing() });
    expect(failureOf((await hear(createAnthropicModel({ transport, timers, version: "1.0.0" }))).outcome).kind).toBe(
      "stalled",
    );
  });

  test("after the complete message does not delay the caller", async () => {
    const server = await serve((_, response) => void begin(response).write(said("done")));
    const timers = manualTimers();
    const complete = gate();
    const heard = hear(modelOf(server, { timers }), modelRequest(), undefined, (event) => {
      if (event.type === "raw" && event.event.type === "message_stop") complete.open();
    });
    await complete.opened;
    await settle();
    await timers.advance(100);
    expect((await heard).outcome).toMatchObject({ ok: true });
    await server.disconnected();
  });
});

describe("an interruption", () => {
  /** Aborts once `when` settles, and tells how long the end took, ms. */
  /** No time passes: what waits for any before it ends never does. */
  async function interrupted(
    options: Partial<AnthropicModelOptions>,
    when: Promise<unknown> = Promise.resolve(),
    onEvent: (event: ModelEvent) => void = () => undefined,
  ): ReturnType<typeof hear> {
    const controller = new AbortController();
    const heard = hear(
      createAnthropicModel({ version: "1.0.0", timers: manualTimers(), ...options }),
      modelRequest(),
      controller.signal,
      onEvent,
    );
    await when;
    await settle();
    controller.abort("user");
    return await heard;
  }

  test("before the answer ends the call at once and closes the connection", async () => {
    const asked = gate();
    const server = await serve(() => asked.open());
    const { outcome } = await interrupted({ baseUrl: server.url }, asked.opened);
    expect(failureOf(outcome)).toMatchObject({ kind: "aborted", recovery: "none" });
    await server.disconnected();
  });

  test("in the middle of a block ends the call at once and keeps the open block's text", async () => {
    const server = await serve((_, response) => void begin(response).write(half));
    const seen = gate();
    const { outcome } = await interrupted({ baseUrl: server.url }, seen.opened, (event) => {
      if (event.type === "raw" && JSON.stringify(event.event).includes("half")) seen.open();
    });
    expect(outcome).toMatchObject({
      ok: false,
      failure: { kind: "aborted" },
      partialText: "half",
      usage: { inputTokens: 7 },
    });
    await server.disconnected();
  });

  test("while an error's body hangs ends the call", async () => {
    const status = gate();
    const server = await serve((_, response) => void response.writeHead(500).write("{"));
    const onDebug = (line: string): void => {
      if (line.includes("status")) status.open();
    };
    const { outcome } = await interrupted({ baseUrl: server.url, onDebug }, status.opened);
    expect(failureOf(outcome).kind).toBe("aborted");
  });

  test("does not wait for a transport or a body that hangs", async () => {
    const hanging = await interrupted({ transport: () => new Promise(() => undefined) });
    const deaf = await interrupted({ transport: answering({ body: [half, hang] }) });
    for (const { outcome } of [hanging, deaf]) expect(failureOf(outcome).kind).toBe("aborted");
    expect(deaf.outcome).toMatchObject({ partialText: "half" });
  });

  test("before the call sends nothing", async () => {
    const transport = answering(said("x"));
    const { outcome } = await hear(
      createAnthropicModel({ transport, version: "1.0.0" }),
      modelRequest(),
      AbortSignal.abort("user"),
    );
    expect(failureOf(outcome).kind).toBe("aborted");
    expect(transport.requests).toHaveLength(0);
  });

  test("drops events that had already arrived", async () => {
    const controller = new AbortController();
    const many = sse(
      start(),
      open(0, { type: "text", text: "" }),
      ...Array.from({ length: 500 }, () => text(0, "x")),
      stop,
    );
    const model = createAnthropicModel({ transport: answering(many), version: "1.0.0" });
    const { events, outcome } = await hear(model, modelRequest(), controller.signal, () => controller.abort("user"));
    expect(failureOf(outcome).kind).toBe("aborted");
    expect(events).toHaveLength(1);
  });

  test("keeps as partial text only the text that follows the last yielded event", async () => {
    const call = open(1, { type: "tool_use", id: "t", name: "n", input: { a: 1 } });
    const body = sse(
      start(),
      ...textBlock(0, "first"),
      call,
      close(1),
      open(2, { type: "text", text: "" }),
      text(2, "last"),
    );
    const partial = async (after: string): Promise<unknown> => {
      const controller = new AbortController();
      const model = createAnthropicModel({ transport: answering({ body: [body, hang] }), version: "1.0.0" });
      const { outcome } = await hear(model, modelRequest(), controller.signal, (event) => {
        if (JSON.stringify(event).includes(after)) controller.abort("user");
      });
      return "partialText" in outcome ? outcome.partialText : undefined;
    };
    expect(await partial("message_start")).toBe("first");
    expect(await partial('"type":"block","index":0')).toBeUndefined();
    expect(await partial('"type":"block","index":1')).toBe("last");
  });

  test("after the last event changes nothing", async () => {
    const controller = new AbortController();
    const model = createAnthropicModel({ transport: answering(said("x")), version: "1.0.0" });
    const { outcome } = await hear(model, modelRequest(), controller.signal, (event) => {
      if (event.type === "raw" && event.event.type === "message_stop") controller.abort("user");
    });
    expect(outcome.ok).toBe(true);
  });

  test("by a consumer that stops reading closes the connection and leaves no listener or timer", async () => {
    const server = await serve((_, response) => void begin(response).write(half));
    const timers = manualTimers();
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...all: Parameters<typeof add>) => (listeners++, add(...all));
    signal.removeEventListener = (...all: Parameters<typeof remove>) => (listeners--, remove(...all));
    for await (const event of modelOf(server, { timers }).stream(modelRequest(), signal))
      if (event.type === "block") break;
    await server.disconnected();
    expect(timers.pending).toBe(0);
    expect(listeners).toBe(0);
  });
});

test("an unusable base URL is an outcome, not an exception", async () => {
  for (const [baseUrl, words] of [
    ["not a url", "ANTHROPIC_BASE_URL is not a URL"],
    ["ftp://example.com", "must begin with http"],
  ] as const) {
    const { outcome } = await hear(createAnthropicModel({ baseUrl, version: "1.0.0" }));
    expect(failureOf(outcome)).toMatchObject({ kind: "not_configured", recovery: "none" });
    expect(failureOf(outcome).message).toContain(words);
  }
});

test("a key that cannot be sent in a header is reported without being shown", async () => {
  const server = await serve((_, response) => void response.end());
  const { outcome } = await hear(modelOf(server, { apiKey: "sk-ant-wrapped\nkey" }));
  expect(failureOf(outcome)).toMatchObject({ kind: "not_configured", recovery: "none" });
  expect(JSON.stringify(outcome)).not.toContain("wrapped");
});

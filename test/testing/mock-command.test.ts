import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runMock } from "../../src/testing/mock-command.ts";
import { loadScript } from "../../src/testing/script/load.ts";
import { headers, request } from "./support.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pawl-mock-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** Starts the command and waits for its address. */
async function start(script: string, port = 0) {
  const stop = new AbortController();
  const output = { out: "", err: "" };
  let announce: (url: string) => void = () => undefined;
  const url = new Promise<string>((resolve) => {
    announce = resolve;
  });
  const code = runMock(
    { script, port },
    {
      stdout: {
        write(text: string) {
          output.out += text;
          const found = /on (http:\S+)/.exec(text);
          if (found !== null) announce(found[1] as string);
        },
      },
      stderr: { write: (text: string) => (output.err += text) },
      signal: stop.signal,
    },
  );
  return { stop, output, url, code };
}

function send(url: string, body: unknown) {
  return fetch(`${url}/v1/messages`, { method: "POST", headers, body: JSON.stringify(body) });
}

describe("pawl mock", () => {
  it("serves a JSON script, prints a line for each request and ends with a summary", async () => {
    const script = await file("s.json", { description: "two steps", steps: ["one", { fault: "overloaded" }] });
    const { stop, output, url, code } = await start(script);
    expect(await (await send(await url, request())).json()).toMatchObject({ content: [{ text: "one" }] });
    expect((await send(await url, request())).status).toBe(529);
    stop.abort();
    expect(await code).toBe(0);
    expect(output.err).toBe("");
    expect(output.out).toMatch(
      /1 POST \/v1\/messages 200 · step 1 · 9 in \(0 % cached\) · 1 out · \$0\.\d{6} · end_turn/,
    );
    expect(output.out).toContain("2 POST /v1/messages 529 · step 2 · fault overloaded");
    expect(output.out).toMatch(/2 requests, 1 billed, \$0\.\d{6}, 0\.0 % of the prompt tokens from the cache/);
  });

  it("serves a TypeScript script with functions", async () => {
    const code =
      "const reply = (r: { lastUserText: string }): string => `you said ${r.lastUserText}`;\nexport default { fallback: reply };";
    const running = await start(await file("s.ts", code));
    expect(await (await send(await running.url, request())).json()).toMatchObject({
      content: [{ text: "you said hello" }],
    });
    running.stop.abort();
    expect(await running.code).toBe(0);
  });

  it("ends with code 1 and the reasons if requests were invalid or steps are left over", async () => {
    const running = await start(await file("s.json", { steps: ["one"] }));
    expect((await send(await running.url, request({ messages: [] }))).status).toBe(400);
    running.stop.abort();
    expect(await running.code).toBe(1);
    expect(running.output.out).toContain("INVALID messages: at least one message is required");
    expect(running.output.err).toMatch(/^pawl: The scripted model is not done:\n/u);
    expect(running.output.err).toContain("request 1 is invalid (400)");
    expect(running.output.err).toContain("step 1 was not used");
  });

  it("prints a request that was still stalled before the summary that counts it", async () => {
    const running = await start(await file("s.json", { steps: [{ content: "one", fault: "stall" }] }));
    const response = await send(await running.url, request({ stream: true }));
    running.stop.abort();
    expect(await running.code).toBe(0);
    const [, usd] =
      /1 POST .* · fault stall · cut · .* · (\$[\d.]+) · end_turn\n1 request,/.exec(running.output.out) ?? [];
    expect(running.output.out).toContain(`1 request, 1 billed, ${usd}, `);
    await expect(response.text()).rejects.toThrow("terminated");
  });

  it("tells a client whose base URL lacks the version what to set, and ends with code 1", async () => {
    const running = await start(await file("s.json", { fallback: "x" }));
    const response = await fetch(`${await running.url}/messages`, { method: "POST", headers, body: "{}" });
    const why =
      "POST /messages does not exist. The API is at /v1/messages: if a client only appends /messages, its base URL has to end in /v1";
    expect([response.status, await response.json()]).toMatchObject([404, { error: { message: why } }]);
    running.stop.abort();
    expect(await running.code).toBe(1);
    expect(running.output.out).toContain(`1 POST /messages 404 · INVALID ${why}`);
    expect(running.output.err).toContain(`request 1 is invalid (404): ${why}`);
  });

  it("does not start on a port in use, and says what to do", async () => {
    const script = await file("s.json", { fallback: "x" });
    const running = await start(script);
    const port = Number(new URL(await running.url).port);
    const second = await start(script, port);
    expect(await second.code).toBe(2);
    expect(second.output.err).toBe(
      `pawl: Port ${port} is in use. Choose another with --port, or 0 for any free one.\n`,
    );
    running.stop.abort();
    await running.code;
  });

  it("does not start on a bad script", async () => {
    const running = await start(await file("s.json", { steps: [{ contents: "x" }] }));
    expect(await running.code).toBe(2);
    expect(running.output.err).toMatch(/^pawl: \S+s\.json is not a script:\n/u);
    expect(running.output.err).toContain('steps[0]: unknown key "contents"; allowed: content, stopReason');
  });
});

describe("script files", () => {
  const bad: [string, unknown, string][] = [
    ["a list", [], "the script: must be an object, is []"],
    ["an unknown key", { step: [] }, 'the script: unknown key "step"; allowed: description, steps, rules, fallback'],
    ["a description that is a number", { description: 3 }, "description: must be a string, is 3"],
    ["a step that is a number", { steps: ["ok", 3] }, "steps[1]: must be a text or a reply object; is 3"],
    [
      "an unknown part",
      { steps: [{ content: [{ txt: "x" }] }] },
      "steps[0].content[0]: must be a text or an object with one of: text, thinking",
    ],
    [
      "a typo in a call",
      { steps: [{ content: [{ tool: "Read", inputs: {} }] }] },
      'steps[0].content[0]: unknown key "inputs"; allowed: tool, input, rawInput, id',
    ],
    [
      "a typo in a call in the API's form",
      { steps: [{ content: [{ type: "tool_use", tool_name: "Read", input: {} }] }] },
      'steps[0].content[0]: needs "name"',
    ],
    [
      "a text block with the type of a call",
      { steps: [{ content: [{ type: "tool_use", text: "Read" }] }] },
      'steps[0].content[0].type: must be one of "text"; is "tool_use"',
    ],
    [
      "a typo in a selector",
      { steps: [{ content: [{ tool: "R", input: { a: { $fromResults: {} } } }] }] },
      "steps[0].content[0].input.a: must be $fromResult, $fromUser or $concat",
    ],
    [
      "a selector in place of an input",
      { steps: [{ content: [{ tool: "R", input: { $fromResult: { regex: "a" } } }] }] },
      "steps[0].content[0].input.$fromResult: is the whole input, which must be an object",
    ],
    [
      "a wrong expression",
      { rules: [{ when: { lastUserText: { regex: "(" } }, reply: "x" }] },
      "rules[0].when.lastUserText.regex: Invalid regular expression",
    ],
    [
      "an unknown condition",
      { rules: [{ when: { user: "x" }, reply: "x" }] },
      'rules[0].when: unknown key "user"; allowed: lastUserText',
    ],
    ["a rule without a reply", { rules: [{ when: {} }] }, 'rules[0]: needs "reply"'],
    [
      "an unknown fault",
      { steps: [{ fault: "explode" }] },
      'steps[0].fault: unknown fault "explode"; allowed: overloaded, rate_limit',
    ],
    [
      "an unknown point",
      { steps: [{ fault: { kind: "reset", at: "lunch" } }] },
      'steps[0].fault.at: must be one of "headers", "first_event"',
    ],
    [
      "flags of an expression that do not exist",
      { rules: [{ when: { lastUserText: { regex: "a", flags: "zz" } }, reply: "x" }] },
      "rules[0].when.lastUserText.flags: Invalid flags",
    ],
    [
      "chunks of no bytes",
      { steps: [{ content: "x", pace: { bytesPerChunk: 0 } }] },
      "steps[0].pace.bytesPerChunk: must be a number of 1 or more, is 0",
    ],
    [
      "a fault status that is not an error",
      { steps: [{ fault: { kind: "overloaded", status: 200 } }] },
      "steps[0].fault.status: must be a number from 400 to 599, is 200",
    ],
    [
      "an invalid header",
      { steps: [{ content: "x", headers: { "x-note": "a\nb" } }] },
      "steps[0].headers.x-note: Invalid character",
    ],
    [
      "usage in words",
      { steps: [{ content: "x", usage: { output_tokens: "many" } }] },
      'steps[0].usage.output_tokens: must be a number of 0 or more, is "many"',
    ],
    [
      "a misspelt trait of a model",
      { models: { m: { contextwindow: 5 } } },
      'models.m: unknown key "contextwindow"; allowed: contextWindow',
    ],
    [
      "no bytes to a token",
      { options: { bytesPerToken: 0 } },
      "options.bytesPerToken: must be a number of 0.01 or more",
    ],
    [
      "a probability over 1",
      { faults: { seed: 1, probability: 7 } },
      "faults.probability: must be a number from 0 to 1",
    ],
    ["a price without a rate", { prices: { m: { input: 1 } } }, 'prices.m: needs "output"'],
    ["an unknown option", { options: { cheat: true } }, 'options: unknown key "cheat"; allowed: endpoint, validate'],
  ];

  it.each(bad)("%s is refused with the place and what is allowed", async (_what, content, expected) => {
    const path = await file("bad.json", content);
    await expect(loadScript(path)).rejects.toThrow(expected);
    await expect(loadScript(path)).rejects.toThrow(`${path} is not a script`);
  });

  it("says which file is missing, is not JSON, or has no default export", async () => {
    await expect(loadScript(join(folder, "none.json"))).rejects.toThrow(
      "none.json cannot be read: there is no such file or folder (ENOENT)",
    );
    await expect(loadScript(await file("mark.json", '\ufeff{"steps":["a"]}\r\n'))).resolves.toMatchObject({
      steps: ["a"],
    });
    await expect(loadScript(await file("x.json", "{"))).rejects.toThrow("x.json is not valid JSON");
    await expect(loadScript(await file("x.mjs", "export const a = 1;"))).rejects.toThrow("has no default export");
    await expect(loadScript(await file("y.mjs", "syntax error here"))).rejects.toThrow("y.mjs cannot be loaded");
  });
});

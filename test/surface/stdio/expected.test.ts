// What programs of the convention rely on without saying so.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { beginsAgent, calls, Client, drive, says, type Json } from "./client.ts";

const uuid = "0b0b0b0b-1111-4222-8333-000000000001";

test("a client-composed message reaches the model unchanged", () =>
  drive([says("one"), says("two")], {}, async (client) => {
    client.sendPrompt("/cost", { client_composed: true });
    client.sendPrompt("/compact @nothing.txt", { client_composed: true, priority: "now", uuid });
    await client.result(2);
    expect(client.results().map(({ result }) => result)).toEqual(["one", "two"]);
    const sent = JSON.stringify(client.server.requests.at(-1)?.body);
    expect(sent).toContain("/cost");
    expect(sent).toContain("/compact @nothing.txt");
  }));

test.each([{ client_composed: true }, { shouldQuery: false }])(
  "a message that needs no answer is not answered during a running turn either: %j",
  (as) => {
    const first = Promise.withResolvers<ReturnType<typeof says>>();
    return drive(
      (_, at) => (at === 0 ? first.promise : says("more")),
      {},
      async (client) => {
        client.sendPrompt("go");
        await client.server.whenAsked(1);
        client.sendPrompt("/status", as);
        client.sendPrompt("and?");
        await client.request("get_binary_version");
        first.resolve(says("one"));
        await client.until(
          () => JSON.stringify(client.server.requests.at(-1)?.body).includes("and?"),
          "the last message",
        );
        await client.until(() => client.results().at(-1)?.["result"] === "more", "its answer");
        expect(client.results().map(({ result }) => result)).not.toContainEqual(expect.stringContaining("pawl "));
        expect(JSON.stringify(client.server.requests.at(-1)?.body)).toContain("/status");
      },
    );
  },
);

test("init lists the capabilities that hosts look for", () =>
  drive([says("x")], {}, async (client) => {
    client.sendPrompt("go");
    await client.result();
    const init = client.messages.find(({ subtype }) => subtype === "init");
    expect(init?.["capabilities"]).toEqual([
      "interrupt_receipt_v1",
      "interrupt_cancel_queued_v1",
      "mcp_call_check_permissions_v1",
      "mcp_read_resource_v1",
      "reload_plugins_refuse_if_busy_v1",
    ]);
  }));

test("reload_plugins with refuse_if_busy is refused while a background agent runs", () => {
  const counted = Promise.withResolvers<ReturnType<typeof says>>();
  return drive(beginsAgent(counted.promise), {}, async (client) => {
    client.sendPrompt("begin");
    await client.result();
    await expect(client.request("reload_plugins", { refuse_if_busy: true })).rejects.toThrow(/try again later/u);
    expect(client.replies.at(-1)).toMatchObject({ error_code: "reload_plugins_busy" });
    counted.resolve(says("three"));
    await client.until(() => client.messages.some(({ state }) => state === "idle"), "idle");
    await client.request("reload_plugins", { refuse_if_busy: true });
  });
});

test("SessionEnd hooks of a client that has closed its input are called without waiting for an answer", () =>
  drive([says("x")], { isProcess: true, answer: () => new Promise(() => undefined) }, async (client) => {
    await client.request("initialize", { hooks: { SessionEnd: [{ hookCallbackIds: ["end"] }] } });
    client.sendPrompt("go");
    await client.result();
    expect(await client.close()).toMatchObject({ code: 0 });
    expect(client.controlRequests).toMatchObject([{ callback_id: "end", input: { hook_event_name: "SessionEnd" } }]);
  }));

test("initialize titles a new session but not a resumed one", () =>
  drive([says("x"), says("y")], {}, async (client) => {
    await client.request("initialize", { title: "First" });
    client.sendPrompt("go");
    const { session_id: id } = await client.result();
    await client.request("rename_session", { title: "Renamed" });
    await client.close();
    const again = new Client(client.place, client.server, { args: ["--resume", String(id)] });
    await again.request("initialize", { title: "Other" });
    again.sendPrompt("go on");
    await again.result();
    await again.close();
    const third = new Client(client.place, client.server, { args: ["--resume", "Renamed"] });
    await third.request("initialize");
    expect((await third.close()).code).toBe(0);
  }));

test("a picture with an empty text is accepted, and an empty text alone is not", () =>
  drive([says("seen")], {}, async (client) => {
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const picture = { type: "image", source: { type: "base64", media_type: "image/png", data } };
    client.sendPrompt([{ type: "text", text: "" }, picture]);
    expect(await client.result()).toMatchObject({ result: "seen" });
    const sent = client.server.requests.at(-1)?.body.messages.flatMap(({ content }) => content) as Json[];
    expect(sent).toContainEqual(expect.objectContaining(picture));
    expect(sent).not.toContainEqual(expect.objectContaining({ text: "" }));
    client.sendPrompt([{ type: "text", text: "" }]);
    expect(await client.result(2)).toMatchObject({ is_error: true, errors: [expect.stringContaining("empty")] });
  }));

test("an urgent but empty message does not end the running turn", () => {
  const answered = Promise.withResolvers<ReturnType<typeof says>>();
  const asked = Promise.withResolvers<void>();
  return drive(
    () => {
      asked.resolve();
      return answered.promise;
    },
    {},
    async (client) => {
      client.sendPrompt("go");
      await asked.promise;
      client.sendPrompt([{ type: "text", text: "" }], { priority: "now" });
      await client.request("get_session_cost");
      answered.resolve(says("gone"));
      expect(await client.result()).toMatchObject({ result: "gone" });
      expect(await client.result(2)).toMatchObject({ is_error: true, errors: [expect.stringContaining("empty")] });
    },
  );
});

test("set_max_thinking_tokens with only thinking_display keeps the budget", () =>
  drive([says("x")], { args: ["--model", "claude-sonnet-4-5"] }, async (client) => {
    await client.request("set_max_thinking_tokens", { max_thinking_tokens: 2_000 });
    await client.request("set_max_thinking_tokens", { thinking_display: "omitted" });
    client.sendPrompt("go");
    await client.result();
    expect(client.server.requests.at(-1)?.body).toMatchObject({
      thinking: { type: "enabled", budget_tokens: 2_000, display: "omitted" },
    });
  }));

test("--max-turns counts the model's answers, as num_turns does", () =>
  drive(
    [calls(["Glob", { pattern: "*" }], ["Glob", { pattern: "a*" }]), calls(["Glob", { pattern: "b*" }])],
    {
      args: ["--max-turns", "2"],
    },
    async (client) => {
      client.sendPrompt("go");
      expect(await client.result()).toMatchObject({ subtype: "error_max_turns", num_turns: 2, is_error: true });
      expect(client.server.requests).toHaveLength(2);
    },
  ));

test("get_settings shows applied flag settings before any prompt", () =>
  drive([says("x")], { args: ["--model", "sonnet"] }, async (client) => {
    await client.request("apply_flag_settings", { settings: { model: "haiku", effortLevel: "low" } });
    expect(await client.request("get_settings")).toMatchObject({ effective: { model: "haiku", effortLevel: "low" } });
    client.sendPrompt("go");
    await client.result();
    expect(client.server.requests.at(-1)?.body).toMatchObject({ model: expect.stringContaining("haiku") as string });
  }));

test("--session-mirror sends each transcript line, and a session can be resumed from the mirrored files", () =>
  drive([says("Noted."), says("A heron.")], { args: ["--session-mirror"] }, async (client) => {
    client.sendPrompt("Remember the heron.");
    const { session_id: id } = await client.result();
    await client.request("rename_session", { title: "Bird" });
    client.sendPrompt("/tag grey");
    await client.result(2);
    await client.close();
    const frames = client.messages.filter(({ type }) => type === "transcript_mirror");
    const [name] = new Set(frames.map(({ filePath }) => String(filePath)));
    expect(name).toMatch(new RegExp(`/\\.claude/projects/[^/]+/${String(id)}\\.jsonl$`, "u"));
    const all = frames.flatMap(({ entries }) => entries as Json[]);
    expect(all.filter(({ v }) => v !== 1)).toEqual([
      { type: "custom-title", customTitle: "Bird", sessionId: id },
      { type: "tag", tag: "grey", sessionId: id },
    ]);
    const own = (name ?? "").replace("/.claude/", "/.pawl/");
    expect(all.map((line) => JSON.stringify(line))).toEqual(readFileSync(own, "utf8").trimEnd().split("\n"));

    const laid = join(client.place.home, "laid");
    const path = join(laid, (name ?? "").slice((name ?? "").indexOf("projects/")));
    mkdirSync(dirname(path), { recursive: true });
    const renamed = { type: "custom-title", customTitle: "Grey bird", sessionId: id };
    writeFileSync(path, [...all, renamed].map((line) => `${JSON.stringify(line)}\n`).join(""));
    rmSync(join(client.place.home, ".pawl"), { recursive: true });
    const again = new Client(client.place, client.server, {
      args: ["--session-mirror", "--resume", String(id)],
      env: { CLAUDE_CONFIG_DIR: laid },
    });
    again.sendPrompt("Which bird?");
    expect(await again.result()).toMatchObject({ result: "A heron.", session_id: id });
    again.sendPrompt("/status");
    expect((await again.result(2))["result"]).toContain("Grey bird");
    expect((await again.close()).stderr).not.toContain("damaged");
    expect(JSON.stringify(client.server.requests.at(-1)?.body)).toContain("heron");
    const more = again.messages.filter(({ type }) => type === "transcript_mirror");
    expect(new Set(more.map(({ filePath }) => filePath))).toEqual(new Set([path]));
  }));

test("--session-mirror names the tool call that an agent works for", () =>
  drive(
    [calls(["Agent", { description: "count", prompt: "Count." }]), says("7"), says("There are 7.")],
    { args: ["--session-mirror"] },
    async (client) => {
      client.sendPrompt("How many?");
      await client.result();
      await client.close();
      const frames = client.messages.filter(({ type }) => type === "transcript_mirror");
      const isAgents = ({ filePath }: Json): boolean => /\/subagents\/agent-[^/]+\.jsonl$/u.test(String(filePath));
      const told = (of: Json[]) =>
        of.flatMap(({ entries }) => entries as Json[]).filter(({ type }) => type === "agent_metadata");
      const toolUseId = expect.stringMatching(/^toolu_/u) as string;
      expect(told(frames.filter(isAgents))).toEqual([
        { type: "agent_metadata", agentType: "general-purpose", toolUseId },
      ]);
      expect(told(frames.filter((frame) => !isAgents(frame)))).toEqual([]);
    },
  ));

test("a result has the origin of a message that a person wrote", () =>
  drive([says("one"), says("two"), says("three")], {}, async (client) => {
    client.sendPrompt("one", { origin: { kind: "human" } });
    client.sendPrompt("two");
    client.sendPrompt("three", { origin: { kind: "task-notification" } });
    client.sendPrompt("/cost", { origin: { kind: "human", server: "x" } });
    await client.result(4);
    const human = { kind: "human" };
    expect(client.results().map(({ origin }) => origin)).toEqual([human, undefined, undefined, human]);
  }));

test("a result lists the uuids of the messages that it answers", () => {
  const [given, joined, next] = ["1", "2", "3"].map((end) => uuid.replace(/.$/u, end)) as [string, string, string];
  const ids = ({ user_message_uuid: last, user_message_uuids: all }: Json): unknown[] => [last, all];
  const first = Promise.withResolvers<ReturnType<typeof calls>>();
  const hang = new Promise<ReturnType<typeof says>>(() => undefined);
  return drive(
    (_, at) => [first.promise, says("both"), hang][at] ?? says("nameless"),
    {},
    async (client) => {
      client.sendPrompt("one", { uuid: given });
      await client.server.whenAsked(1);
      client.sendPrompt("two", { uuid: joined, priority: "next" });
      await client.request("get_binary_version");
      first.resolve(calls(["Read", { file_path: "a.txt" }]));
      expect(ids(await client.result())).toEqual([joined, [given, joined]]);
      const said = client.messages.filter(({ type }) => type === "assistant");
      expect(said.map(ids)).toEqual([
        [given, [given]],
        [joined, [given, joined]],
      ]);
      client.sendPrompt("three", { uuid: next });
      await client.server.whenAsked(3);
      client.sendPrompt("four");
      await client.request("interrupt");
      expect(ids(await client.result(2))).toEqual([next, [next]]);
      expect(ids(await client.result(3))).toEqual([undefined, undefined]);
      client.sendPrompt("/cost", { uuid: given.replace(/.$/u, "4") });
      expect(await client.result(4)).toMatchObject({ user_message_uuid: given.replace(/.$/u, "4") });
    },
  );
});

test("a result also lists a joining message that a hook refused", () => {
  const [given, refused] = ["1", "2"].map((end) => uuid.replace(/.$/u, end)) as [string, string];
  const first = Promise.withResolvers<ReturnType<typeof calls>>();
  const answer = ({ input }: Json): Json =>
    (input as Json)["prompt"] === "two" ? { decision: "block", reason: "no" } : {};
  return drive(
    (_, at) => (at === 0 ? first.promise : says("one")),
    { answer },
    async (client) => {
      await client.request("initialize", { hooks: { UserPromptSubmit: [{ hookCallbackIds: ["look"] }] } });
      client.sendPrompt("one", { uuid: given });
      await client.server.whenAsked(1);
      client.sendPrompt("two", { uuid: refused, priority: "next" });
      await client.request("get_binary_version");
      first.resolve(calls(["Read", { file_path: "a.txt" }]));
      expect(await client.result()).toMatchObject({ user_message_uuids: [given, refused], user_message_uuid: refused });
      const last = client.messages.findLast(({ type }) => type === "assistant");
      expect(last).toMatchObject({ user_message_uuids: [given], user_message_uuid: given });
    },
  );
});

// Control requests: each has exactly one reply, whatever else goes on.
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { controlTable } from "../../../src/surface/stdio/control-table.ts";
import { calls, drive, says, type Client, type Json } from "./client.ts";

const one = "0b0b0b0b-1111-4222-8333-000000000001";
const two = "0b0b0b0b-1111-4222-8333-000000000002";
const hang = { kind: "hang" } as const;

describe("interrupt", () => {
  test("ends a turn that waits for the model, after the receipt, and the session continues", () =>
    drive(
      (_, at) => (at === 0 ? hang : says("again")),
      {},
      async (client) => {
        client.sendPrompt("go", { uuid: one });
        client.sendPrompt("next", { uuid: two });
        await client.server.whenAsked(1);
        expect(await client.request("interrupt")).toEqual({ still_queued: [two] });
        expect(await client.result(1)).toMatchObject({ is_error: true, terminal_reason: "aborted_streaming" });
        expect(await client.result(2)).toMatchObject({ result: "again" });
        expect(client.order.indexOf("control_response")).toBeLessThan(client.order.indexOf("result"));
      },
    ));

  test("ends a turn whose tool waits for permission, and withdraws the question", () =>
    drive(
      [calls(["Bash", { command: "touch x" }]), says("again")],
      { args: ["--permission-prompt-tool", "stdio"], answer: () => new Promise(() => undefined) },
      async (client) => {
        client.sendPrompt("go");
        await client.until(() => client.controlRequests.length > 0, "the question");
        const again = await client.request("initialize").catch((error: unknown) => String(error));
        expect(again).toContain("initialize must come first");
        await client.request("interrupt");
        expect(await client.result()).toMatchObject({ terminal_reason: "aborted_tools" });
        expect(client.withdrawn).toHaveLength(1);
        client.sendPrompt("again");
        expect(await client.result(2)).toMatchObject({ result: "again" });
      },
    ));

  test("ends the coming first turn, but nothing between turns", () =>
    drive([says("x")], {}, async (client) => {
      await client.request("initialize");
      expect(await client.request("interrupt")).toEqual({ still_queued: [] });
      client.sendPrompt("first");
      expect(await client.result(1)).toMatchObject({ terminal_reason: "aborted_streaming" });
      await client.request("interrupt");
      client.sendPrompt("second");
      expect(await client.result(2)).toMatchObject({ result: "x" });
      expect(client.messages.filter(({ subtype }) => subtype === "informational")).toEqual([]);
    }));

  test("lists messages that wait to join the turn, without those that were cancelled", () =>
    drive(
      (_, at) => (at === 0 ? hang : says("again")),
      {},
      async (client) => {
        client.sendPrompt("go");
        await client.server.whenAsked(1);
        client.sendPrompt("joins", { uuid: one, priority: "next" });
        client.sendPrompt("joins too", { uuid: two, priority: "next" });
        expect(await client.request("cancel_async_message", { message_uuid: one })).toEqual({ cancelled: true });
        expect(await client.request("cancel_async_message", { message_uuid: one })).toEqual({ cancelled: false });
        expect(await client.request("interrupt")).toEqual({ still_queued: [two] });
        expect(await client.result(2)).toMatchObject({ result: "again" });
        expect(JSON.stringify(client.server.requests[1]?.body.messages)).not.toContain('"joins"');
      },
    ));

  test("drops messages that wait to join the turn if cancel_queued is set", () =>
    drive([hang], {}, async (client) => {
      client.sendPrompt("go");
      await client.server.whenAsked(1);
      client.sendPrompt("after", { uuid: two });
      client.sendPrompt("joins", { uuid: one, priority: "next" });
      const receipt = { cancelled: [one, two], still_queued: [] };
      expect(await client.request("interrupt", { cancel_queued: true })).toEqual(receipt);
      await client.close();
      expect(client.results()).toHaveLength(1);
    }));

  test("says how many dropped messages had no uuid", () =>
    drive([hang], {}, async (client) => {
      client.sendPrompt("go");
      client.sendPrompt("nameless");
      client.sendPrompt("named", { uuid: one });
      client.sendPrompt("nameless too");
      await client.server.whenAsked(1);
      const receipt = { cancelled: [one], still_queued: [] };
      expect(await client.request("interrupt", { cancel_queued: true })).toEqual(receipt);
      await client.result();
      await client.close();
      const told = client.messages.filter(({ subtype }) => subtype === "informational");
      expect(told).toMatchObject([{ content: "the interrupt dropped 2 messages that waited without a uuid" }]);
      expect(client.results()).toHaveLength(1);
    }));

  test("drops waiting messages if cancel_queued is set", () =>
    drive([hang], {}, async (client) => {
      client.sendPrompt("go");
      client.sendPrompt("next", { uuid: one });
      client.sendPrompt("and next", { uuid: two });
      await client.server.whenAsked(1);
      expect(await client.request("cancel_async_message", { message_uuid: two })).toEqual({ cancelled: true });
      expect(await client.request("cancel_async_message", { message_uuid: two })).toEqual({ cancelled: false });
      expect(await client.request("interrupt", { cancel_queued: true })).toEqual({
        cancelled: [one],
        still_queued: [],
      });
      await client.result();
      await client.close();
      expect(client.results()).toHaveLength(1);
    }));
});

describe("requests that change something", () => {
  test("set_model and set_max_thinking_tokens apply from the next turn on", () =>
    drive([says("x")], { args: ["--model", "opus"] }, async (client) => {
      await client.request("initialize");
      await client.request("set_model", { model: "haiku" });
      await client.request("set_max_thinking_tokens", { max_thinking_tokens: 0 });
      client.sendPrompt("a");
      await client.result(1);
      await client.request("set_model", { model: null });
      await client.request("set_max_thinking_tokens", { max_thinking_tokens: null });
      client.sendPrompt("b");
      await client.result(2);
      const sent = client.server.requests.map(({ body }) => body as unknown as { model: string; thinking?: Json });
      expect(sent.map(({ model }) => model)).toEqual([
        expect.stringContaining("haiku"),
        expect.stringContaining("opus"),
      ]);
      expect(sent[0]?.thinking?.["type"]).not.toBe("adaptive");
      await expect(client.request("set_max_thinking_tokens", { max_thinking_tokens: -1 })).rejects.toThrow("whole");
      await expect(client.request("rename_session", { title: "x", session_id: one })).rejects.toThrow("a different id");
    }));

  test("set_model changes the model of the running turn from its next request on", () => {
    const first = Promise.withResolvers<ReturnType<typeof calls>>();
    return drive(
      (_, at) => (at === 0 ? first.promise : says("done")),
      { args: ["--model", "opus"] },
      async (client) => {
        client.sendPrompt("go");
        await client.server.whenAsked(1);
        await client.request("set_model", { model: "haiku" });
        first.resolve(calls(["Glob", { pattern: "*" }]));
        expect(await client.result()).toMatchObject({ subtype: "success", result: "done" });
        expect(client.server.requests.map(({ body }) => (body as unknown as Json)["model"])).toEqual([
          expect.stringContaining("opus"),
          expect.stringContaining("haiku"),
        ]);
      },
    );
  });

  test("generate_session_title answers the title, or the beginning of the description", () =>
    drive([], {}, async (client) => {
      await client.request("initialize");
      const ask = (description: string) => client.request("generate_session_title", { description, persist: true });
      expect(await ask(" \n")).toEqual({ title: null });
      expect(await ask(`Mend the\nparser ${"x".repeat(200)}`)).toEqual({
        title: expect.stringMatching(/^Mend the parser x{10,70}…$/u) as string,
      });
      await client.request("rename_session", { title: "Parser" });
      expect(await ask("Something else")).toEqual({ title: "Parser" });
    }));

  test("set_model can be refused by a hook, and the next message waits for the hook", () => {
    const refusing = `grep -q '"to_model":"[a-z-]*opus' && echo "Too dear." >&2 && exit 2; until [ -e go ]; do sleep 0.02; done`;
    const group = (command: string) => [{ hooks: [{ type: "command", command }] }];
    const hooks = { PreModelSwitch: group(refusing), PostModelSwitch: group("cat > switched") };
    const args = ["--model", "sonnet", "--settings", JSON.stringify({ hooks })];
    return drive([says("x")], { args }, async (client) => {
      await client.request("initialize");
      await expect(client.request("set_model", { model: "opus" })).rejects.toThrow(/stays claude-sonnet.*Too dear\./u);
      const switched = client.request("set_model", { model: "haiku" });
      client.sendPrompt("a");
      writeFileSync(join(client.place.folder, "go"), "");
      await Promise.all([switched, client.result(1)]);
      const [sent] = client.server.requests.map(({ body }) => body as unknown as { model: string });
      expect(sent?.model).toContain("haiku");
      await client.close();
      const told = JSON.parse(readFileSync(join(client.place.folder, "switched"), "utf8")) as Json;
      expect(told).toMatchObject({ to_model: sent?.model, requested_model: "haiku", source: "sdk" });
    });
  });

  test("rewind_files restores files to their state before a message", () =>
    drive(
      [calls(["Write", { file_path: "a.txt", content: "new" }]), says("done")],
      { args: ["--permission-mode", "acceptEdits", "--replay-user-messages"] },
      async (client) => {
        client.sendPrompt("write");
        await client.result();
        const replay = client.messages.find(({ isReplay }) => isReplay === true);
        expect(replay).toMatchObject({ type: "user", message: { role: "user", content: "write" } });
        const file = join(client.place.folder, "a.txt");
        expect(readFileSync(file, "utf8")).toBe("new");
        const about = { user_message_id: replay?.["uuid"] };
        expect(await client.request("rewind_files", { ...about, dry_run: true })).toMatchObject({ canRewind: true });
        // Taken for no, it put the files back.
        const unclear = client.request("rewind_files", { ...about, dry_run: "true" });
        await expect(unclear).rejects.toThrow('"dry_run" must be true or false');
        expect(readFileSync(file, "utf8")).toBe("new");
        expect(await client.request("rewind_files", about)).toMatchObject({ filesChanged: [file] });
        expect(() => readFileSync(file)).toThrow("ENOENT");
      },
    ));

  test("seed_read_state allows an edit only if the file has not changed since", () =>
    drive(
      ["a.txt", "b.txt"].flatMap((file_path) => [
        calls(["Edit", { file_path, old_string: "old", new_string: "new" }]),
        says("done"),
      ]),
      { args: ["--permission-mode", "acceptEdits"] },
      async (client) => {
        const paths = [client.place.write("a.txt", "old"), client.place.write("b.txt", "old")] as const;
        await client.request("seed_read_state", { path: paths[0], mtime: 1 });
        await client.request("seed_read_state", { path: paths[1], mtime: Math.floor(statSync(paths[1]).mtimeMs) });
        for (const turn of [1, 2]) {
          client.sendPrompt("edit");
          await client.result(turn);
        }
        expect(paths.map((path) => readFileSync(path, "utf8"))).toEqual(["old", "new"]);
      },
    ));

  test("get_task_output and stop_task read and end a background command", () =>
    drive(
      [calls(["Bash", { command: "echo begun; sleep 60", run_in_background: true }]), says("done")],
      { args: ["--allowed-tools", "Bash"] },
      async (client) => {
        client.sendPrompt("go");
        await client.result();
        const sent = JSON.stringify(client.server.requests.at(-1)?.body.messages);
        const task = /\b(b[\da-f]{4}\d)\b/u.exec(sent)?.[1] ?? "";
        expect(await client.request("get_task_output", { task_id: task })).toMatchObject({ truncated: false });
        expect(await client.request("stop_task", { task_id: task })).toEqual({});
        await expect(client.request("stop_task", { task_id: "b0" })).rejects.toThrow("no background task");
      },
    ));
});

describe("requests that read something", () => {
  test("get_usage answers changed lines and durations", () =>
    drive(
      [calls(["Write", { file_path: "new.txt", content: "one\ntwo\nthree" }]), says("done")],
      { args: ["--permission-mode", "acceptEdits"] },
      async (client) => {
        client.sendPrompt("go");
        await client.result();
        const { session } = (await client.request("get_usage")) as { session: Record<string, number> };
        expect(session).toMatchObject({
          total_lines_added: 3,
          total_lines_removed: 0,
          model_usage: expect.any(Object),
        });
        const { total_duration_ms: all = 0, total_api_duration_ms: api = 0 } = session;
        expect(api).toBeGreaterThan(0);
        expect(all).toBeGreaterThanOrEqual(api);
      },
    ));

  test("requests for usage, rules, settings, hooks and models answer the current state", () =>
    drive([says("x")], { args: ["--disallowed-tools", "WebFetch"] }, async (client) => {
      mkdirSync(join(client.place.home, ".claude"));
      const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
      const settings = { model: "opus", permissions: { allow: ["Bash(ls)"] }, hooks };
      writeFileSync(join(client.place.home, ".claude", "settings.json"), JSON.stringify(settings));
      expect(await client.request("get_settings")).toMatchObject({
        effective: { model: "opus" },
        sources: [{ source: "userSettings", settings }],
        errors: [],
      });
      expect(await client.request("list_permission_rules")).toMatchObject({
        state: {
          rules: [
            { behavior: "allow", rule: "Bash(ls)", source: "userSettings", editability: "persistent" },
            { behavior: "deny", rule: "WebFetch", source: "cliArg", editability: "session" },
          ],
          originalCwd: client.place.folder,
        },
      });
      expect(await client.request("get_hooks_listing")).toMatchObject({
        events: [{ name: "Stop", hookCount: 1 }],
        hooks: [{ event: "Stop", commandText: "true", type: "command" }],
      });
      expect(await client.request("get_usage")).toMatchObject({ session: { total_cost_usd: 0 } });
      expect(await client.request("get_session_cost")).toMatchObject({ text: "$0.00" });
      expect(await client.request("mcp_status")).toEqual({ mcpServers: [] });
      const usage = await client.request("get_context_usage");
      expect(usage).toMatchObject({ totalTokens: expect.any(Number), mcpTools: [], agents: expect.any(Array) });
      const rows = usage["gridRows"] as {
        isFilled: boolean;
        categoryName: string;
        tokens: number;
        percentage: number;
      }[][];
      expect(rows.map((row) => row.length)).toEqual(Array.from({ length: 10 }, () => 10));
      const names = (usage["categories"] as { name: string }[]).map(({ name }) => name);
      expect(rows.flat().every(({ categoryName }) => names.includes(categoryName))).toBe(true);
      const percent = (tokens: number): number => Math.round((tokens / Number(usage["maxTokens"])) * 100);
      expect(rows.flat().every(({ tokens, percentage }) => percentage === percent(tokens))).toBe(true);
      expect([rows[0]?.[0]?.isFilled, rows.flat().some(({ isFilled }) => !isFilled)]).toEqual([true, true]);
      expect(await client.request("list_models")).toHaveProperty("models");
    }));

  test.each([
    [["--settings", '{"disableAllHooks":true}'], false, false],
    [["--managed-settings", '{"allowManagedHooksOnly":true,"allowManagedPermissionRulesOnly":true}'], true, true],
  ])("get_hooks_listing and list_permission_rules report managed-only policies with %j", (args, hooks, rules) =>
    drive([], { args }, async (client) => {
      const listing = await client.request("get_hooks_listing");
      expect(listing).toMatchObject({ policy: { disabledByPolicy: false, managedOnly: hooks } });
      expect(await client.request("list_permission_rules")).toMatchObject({ state: { managedOnly: rules } });
    }),
  );

  test("read_file and file_suggestions answer only files that may be read", () =>
    drive([says("x")], { args: ["--disallowed-tools", "Read(./secret)"] }, async (client) => {
      client.place.write("src/alpha.txt", "héllo");
      client.place.write("src/beta-alphabet.txt", Buffer.from([0xff, 0x00]));
      client.place.write("secret", "no");
      const path = "src/alpha.txt";
      const absPath = join(client.place.folder, path);
      expect(await client.request("read_file", { path })).toEqual({ contents: "héllo", absPath, lossy: false });
      expect(await client.request("read_file", { path, max_bytes: 2 })).toMatchObject({ truncated: true, lossy: true });
      const bytes = { path: "src/beta-alphabet.txt", encoding: "base64" };
      expect(await client.request("read_file", bytes)).toMatchObject({ contents: "/wA=", encoding: "base64" });
      await expect(client.request("read_file", { path: "secret" })).rejects.toThrow("may not be read");
      await expect(client.request("read_file", { path: "/etc/hostname" })).rejects.toThrow("may not be read");
      await expect(client.request("read_file", { path: "none" })).rejects.toThrow(
        "none cannot be read: there is no such file",
      );
      await expect(client.request("read_file")).rejects.toThrow('"path" must be a non-empty string');
      const found = (await client.request("file_suggestions", { query: "alpha" }))["suggestions"] as Json[];
      expect(found.map((each) => each["path"])).toEqual(["src/alpha.txt", "src/beta-alphabet.txt"]);
      expect(await client.request("file_suggestions", { query: "secret" })).toEqual({ suggestions: [] });
    }));
});

describe("invalid requests", () => {
  test("a request with an invalid field is refused with the field's name and changes nothing", () =>
    drive([], {}, async (client) => {
      const path = client.place.write("a.txt", "old");
      for (const [subtype, fields, why] of [
        ["set_max_thinking_tokens", { max_thinking_tokens: "9" }, '"max_thinking_tokens" must be a whole number'],
        ["set_max_thinking_tokens", { max_thinking_tokens: 1.5 }, '"max_thinking_tokens" must be a whole number'],
        ["set_max_thinking_tokens", { thinking_display: "loud" }, '"thinking_display" must be summarized, omitted'],
        ["seed_read_state", { path, mtime: "now" }, '"mtime" must be a number of milliseconds since 1970'],
        ["file_suggestions", { query: 3 }, '"query" must be a string'],
        ["update_settings", { source: "policySettings", settings: {} }, '"source" must be userSettings or'],
        ["mcp_call", { tool: "mcp__a__b", arguments: [] }, '"arguments" must be an object'],
        ["mcp_call", { tool: "mcp__a__b", input_files: [] }, '"input_files" is not supported here'],
        ["reload_plugins", { add_plugins: ["x"] }, "plugins can only be added at the start of a session"],
      ] as const)
        await expect(client.request(subtype, fields)).rejects.toThrow(why);
    }));

  test("a malformed request gets one error response or a line on stderr, and the session continues", () =>
    drive([says("fine")], {}, async (client) => {
      client.write('{"type":"control_request","request_id":"a"}\n');
      client.write('{"type":"control_request","request_id":"b","request":{"subtype":7}}\n');
      client.write('{"type":"control_request","request":{"subtype":"interrupt"}}\n');
      client.link.stdin.write(
        Buffer.concat([
          Buffer.from('{"type":"control_request","request_id":"c","request":{"subtype":"\xc3"}}'.slice(0, -4)),
          Buffer.from([0xc3, 0x28]),
          Buffer.from('"}}\n'),
        ]),
      );
      client.write('{"type":"control_response","response":{"subtype":"success","request_id":"never"}}\n');
      client.write('{"type":"control_response","response":"what"}\n{"type":"control_cancel_request"}\n');
      client.write({ type: "control_request", request_id: "d", request: { subtype: "get_binary_version" } });
      client.write({ type: "control_request", request_id: "d", request: { subtype: "get_binary_version" } });
      client.write({ type: "control_request", request_id: "e", request: { subtype: "x".repeat(1_000_000) } });
      client.write({ type: "control_request", request_id: "f".repeat(1_001), request: { subtype: "interrupt" } });
      client.sendPrompt("go");
      expect(await client.result()).toMatchObject({ result: "fine" });
      const { stderr } = await client.close();
      expect(client.replies.map(({ request_id: id, subtype }) => `${String(id)} ${String(subtype)}`)).toEqual([
        "a error",
        "b error",
        "c error",
        "d success",
        "e error",
      ]);
      expect(stderr).toContain("the control request d came twice");
      expect(stderr).toContain(
        "line 3 of standard input was not used: a control_request needs a request_id of at most",
      );
    }));

  test("a cancelled request gets no response", () =>
    drive([says("x")], {}, async (client) => {
      await client.request("initialize");
      client.write({ type: "control_request", request_id: "s", request: { subtype: "file_suggestions", query: "a" } });
      client.write({ type: "control_cancel_request", request_id: "s" });
      await client.request("get_context_usage");
      await client.close();
      expect(client.replies.some(({ request_id: id }) => id === "s")).toBe(false);
    }));
});

const subtypes = [...controlTable.map(({ name }) => name), "initialize", "nonsense"];
const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ subtype: fc.constantFrom(...subtypes), fields: fc.dictionary(fieldNames(), fieldValues()) }),
  },
  { weight: 2, arbitrary: fc.constant("say" as const) },
  { weight: 1, arbitrary: fc.constant("wait" as const) },
);

function fieldNames(): fc.Arbitrary<string> {
  return fc.constantFrom(
    "mode",
    "model",
    "path",
    "query",
    "task_id",
    "user_message_id",
    "max_thinking_tokens",
    "title",
    "hooks",
  );
}

function fieldValues(): fc.Arbitrary<unknown> {
  return fc.oneof(fc.constantFrom("plan", "haiku", ".", null, 0, 5000, {}, []), fc.string({ maxLength: 5 }));
}

async function play(client: Client, actions: readonly (string | { subtype: string; fields: Json })[]): Promise<number> {
  let asked = 0;
  let said = 0;
  for (const each of actions) {
    if (each === "say") {
      client.sendPrompt(`message ${said}`);
      said += 1;
    } else if (typeof each === "string") await new Promise(setImmediate);
    else {
      client.write({
        type: "control_request",
        request_id: `p${asked}`,
        request: { ...each.fields, subtype: each.subtype },
      });
      asked += 1;
    }
  }
  return asked;
}

test("any sequence of requests and messages gets one response per request, and the session ends properly", async () => {
  const lists = fc.array(action, { maxLength: 25, size: "max" });
  await fc.assert(
    fc.asyncProperty(lists, (actions) =>
      drive([calls(["Glob", { pattern: "*" }]), says("ok")], {}, async (client) => {
        const asked = await play(client, actions);
        const { code } = await client.close();
        const ids = client.replies.map(({ request_id: id }) => String(id));
        const all = Array.from({ length: asked }, (_, at) => `p${at}`);
        expect(new Set(ids).size).toBe(ids.length);
        // A session that could not begin reads no further.
        const isRefused = client.results().some(({ terminal_reason: reason }) => reason === "turn_setup_failed");
        if (isRefused) expect(all).toEqual(expect.arrayContaining(ids));
        else expect(ids.toSorted()).toEqual(all.toSorted());
        expect([0, 1, 2, 130]).toContain(code);
      }),
    ),
    { numRuns: 12 },
  );
});

// A program drives the real command over its pipes.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { calls, drive, says, type Json } from "./client.ts";

const touch = calls(["Bash", { command: "touch made.txt", description: "make it" }]);
const stdio = ["--permission-prompt-tool", "stdio"];

// Seen: a client's user got an answer about a file whose name had been mistyped, and nothing anywhere said that there is none.
test("a file that a message names but that is not there is reported on stderr", () =>
  drive([says("hello")], {}, async (client) => {
    client.sendPrompt("Look at @gone.txt and ask @somebody.");
    await client.result();
    expect((await client.close()).stderr).toContain("pawl: Nothing was read for @gone.txt: there is no such file\n");
  }));

describe("initialize", () => {
  test("answers what the session offers, runs a turn, and ends with the input", () =>
    drive([says("hello")], { isProcess: true }, async (client) => {
      const facts = await client.request("initialize", { systemPrompt: ["Be brief."], title: "A\nname" });
      expect(facts).toMatchObject({
        output_style: "default",
        hooks_applied: true,
        hook_on_failure_supported: true,
        account: { apiKeySource: "ANTHROPIC_API_KEY" },
        pending_permission_requests: [],
      });
      expect((facts["commands"] as Json[]).map(({ name }) => name)).toContain("context");
      expect((facts["models"] as Json[]).map(({ value }) => value)).toContain("sonnet");
      client.sendPrompt([{ type: "text", text: "hi" }]);
      expect(await client.result()).toMatchObject({ subtype: "success", result: "hello" });
      const { code, stderr } = await client.close();
      expect([code, stderr]).toEqual([0, ""]);
      expect(client.server.requests[0]?.text).toContain("Be brief.");
      const again = await client.place.run(["-p", "--resume", "A name", "and?"]);
      expect(again.stdout).toBe("hello\n");
    }));

  test("defines agents, and refuses an invalid definition", () =>
    drive([says("x")], {}, async (client) => {
      const reviewer = {
        description: "Reviews.",
        prompt: "Review.",
        tools: ["Read"],
        omitClaudeMd: true,
        memory: "user",
      };
      const { agents } = await client.request("initialize", { agents: { reviewer } });
      expect((agents as Json[]).map(({ name }) => name)).toContain("reviewer");
    }).then(() =>
      drive([says("x")], {}, async (client) => {
        const asked = client.request("initialize", {
          agents: { reviewer: { description: "x", prompt: "y", tools: "Read" } },
        });
        await expect(asked).rejects.toThrow("agents.reviewer has tools that are not a list of names");
      }),
    ));

  test("answers a second time without changing anything", () =>
    drive([says("x")], {}, async (client) => {
      await client.request("initialize");
      expect(await client.request("initialize", { hooks: {} })).toMatchObject({ hooks_applied: false });
    }));

  test("prevents the session if a hook is invalid, because it may be a guard", () =>
    drive([says("x")], {}, async (client) => {
      const asked = client.request("initialize", { hooks: { PreToolUse: [{ matcher: "Bash" }] } });
      await expect(asked).rejects.toThrow("a hook of PreToolUse needs hookCallbackIds");
      client.sendPrompt("go on all the same");
      const { code, stderr } = await client.close();
      expect(code).toBe(2);
      expect(stderr).toContain("hookCallbackIds");
      expect(client.results()).toMatchObject([{ is_error: true, terminal_reason: "turn_setup_failed" }]);
      expect(client.server.requests).toHaveLength(0);
    }));

  test.each([
    [{ jsonSchema: "{}" }, "jsonSchema must be an object"],
    [{ systemPrompt: ["a", 5] }, "systemPrompt must be a string or a list of strings"],
    [{ appendSystemPrompt: ["a"] }, "appendSystemPrompt must be a string"],
    [{ planModeInstructions: 5 }, "planModeInstructions must be a string"],
    [{ sdkMcpServers: "calc" }, "sdkMcpServers must be a list of names"],
    [{ mcpServers: { calc: "here" } }, "mcpServers must be an object of servers by name"],
    [{ plugins: { type: "local" } }, "plugins must be a list"],
    [{ hooks: [] }, "hooks must be an object of events"],
    [{ hooks: { PreToolUse: { hookCallbackIds: ["a"] } } }, "hooks.PreToolUse must be a list"],
  ])("refuses an invalid field instead of ignoring it: %j", (fields, why) =>
    drive([says("x")], {}, async (client) => {
      await expect(client.request("initialize", fields)).rejects.toThrow(`initialize: ${why}`);
      expect((await client.close()).code).toBe(2);
    }),
  );

  test("fails with an error response, a result and exit code 2 if the session cannot be opened", () =>
    drive([says("x")], { args: ["--resume", "0b0b0b0b-1111-4222-8333-444444444444"] }, async (client) => {
      await expect(client.request("initialize")).rejects.toThrow("0b0b0b0b");
      const { code } = await client.ended;
      expect(code).toBe(2);
      expect(client.results()).toMatchObject([{ subtype: "error_during_execution", session_id: "" }]);
    }));
});

describe("permissions", () => {
  test("asks the client with a suggested rule, and applies the rule that it returns", () =>
    drive(
      [touch, touch, says("done")],
      {
        args: stdio,
        answer: ({ input, permission_suggestions: updates }) => ({
          behavior: "allow",
          updatedInput: input,
          updatedPermissions: updates,
        }),
      },
      async (client) => {
        await client.request("initialize");
        client.sendPrompt("make it");
        await client.result();
        expect(client.controlRequests).toMatchObject([
          {
            subtype: "can_use_tool",
            tool_name: "Bash",
            input: { command: "touch made.txt" },
            decision_reason_type: "mode",
            display_name: "Bash",
            description: "make it",
            permission_suggestions: [
              { type: "addRules", rules: [{ toolName: "Bash", ruleContent: "touch made.txt" }], behavior: "allow" },
            ],
          },
        ]);
        expect(existsSync(join(client.place.folder, "made.txt"))).toBe(true);
        const { state } = await client.request("list_permission_rules");
        expect(state).toMatchObject({ rules: [{ rule: "Bash(touch made.txt)", source: "session" }] });
      },
    ));

  test("repeats open questions to a client that initializes again", () => {
    const answered = Promise.withResolvers<Json>();
    return drive([touch, says("done")], { args: stdio, answer: () => answered.promise }, async (client) => {
      await client.request("initialize");
      client.sendPrompt("make it");
      await client.until(() => client.controlRequests.length > 0, "the question");
      const { pending_permission_requests: waiting } = await client.request("initialize");
      const reloaded = client.request("reload_plugins", { refuse_if_busy: true });
      await expect(reloaded).rejects.toThrow("try again later");
      answered.resolve({ behavior: "allow" });
      await client.result();
      expect(waiting).toMatchObject([
        {
          type: "control_request",
          request_id: expect.any(String),
          request: { subtype: "can_use_tool", tool_name: "Bash" },
        },
      ]);
    });
  });

  test.each([
    ["Bash(touch *)", { tool_name: "Bash", rule_content: "touch *" }],
    ["Bash", { tool_name: "Bash" }],
  ])("asks with the ask rule that matched: %s", (rule, matched) =>
    drive(
      [touch, says("done")],
      { args: [...stdio, "--settings", JSON.stringify({ permissions: { ask: [rule] } })] },
      async (client) => {
        client.sendPrompt("make it");
        await client.result();
        const [{ matched_ask_rule }] = client.controlRequests as [Json];
        expect(matched_ask_rule).toEqual({ source: "--settings", ...matched });
      },
    ),
  );

  test("asks with the path outside the session's folders", () =>
    drive(
      [calls(["Write", { file_path: "../out.txt", content: "x" }]), says("done")],
      { args: stdio },
      async (client) => {
        client.sendPrompt("make it");
        await client.result();
        expect(client.controlRequests).toMatchObject([{ blocked_path: join(dirname(client.place.folder), "out.txt") }]);
      },
    ));

  test.each([
    ["acceptEdits", ["ExitPlanMode"]],
    ["default", ["ExitPlanMode", "Write"]],
  ])("lets the client approve a plan with a mode: %s", (mode, asked) =>
    drive(
      [
        calls(["ExitPlanMode", { plan: "Make it." }]),
        calls(["Write", { file_path: "made.txt", content: "x" }]),
        says("done"),
      ],
      {
        args: [...stdio, "--permission-mode", "plan"],
        // As editors answer: their own choice only where nothing is suggested.
        answer: ({ tool_name: name, input, permission_suggestions: suggested }) =>
          name === "ExitPlanMode"
            ? {
                behavior: "allow",
                updatedInput: { ...(input as Json), plan: "Make it well." },
                updatedPermissions: suggested ?? [{ type: "setMode", mode, destination: "session" }],
              }
            : { behavior: "allow" },
      },
      async (client) => {
        await client.request("initialize", { planModeInstructions: "Ask the oracle." });
        client.sendPrompt("make it");
        await client.result();
        expect(client.controlRequests.map(({ tool_name: name }) => name)).toEqual(asked);
        expect(client.controlRequests[0]).toMatchObject({ input: { plan: "Make it." } });
        expect(existsSync(join(client.place.folder, "made.txt"))).toBe(true);
        const sent = client.server.requests.map(({ body }) => JSON.stringify(body.messages));
        expect(sent[0]).toContain("Ask the oracle.");
        expect(sent.at(-1)).toContain("Make it well.");
        const told = client.messages.filter(({ subtype, permissionMode }) => subtype === "status" && permissionMode);
        expect(told).toMatchObject([{ status: null, permissionMode: mode }]);
      },
    ),
  );

  test("writes a permission update to the file that it names", () =>
    drive(
      [touch, says("done")],
      {
        args: stdio,
        answer: () => {
          const rules = [{ toolName: "Bash", ruleContent: "touch *" }];
          const update = { type: "addRules", rules, behavior: "allow", destination: "localSettings" };
          return { behavior: "allow", updatedPermissions: [update] };
        },
      },
      async (client) => {
        client.sendPrompt("go");
        await client.result();
        const file = join(client.place.folder, ".pawl", "settings.local.json");
        expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ permissions: { allow: ["Bash(touch *)"] } });
      },
    ));

  test("judges a changed input again, and refuses on a denial or an error of the client", () =>
    drive(
      [
        calls(["Bash", { command: "touch one" }]),
        calls(["Bash", { command: "touch two" }]),
        calls(["Bash", { command: "touch three" }]),
        says("done"),
      ],
      {
        args: [...stdio, "--disallowed-tools", "Bash(rm *)"],
        answer: ({ input }) => {
          const { command } = input as Json;
          if (command === "touch one") return { behavior: "allow", updatedInput: { command: "rm -r ." } };
          if (command === "touch two") return { behavior: "deny", message: "Not today." };
          throw new Error("the callback broke");
        },
      },
      async (client) => {
        client.sendPrompt("go");
        const result = await client.result();
        expect(result["permission_denials"]).toHaveLength(3);
        const sent = JSON.stringify(client.server.requests.at(-1)?.body.messages);
        for (const text of ["rm -r .", "Not today.", "the callback broke"]) expect(sent).toContain(text);
        for (const name of ["one", "two", "three"]) expect(existsSync(join(client.place.folder, name))).toBe(false);
      },
    ));

  test("ends the turn at a denial with interrupt", () =>
    drive(
      [touch, says("never")],
      { args: stdio, answer: () => ({ behavior: "deny", message: "Stop.", interrupt: true }) },
      async (client) => {
        client.sendPrompt("go");
        expect(await client.result()).toMatchObject({ is_error: true, terminal_reason: "aborted_tools" });
        expect(client.server.requests).toHaveLength(1);
      },
    ));

  test("does not enter bypassPermissions unless the start allowed it", () =>
    drive(
      [touch, says("done")],
      {
        args: stdio,
        answer: () => ({
          behavior: "allow",
          updatedPermissions: [
            { type: "setMode", mode: "bypassPermissions", destination: "session" },
            { type: "dance" },
          ],
        }),
      },
      async (client) => {
        client.sendPrompt("go");
        await client.result();
        await expect(client.request("set_permission_mode", { mode: "bypassPermissions" })).rejects.toThrow(
          "--allow-dangerously-skip-permissions",
        );
        expect(await client.request("set_permission_mode", { mode: "manual" })).toEqual({ mode: "default" });
        expect(await client.request("set_permission_mode", { mode: "plan" })).toEqual({ mode: "plan" });
        client.sendPrompt("again");
        await client.result(2);
        const modes = client.messages.filter(({ subtype }) => subtype === "init").map((init) => init["permissionMode"]);
        expect(modes).toEqual(["default", "plan"]);
        expect(client.stderr).toContain("an unknown permission update of the client was ignored");
      },
    ));

  test("asks nobody with --permission-prompts none", () =>
    drive([touch, says("done")], { args: [...stdio, "--permission-prompts", "none"] }, async (client) => {
      client.sendPrompt("go");
      expect((await client.result())["permission_denials"]).toHaveLength(1);
      expect(client.controlRequests).toEqual([]);
    }));

  test("refuses calls that need a question once the client has closed its input", () =>
    drive([touch, says("done")], { args: stdio, answer: () => new Promise(() => undefined) }, async (client) => {
      client.sendPrompt("go");
      await client.until(() => client.controlRequests.length > 0, "the question");
      const { code } = await client.close();
      expect(code).toBe(0);
      expect(client.results()).toMatchObject([{ result: "done", permission_denials: [{ tool_name: "Bash" }] }]);
    }));
});

describe("hooks", () => {
  const hooks = (extra: Json = {}): Json => ({
    hooks: { PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["guard"], timeout: 30, ...extra }], Novelty: [] },
  });

  test("calls the client's hooks by id and applies their answers", () =>
    drive(
      [touch, says("done")],
      {
        args: ["--allowed-tools", "Bash"],
        answer: ({ callback_id: id, input }) => ({
          hookSpecificOutput: {
            hookEventName: "PreToolUse",
            permissionDecision: "deny",
            permissionDecisionReason: `${String(id)} saw ${String((input as Json)["tool_name"])}`,
          },
        }),
      },
      async (client) => {
        await client.request("initialize", hooks());
        client.sendPrompt("go");
        await client.result();
        expect(client.controlRequests).toMatchObject([
          { subtype: "hook_callback", callback_id: "guard", input: { hook_event_name: "PreToolUse" } },
        ]);
        expect(String(client.controlRequests[0]?.["tool_use_id"])).toMatch(/^toolu_/u);
        // Its client knows the call by then.
        expect(client.order.indexOf("control_request")).toBeGreaterThan(client.order.indexOf("assistant"));
        expect(JSON.stringify(client.server.requests.at(-1)?.body.messages)).toContain("guard saw Bash");
        expect(existsSync(join(client.place.folder, "made.txt"))).toBe(false);
      },
    ));

  test.each([
    [{}, true],
    [{ onFailure: "block" }, false],
    [{ onFailure: "blok" }, false],
    [{ onFailure: null }, true],
  ] as const)(
    "reports a hook answer that is not an object, and lets the call pass unless onFailure blocks: %j",
    (extra, runs) =>
      drive(
        [touch, says("done")],
        { args: ["--allowed-tools", "Bash"], answer: () => "certainly" as never },
        async (client) => {
          await client.request("initialize", hooks(extra));
          client.sendPrompt("go");
          await client.result();
          expect(JSON.stringify(client.messages)).toContain("the client's response is not an object");
          expect(existsSync(join(client.place.folder, "made.txt"))).toBe(runs);
        },
      ),
  );

  test.each([
    [{}, true],
    [{ onFailure: "block" }, false],
  ] as const)("ignores a failed hook unless onFailure blocks: %j", (extra, runs) =>
    drive(
      [touch, says("done")],
      {
        args: ["--allowed-tools", "Bash"],
        answer: () => {
          throw new Error("broken");
        },
      },
      async (client) => {
        await client.request("initialize", hooks(extra));
        client.sendPrompt("go");
        await client.result();
        expect(existsSync(join(client.place.folder, "made.txt"))).toBe(runs);
      },
    ),
  );

  test("lets the call pass if the hook answers async", () =>
    drive(
      [touch, says("done")],
      { args: ["--allowed-tools", "Bash"], answer: () => ({ async: true, asyncTimeout: 1_000 }) },
      async (client) => {
        await client.request("initialize", hooks());
        client.sendPrompt("go");
        await client.result();
        expect(existsSync(join(client.place.folder, "made.txt"))).toBe(true);
      },
    ));

  test.each(["PreToolUse", "UserPromptSubmit"])("lets nothing pass if the client of a guard has gone: %s", (event) =>
    drive(
      [touch, says("done")],
      { args: ["--allowed-tools", "Bash"], answer: () => new Promise(() => undefined) },
      async (client) => {
        await client.request("initialize", { hooks: { [event]: [{ hookCallbackIds: ["guard"] }] } });
        client.sendPrompt("go");
        await client.until(() => client.controlRequests.length > 0, "the hook");
        await client.close();
        expect(existsSync(join(client.place.folder, "made.txt"))).toBe(false);
      },
    ),
  );
});

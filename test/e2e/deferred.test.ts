// A call that a hook puts off, over two runs of the command: the second needs no prompt to take it up.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atWire, calls, says } from "./support/ask.ts";

test("pawl -p ends successfully with a call that a hook deferred, and --resume runs it without a prompt", () =>
  atWire([calls(["Bash", { command: "touch made" }]), says("It is made.")], async (place, server) => {
    const answer = (decision: string): string =>
      JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: decision } });
    const file = join(place.home, "answer.json");
    const hook = { type: "command", command: `cat '${file}'` };
    const settings = JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } });
    const common = ["-p", "--settings", settings, "--output-format", "json"];
    writeFileSync(file, answer("defer"));
    const first = await place.run([...common, "Make it."]);
    const result = JSON.parse(first.stdout) as { session_id: string };
    expect([first.code, server.requests.length]).toEqual([0, 1]);
    expect(result).toMatchObject({ terminal_reason: "tool_deferred", deferred_tool_use: { name: "Bash" } });
    expect(readdirSync(place.folder)).not.toContain("made");
    writeFileSync(file, answer("allow"));
    const second = await place.run([...common, "--resume", result.session_id]);
    expect(JSON.parse(second.stdout)).toMatchObject({ terminal_reason: "completed", result: "It is made." });
    expect(readdirSync(place.folder)).toContain("made");
    const third = await place.run([...common, "--resume", result.session_id]);
    expect([third.code, third.stderr]).toEqual([2, expect.stringContaining("No prompt")]);
  }));

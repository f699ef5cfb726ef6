import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createWorld, type World } from "./command.ts";

let world: World;
beforeEach(async () => {
  world = await createWorld({ fallback: "ok" });
});
afterEach(() => world.close());

describe("a stdin that is never closed", () => {
  test("delays a run with a prompt for 3 s, with a notice, and does not keep the process alive", async () => {
    const { code, stdout, stderr } = await world.start(["-p", "x"], { stdin: "open" }).done;
    expect([code, stdout]).toEqual([0, "ok\n"]);
    expect(stderr).toContain("pawl: nothing arrived on standard input for 3 s");
  });

  test("is read to its end if its first byte comes in time", async () => {
    const { child, done } = world.start(["-p", "x"], { stdin: "open" });
    child.stdin.write("first ");
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    child.stdin.end("second");
    expect((await done).code).toBe(0);
    expect(JSON.stringify(world.server.requests[0]?.body)).toContain(String.raw`x\nfirst second`);
  });
});

describe("a background command that is still running at the end", () => {
  test("is ended after its grace period, and the process exits", async () => {
    await world.close();
    const input = { command: "echo $$ > pid; sleep 600", description: "x", run_in_background: true };
    world = await createWorld({ steps: [{ content: [{ tool: "Bash", input }] }, "done"] });
    const { code, stdout } = await world.run(["-p", "x", "--allowed-tools", "Bash"]);
    expect([code, stdout]).toEqual([0, "done\n"]);
    const { readFileSync } = await import("node:fs");
    const pid = Number(readFileSync(`${world.folder}/pid`, "utf8"));
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});

describe("a SessionEnd hook", () => {
  test("may take as long as its own timeout, longer than the rest of the exit", async () => {
    const hooks = { SessionEnd: [{ hooks: [{ type: "command", command: "sleep 11; touch ended", timeout: 30 }] }] };
    mkdirSync(join(world.home, ".pawl"));
    writeFileSync(join(world.home, ".pawl", "settings.json"), JSON.stringify({ hooks }));
    expect((await world.run(["-p", "x"])).code).toBe(0);
    expect(existsSync(join(world.folder, "ended"))).toBe(true);
  });
});

describe("a command that is stopped while the model answers", () => {
  test("reads what came meanwhile instead of sending the request again", async () => {
    await world.close();
    const paced = { content: "all of it ".repeat(20), pace: { deltaCharacters: 10, delayMs: 50 } };
    world = await createWorld({ steps: [paced, "again"] });
    const args = ["-p", "x", "--output-format", "stream-json", "--include-partial-messages", "--verbose"];
    const { child, saw, done } = world.start(args, { env: { PAWL_IDLE_TIMEOUT_MS: "400" } });
    await saw("text_delta");
    child.kill("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    child.kill("SIGCONT");
    const { code, stdout } = await done;
    expect(code).toBe(0);
    expect(stdout).toContain(paced.content.trim());
    expect(world.server.requests.length).toBe(1);
  });
});

// Probes of what has gone wrong in agents, against whole sessions: a repository lays the trap, or the model walks into it, and
// nobody is there to be asked. Real tools, real files; what must not happen leaves a canary.
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { Part, Script } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  scripted,
  turn,
  type Ground,
} from "../session/support.ts";
import { bash, make } from "../permissions/support.ts";
import { describeVectors } from "../support/vectors.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

interface Probe {
  kind: string;
  tool?: string;
  files?: Record<string, unknown>;
  input?: Record<string, string>;
  commands?: string[];
  paths?: string[];
  mode?: "acceptEdits";
  settings?: object;
  settings_text?: string;
}

const secret = "hand-this-to-nobody";

/** With a secret in the home folder, and a place for the canary outside the working folder. */
function ground(): Ground & { canary: string; filled(text: string): string } {
  const made = layGround();
  mkdirSync(join(made.home, ".ssh"));
  writeFileSync(join(made.home, ".ssh/id_rsa"), secret);
  const canary = join(made.home, "canary");
  return { ...made, canary, filled: (text) => text.replaceAll("{canary}", canary).replaceAll("{cwd}", made.work) };
}

interface Seen {
  /** Of the calls, in their order. */
  results: string[];
  /** All that the model was sent. */
  sent: string;
}

/** One turn in which the model makes these calls, and no other. */
async function attempt(place: Ground, parts: Part[], options: EngineOptions = {}, prompt = "hi"): Promise<Seen> {
  const script: Script = { steps: parts.length === 0 ? [] : [{ content: parts }], fallback: "Done." };
  const model = scripted(script, { validate: "light" });
  const engine = await openOn(place, model, { env: { ANTHROPIC_API_KEY: secret }, ...options });
  const { messages } = await turn(engine, prompt);
  const results = messages.flatMap((message) => {
    if (message.type !== "user" || typeof message.message.content === "string") return [];
    const given = message.message.content.filter((block) => block.type === "tool_result");
    return given.map((block) => JSON.stringify(block["content"]));
  });
  return {
    results,
    sent: calls(model)
      .map(({ body }) => JSON.stringify(body))
      .join("\n"),
  };
}

/** Floods and waits, which tests of the tools hold to their bounds. */
const slow = new Set(["OUT-1"]);
/** Judged and never run: a fault of ours must not set the clock of who runs the tests. */
const changesMachine = /^(?:date -s|hostname |history -w|sudo )/u;

describeVectors<{ probes: { id: string; probe: Probe }[] }>("threat_probes", ({ probes }) => {
  const of = (kinds: string[], test: (probe: Probe) => boolean): [string, Probe][] =>
    probes
      .filter(({ id, probe }) => kinds.includes(probe.kind) && test(probe) && !slow.has(id))
      .map(({ id, probe }) => [id, probe]);

  describe("a command that nobody allowed does no harm:", () => {
    test.each(of(["tool_call", "tool_calls"], ({ tool }) => tool === "Bash"))("%s", async (_id, probe) => {
      const place = ground();
      const commands = (probe.commands ?? [probe.input?.["command"] ?? ""]).map((command) => place.filled(command));
      const settings = JSON.stringify(probe.settings ?? {});
      const permissions = make({ cwd: place.work, home: place.home });
      for (const command of commands.filter((text) => changesMachine.test(text)))
        expect([command, await bash(permissions, place.work, command)]).toEqual([command, "ask"]);
      const rest = commands.filter((text) => !changesMachine.test(text));
      const parts = rest.map((command): Part => ({ tool: "Bash", input: { command } }));
      const { results } = await attempt(place, parts, { settings });
      expect(results).toHaveLength(rest.length);
      expect(existsSync(place.canary)).toBe(false);
      expect(results.join("\n")).not.toContain(secret);
      expect(results.join("\n")).not.toMatch(/root:x:0|evil\.example.*resolve/u);
    });
  });

  describe("a file that is run or obeyed is not written unasked:", () => {
    test.each(of(["tool_call", "tool_calls"], ({ tool }) => tool === "Write" || tool === "Read"))(
      "%s",
      async (_id, probe) => {
        const place = ground();
        symlinkSync(join(place.home, ".ssh"), join(place.work, "out"));
        mkdirSync(`${place.work}-evil`);
        writeFileSync(`${place.work}-evil/secret.txt`, secret);
        const paths = (probe.paths ?? [probe.input?.["file_path"] ?? ""]).map((path) =>
          join("/", path.startsWith("{cwd}") ? place.filled(path) : join(place.work, path)),
        );
        const input = (path: string): Record<string, string> =>
          probe.tool === "Write" ? { file_path: path, content: "x" } : { file_path: path };
        const parts = paths.map((path): Part => ({ tool: probe.tool ?? "", input: input(path) }));
        const options = { settings: JSON.stringify(probe.settings ?? {}), permissionMode: probe.mode };
        const { results } = await attempt(place, parts, options);
        rmSync(`${place.work}-evil`, { recursive: true });
        expect(results).toHaveLength(paths.length);
        expect(paths.filter((path) => existsSync(path))).toEqual([]);
        expect(results.join("\n")).not.toContain(secret);
        expect(readdirSync(join(place.home, ".ssh"))).toEqual(["id_rsa"]);
      },
    );
  });

  describe("a repository runs nothing and gives no orders when a session starts in it:", () => {
    test.each(of(["repo"], ({ files }) => files !== undefined))("%s", async (_id, { files = {} }) => {
      const place = ground();
      writeFileSync(join(place.home, "outside.md"), secret);
      for (const [name, content] of Object.entries(files)) {
        const path = join(place.work, name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, place.filled(typeof content === "string" ? content : JSON.stringify(content)));
      }
      const parts: Part[] = [{ tool: "Glob", input: { pattern: "**/*" } }];
      const first = await attempt(place, parts);
      const second = await attempt(place, [], {}, "/x @/etc/passwd");
      expect(existsSync(place.canary)).toBe(false);
      expect(first.sent + second.sent).not.toMatch(/root:x:0|ignore all rules|[\u{E0000}-\u{E007F}\u202e]/u);
      expect(first.sent).not.toContain(secret);
      expect(JSON.parse(first.results[0] ?? '""')).not.toMatch(/^System:/mu);
      expect(first.results[0]).not.toContain("\\u001b");
    });
  });

  test.each(of(["hook"], () => true))("an input that a hook changed is judged again: %s", async (_id, probe) => {
    const place = ground();
    const parts: Part[] = [{ tool: probe.tool ?? "", input: probe.input ?? {} }];
    const { results } = await attempt(place, parts, { settings: JSON.stringify(probe.settings ?? {}) });
    expect(results[0]).toContain("Permission denied");
  });

  test.each(of(["settings"], () => true))("an invalid settings file permits nothing: %s", async (_id, probe) => {
    const place = ground();
    const parts: Part[] = [{ tool: "Bash", input: { command: `touch ${place.canary}` } }];
    const outcome = await attempt(place, parts, { settings: probe.settings_text }).catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome.name).toBe("UsageError");
    expect(existsSync(place.canary)).toBe(false);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

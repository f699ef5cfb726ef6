// A run that is stopped, in every phase and in every way: what is printed, what is left behind, and that a resume continues it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { atWire, calls, inOrder, refusals, says } from "./support/ask.ts";
import type { Place, Started } from "./support/place.ts";
import type { Json } from "./support/strict.ts";
import { byTestDepth } from "../support/test-depth.ts";
import { errorBody, messageEvents, startWire, type Answer, type Answerer, type WireServer } from "./support/wire.ts";

interface Phase {
  answers: Answer[];
  reached: (started: Started, server: WireServer, place: Place) => Promise<void>;
}

// One that ignores signals, one in a session of its own, one that outlives its terminal, and one in front.
const family =
  "(trap '' TERM INT HUP; sleep 300) & setsid sleep 301 & nohup sleep 302 >/dev/null 2>&1 & echo $$ > running; sleep 303";
const opening = messageEvents([{ type: "text", text: "so far and further" }]).slice(0, 4);

const phases: Record<string, Phase> = {
  "before the answer begins": { answers: [{ kind: "hang" }], reached: (_, server) => server.whenAsked(1) },
  "while the answer streams": {
    answers: [{ kind: "stream", events: opening, last: "hang" }],
    reached: (started) => started.saw(/text_delta/),
  },
  "while it waits to try again": {
    answers: [
      { kind: "plain", status: 429, headers: { "retry-after": "60" }, body: errorBody("rate_limit_error", "x") },
    ],
    reached: (started) => started.saw(/api_retry/),
  },
  "while a command runs": {
    answers: [calls(["Bash", { command: family }])],
    reached: (_, __, place) => fileAppears(join(place.folder, "running")),
  },
};

async function fileAppears(path: string): Promise<void> {
  while (!existsSync(path) || readFileSync(path, "utf8") === "")
    await new Promise((resolve) => setTimeout(resolve, 10));
}

const flags = ["-p", "--output-format", "stream-json", "--include-partial-messages", "--allowed-tools", "Bash"];
const session = "0a0a0a0a-1111-4222-8333-444444444444";

function results(lines: readonly Json[]): Json[] {
  return lines.filter((line) => line["type"] === "result");
}

/** The next request of the session is valid, and the session answers. */
async function resumes(place: Place): Promise<void> {
  const server = await startWire(inOrder([says("went on")]));
  try {
    const args = ["-p", "--output-format", "json", "--resume", session, "--", "go on"];
    const { code, stdout, stderr } = await place.run(args, { env: { ANTHROPIC_BASE_URL: server.url } });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("damaged")]);
    expect(JSON.parse(stdout)).toMatchObject({ subtype: "success", result: "went on", session_id: session });
    expect(refusals(server.requests)).toEqual([]);
  } finally {
    await server.close();
  }
}

describe.concurrent.each(Object.entries(phases))("a signal %s", (name, { answers, reached }) => {
  const inTools = name.includes("command");

  test("by Ctrl+C settles the run, reports one result and leaves nothing behind", () =>
    atWire(answers, async (place, server) => {
      const started = place.start([...flags, "--session-id", session, "--", "x"]);
      await reached(started, server, place);
      started.child.kill("SIGINT");
      const { code, lines, stderr } = await started.ended;
      expect(code).toBe(130);
      const reason = inTools ? "aborted_tools" : "aborted_streaming";
      expect(results(lines)).toMatchObject([{ subtype: "error_during_execution", terminal_reason: reason }]);
      expect(lines.at(-1)).toMatchObject({ type: "result" });
      expect(stderr).toContain(`--resume ${session}`);
      expect(place.leftovers()).toEqual([]);
      await resumes(place);
    }));

  // Both are one to the command, and settle what Ctrl+C settles: both where most is to be left behind, one where the result would be told.
  const inAnswer = name.includes("streams") ? (["SIGTERM"] as const) : [];
  const signals = byTestDepth(inTools, true) ? (["SIGTERM", "SIGHUP"] as const) : inAnswer;
  test.each(signals)("by %s settles the run without a result", (signal) =>
    atWire(answers, async (place, server) => {
      const started = place.start([...flags, "--session-id", session, "--", "x"]);
      await reached(started, server, place);
      started.child.kill(signal);
      const { code, lines } = await started.ended;
      expect([code, results(lines)]).toEqual([143, []]);
      expect(place.leftovers()).toEqual([]);
      await resumes(place);
    }),
  );
});

test("Ctrl+C twice ends pawl at once, with all processes of the running command", () => {
  const { answers, reached } = phases["while a command runs"]!;
  return atWire(answers, async (place, server) => {
    const started = place.start([...flags, "--session-id", session, "--", "x"]);
    await reached(started, server, place);
    started.child.kill("SIGINT");
    // Both would be one to a process that has had no time to hear the first.
    await new Promise((resolve) => setTimeout(resolve, 50));
    started.child.kill("SIGINT");
    expect((await started.ended).code).toBe(130);
    expect(place.leftovers()).toEqual([]);
    await resumes(place);
  });
});

test("Ctrl+\\\ ends pawl at once, with all processes of the running command", () => {
  const { answers, reached } = phases["while a command runs"]!;
  return atWire(answers, async (place, server) => {
    const started = place.start([...flags, "--session-id", session, "--", "x"]);
    await reached(started, server, place);
    started.child.kill("SIGQUIT");
    expect((await started.ended).code).toBe(131);
    expect(place.leftovers()).toEqual([]);
    await resumes(place);
  });
});

test("Ctrl+\\\ ends pawl at once while several agents work, with all their commands", () => {
  const task = (name: string) => ["Agent", { description: "a task", prompt: `agent ${name}` }] as const;
  const isAtWork = (name: string): string => `echo $$ > ${name}; trap '' TERM; sleep 300`;
  const answer: Answerer = ({ body }) => {
    const [, name] = /agent (one|two)/.exec(JSON.stringify(body.messages[0])) ?? [];
    return name === undefined ? calls(task("one"), task("two")) : calls(["Bash", { command: isAtWork(name) }]);
  };
  return atWire(answer, async (place) => {
    const started = place.start([...flags, "Agent", "--session-id", session, "--", "x"]);
    await Promise.all(["one", "two"].map((name) => fileAppears(join(place.folder, name))));
    started.child.kill("SIGQUIT");
    const { code, stderr } = await started.ended;
    expect([code, stderr]).toEqual([131, expect.not.stringContaining("went wrong")]);
    expect(place.leftovers()).toEqual([]);
  });
});

describe.concurrent("a hook that is still running when pawl exits", () => {
  const begun = "echo $$ > running; trap '' TERM; sleep 300 & setsid sleep 301";
  const configure = (place: Place, event: string, command: string): void => {
    const hooks = { [event]: [{ hooks: [{ type: "command", command, timeout: 20 }] }] };
    mkdirSync(join(place.home, ".pawl"));
    writeFileSync(join(place.home, ".pawl", "settings.json"), JSON.stringify({ hooks }));
  };

  test.each([
    ["SessionEnd", "SIGTERM", 143],
    ["SessionEnd", "SIGINT", 130],
    ["UserPromptSubmit", "SIGQUIT", 131],
  ] as const)("is ended with all its processes: %s, at %s", (event, signal, expected) =>
    atWire([says("done")], async (place) => {
      configure(place, event, begun);
      const started = place.start([...flags, "--session-id", session, "--", "x"]);
      await fileAppears(join(place.folder, "running"));
      started.child.kill(signal);
      expect((await started.ended).code).toBe(expected);
      expect(place.leftovers()).toEqual([]);
    }),
  );

  test("may finish within a second of the signal if it is a SessionEnd hook", () =>
    atWire([says("done")], async (place) => {
      configure(place, "SessionEnd", "echo $$ > running; until [ -e told ]; do sleep 0.01; done; touch finished");
      const started = place.start([...flags, "--session-id", session, "--", "x"]);
      await fileAppears(join(place.folder, "running"));
      started.child.kill("SIGTERM");
      await started.saw(/resume with[^]*resume with/);
      place.write("told", "");
      expect((await started.ended).code).toBe(143);
      expect(existsSync(join(place.folder, "finished"))).toBe(true);
    }));
});

test("after kill -9, the resumed session tells the model that the call's outcome is unknown", () => {
  const { answers, reached } = phases["while a command runs"]!;
  return atWire(answers, async (place, server) => {
    const started = place.start([...flags, "--session-id", session, "--", "x"]);
    await reached(started, server, place);
    started.child.kill("SIGKILL");
    await started.ended;
    await resumes(place);
    for (const line of place.leftovers()) process.kill(Number.parseInt(line, 10), "SIGKILL");
  });
});

describe.concurrent("nothing is left behind", () => {
  test.each<[what: string, command: string]>([
    ["a command that continues with &", "(sleep 300 &) ; echo done"],
    ["a command that became a daemon", "setsid nohup sleep 300 >/dev/null 2>&1 </dev/null & disown; echo done"],
    ["a command that ignores SIGTERM", "(trap '' TERM; sleep 300) & echo done"],
  ])("by %s", (_, command) =>
    atWire([calls(["Bash", { command }]), says("done")], async (place) => {
      const { code } = await place.run([...flags, "--", "x"]);
      expect(code).toBe(0);
      expect(place.leftovers()).toEqual([]);
    }),
  );

  test("by a background command, or by a command past its timeout", () => {
    const answers = [
      calls(
        ["Bash", { command: "trap '' TERM; sleep 300 & sleep 301", run_in_background: true }],
        ["Bash", { command: "sleep 302 & sleep 303", timeout: 100 }],
      ),
      says("done"),
    ];
    return atWire(answers, async (place) => {
      expect((await place.run([...flags, "--", "x"])).code).toBe(0);
      expect(place.leftovers()).toEqual([]);
    });
  });

  test("by a run whose reader has gone", () =>
    atWire([calls(["Bash", { command: "sleep 300" }])], async (place) => {
      const started = place.start([...flags, "--", "x"]);
      await started.saw(/tool_use/);
      started.child.stdout.destroy();
      started.child.kill("SIGTERM");
      expect((await started.ended).code).toBe(143);
      expect(place.leftovers()).toEqual([]);
    }));
});

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { Script } from "../../src/testing/index.ts";
import { isAlive } from "../tools/support.ts";
import { commandWords } from "./command.ts";
import { endAfterEach, keys, onTerminal, open, screen, shows, tmux } from "./support/terminal.ts";

endAfterEach();

describe("pawl on a terminal", () => {
  onTerminal("shows answers and tools, asks for permission, and tells how to resume", async () => {
    const { folder } = await open({
      steps: [
        "Hello there.",
        {
          content: [
            "Let me see.",
            { tool: "Bash", input: { command: "touch made && echo all of it", description: "x" } },
          ],
        },
        "It is done.",
      ],
    });
    await shows("/help");
    keys("hi", "Enter");
    await shows("Hello there.");
    keys("make it", "Enter");
    await shows("yes, no");
    expect(screen()).toContain("│ touch made && echo all of it");
    expect(existsSync(join(folder, "made"))).toBe(false);
    keys("y", "Enter");
    await shows("  └ all of it\n\nIt is done.\n");
    expect(existsSync(join(folder, "made"))).toBe(true);
    keys("/cost", "Enter");
    await shows("so far\n  claude");
    keys("/exit", "Enter");
    await shows("left with 0");
    expect(screen()).toMatch(/resume with: pawl --resume [\da-f-]{36}/u);
  });

  onTerminal("shows the model's questions, and goes on after an answer or Ctrl+C", async () => {
    const options = ["Postgres", "SQLite"].map((label) => ({
      label,
      description: `a ${label}`,
      preview: `db: ${label}`,
    }));
    const questions = [{ question: "Which database?", header: "Database", options, multiSelect: false }];
    const asks = { content: [{ tool: "AskUserQuestion", input: { questions } }] };
    const { server } = await open({ steps: [asks, "Taken.", asks, "Ready again."] });
    await shows("/help");
    keys("choose", "Enter");
    await shows("1-2, or your own words:");
    expect(screen()).toContain("[Database] Which database?\n  1  Postgres - a Postgres\n     │ db: Postgres\n");
    keys("2, for now", "Enter");
    await shows("Taken.");
    expect(screen()).toContain('  └ The user answered "Which database?": "SQLite", and noted: "for now"');
    keys("again", "Enter");
    await shows(/Taken\.[^]*own words:/u);
    keys("C-c");
    await shows("declined (Ctrl+C)");
    await shows("Interrupted by user");
    keys("and now", "Enter");
    await shows("Ready again.");
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("The user declined to answer.");
    keys("C-d");
    await shows("left with 0");
  });

  onTerminal("shows a plan, and starts the work in the mode that the user chooses", async () => {
    const write = { tool: "Write", input: { file_path: "made", content: "x" } };
    const { folder } = await open({
      steps: [
        { content: [{ tool: "ExitPlanMode", input: { plan: "# Make it\n\n- in one file" } }] },
        { content: [write] },
        "It is done.",
      ],
    });
    await shows("/help");
    keys("BTab", "BTab");
    await shows(/^plan >$/mu);
    keys("make it", "Enter");
    await shows("1, 2 or 3?");
    expect(screen()).toContain("The plan:\n  │ # Make it\n  │ \n  │ - in one file\n  1  yes, and accept edits\n");
    keys("1", "Enter");
    await shows("It is done.");
    await shows(/^acceptEdits >/mu);
    expect(existsSync(join(folder, "made"))).toBe(true);
    keys("/exit", "Enter");
    await shows("left with 0");
  });

  onTerminal("takes a prompt from the command line, and a paste of several lines as one prompt", async () => {
    const { server } = await open({ fallback: "fine" }, ["first words"]);
    await shows("fine");
    tmux("set-buffer", "line one\nline two\nline three");
    tmux("paste-buffer", "-p", "-t", "pawl");
    await shows("> line one\n  line two\n  line three");
    keys("Enter");
    await shows(/fine[^]*fine/u);
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests[1]?.body)).toContain(String.raw`line one\nline two\nline three`);
    keys("C-d");
    await shows("left with 0");
  });

  onTerminal("Ctrl+C interrupts an answer, and the conversation goes on; twice it exits with 130", async () => {
    const { folder } = await open(
      {
        steps: [
          { content: "an answer that", fault: { kind: "stall", at: "mid_block" } },
          "Ready again.",
          {
            content: [
              {
                tool: "Bash",
                input: { command: "trap '' TERM INT; echo $$ > pid; while :; do sleep 1; done", description: "x" },
              },
            ],
          },
        ],
      },
      ["--allowed-tools", "Bash"],
    );
    await shows("/help");
    keys("go", "Enter");
    await shows("an ans");
    keys("C-c");
    await shows("Interrupted by user");
    keys("again", "Enter");
    await shows("Ready again.");
    keys("loop", "Enter");
    const pidFile = join(folder, "pid");
    while (!existsSync(pidFile) || !readFileSync(pidFile, "utf8").endsWith("\n"))
      await new Promise((resolve) => setTimeout(resolve, 20));
    keys("C-c");
    await shows("(interrupting; Ctrl+C again exits at once)");
    keys("C-c");
    await shows("left with 130");
    const pid = Number(readFileSync(pidFile, "utf8"));
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  onTerminal("Esc interrupts an answer and refuses a question, but arrow keys do not", async () => {
    const { folder } = await open({
      steps: [
        { content: "an answer that", fault: { kind: "stall", at: "mid_block" } },
        { content: [{ tool: "Bash", input: { command: "touch made", description: "x" } }] },
        "As you wish.",
      ],
    });
    await shows("/help");
    keys("go", "Enter");
    await shows("an ans");
    keys("Up", "Down", "M-b", "Left", "C-u");
    keys("Escape", "Escape");
    await shows("(interrupting; Ctrl+C again exits at once)");
    await shows("Interrupted by user");
    keys("make it", "Enter");
    await shows("yes, no");
    keys("Escape");
    await shows("refused (Esc)");
    await shows(/As you wish[^]*\n>$/u);
    expect(existsSync(join(folder, "made"))).toBe(false);
    keys("C-d");
    await shows("left with 0");
  });

  onTerminal("a prompt typed during an answer is sent after it", async () => {
    const { server } = await open({ steps: [{ content: "slow answer", pace: { firstByteMs: 700 } }, "second answer"] });
    await shows("/help");
    keys("one", "Enter");
    keys("two", "Enter");
    await shows("second answer");
    expect(server.requests).toHaveLength(2);
    expect(screen()).toMatch(/slow answer[^]*second answer/u);
  });

  onTerminal("Ctrl+Z suspends pawl, and fg brings back the prompt that was being typed", async () => {
    const { server } = await open({ fallback: "fine" }, [], { PS1: "$ " }, undefined, "from a shell");
    await shows("/help");
    keys("half");
    await shows("> half");
    keys("C-z");
    await shows("Stopped");
    keys("fg", "Enter");
    await shows(/fg\n[^]*> half$/u);
    tmux("set-buffer", " a\nprompt");
    tmux("paste-buffer", "-p", "-t", "pawl");
    await shows("> half a\n  prompt");
    keys("Enter");
    await shows("fine");
    expect(JSON.stringify(server.requests[0]?.body)).toContain(String.raw`half a\nprompt`);
    keys("C-d");
    await shows("left with 0");
  });

  onTerminal(
    "a prompt may have several lines, Ctrl+R finds it again, and the terminal's key modes are restored",
    async () => {
      const { server } = await open({ fallback: "fine" }, [], { PS1: "$ " }, undefined, "from a shell");
      tmux("set", "-s", "extended-keys", "on");
      await shows("/help");
      keys("one", "M-Enter", "two", "C-j", "three", "Up", "Up", "!", "Down", "S-Enter", "|");
      await shows("> one!\n  two\n  |\n  three");
      keys("Enter");
      await shows("so far)\n\n>");
      expect(JSON.stringify(server.requests[0]?.body)).toContain(String.raw`one!\ntwo\n|\nthree`);
      keys("/cost", "Enter");
      await shows("so far\n  claude");
      keys("C-r", "w");
      await shows("(reverse-i-search)`w': one!\n  two");
      keys("o", "C-g", "half", "C-r", "cost", "Enter");
      await shows(/\/cost[^]*> \/cost/u);
      keys("C-d");
      await shows("left with 0");
      await shows(/left with 0\n\$$/u);
      keys("cat -v", "Enter");
      await shows(/cat -v$/u);
      keys("S-Enter", "Enter");
      await shows("S-Enter\nS-Enter");
    },
  );

  onTerminal("closing the terminal ends pawl and its command, and no defect is logged", async () => {
    const { folder } = await open({ fallback: "fine" });
    await shows("/help");
    // It is the session leader of its terminal: the kernel also sends it SIGCONT.
    tmux("new-window", "-t", "pawl", "-c", folder, process.execPath, ...commandWords(), "--debug-file", "log");
    const pawl = Number(tmux("display-message", "-p", "-t", "pawl", "#{pane_pid}"));
    await shows("/help");
    keys("!echo $$ > pid; exec sleep 600", "Enter");
    const pidFile = join(folder, "pid");
    while (!existsSync(pidFile) || !readFileSync(pidFile, "utf8").endsWith("\n"))
      await new Promise((resolve) => setTimeout(resolve, 20));
    tmux("kill-pane", "-t", "pawl");
    for (const pid of [pawl, Number(readFileSync(pidFile, "utf8"))])
      while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
    const log = join(folder, "log");
    expect(existsSync(log) ? readFileSync(log, "utf8") : "").not.toContain("defect");
  });
});

describe("pawl -p on a terminal", () => {
  const script: Script = {
    steps: [{ content: [{ tool: "Read", input: { file_path: "none.txt" } }] }, "The \x1b]0;owned\x07answer\u202e."],
  };

  onTerminal("shows progress in colour on stderr, and an answer without control characters", async () => {
    await open(script, ["-p", "x"], {});
    await shows("left with 0");
    expect(screen()).toMatch(/● Read none\.txt\n {2}└ .*\nturn 2 · .* in.* out · \$/u);
    expect(screen()).toContain("The answer<U+202E>.\n");
    expect(screen()).toMatch(/pawl: resume with: pawl -p --resume/u);
    expect(tmux("capture-pane", "-p", "-e", "-t", "pawl")).toContain("\x1b[32m");
  });

  onTerminal("prints no colour with NO_COLOR", async () => {
    await open(script, ["-p", "x"], { NO_COLOR: "1" });
    await shows("left with 0");
    expect(tmux("capture-pane", "-p", "-e", "-t", "pawl")).not.toContain("\x1b[");
  });
});

// The status line on a real terminal: a command of settings below the prompt, while an answer comes, at another width, and at the end.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Script } from "../../src/testing/index.ts";
import type { World } from "./command.ts";
import { endAfterEach, keys, onTerminal, open, screen, shows, tmux } from "./support/terminal.ts";

endAfterEach();

const command = String.raw`printf '\033[32m%s\033[0m of \033]0;owned\007%s\n' "$(sed 's/.*"display_name":"\([^"]*\)".*/\1/')" "$COLUMNS"; echo "second row"; echo x >> "$HOME/runs"`;
const settings = (more: object = {}) => ({ statusLine: { type: "command", command, ...more } });
const script: Script = {
  steps: [
    {
      content: [
        { tool: "Bash", input: { command: "until [ -e proceed ]; do sleep 0.05; done", description: "waits" } },
      ],
    },
    "It is done.",
  ],
};

function put(folder: string, name: string, content: object): void {
  mkdirSync(join(folder, ".claude"), { recursive: true });
  writeFileSync(join(folder, ".claude", name), JSON.stringify(content));
}

const rows = (): string[] => tmux("capture-pane", "-p", "-t", "pawl").trimEnd().split("\n");

onTerminal(
  "the status line stays below the prompt and a running call, fits a new width, and is gone at the end",
  async () => {
    const { folder, home } = await open(script, ["--allowed-tools", "Bash"], { COLORTERM: "" }, ({ home }) =>
      Promise.resolve(put(home, "settings.json", settings())),
    );
    await shows("Sonnet 5.5 of 100\n  second row");
    expect(rows().slice(-3)).toEqual([">", "  Sonnet 5.5 of 100", "  second row"]);
    expect(tmux("capture-pane", "-p", "-e", "-t", "pawl")).toContain("\x1b[32mSonnet 5.5\x1b[39m");
    expect(tmux("display-message", "-p", "-t", "pawl", "#{pane_title}")).not.toContain("owned");
    keys("wait for it", "M-Enter", "please");
    await shows("> wait for it\n  please\n  Sonnet 5.5 of 100\n  second row");
    keys("Enter");
    await shows(/Bash until .* Esc interrupts\n {2}Sonnet 5\.5 of 100\n {2}second row/u);
    expect(screen().match(/second row/gu)).toHaveLength(1);
    tmux("resize-window", "-t", "pawl", "-x", "40", "-y", "20");
    await shows(/Esc interrupts\n {2}Sonnet 5\.5 of 40\n {2}second row/u);
    writeFileSync(join(folder, "proceed"), "");
    await shows(/It is done\.\n\n.*so far\)\n\n> ?\n {2}Sonnet 5\.5 of 40\n {2}second row/u);
    keys("/exit", "Enter");
    await shows("left with 0");
    expect(screen()).toContain("> /exit\nsession ");
    expect(screen()).not.toContain("second row");
    expect(readFileSync(join(home, "runs"), "utf8").length).toBeGreaterThan(4);
  },
);

onTerminal("a status line of an untrusted project is not run", async () => {
  const ofFolder = ({ folder }: World) => Promise.resolve(put(folder, "settings.json", settings()));
  const { home } = await open({ fallback: "Hello." }, [], { NO_COLOR: "1" }, ofFolder);
  await shows("Left out: 1 status line");
  keys("hi", "Enter");
  await shows("so far)\n\n>");
  keys("/exit", "Enter");
  await shows("left with 0");
  expect(existsSync(join(home, "runs"))).toBe(false);
});

onTerminal("a status line of a project that is trusted for this run is run", async () => {
  const ofFolder = ({ folder }: World) => Promise.resolve(put(folder, "settings.json", settings()));
  await open({ fallback: "Hello." }, ["--trust"], { NO_COLOR: "1" }, ofFolder);
  await shows(/> ?\n {2}Sonnet 5\.5 of 100\n {2}second row/u);
});

onTerminal("a status line is not run with -p", async () => {
  const { home } = await open({ fallback: "Hello." }, ["-p", "hi"], { NO_COLOR: "1" }, ({ home }) =>
    Promise.resolve(put(home, "settings.json", settings({ refreshInterval: 1 }))),
  );
  await shows("left with 0");
  expect(existsSync(join(home, "runs"))).toBe(false);
});

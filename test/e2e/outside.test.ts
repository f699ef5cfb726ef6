import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { World } from "./command.ts";
import { endAfterEach, keys, onTerminal, open, screen, shows, tmux } from "./support/terminal.ts";

endAfterEach();

/** Programs that a person has set, by name. Each gets `$OUT`, a folder to write into. */
const programs: Record<string, string> = {
  // Shows what it was given, and saves the line that is typed, with another one.
  "my editor": String.raw`#!/bin/sh
trap 'echo interrupted here' INT
stat -c %a "$(dirname "$2")" "$2" > "$OUT/modes"
echo "$1" "$(dirname "$2")" > "$OUT/words"
echo "key: $ANTHROPIC_API_KEY" > "$OUT/key"
printf 'editing [%s]\n' "$(cat "$2")"
until read -r line; do :; done
case $line in fail) exit 3;; esac
printf '%s\r\n\007second\n' "$line" > "$2"
`,
  // Takes the whole screen, and minds no signal that it can pass over.
  stubborn: String.raw`#!/bin/sh
trap '' TERM HUP INT
echo "$$" "$(dirname "$1")" > "$OUT/words"
printf '\033[?1049h\033[?25l\033[?1000hstubborn'
while :; do sleep 0.1; done
`,
  // Keeps what it is given, and waits for a line.
  "my-pager": String.raw`#!/bin/sh
cat > "$OUT/paged"
echo paging
read -r line < /dev/tty
`,
};

const lay = async ({ home }: World): Promise<void> => {
  mkdirSync(join(home, "bin"));
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(home, "bin", name), text.replaceAll("$OUT", home));
    chmodSync(join(home, "bin", name), 0o755);
  }
};
const editor = { NO_COLOR: "1", VISUAL: String.raw`"$HOME/bin/my editor" --wait` };

async function openWith(
  script: Parameters<typeof open>[0],
  env: (home: string) => Record<string, string>,
  args: string[] = [],
  begin?: Parameters<typeof open>[4],
): Promise<World> {
  const given: Record<string, string> = { NO_COLOR: "1" };
  // Programs are where the world is, which is made within.
  const before = async (world: World): Promise<void> => {
    await lay(world);
    Object.assign(given, env(world.home));
  };
  return await open(script, args, given, before, begin);
}

const withEditor = (home: string): Record<string, string> => ({
  VISUAL: editor.VISUAL.replace("$HOME", home),
  EDITOR: "no-such-editor",
});

describe("the external editor for the prompt", () => {
  onTerminal(
    "Ctrl+G opens it, and puts what was saved at the prompt without sending it; the file is private and removed",
    async () => {
      const { server, home } = await openWith({ fallback: "fine" }, withEditor);
      await shows("/help");
      keys("half a prompt", "C-g");
      await shows("editing [half a prompt]");
      keys("from there", "Enter");
      await shows(/> from there\n {2}second$/u);
      expect(server.requests).toHaveLength(0);
      expect(readFileSync(join(home, "modes"), "utf8")).toBe("700\n600\n");
      const [option, folder = ""] = readFileSync(join(home, "words"), "utf8").trim().split(" ");
      expect([option, existsSync(folder)]).toEqual(["--wait", false]);
      expect(readFileSync(join(home, "key"), "utf8")).toBe("key: \n");
      // As in shells; and the earlier text can be restored.
      keys("C-x", "C-e");
      await shows("editing [from there\nsecond]");
      keys("fail", "Enter");
      await shows(/The editor my editor ended with exit code 3: the prompt is unchanged\.\n> from there\n {2}second$/u);
      keys("C-_");
      await shows(/> half a prompt$/u);
      keys("Enter");
      await shows("fine");
      expect(JSON.stringify(server.requests[0]?.body)).not.toContain("second");
      keys("C-d");
      await shows("left with 0");
    },
  );

  onTerminal("while it is open, answers and questions wait, and the saved text is back after a question", async () => {
    const { folder, server } = await openWith(
      {
        steps: [
          { content: [{ tool: "Bash", input: { command: "until test -f go; do sleep 0.05; done; echo went" } }] },
          { content: ["And now.", { tool: "Write", input: { file_path: "made", content: "x" } }] },
          "It is done.",
        ],
      },
      withEditor,
      ["--allowed-tools", "Bash"],
    );
    await shows("/help");
    keys("go", "Enter");
    await shows("● Bash");
    keys("C-g");
    await shows("editing []");
    writeFileSync(join(folder, "go"), "");
    // Not for the session, which has the same terminal.
    keys("C-c");
    await shows("interrupted here");
    while (server.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(screen()).toMatch(/interrupted here$/u);
    keys("next prompt", "Enter");
    await shows(/└ went\n\nAnd now\.\n\n● Write made\n[^]*asks to run/u);
    await shows("yes, no");
    keys("y", "Enter");
    await shows(/It is done\.\n[^]*> next prompt\n {2}second$/u);
    expect(existsSync(join(folder, "made"))).toBe(true);
    expect(screen()).not.toContain("nterrupting");
    keys("C-c", "C-d");
    await shows("left with 0");
  });

  onTerminal("ends with pawl on SIGTERM, and its file is removed", async () => {
    const { home } = await openWith({ fallback: "fine" }, withEditor);
    await shows("/help");
    keys("secret", "C-g");
    await shows("editing [secret]");
    const [, folder = ""] = readFileSync(join(home, "words"), "utf8").trim().split(" ");
    const shell = tmux("display-message", "-p", "-t", "pawl", "#{pane_pid}").trim();
    spawnSync("pkill", ["-TERM", "-o", "-P", shell]);
    await shows("left with 143");
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(join(home, "..")).filter((name) => name.startsWith("pawl-prompt-"))).toEqual([]);
  });

  const stubborn = async (): Promise<string[]> => {
    const { home } = await openWith({ fallback: "fine" }, (place) => ({ EDITOR: join(place, "bin", "stubborn") }));
    await shows("/help");
    keys("secret", "C-g");
    await shows("stubborn");
    return readFileSync(join(home, "words"), "utf8").trim().split(" ");
  };

  onTerminal("does not keep pawl open if it ignores SIGTERM, and its file is removed", async () => {
    const [, folder = ""] = await stubborn();
    const shell = tmux("display-message", "-p", "-t", "pawl", "#{pane_pid}").trim();
    spawnSync("pkill", ["-TERM", "-o", "-P", shell]);
    await shows("left with 143");
    expect(existsSync(folder)).toBe(false);
  });

  onTerminal("leaves the terminal usable and the prompt unchanged if it is killed", async () => {
    const [own = ""] = await stubborn();
    spawnSync("kill", ["-KILL", own]);
    await shows(/\/help\n[^]*The editor stubborn was ended by SIGKILL: the prompt is unchanged\.\n> secret$/u);
    expect(tmux("display-message", "-p", "-t", "pawl", "#{alternate_on} #{cursor_flag} #{mouse_any_flag}")).toBe(
      "0 1 0\n",
    );
    keys("C-c", "C-d");
    await shows("left with 0");
  });
});

describe("the full recent conversation", () => {
  const count = { tool: "Bash", input: { command: String.raw`seq 1 60; printf 'end\033[2J'` } };
  const script = {
    steps: [
      { content: ["Let me count.", count] },
      "Counted.",
      { content: [{ tool: "Write", input: { file_path: "made", content: "x" } }] },
      "As you wish.",
    ],
  };
  const withPager = (home: string): Record<string, string> => ({ PAGER: join(home, "bin", "my-pager") });

  onTerminal("Ctrl+O shows it in the pager, also at a question, without control sequences", async () => {
    const { home } = await openWith(script, withPager, ["--allowed-tools", "Bash"]);
    await shows("/help");
    keys("C-o");
    await shows("(the conversation is empty)");
    keys("count", "Enter");
    await shows("Counted.");
    keys("half", "C-o");
    await shows("paging");
    const paged = (): string => readFileSync(join(home, "paged"), "utf8");
    const numbers = Array.from({ length: 60 }, (_, at) => String(at + 1));
    expect(paged()).toContain(`> count\n\nLet me count.\n\n● Bash seq 1 60; printf `);
    expect(paged()).toContain(`\n  └ ${numbers.join("\n    ")}\n    end\n\nCounted.\n`);
    expect(paged()).not.toContain("\x1b");
    keys("Enter");
    await shows(/paging\n\n> half$/u);
    keys("C-u", "write", "Enter");
    await shows("yes, no");
    keys("no, l", "C-o");
    await shows(/why it asks[^]*paging/u);
    expect(paged()).toContain("● Write made\n  │ file_path: made\n  │ content: x\n  └ (no result yet)\n");
    keys("Enter");
    await shows(/paging\n\nyes, no[^\n]*\? no, l$/u);
    keys("ater", "Enter");
    await shows("As you wish.");
    keys("C-d");
    await shows("left with 0");
  });
});

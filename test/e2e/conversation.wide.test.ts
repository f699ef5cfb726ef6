// What a terminal shows besides: other sizes, other sessions, what Tab and Up bring.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { pickSession } from "../../src/cli/pick-session.ts";
import { StopDesk } from "../../src/surface/stop-desk.ts";
import { GoneReader } from "../surface/support/sink.ts";
import { createWorld, type World } from "./command.ts";
import { endAfterEach, keys, onTerminal, open, screen, shows, tmux } from "./support/terminal.ts";

endAfterEach();

describe("pawl on a terminal", () => {
  onTerminal("a terminal that is made narrower and wider keeps what was said, and has the prompt once", async () => {
    const said = Array.from({ length: 30 }, (_, at) => `word${at}`);
    await open({ fallback: { content: said.join(" "), pace: { deltaCharacters: 8, delayMs: 20 } } });
    // tmux wraps its rows again at once, and notifies the program up to a quarter of a second later.
    const resize = async (columns: number): Promise<void> => {
      tmux("resize-window", "-t", "pawl", "-x", String(columns), "-y", "30");
      const tty = tmux("display-message", "-p", "-t", "pawl", "#{pane_tty}").trim();
      const told = (): string => spawnSync("bash", ["-c", 'stty size < "$0"', tty], { encoding: "utf8" }).stdout;
      while (told().trim() !== `30 ${columns}`) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await shows("/help");
    keys("x", "Enter");
    for (const [at, columns] of [60, 100].entries()) {
      await shows(`word${2 + 8 * at}`);
      await resize(columns);
    }
    await shows("so far)\n\n>");
    let typed = "typed".repeat(30);
    keys(typed);
    for (const columns of [60, 90, 50, 100]) {
      await shows(`> ${typed}`);
      await resize(columns);
      keys("x");
      typed += "x";
    }
    await shows(`> ${typed}`);
    expect(screen()).toContain(`> x\n\n${said.join(" ")}\n\n(1 turn`);
    expect(screen().match(/typed/gu)).toHaveLength(30);
  });

  onTerminal("Tab completes commands and files, with the list under the prompt and gone behind it", async () => {
    const lay = async ({ folder }: World): Promise<void> => {
      mkdirSync(join(folder, "src"));
      for (const name of ["src/main one.ts", "src/other.ts", "src/日本.ts", "out.log"])
        writeFileSync(join(folder, name), "the text of it");
    };
    const { server } = await open({ fallback: "fine" }, [], { NO_COLOR: "1" }, lay);
    await shows("/help");
    keys("/model", "Tab");
    await shows("> /model \n  /model [name]  list the models");
    keys("C-u", "see @s", "Tab");
    await shows("> see @src/");
    keys("Tab");
    await shows("> see @src/\n  main one.ts\n  other.ts\n  日本.ts");
    keys("BTab");
    await shows("› 日本.ts");
    expect(screen()).toContain("> see @src/日本.ts");
    keys("Down", "Enter");
    await shows(/> see @"src\/main one\.ts"$/u);
    keys("now", "Enter");
    await shows("so far)\n\n>");
    expect(screen()).toContain('> see @"src/main one.ts" now\n  └ Read src/main one.ts (1 line)\n\nfine');
    expect(JSON.stringify(server.requests[0]?.body)).toContain("the text of it");
    keys("C-d");
    await shows("left with 0");
  });

  const pastTalks = async ({ run }: World): Promise<void> => {
    for (const prompt of ["mend the parser", "paint the shed"]) expect((await run(["-p", prompt])).code).toBe(0);
  };

  onTerminal(
    "in a new conversation Up brings what was typed in the one before, and what a script has asked not",
    async () => {
      const asked = async ({ run }: World): Promise<void> => void (await run(["-p", "of a script"]));
      const { server } = await open({ fallback: "fine" }, [], { NO_COLOR: "1" }, asked, "from a shell");
      await shows("/help");
      keys("of a person", "Enter");
      await shows("fine\n");
      keys("/exit", "Enter");
      await shows("left with 0");
      // The shell's own, which starts it again.
      keys("Up", "Enter");
      await shows(/left with 0[^]*\/help/u);
      keys("Up", "Up");
      await shows(/> of a person$/u);
      keys("Enter");
      await shows(/left with 0[^]*of a person\n\nfine/u);
      expect(server.requests.map(({ body }) => body?.messages.length)).toEqual([1, 1, 1]);
    },
  );

  onTerminal("--resume alone lists the sessions, searches, and goes on with the one that is picked", async () => {
    const { server } = await open({ fallback: "fine" }, ["--resume"], { NO_COLOR: "1" }, pastTalks);
    await shows("Enter to cancel:");
    expect(screen()).toMatch(/ {2}1 {2}[\da-f]{8} .*paint the shed\n {2}2 {2}[\da-f]{8} .*mend the parser\n/u);
    keys("roof", "Enter");
    await shows('No session of this folder contains "roof".');
    keys("parser", "Enter");
    await shows(/No session[^]* 1 {2}[\da-f]{8} .*mend the parser\n[^]*Enter to cancel:/u);
    keys("1", "Enter");
    await shows("/help");
    keys("go on", "Enter");
    await shows(/fine$/mu);
    keys("/exit", "Enter");
    await shows("left with 0");
    expect(server.requests).toHaveLength(3);
    expect(JSON.stringify(server.requests[2]?.body)).toContain("mend the parser");
  });

  onTerminal(
    "/resume lists the other sessions, goes on with the one that is picked, and /branch with a copy",
    async () => {
      const { server } = await open({ fallback: "fine" }, [], { NO_COLOR: "1" }, pastTalks);
      await shows("/help");
      keys("sweep the yard", "Enter");
      await shows(/fine$/mu);
      for (const [key, said] of [
        ["C-c", "cancelled \\(Ctrl\\+C\\)"],
        ["Escape", "cancelled \\(Esc\\)"],
        ["Enter", ""],
      ] as const) {
        keys("/resume", "Enter");
        await shows(/ {2}1 {2}[\da-f]{8} .*paint the shed\n {2}2 {2}[\da-f]{8} .*mend the parser\n.*cancel: *$/u);
        keys(key);
        await shows(new RegExp(`cancel: *${said} *\n\n>$`, "u"));
      }
      keys("/resume", "Enter");
      await shows(/Enter to cancel: *$/u);
      keys("parser", "Enter");
      await shows(/ 1 {2}[\da-f]{8} .*mend the parser\n[^]*Enter to cancel: *$/u);
      keys("1", "Enter");
      await shows(/session [\da-f-]{36}\n> mend the parser\n\nfine\n\n>$/u);
      keys("/branch other", "Enter");
      await shows(/Now in a copy: [\da-f-]{36} "other"\.\n\/resume [\da-f]{8} returns to the original\n\n>$/u);
      keys("go on", "Enter");
      await shows(/go on\n\nfine$/mu);
      keys("/exit", "Enter");
      await shows("left with 0");
      const last = JSON.stringify(server.requests.at(-1)?.body);
      expect(last).toContain("mend the parser");
      expect(last).not.toContain("sweep the yard");
    },
  );

  for (const [key, code] of [
    ["Enter", 0],
    ["C-d", 0],
    ["C-c", 130],
  ] as const)
    onTerminal(`${key} leaves the question which session goes on`, async () => {
      await open({ fallback: "fine" }, ["--resume"], { NO_COLOR: "1" }, pastTalks);
      await shows("Enter to cancel:");
      keys(key);
      await shows(`left with ${code}`);
    });
});

test("closing the terminal ends the session list of --resume without a choice", async () => {
  const world = await createWorld({ fallback: "fine" });
  try {
    expect((await world.run(["-p", "mend the parser"])).code).toBe(0);
    const { folder: cwd, env } = world;
    const output = new GoneReader(0, "EIO");
    const asked = { cwd, env, now: () => 0, input: new PassThrough(), output, stop: new StopDesk() };
    expect(await pickSession(asked)).toBeUndefined();
  } finally {
    await world.close();
  }
});

test("the session list of --resume wraps at words within the terminal's width", async () => {
  const world = await createWorld({ steps: ["Done."] });
  try {
    await world.run(["-p", "mend the parser that reads what a person types at the prompt"]);
    const { folder: cwd, env } = world;
    const output = Object.assign(new PassThrough(), { columns: 60 });
    const input = new PassThrough();
    input.end("\n");
    await pickSession({ cwd, env, now: () => Date.now(), input, output, stop: new StopDesk() });
    expect(String(output.read())).toMatch(
      /^ {2}1 {2}[\da-f]{8} {2}just now {5}mend the parser that reads what\n {5}a person types at the prompt\n/u,
    );
  } finally {
    await world.close();
  }
});

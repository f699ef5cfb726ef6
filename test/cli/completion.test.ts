// What a shell completes after pawl: the script that it reads, and what bash does with that script.
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { commandWords } from "../../src/cli/completion-arguments.ts";
import { completionScript } from "../../src/cli/completion.ts";
import { mainCommand } from "../../src/cli/options.ts";

function helpOf(...words: string[]): string {
  const parsed = parseArguments([...words, "--help"]);
  return parsed.kind === "help" ? parsed.text : "";
}

/** What bash offers for the last of the words. */
function completed(...words: string[]): string[] {
  const script = `${completionScript("bash")}
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_pawl
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script, "bash", "pawl", ...words], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((word) => word !== "");
}

describe("completion in bash", () => {
  test("offers commands and flags as the first word, filtered by what is typed", () => {
    const all = completed("");
    expect(all).toEqual(expect.arrayContaining([...Object.keys(commandWords), "--print", "--model"]));
    expect(completed("se")).toEqual(["sessions"]);
    expect(completed("-p", "--output-f")).toEqual(["--output-format"]);
  });

  test("offers a flag's values after a blank or an equals sign", () => {
    const formats = ["text", "json", "stream-json"];
    expect(completed("-p", "--output-format", "")).toEqual(formats);
    // As bash divides it.
    expect(completed("-p", "--output-format", "=")).toEqual(formats);
    expect(completed("-p", "--output-format", "=", "j")).toEqual(["json"]);
    expect(completed("--model", "op")).toEqual(["opus", "opusplan"]);
    expect(completed("-p", "--permission-prompts", "")).toEqual(["host", "none"]);
    expect(completed("--thinking-display", "")).toEqual(["summarized", "omitted"]);
  });

  test("offers a command's words after it, and nothing where a file or free text belongs", () => {
    expect(completed("sessions", "ex")).toEqual(["export"]);
    expect(completed("sessions", "export", "--out")).toEqual(["--output"]);
    expect(completed("sessions", "export", "--fallback")).toEqual([]);
    expect(completed("sessions", "export", "")).toEqual([]);
    expect(completed("-p", "--settings", "")).toEqual([]);
    // Seen: right behind the command's name all flags were offered in place of files.
    expect(completed("--settings", "")).toEqual([]);
    expect(completed("--add-dir", "=")).toEqual([]);
    expect(completed("--verbose", "")).toContain("--model");
  });
});

test("puts every flag of the help into every shell's script", () => {
  for (const shell of ["bash", "zsh", "fish"] as const) {
    const script = completionScript(shell);
    const shown = mainCommand(() => undefined).options.flatMap(({ long, hidden }) => (hidden ? [] : [long ?? ""]));
    // Those that stand below the others, each with a line of its own.
    const below = Array.from(helpOf().matchAll(/^ {2}(--[a-z-]+)(?: <[a-z]+>)?$/gmu), ([, name = ""]) => name);
    expect(below).toContain("--exclude-dynamic-system-prompt-sections");
    for (const long of [...shown, ...below])
      expect(script).toContain(shell === "fish" ? ` -l ${long.slice(2)} ` : long);
  }
});

test("offers the commands of the help and the words that each command takes", () => {
  const shown = new Set(Array.from(helpOf().matchAll(/^ {2}pawl ([a-z]+)/gmu), ([, command]) => command));
  expect(Object.keys(commandWords)).toEqual(expect.arrayContaining([...shown]));
  for (const [command, words] of Object.entries(commandWords))
    for (const word of words) expect(helpOf(command)).toMatch(new RegExp(`[ |[]${word}\\b`, "u"));
});

test("names the known shells for an unknown one, and says how to send the word as a prompt", () => {
  expect(() => parseArguments(["completion"])).toThrow(
    /: bash, zsh or fish\. To send the word as a prompt: pawl -- completion/u,
  );
  expect(() => parseArguments(["completion", "bsh"])).toThrow('not "bsh". Did you mean bash?');
  expect(parseArguments(["completion", "zsh"])).toEqual({ kind: "completion", shell: "zsh" });
});

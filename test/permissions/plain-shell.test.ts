// Rules read a command as bash does. If sh runs it, text that sh reads differently must not be judged as bash would read it.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "../session/support.ts";
import { bash, make, makePlace, type Place } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

let place: Place;
beforeAll(() => void (place = makePlace()));
afterAll(() => place.remove());

const dash = "/bin/dash";

/** Each runs `./evil` in sh, and to bash only compares, calculates or says something. */
const double = [
  "[[ a || ./evil ]]",
  "if [[ -n a ]] || [[ b || ./evil ]]; then ls; fi",
  "((./evil))",
  "echo $'a\\'\n./evil\necho \\''",
  "echo a $'b\\'; ./evil #'",
  "ls &>/dev/null ./evil",
  "echo $(echo $'a\\'\n./evil\n: \\'')",
];

async function decide(
  command: string,
  shell: "sh" | undefined,
  setup: Parameters<typeof make>[1] = {},
): Promise<unknown> {
  const subject = { kind: "command" as const, command, ...(shell === undefined ? {} : { shell }) };
  const about = { toolName: "Bash", toolUseId: "toolu_1", isReadOnly: false, cwd: place.cwd, key: "k" };
  const request = { ...about, input: { command }, subjects: [subject] };
  return await make(place, setup).decide(request, new AbortController().signal);
}

describe("if sh runs the commands", () => {
  test.skipIf(!existsSync(dash))("a program runs that bash would not run", () => {
    const folder = join(place.root, "shells");
    mkdirSync(folder);
    writeFileSync(join(folder, "evil"), "#!/bin/sh\ntouch made\n");
    chmodSync(join(folder, "evil"), 0o755);
    const made = (shell: string, command: string): boolean => {
      rmSync(join(folder, "made"), { force: true });
      spawnSync(shell, ["-c", `eval "$0"\nwait`, command], { cwd: folder, timeout: 10_000 });
      return existsSync(join(folder, "made"));
    };
    const ran = double.map((command) => [command, made("bash", command), made(dash, command)]);
    // The last is read whole by dash, which finds the quote that is not ended.
    expect(ran).toEqual(double.map((command, at) => [command, false, at < double.length - 1]));
  });

  test.each(double)("%j is asked about, and denied if a deny rule may mean it", async (command) => {
    expect(await decide(command, "sh")).toMatchObject({ behavior: "deny" });
    const deny = ["Bash(./evil *)"];
    expect(await decide(command, "sh", { mode: "bypassPermissions", deny })).toMatchObject({ behavior: "deny" });
    expect(await decide(command, "sh", { allow: ["Bash"], deny })).toMatchObject({ behavior: "deny" });
    expect(await decide(command, "sh", { mode: "bypassPermissions" })).toMatchObject({ behavior: "allow" });
  });

  test.each([
    "[ a = b ]",
    "grep 'x$' a.txt",
    "ls 2>/dev/null",
    "echo $((1 + 2))",
    "grep '[[:alpha:]]' a.txt",
    "ls [ab]",
  ])("%j is read as in bash", async (command) => {
    expect(await decide(command, "sh")).toMatchObject({ behavior: "allow" });
  });

  test("commands that bash runs are judged as before", async () => {
    expect(await decide("[[ a || ./evil ]]", undefined)).toMatchObject({ behavior: "allow" });
    expect(await decide("echo $'a\\'b'", undefined)).toMatchObject({ behavior: "allow" });
  });

  test("the session's own tool tells the permissions about sh", async () => {
    const ground = layGround();
    writeFileSync(join(ground.work, "evil"), "#!/bin/sh\ntouch made\n");
    chmodSync(join(ground.work, "evil"), 0o755);
    const call = { tool: "Bash", input: { command: "[[ a || ./evil ]]" } };
    const model = scripted({ steps: [{ content: [call] }, "Done."] });
    const env = { PATH: process.env["PATH"], CLAUDE_CODE_SHELL: "/bin/sh" };
    await turn(await openOn(ground, model, { env }), "hi");
    expect(existsSync(join(ground.work, "made"))).toBe(false);
    expect(JSON.stringify(calls(model).at(-1)?.body)).toContain("Permission denied");
  });
});

test.each(["sh", "dash", "/bin/ash"])("a text given to %s is read as that shell reads it", async (shell) => {
  const inBypass = (command: string) =>
    bash(make(place, { mode: "bypassPermissions", deny: ["Bash(cat *)"] }), place.cwd, command);
  expect(await inBypass(`${shell} -c '((cat secret))'`)).toBe("deny");
  expect(await inBypass(`${shell} -c "true \\$'a\\\\'; cat secret #'"`)).toBe("deny");
  expect(await inBypass(`${shell} -c 'ls; [ -f a ]'`)).toBe("allow");
  expect(await inBypass("bash -c '((i = 1)); [[ -f a ]]'")).toBe("allow");
});

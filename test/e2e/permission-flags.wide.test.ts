// A refusal in a headless run names the flag that would allow the call. With that flag, it is allowed.
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { atWire, calls, resultsIn, says } from "./support/ask.ts";
import type { Place } from "./support/place.ts";
import type { WireServer } from "./support/wire.ts";

async function told(place: Place, server: WireServer, flags: readonly string[]): Promise<string> {
  const { code, stderr } = await place.run(["-p", ...flags, "--", "x"]);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("Unknown")]);
  const result = resultsIn(server.requests.at(-1))[0];
  expect(result).toBeDefined();
  return result!;
}

/** As a shell reads them. */
function wordsOf(flags: string): string[] {
  return spawnSync("bash", ["-c", `printf '%s\\0' ${flags}`], { encoding: "utf8" })
    .stdout.split("\0")
    .slice(0, -1);
}

function lay(place: Place): void {
  place.write("there.txt", "a\n");
  mkdirSync(join(place.folder, "../up (1)"));
  place.write("../9.41\u202fAM/x.txt", "a\n");
  place.write("../up (1)/x.txt", "a\n");
  symlinkSync("/tmp", join(place.folder, "link"));
}

const bash = (command: string): [string, unknown] => ["Bash", { command }];

describe("the flag that a refusal names", () => {
  test.each<[name: string, input: unknown, flags?: string[]]>([
    bash("touch x"),
    bash("touch x && touch y"),
    bash("touch $(echo x)"),
    bash("touch 'it'\\''s' \"c*d\""),
    bash("touch x (y)"),
    bash("touch x, y"),
    bash(" touch   x "),
    bash("touch x # why"),
    bash("FOO=1 touch x"),
    bash("touch ünï 😀"),
    bash("touch x:*"),
    bash("touch a\u00a0b '\u202f' \u{e0041}"),
    bash(`touch a${" ".repeat(20)}'b\\c'`),
    bash("touch a\\ b"),
    bash("touch x \\\n  y"),
    bash("cat <<'E' > f\nhello\nE"),
    bash("if true; then touch x; fi"),
    bash("npm run build -- --x"),
    bash(`touch ${"x".repeat(300)}`),
    ["Bash", { command: "touch x" }, ["--permission-mode", "dontAsk"]],
    ["Write", { file_path: "new.txt", content: "x" }],
    ["Write", { file_path: "../up (1)/y.txt", content: "x" }],
    ["Write", { file_path: "../none/y z.txt", content: "x" }],
    ["Write", { file_path: "../none/9.41\u202fAM.txt", content: "x" }],
    ["Read", { file_path: "../9.41\u202fAM/x.txt" }],
    ["Write", { file_path: ".git/config", content: "x" }],
    ["Edit", { file_path: "there.txt", old_string: "a", new_string: "b" }],
    ["Read", { file_path: "../up (1)/x.txt" }],
    ["Read", { file_path: "link/none.txt" }],
    ["Glob", { pattern: "*", path: "../up (1)" }],
    ["Grep", { pattern: "x", path: "../up (1)/x.txt" }],
  ])("allows %s %j", (name, input, flags = []) =>
    atWire(
      (_, at) => (at % 2 === 0 ? calls([name, input]) : says("done")),
      async (place, server) => {
        lay(place);
        const refusal = await told(place, server, flags);
        const named = /To allow it, start pawl with (.*)\.<\/tool_use_error>$/su.exec(refusal)?.[1];
        expect(named, refusal).toBeDefined();
        const words = wordsOf(named!.replace(/ \(which [^)]*\)$/, ""));
        expect(await told(place, server, [...flags, ...words])).not.toMatch(/Permission denied/);
      },
    ),
  );

  test("is missing if no flag would allow the call", () =>
    atWire([calls(bash("rm -rf .")), says("done")], async (place, server) => {
      expect(await told(place, server, ["--allowed-tools", "Bash"])).toMatch(/No flag allows it/);
    }));
});

describe("a deny rule holds", () => {
  const refused: [rule: string, name: string, input: unknown, mode?: string][] = [
    ["Bash(touch *)", "Bash", { command: "true; FOO=1 touch x" }],
    ["Bash(touch *)", "Bash", { command: "sh -c 'touch x'" }, "bypassPermissions"],
    ["Bash", "Bash", { command: "true" }, "bypassPermissions"],
    ["Read(secret.txt)", "Read", { file_path: "secret.txt" }],
    ["Read(secret.txt)", "Read", { file_path: "alias.txt" }, "bypassPermissions"],
    ["Read(secret.txt)", "Bash", { command: "cat secret.txt" }, "bypassPermissions"],
    ["Read(secret.txt)", "Edit", { file_path: "secret.txt", old_string: "top", new_string: "x" }, "acceptEdits"],
    ["Edit(secret.txt)", "Write", { file_path: "secret.txt", content: "x" }, "acceptEdits"],
  ];
  test.each(refused)("%s against %s %j (%s)", (rule, name, input, mode = "default") =>
    atWire([calls([name, input]), says("done")], async (place, server) => {
      place.write("secret.txt", "top");
      symlinkSync("secret.txt", join(place.folder, "alias.txt"));
      const allowed = ["--permission-mode", mode, "--allowed-tools", "Bash", "--disallowed-tools", rule];
      expect(await told(place, server, allowed)).toMatch(/Permission denied|No such tool/);
    }),
  );

  test("for files in search results", () =>
    atWire([calls(["Grep", { pattern: "top" }], ["Glob", { pattern: "*" }]), says("done")], async (place, server) => {
      place.write("secret.txt", "top");
      place.write("open.txt", "top");
      await told(place, server, ["--disallowed-tools", "Read(secret.txt)"]);
      expect(resultsIn(server.requests[1])[0]).toBe("open.txt");
    }));
});

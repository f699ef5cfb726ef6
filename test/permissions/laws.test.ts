// What holds for any rules, any mode and any call.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { permissionModes } from "../../src/protocol/permission.ts";
import { describeVectors } from "../support/vectors.ts";
import { bash, make, makePlace, verdict, type Place } from "./support.ts";
import { byTestDepth } from "../support/test-depth.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "src"));
});
afterAll(() => place.remove());

const mode = fc.constantFrom(...permissionModes);
const rule = fc.constantFrom(
  "Bash",
  "Bash(npm *)",
  "Bash(npm test)",
  "Bash(*)",
  "Read",
  "Read(**)",
  "Edit(**)",
  "Edit",
  "Write",
  "Edit(src/**)",
  "Read(//**)",
  "mcp__a__*",
  "mcp__a",
  "WebFetch",
);
const hook = fc.constantFrom(undefined, { behavior: "allow" as const }, { behavior: "ask" as const });
const calls = fc.constantFrom<[string, Record<string, unknown>, string]>(
  ["Bash", { command: "npm test" }, "Bash(npm *)"],
  ["Bash", { command: "a && npm test" }, "Bash(npm *)"],
  ["Bash", { command: "$X" }, "Bash"],
  ["Write", { file_path: "src/a" }, "Edit(src/**)"],
  ["Edit", { file_path: "src/a" }, "Read(**)"],
  ["Read", { file_path: "/etc/passwd" }, "Read(//etc/**)"],
  ["Grep", { path: "src" }, "Read(src/**)"],
  ["mcp__a__b", {}, "mcp__*"],
  ["WebFetch", { url: "https://a.example" }, "WebFetch(domain:*.example)"],
  ["Anything", {}, "*"],
);

describe("for any rules, modes and calls", () => {
  test("a deny rule beats every rule, mode, hook and answer", async () => {
    const ask = async () => ({ behavior: "allow" as const });
    await fc.assert(
      fc.asyncProperty(
        mode,
        fc.array(rule),
        fc.array(rule),
        hook,
        calls,
        async (current, allow, askRules, hookDecision, [tool, input, deny]) => {
          const permissions = make(place, { mode: current, allow, askRules, deny: [deny], ask });
          expect(await verdict(permissions, place.cwd, tool, input, { hookDecision })).toBe("deny");
        },
      ),
      { numRuns: byTestDepth(200, 400) },
    );
  });

  test("a call that matches an ask rule never runs without a person", async () => {
    await fc.assert(
      fc.asyncProperty(
        mode,
        fc.array(rule),
        hook,
        calls,
        async (current, allow, hookDecision, [tool, input, asked]) => {
          const permissions = make(place, { mode: current, allow, askRules: [asked] });
          expect(await verdict(permissions, place.cwd, tool, input, { hookDecision })).not.toBe("allow");
        },
      ),
      { numRuns: byTestDepth(200, 400) },
    );
  });

  // bash itself is asked what would have run: every program it can find is a canary, but the one the rules name.
  test("a command that a prefix rule allows runs no other program, whatever is appended to it", async () => {
    const bin = join(place.root, "bin");
    mkdirSync(bin);
    const mark = join(place.root, "canary-ran");
    for (const name of ["npm", "zz", "npmzz", "testzz"]) {
      writeFileSync(join(bin, name), name === "npm" ? "#!/bin/sh\n" : `#!/bin/sh\n: > ${mark}\n`, { mode: 0o755 });
    }
    const glue = fc.constantFrom(
      "; ",
      " && ",
      " || ",
      " | ",
      " & ",
      "\n",
      " $(",
      " `",
      " > ",
      " < ",
      " <(",
      " >(",
      "\r",
      " #",
      "\\\n",
      " '",
      ' "',
      " $X",
      " ${X}",
      " {a,b} ; ",
      "\u2028",
      "&&",
      ";",
      "|",
      "|&",
      " <<E\n$(",
      "\nE\n",
      ")",
      "`",
      " ! ",
      " then ",
      " ${x:-$(",
      ")}",
    );
    const part = fc.oneof(
      { weight: 3, arbitrary: glue },
      fc.constantFrom("zz", " zz ", "'", '"', " x", "$((", "))", "\\", "zz)"),
    );
    const permissions = make(place, { allow: ["Bash(npm test *)", "Bash(npm*)", "Bash(npm * x)"] });
    let allowed = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
        const command = `npm test ${parts.join("")}zz`;
        if ((await bash(permissions, place.cwd, command)) !== "allow") return;
        allowed += 1;
        spawnSync("/bin/bash", ["--norc", "--noprofile", "-c", command], {
          cwd: place.cwd,
          env: { PATH: bin },
          input: "",
          timeout: 5_000,
        });
        expect(existsSync(mark), command).toBe(false);
        const made = readdirSync(place.cwd).filter((name) => name !== "src");
        for (const name of made) rmSync(join(place.cwd, name));
        expect(made, command).toEqual([]);
      }),
      { numRuns: byTestDepth(500, 1_500) },
    );
    expect(allowed).toBeGreaterThan(byTestDepth(6, 20));
  });

  test("a path that may be written is inside the working directories or named by a rule", async () => {
    const permissions = make(place, { mode: "acceptEdits", allow: ["Edit(//opt/pawl-x/**)"] });
    const segment = fc.oneof(
      fc.constantFrom("..", ".", "", "src", "repo", "opt", "pawl-x", "etc", "home", " "),
      fc.stringMatching(/^[a-z.]{1,4}$/),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(`${place.cwd}/`, "/", `${place.root}/`),
        fc.array(segment, { maxLength: 6 }),
        async (start, segments) => {
          const path = start + segments.join("/");
          const isAllowed = (await verdict(permissions, place.cwd, "Write", { file_path: path })) === "allow";
          const plain = new URL(`file://${path.replaceAll("%", "%25").replace(/\/+/gu, "/")}`).pathname;
          if (isAllowed)
            expect(plain === place.cwd || plain.startsWith(`${place.cwd}/`) || plain.startsWith("/opt/pawl-x/")).toBe(
              true,
            );
        },
      ),
      { numRuns: byTestDepth(250, 500) },
    );
  });

  test("a denied call is never allowed because of one more guarding rule", async () => {
    await fc.assert(
      fc.asyncProperty(
        mode,
        fc.array(rule),
        fc.array(rule),
        rule,
        calls,
        async (current, allow, deny, more, [tool, input]) => {
          const before = await verdict(make(place, { mode: current, allow, deny }), place.cwd, tool, input);
          const after = await verdict(
            make(place, { mode: current, allow, deny: [...deny, more] }),
            place.cwd,
            tool,
            input,
          );
          if (before !== "allow") expect(after).not.toBe("allow");
        },
      ),
      { numRuns: byTestDepth(200, 400) },
    );
  });
});

interface ShellCase {
  id: string;
  command: string | string[];
  expected: string;
  target?: string;
  rules?: { allow: string[]; deny: string[] };
  network_or_cloud?: boolean;
}

const guarded = /^(?:ask|block|dangerous|deny|reject)/u;

describeVectors<{ vectors: ShellCase[] }>("bash_permissions", ({ vectors }) => {
  const commands = vectors.filter(({ target, command }) => (target ?? "command") === "command" && command !== "Bash");
  const text = (command: string | string[]): string => (Array.isArray(command) ? command.join(" ") : command);

  test("no command of the corpus that must be asked about or blocked runs without a rule", async () => {
    const permissions = make(place);
    const wrong: string[] = [];
    let checked = 0;
    for (const { id, command, expected, rules, network_or_cloud: isNetwork } of commands) {
      if (rules !== undefined || !(guarded.test(expected) || isNetwork === true)) continue;
      checked += 1;
      if ((await bash(permissions, place.cwd, text(command))) === "allow") wrong.push(`${id} ${text(command)}`);
    }
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(2_500);
  });

  test("with the rules of the corpus, no more is allowed and no less is denied than expected", async () => {
    for (const { id, command, expected, rules } of commands) {
      if (rules === undefined) continue;
      const form = (name: string): string => (name === "*" ? "Bash" : `Bash(${name} *)`);
      const permissions = make(place, { allow: rules.allow.map(form), deny: rules.deny.map(form) });
      const found = await bash(permissions, place.cwd, text(command));
      if (guarded.test(expected)) expect(found, id).not.toBe("allow");
      if (expected === "deny") expect(found, id).toBe("deny");
    }
  });
});

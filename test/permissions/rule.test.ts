import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diskPaths } from "../../src/permissions/paths/path-forms.ts";
import { parseRule, type ParsedRule, type RuleBehavior } from "../../src/permissions/rules/rule.ts";
import { describeVectors } from "../support/vectors.ts";
import { bash, call, make, makePlace, verdict, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

function parse(rule: string, behavior: RuleBehavior): ParsedRule {
  return parseRule({ rule, source: "test" }, behavior, { cwd: place.cwd, home: place.home, reader: diskPaths });
}

describe("a rule", () => {
  test.each([
    "Bash",
    "Bash(*)",
    "Bash(npm test *)",
    "Read(./.env)",
    "mcp__github__*",
    "mcp__github",
    'Bash(node -e "f(1), g(2)")',
    "Bash(echo (a) (b))",
    "Agent(Explore)",
    "Skill(a:b)",
  ])("is read without a problem: %s", (rule) => {
    expect(parse(rule, "allow")).toMatchObject({ rule: { rule }, problems: [] });
  });

  test.each([
    "",
    " ",
    "- Read",
    "Read[wrong-brackets]",
    "Bash without parentheses",
    "Bash, Read",
    '["Bash"]',
    "Bash(",
    "Bash()",
    "Bash( )",
    "Bash(:*)",
    "Bash(**)",
    "Read(!x)",
    "Read(#x)",
    "Read(../..)",
    "(Bash)",
    "mcp__srv__*(x)",
    "Bash(rm *)|Bash(ls *)",
    "Bash(rm *), Read(./.env)",
    "Edit(a/**) mcp__srv__write(v:x)",
  ])("that cannot be read matches nothing and is reported: %j", (text) => {
    for (const behavior of ["allow", "deny", "ask"] as const) {
      const { rule, problems } = parse(text, behavior);
      expect(rule).toBeNull();
      expect(problems).toHaveLength(1);
      expect(problems[0]?.level).toBe(behavior === "allow" ? "notice" : "error");
    }
  });

  // Seen: one of them in a deny list caused a question about everything but reading.
  test.each(["// Git, to read", "//====", "// ═══", "//", "# network", "--- files ---", "=== more ==="])(
    "that is a heading in a list matches nothing and is not reported: %s",
    (text) => {
      for (const behavior of ["allow", "deny", "ask"] as const)
        expect(parse(text, behavior)).toEqual({ rule: null, problems: [] });
    },
  );

  test.each(["//Users/alice/secrets/**", "//**", "#secrets", "-rf"])(
    "is no heading if it is a path or an option: %s",
    (text) => {
      expect(parse(text, "deny").problems).toMatchObject([{ level: "error" }]);
    },
  );

  // Seen in shared settings: as deny rules they guarded nothing, and nobody was told.
  test.each([
    ["Bash:*", "write Bash."],
    ["Read:.env", "write Read(.env)."],
    ["WebFetch:", "write WebFetch."],
  ])("with a colon after the tool's name is reported with the right spelling: %s", (text, written) => {
    for (const behavior of ["allow", "deny"] as const) {
      const { rule, problems } = parse(text, behavior);
      expect({ rule, text: problems[0]?.text }).toEqual({ rule: null, text: expect.stringContaining(written) });
    }
    expect(parse("mcp__plugin:docs:search", "deny").rule).not.toBeNull();
  });

  test.each(["*", "mcp__*", "mcp__a_*", "B*"])("that allows takes no star before a server's name: %s", (text) => {
    expect(parse(text, "allow")).toMatchObject({ rule: null, problems: [{ level: "notice" }] });
    expect(parse(text, "deny").problems).toEqual([]);
  });

  test("that allows several commands is reported to match no line, unless it is one exact line", () => {
    for (const rule of ["cd backend && npm test:*", "cat * | head *", "npm ci; npm run *", "a || b *"])
      expect(parse(`Bash(${rule})`, "allow").problems[0]?.text, rule).toContain("write a rule for each command");
    for (const rule of [
      "cd backend && npm test",
      'git commit -m "a && b" *',
      "find . -exec cat {} ; *",
      "grep 'a | b' *",
    ])
      expect(parse(`Bash(${rule})`, "allow").problems, rule).toEqual([]);
    expect(parse("Bash(cd backend && npm test:*)", "deny").problems).toEqual([]);
  });

  test("is reported if it may not mean what its author meant", () => {
    expect(parse("Write(src/**)", "allow").problems[0]?.text).toContain("Edit(src/**)");
    expect(parse("Write(src/**)", "deny").problems[0]?.text).toContain("Edit(src/**)");
    expect(parse("Read(/etc/**)", "deny").problems[0]?.text).toContain("//etc/**");
    expect(parse("Read(*.{env,pem})", "deny").problems[0]?.text).toContain("braces");
    expect(parse("WebSearch(x)", "allow").rule).toBeNull();
    expect(parse("WebFetch(domain:exa mple)", "deny").problems[0]?.level).toBe("error");
  });

  // Seen: as deny rules they guarded nothing, and nothing was reported.
  test.each([
    ["$HOME/keys/**", "~/keys/**", "/keys/a"],
    ["${HOME}/keys/", "~/keys/", "/keys/a"],
    ["${CLAUDE_PROJECT_DIR}/keys/**", "./keys/**", "/repo/keys/a"],
    ["$PWD/keys/a", "./keys/a", "/repo/keys/a"],
  ])("with a variable in its path guards the intended place, but allows none: %s", async (path, meant, file) => {
    const file_path = file.startsWith("/repo/") ? place.cwd + file.slice("/repo".length) : place.home + file;
    const guarded = { allow: ["Read"], deny: [`Read(${path})`] };
    expect(await verdict(make(place, guarded), place.cwd, "Read", { file_path })).toBe("deny");
    expect(parse(`Read(${path})`, "deny").problems).toMatchObject([
      { level: "notice", text: expect.stringContaining(`read as ${meant}.`) as string },
    ]);
    const outside = { file_path: `${place.home}/keys/a` };
    expect(await verdict(make(place, { allow: [`Read(${path})`] }), place.cwd, "Read", outside)).toBe("ask");
    expect(parse(`Read(${path})`, "allow").problems[0]?.text).toContain(`write ${meant}.`);
    for (const other of ["$HOMELESS/a", "$lang/a", "src/$HOME/a"])
      expect(parse(`Read(${other})`, "deny").problems, other).toEqual([]);
  });

  // In shared settings: as an ask rule it caused a question about everything but reading, and as an allow rule it was dropped.
  test.each([
    ["SlashCommand:/commit", "commit", "review"],
    ["SlashCommand(/commit)", "commit", "review"],
    ["SlashCommand:/review:*", "review", "commit"],
    ["SlashCommand(**)", undefined, "commit"],
    ["SlashCommand", "commit", undefined],
    ["Skill(/commit)", "commit", "review"],
  ])("for slash commands applies to skills: %s", async (rule, named, other) => {
    const permissions = make(place, { allow: [rule] });
    if (named !== undefined) expect(await verdict(permissions, place.cwd, "Skill", { skill: named })).toBe("allow");
    if (other !== undefined) expect(await verdict(permissions, place.cwd, "Skill", { skill: other })).toBe("ask");
  });

  test("for name:* also applies to everything of the plugin with that name", async () => {
    const permissions = make(place, { allow: ["Agent(tools:*)"], deny: ["Skill(docs:*)"] });
    const judged = ["docs:write", "docs", "docsmith", "x"].map((skill) =>
      verdict(permissions, place.cwd, "Skill", { skill }),
    );
    expect(await Promise.all(judged)).toEqual(["deny", "deny", "ask", "ask"]);
    expect(await verdict(permissions, place.cwd, "Agent", { subagent_type: "tools:reviewer" })).toBe("allow");
  });

  test("with :* inside a command is reported, unless the word may contain a colon", () => {
    for (const behavior of ["allow", "deny", "ask"] as const) {
      for (const rule of ["Bash(git:* push)", "Bash(git push:* --force)", "Bash(git:* docker:*)", "Bash(rm:*,mv:*)"]) {
        const { problems } = parse(rule, behavior);
        expect(
          problems.map(({ level }) => level),
          rule,
        ).toEqual(["notice"]);
        expect(problems[0]?.text).toContain('write " *" instead');
      }
      for (const rule of ["Bash(npm run test:* --watch)", "Bash(git push origin HEAD:* --tags)", "Bash(git push:*)"])
        expect(parse(rule, behavior).problems, rule).toEqual([]);
    }
    expect(parse("Bash(description:*deploy*)", "ask").problems).toEqual([]);
  });

  // Repositories list dozens of them, and each was a line of its own at every start.
  test("is reported together with others of its file that have the same problem, unless it is an error", () => {
    const texts = (rules: Parameters<typeof make>[1]): string[] => make(place, rules).problems.map(({ text }) => text);
    expect(texts({ allow: ["Write(a)", "Write(b)", "Write(c)"] })).toHaveLength(3);
    expect(texts({ allow: ["Write(a)", "Write(b)", "Glob(c)", "MultiEdit(d)", "Write(e)"] })).toEqual([
      '4 allow rules (test), such as "Write(a)" and "Write(b)": these tools with a path match nothing; write Edit(…).',
      'The allow rule "Glob(c)" (test): Glob with a path matches nothing; write Read(c).',
    ]);
    expect(texts({ deny: ["Write(a)", "Write(b)", "Write(c)", "Write(d)"] })).toEqual([
      '4 deny rules (test), such as "Write(a)" and "Write(b)": read as Edit(…), which concerns every tool that writes files.',
    ]);
    expect(texts({ deny: ["Bash()", "Edit()", "Read()", "Write()"] })).toHaveLength(4);
  });

  test("made of any text is read or reported, and never throws", () => {
    const bits = fc.constantFrom(
      "Bash",
      "Read",
      "Edit",
      "WebFetch",
      "mcp__a__b",
      "(",
      ")",
      "*",
      ":",
      "domain:",
      "/",
      "//",
      "~",
      "!",
      "[",
      "\\",
      " ",
      "\n",
      "a",
      "\u0000",
      "\ud800",
      "**",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(bits, { maxLength: 12, size: "max" }).map((parts) => parts.join("")),
        ),
        (text) => {
          for (const behavior of ["allow", "deny", "ask"] as const) {
            const { rule, problems } = parse(text, behavior);
            const isHeading = /^(?:\/\/|#|--|==)/u.test(text.trim());
            expect(rule !== null || problems.length > 0 || isHeading).toBe(true);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe("tool names in rules:", () => {
  test.each([
    ["Bash", "Bash", "deny"],
    ["bash", "Bash", "deny"],
    ["Task", "Agent", "deny"],
    ["KillShell", "TaskStop", "deny"],
    ["*", "Anything", "deny"],
    ["mcp__*", "mcp__a__b", "deny"],
    ["mcp__*", "Anything", "ask"],
    ["mcp__a", "mcp__a__b", "deny"],
    ["mcp__a", "mcp__ab__c", "ask"],
    ["mcp__a__*", "mcp__a__b", "deny"],
    ["mcp__a__get_*", "mcp__a__set_x", "ask"],
  ])("deny %s, call %s: %s", async (rule, tool, expected) => {
    const isFree = tool === "TaskStop" && expected === "ask";
    expect(await verdict(make(place, { deny: [rule] }), place.cwd, tool, {})).toBe(isFree ? "allow" : expected);
  });

  test("an MCP server is allowed by its name, and one of its tools by the tool's name", async () => {
    const all = make(place, { allow: ["mcp__a", "mcp__b__read"] });
    expect(await verdict(all, place.cwd, "mcp__a__x", {})).toBe("allow");
    expect(await verdict(all, place.cwd, "mcp__b__read", {})).toBe("allow");
    expect(await verdict(all, place.cwd, "mcp__b__write", {})).toBe("ask");
    // Names of tools may hold two underscores.
    expect(await verdict(all, place.cwd, "mcp__b__read__all", {})).toBe("ask");
    expect(await verdict(all, place.cwd, "mcp__a__read__all", {})).toBe("allow");
  });

  test("guarding rules ignore case, and allow rules in the wrong case are reported", async () => {
    const guarding = make(place, { deny: ["bash(rm *)"], askRules: ["websearch"] });
    expect(guarding.problems).toEqual([]);
    expect(await bash(guarding, place.cwd, "rm x")).toBe("deny");
    expect(await verdict(guarding, place.cwd, "WebSearch", { query: "x" })).toBe("ask");
    expect(parse("bash(ls)", "allow")).toMatchObject({ rule: null, problems: [{ level: "notice" }] });
    expect(parse("bash(ls)", "allow").problems[0]?.text).toContain("the tool is called Bash.");
    expect(parse("Bsh(ls)", "allow").problems[0]?.text).toContain("no built-in tool is called Bsh, and Bsh takes no");
    expect(parse("bash", "allow").problems).toEqual([]);
  });

  test("web pages are named by their host, and other spellings are reported", () => {
    for (const rule of [
      "WebFetch(https://a.example.com/x/*)",
      "WebFetch(a.example.com)",
      "WebFetch(a.example.com:80/x)",
    ])
      for (const behavior of ["allow", "deny"] as const)
        expect(parse(rule, behavior).problems[0]?.text).toContain("write WebFetch(domain:a.example.com).");
    expect(parse("WebFetch(prompt:*key*)", "deny").problems).toEqual([]);
  });

  test("tools that a deny rule removes altogether are listed", () => {
    const permissions = make(place, {
      deny: ["Bash", "Edit(*)", "Write(x)", "mcp__a", "Task", "Grep(*)", "Read(.env)"],
    });
    const names = ["Bash", "Edit", "Write", "Read", "Grep", "Agent", "mcp__a__x", "mcp__b__x"];
    expect(permissions.removedTools(names)).toEqual(["Bash", "Grep", "Agent", "mcp__a__x"]);
  });
});

describe("rules for web hosts, agents and parameters:", () => {
  const fetchUrl = (permissions: ReturnType<typeof make>, url: unknown) =>
    verdict(permissions, place.cwd, "WebFetch", { url });

  test.each([
    ["example.com", "https://example.com/a", "allow"],
    ["example.com", "https://EXAMPLE.com./", "allow"],
    ["Example.COM.", "https://example.com", "allow"],
    ["example.com", "https://example.com.evil.net/", "ask"],
    ["example.com", "https://example.com@evil.net/", "ask"],
    ["example.com", "https://user@example.com/", "ask"],
    ["example.com", "https://evil.net/#example.com", "ask"],
    ["example.com", "https://example.com%2eevil.net/", "ask"],
    ["example.com", "http://example.com:80@evil.net/", "ask"],
    ["example.com", "https://ex\u0430mple.com/", "ask"],
    ["example.com", String.raw`https://evil.net\@example.com/`, "ask"],
    ["example.com", "file://example.com/etc/passwd", "ask"],
    ["example.com", "not a url", "ask"],
    ["example.com", 7, "ask"],
    ["*.example.com", "https://a.b.example.com/", "allow"],
    ["*.example.com", "https://example.com/", "ask"],
    ["api-*.example.com", "https://api-1.example.com/", "allow"],
    ["api-*.example.com", "https://api-1.x.example.com/", "ask"],
    ["bücher.example", "https://xn--bcher-kva.example/", "allow"],
    ["example.com", "http://example.com/a", "allow"],
    ["example.com", "ftp://example.com/a", "ask"],
    ["example.com", "https://:secret@example.com/", "ask"],
    ["example.com", String.raw`https://example.com\@evil.net/`, "ask"],
    ["example.com", "https://exam\nple.com/", "ask"],
    ["example.com", "https://example.com/\u0001", "ask"],
    ["*.example.com", "https://a.b.evil.net/", "ask"],
    ["*.example.com", "https://a.example.com.evil.net/", "ask"],
    ["*", "https://example.com/", "allow"],
  ])("allow WebFetch(domain:%s), fetch %s: %s", async (domain, url, expected) => {
    expect(await fetchUrl(make(place, { allow: [`WebFetch(domain:${domain})`] }), url)).toBe(expected);
  });

  test("a denied host is denied with a user name in the URL, and a URL without a host is asked about", async () => {
    const permissions = make(place, { allow: ["WebFetch"], deny: ["WebFetch(domain:evil.net)"] });
    expect(await fetchUrl(permissions, "https://x:y@EVIL.net./")).toBe("deny");
    expect(await fetchUrl(permissions, "https://good.net/")).toBe("allow");
    expect(await fetchUrl(permissions, "::")).toBe("ask");
    const bypassing = make(place, { mode: "bypassPermissions", deny: ["WebFetch(domain:evil.net)"] });
    expect(await fetchUrl(bypassing, "https://good.net/")).toBe("allow");
    expect(await fetchUrl(bypassing, "::")).toBe("deny");
    expect(await verdict(bypassing, place.cwd, "MyTool", { url: "::" })).toBe("allow");
  });

  // Seen: "use plain words and one command at a time", of an address.
  test("an address that cannot be read gets advice about addresses", async () => {
    for (const mode of ["dontAsk", "bypassPermissions"] as const) {
      const permissions = make(place, { mode, allow: ["WebFetch"], deny: ["WebFetch(domain:evil.net)"] });
      const { message = "" } = (await call(permissions, place.cwd, "WebFetch", { url: "::" })) as { message?: string };
      expect(message).toMatch(/address cannot be read.*; give the whole address, such as https:/u);
      expect(message).not.toMatch(/command|words/u);
    }
  });

  test("a rule for everything below a folder applies to searching the folder, and to nothing beside it", async () => {
    const permissions = make(place, { deny: ["Read(src/**)"] });
    for (const tool of ["Glob", "Grep"]) {
      expect(await call(permissions, place.cwd, tool, { path: `${place.cwd}/src` })).toMatchObject({
        behavior: "deny",
        reason: { type: "rule" },
      });
      expect(await verdict(permissions, place.cwd, tool, { path: `${place.cwd}/other` })).toBe("allow");
    }
    expect(await verdict(permissions, place.cwd, "Read", { file_path: `${place.cwd}/other` })).toBe("allow");
  });

  test("agents and skills are named by their names", async () => {
    const permissions = make(place, { allow: ["Agent(Explore)", "Skill(review *)"], deny: ["Task(Plan)"] });
    expect(await verdict(permissions, place.cwd, "Agent", { subagent_type: "Explore" })).toBe("allow");
    expect(await verdict(permissions, place.cwd, "Agent", { subagent_type: "Plan" })).toBe("deny");
    expect(await verdict(permissions, place.cwd, "Agent", { subagent_type: "Other" })).toBe("ask");
    expect(await verdict(permissions, place.cwd, "Skill", { skill: "review x" })).toBe("allow");
  });

  test("several agents may be named in one rule", async () => {
    const permissions = make(place, {
      allow: ["Agent(Explore, worker)"],
      deny: ["Agent(Plan,tools:reviewer)", "Task(Cost, Benefit Clerk)"],
    });
    const judged = ["Explore", "worker", "Plan", "tools:reviewer", "Cost, Benefit Clerk", "Other"];
    const verdicts = judged.map(
      async (kind) => await verdict(permissions, place.cwd, "Agent", { subagent_type: kind }),
    );
    expect(await Promise.all(verdicts)).toEqual(["allow", "allow", "deny", "deny", "deny", "ask"]);
  });

  test("parameters count in guarding rules, but not in allow rules", async () => {
    const permissions = make(place, {
      allow: ["Bash", "mcp__a__b(x:1)"],
      deny: ["Agent(model:opus*)", "Bash(run_in_background:true)", "mcp__a__b(n:2)"],
    });
    expect(await verdict(permissions, place.cwd, "Agent", { model: "opus-4" })).toBe("deny");
    expect(await verdict(permissions, place.cwd, "Bash", { command: "a", run_in_background: true })).toBe("deny");
    expect(await verdict(permissions, place.cwd, "Bash", { command: "a" })).toBe("allow");
    expect(await verdict(permissions, place.cwd, "mcp__a__b", { x: 1 })).toBe("ask");
    expect(await verdict(permissions, place.cwd, "mcp__a__b", { n: 2 })).toBe("deny");
    expect(await verdict(permissions, place.cwd, "mcp__a__b", { n: { toString: () => "2" } })).toBe("ask");
  });

  test("parameters of file tools are not taken for paths", async () => {
    const permissions = make(place, {
      askRules: ["Grep(pattern:secret*)"],
      deny: ["Edit(replace_all:true)", "Write(content:*key*)"],
    });
    const judge = (tool: string, input: Record<string, unknown>) => verdict(permissions, place.cwd, tool, input);
    expect(await judge("Grep", { pattern: "secrets" })).toBe("ask");
    expect(await judge("Grep", { pattern: "words" })).toBe("allow");
    expect(await judge("Edit", { file_path: "a", replace_all: true })).toBe("deny");
    expect(await judge("Edit", { file_path: "a", replace_all: false })).toBe("ask");
    expect(await judge("Write", { file_path: "a", content: "a key of mine" })).toBe("deny");
    expect(parse("Grep(pattern:secret*)", "ask").problems).toEqual([]);
  });
});

describeVectors<{ real_rules: { list: string; rule: string }[] }>("permission_rules", ({ real_rules: rules }) => {
  test("every real-world rule in the corpus is read or reported", () => {
    const lists: Record<string, RuleBehavior> = { deny: "deny", ask: "ask" };
    const unread = rules.filter(({ list, rule }) => parse(rule, lists[list] ?? "allow").rule === null);
    expect(unread.map(({ rule }) => rule).filter((rule) => !/[,[\]]|^- |without/u.test(rule))).toEqual([
      "mcp__*",
      "mcp__filesystem(read:/home/user)",
    ]);
    expect(rules.length).toBeGreaterThan(200);
  });

  test("no scoped rule of the corpus allows everything its tool can do", async () => {
    const scoped = rules.filter(({ rule }) => !/^\w+(?:\(\*\))?$/u.test(rule)).map(({ rule }) => rule);
    const permissions = make(place, { allow: scoped });
    expect(await bash(permissions, place.cwd, "frobnicate --all")).toBe("ask");
    expect(await bash(permissions, place.cwd, "git log; frobnicate")).toBe("ask");
    expect(await verdict(permissions, place.cwd, "Read", { file_path: "/etc/shadow" })).toBe("ask");
    expect(await verdict(permissions, place.cwd, "Write", { file_path: "/etc/shadow" })).toBe("ask");
    expect(await verdict(permissions, place.cwd, "WebFetch", { url: "https://evil.net" })).toBe("ask");
    expect(await verdict(permissions, place.cwd, "mcp__evil__x", {})).toBe("ask");
  });
});

test.each([
  ["Edit(src/**)", "src/a.ts", true],
  ["Edit(src/**)", "sub/src/a.ts", false],
  ["Edit(src/)", "sub/src/a.ts", false],
  ["Edit(**/src/**)", "sub/src/a.ts", true],
  ["Edit(*.ts)", "sub/src/a.ts", true],
  ["Write(src/**)", "sub/src/a.ts", false],
])("a hook's condition %s applies to the file %s: %s", async (condition, file, concerns) => {
  const input = { file_path: `${place.cwd}/${file}` };
  expect(await make(place).ruleConcernsCall(condition, "Edit", input, place.cwd)).toBe(concerns);
});

test.each([
  ["Bash(rm *)", "echo $(date)", false],
  ["Bash(rm:*)", "echo $HOME", false],
  ["Bash(rm *)", "echo $(rm -rf /)", true],
  ["Bash(git push *)", "echo $(date)", true],
  ["Bash(git push *)", "echo `date`", true],
  ["Bash(git push:*)", 'echo "it\'s $X"', true],
  ["Bash(git * main)", "ls > ${OUT}", true],
  ["Bash(git push *)", "awk '{print $NF}' a.txt", false],
  ["Bash(git push *)", String.raw`echo \$X "\$Y"`, false],
  ["Bash(git push *)", "git status", false],
  ["Bash(rm *)|Bash(ls *)", "ls a", true],
])("a hook's condition %s applies to the command %s: %s", async (condition, command, concerns) => {
  expect(await make(place).ruleConcernsCall(condition, "Bash", { command }, place.cwd)).toBe(concerns);
});

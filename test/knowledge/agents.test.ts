import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { loadAgents, readAgentFile } from "../../src/knowledge/agents.ts";
import { knowledgeRoots } from "../../src/knowledge/knowledge-places.ts";
import { describeCorpus } from "../support/corpus.ts";
import { put as putFile } from "../support/put.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
beforeEach(() => {
  root = temporaryFolder();
  mkdirSync(join(root, "repo/.git"), { recursive: true });
  mkdirSync(join(root, "repo/inner"));
});

const put = (file: string, text: string): string => putFile(join(root, file), text);

const agent = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: Does ${name}\n${more}---\nYou are ${name}.\n`;

function load(trusts = false) {
  const places = {
    cwd: join(root, "repo/inner"),
    pawlHome: join(root, "home/.pawl"),
    claudeHome: join(root, "home/.claude"),
  };
  const { policy, project, user } = knowledgeRoots({ ...places, policyFolders: [join(root, "etc")] });
  return loadAgents({
    places: [...policy, ...project, ...user].map((root) => ({ ...root, folder: join(root.folder, "agents") })),
    bounds: [join(root, "repo")],
    trusts: () => trusts,
  });
}

describe("agent files", () => {
  test("have their names in composed Unicode letters", async () => {
    put("home/.claude/agents/a.md", agent("prüfer".normalize("NFD")));
    expect((await load()).agents.map(({ name }) => name)).toEqual(["prüfer"]);
  });

  test("may have names of several words", async () => {
    put("home/.claude/agents/a.md", agent("Harbour Pilot"));
    put("home/.claude/agents/b.md", agent("SLA (Service Level) & Cost/Benefit Clerk"));
    put("home/.claude/agents/c.md", agent('"Tab\\tbed"'));
    const { agents, problems } = await load();
    expect(agents.map(({ name }) => name)).toEqual(["Harbour Pilot", "SLA (Service Level) & Cost/Benefit Clerk"]);
    expect(problems.map(({ path, line }) => [path.at(-4), line])).toEqual([["c", 2]]);
  });

  test("come from the administrator, the project (nearest first) and the user; the first of a name counts", async () => {
    put("etc/.claude/agents/guard.md", agent("guard"));
    put("repo/inner/.claude/agents/deep/reviewer.md", agent("reviewer", "color: red\n"));
    put("repo/.claude/agents/reviewer.md", agent("reviewer"));
    put("repo/.pawl/agents/tester.md", agent("tester"));
    put("home/.claude/agents/tester.md", agent("tester"));
    put("home/.pawl/agents/mine.md", agent("mine"));
    const { agents, shadowed, problems } = await load();
    expect(agents.map(({ name, source }) => `${source} ${name}`)).toEqual([
      "policy guard",
      "project reviewer",
      "project tester",
      "user mine",
    ]);
    expect(agents[1]).toMatchObject({ color: "red", prompt: "You are reviewer." });
    expect(shadowed.map(({ path }) => path?.slice(root.length))).toEqual([
      "/repo/.claude/agents/reviewer.md",
      "/home/.claude/agents/tester.md",
    ]);
    expect(problems).toEqual([]);
  });

  test("may have all documented fields", async () => {
    const more = [
      "tools: Read, Bash(git log *), Agent(tester)",
      "disallowedTools: [Write]",
      "model: inherit",
      "permissionMode: plan",
      "maxTurns: 12",
      "skills: [pdf]",
      "mcpServers: [github, { own: { command: x } }]",
      "memory: project",
      "background: yes",
      "effort: high",
      "isolation: worktree",
      "initialPrompt: Begin",
    ].join("\n");
    const { agent: read, problems } = await readAgentFile(agent("all", `${more}\n`), {
      path: "/u/all.md",
      source: "user",
      isTrusted: true,
    });
    expect(problems).toEqual([]);
    expect(read).toEqual({
      name: "all",
      description: "Does all",
      prompt: "You are all.",
      tools: ["Read", "Bash(git log *)", "Agent(tester)"],
      disallowedTools: ["Write"],
      model: "inherit",
      permissionMode: "plan",
      maxTurns: 12,
      skills: ["pdf"],
      mcpServers: ["github", { own: { command: "x" } }],
      memory: "project",
      background: true,
      effort: "high",
      isolation: "worktree",
      initialPrompt: "Begin",
      source: "user",
      path: "/u/all.md",
    });
  });

  // Seen: nobody learned that the agent has all tools.
  test("with misspelt fields are reported, restrictions as lost, and other programs' fields are not", async () => {
    const about = { path: "/a.md", source: "user" as const, isTrusted: true };
    const fields =
      "dissallowedTools: Bash\nmodell: opus\nmode: subagent\ntags: x\nmaxTokens: 1\nversion: 1\n_tools: y\n";
    const { agent: read, problems } = await readAgentFile(agent("a", fields), about);
    expect(problems).toEqual([
      {
        path: "/a.md",
        line: 4,
        reason: '"dissallowedTools" is ignored: the field is called "disallowedTools"',
        isLostRestriction: true,
      },
      { path: "/a.md", line: 5, reason: '"modell" is ignored: the field is called "model"' },
    ]);
    expect(read?.name).toBe("a");
    const beside = await readAgentFile(agent("a", "disallowedTools: Bash\ndissallowedTools: Read\n"), about);
    expect(beside.problems).toEqual([expect.not.objectContaining({ isLostRestriction: true })]);
  });

  // As in the agents of a widely copied collection: each of them had every tool.
  test.each(["allowedTools", "allowed-tools", "allowed_tools"])(
    "may list their tools as %s, which is reported",
    async (name) => {
      const about = { path: "/u/a.md", source: "user" as const, isTrusted: true };
      const read = await readAgentFile(agent("a", `${name}:\n  - Read\n  - "Bash(git *)"\n`), about);
      expect(read.agent?.tools).toEqual(["Read", "Bash(git *)"]);
      const reason = `"${name}" is read as "tools", which is its name here`;
      expect(read.problems).toEqual([{ path: "/u/a.md", line: 4, reason }]);
      const both = await readAgentFile(agent("a", `tools: Grep\n${name}: Read\n`), about);
      const beside = `"${name}" is ignored beside "tools", which is its name here`;
      expect([both.agent?.tools, both.problems]).toMatchObject([["Grep"], [{ reason: beside }]]);
      const broken = await readAgentFile(agent("a", `${name}: {x: 1}\n`), about);
      expect(broken.agent?.unfit).toContain('"tools" should be names of tools');
    },
  );

  test.each(["disallowed-tools", "denied-tools"])("may list their denied tools as %s", async (name) => {
    const about = { path: "/u/a.md", source: "user" as const, isTrusted: true };
    const { agent: read } = await readAgentFile(agent("a", `${name}: Bash, Write\n`), about);
    expect(read?.disallowedTools).toEqual(["Bash", "Write"]);
    const { problems } = await readAgentFile(agent("a", `disallowedTools: Edit\n${name}: Bash\n`), about);
    expect(problems[0]?.reason).toBe(`"${name}" is ignored beside "disallowedTools", which is its name here`);
  });

  test("of an untrusted folder get no mode, servers or hooks, and of a project never bypassPermissions", async () => {
    const more = "permissionMode: acceptEdits\nmcpServers: [x]\nhooks:\n  Stop: []\n";
    put("repo/.claude/agents/a.md", agent("a", more));
    put("repo/.claude/agents/b.md", agent("b", "permissionMode: bypassPermissions\n"));
    const [held] = (await load()).agents;
    expect(held).toMatchObject({ withheld: ["permissionMode", "mcpServers", "hooks"] });
    expect(Object.keys(held!)).not.toContain("mcpServers");
    const [a, b] = (await load(true)).agents;
    expect(a).toMatchObject({ permissionMode: "acceptEdits", mcpServers: ["x"] });
    expect(b).toMatchObject({ forbiddenFields: ["permissionMode"] });
    expect(b?.permissionMode).toBeUndefined();
  });

  test.each([
    ["user", true, ["hooks", "mcpServers", "memory", "permissionMode"], {}],
    ["policy", true, ["hooks", "mcpServers", "memory", "permissionMode"], {}],
    ["option", true, ["hooks", "mcpServers", "memory", "permissionMode"], {}],
    ["project", true, ["hooks", "mcpServers", "memory"], { forbiddenFields: ["permissionMode"] }],
    ["project", false, [], { forbiddenFields: ["permissionMode"], withheld: ["mcpServers", "hooks", "memory"] }],
    ["plugin", true, ["memory"], { forbiddenFields: ["permissionMode", "mcpServers", "hooks"] }],
  ] as const)(
    "of the source %s (trusted: %s) get the fields %j that the source may grant",
    async (source, isTrusted, has, kept) => {
      const more =
        "permissionMode: bypassPermissions\nmcpServers: {own: {command: x}}\nhooks: {Stop: []}\nmemory: user\n";
      const read = await readAgentFile(agent("a", more), { source, isTrusted, path: "/a.md" });
      const granting = ["hooks", "mcpServers", "memory", "permissionMode"] as const;
      expect(granting.filter((name) => read.agent?.[name] !== undefined)).toEqual(has);
      expect({ forbiddenFields: read.agent?.forbiddenFields, withheld: read.agent?.withheld }).toEqual(kept);
      expect(read.problems).toEqual([]);
    },
  );

  test.each([
    ["[Read, Bash(git log, git diff), Edit]", ["Read", "Bash(git log, git diff)", "Edit"]],
    ["Read, Bash(git log, git diff)", ["Read", "Bash(git log, git diff)"]],
    ["[Read, 'Bash(git log', Edit]", ["Read", "Bash(git log, Edit"]],
  ])("keep rules with commas in parentheses whole: %s", async (tools, names) => {
    const text = agent("a", `tools: ${tools}\nmcpServers: [docs, 3]\n`);
    const read = await readAgentFile(text, { source: "user", isTrusted: true, path: "/a.md" });
    expect([read.agent?.tools, read.agent?.mcpServers]).toEqual([names, ["docs"]]);
    const reason = '"mcpServers" should be names or servers by name; other entries were left out';
    expect(read.problems).toEqual([{ path: "/a.md", line: 5, reason }]);
  });

  test("that cannot be used are reported with file and line, and do not affect the others", async () => {
    put("repo/.claude/agents/a.md", "no front matter");
    put("repo/.claude/agents/b.md", "---\nname: b\n---\n");
    put("repo/.claude/agents/c.md", agent("x:y"));
    put("repo/.claude/agents/d.md", agent("d", "maxTurns: many\nskills: { a: 1 }\n"));
    put("repo/.claude/agents/e.md", "\0");
    put("repo/.claude/agents/g.md", `<!-- a note -->\n${agent("g")}`);
    symlinkSync("/etc/passwd", join(root, "repo/.claude/agents/f.md"));
    const { agents, problems } = await load();
    expect(agents.map(({ name }) => name)).toEqual(["d"]);
    const told = problems.map(({ path, line, reason }) => [path.at(-4), line, reason.slice(0, 24)]);
    expect(told).toEqual([
      ["f", undefined, "it is a link that leads "],
      ["a", 1, "it has no name, so it is"],
      ["b", 1, '"description" is missing'],
      ["c", 2, '"name" should be a short'],
      ["d", 4, '"maxTurns" should be a w'],
      ["d", 5, '"skills" should be a lis'],
      ["e", undefined, "it is not text"],
      ["g", 1, "its front matter does no"],
    ]);
  });

  test("with an invalid restriction keep their name, but cannot be used", async () => {
    put("repo/.claude/agents/a.md", agent("a", "isolation: moon\n"));
    put("repo/.claude/agents/b.md", agent("b", "permissionMode: yolo\n"));
    put("repo/.claude/agents/c.md", agent("c", "maxTurns: abc\n"));
    put(
      "repo/.claude/agents/d.md",
      agent("d", "permissionMode:\nmaxTurns: '3'\nisolation: worktree\ncolor: 7\ntools:\n"),
    );
    put("repo/.claude/agents/e.md", agent("e", "tools: { bash: false }\n"));
    put("repo/.claude/agents/f.md", agent("f", "tools: [Read, 7]\n"));
    put("repo/.claude/agents/g.md", agent("g", "disallowedTools: [Bash, Write\n"));
    put("repo/.claude/agents/h.md", agent("h", `disallowedTools: "Bash\n`));
    put("repo/.claude/agents/i.md", agent("i", `disallowedTools: Write, "Bash\n`));
    put("repo/.claude/agents/j.md", agent("j", `disallowedTools: "Bash", 'Write'\n`));
    put("home/.claude/agents/a.md", agent("a"));
    put("home/.claude/agents/e.md", agent("e"));
    const { agents } = await load();
    const folder = join(root, "repo/.claude/agents");
    expect(agents.map(({ name, unfit }) => [name, unfit])).toEqual([
      ["a", `${folder}/a.md:4 says "moon", and "isolation" should be one of worktree`],
      [
        "b",
        `${folder}/b.md:4 says "yolo", and "permissionMode" should be one of default, acceptEdits, plan, auto, dontAsk, bypassPermissions`,
      ],
      ["c", `${folder}/c.md:4 says "abc", and "maxTurns" should be a whole number above 0`],
      ["d", undefined],
      ["e", `${folder}/e.md:4 says {"bash":false}, and "tools" should be names of tools`],
      ["f", `${folder}/f.md:4 says ["Read",7], and "tools" should be names of tools`],
      ["g", `${folder}/g.md:4 says "[Bash, Write", and "disallowedTools" should be names of tools`],
      ["h", `${folder}/h.md:4 says "\\"Bash", and "disallowedTools" should be names of tools`],
      ["i", `${folder}/i.md:4 says "Write, \\"Bash", and "disallowedTools" should be names of tools`],
      ["j", undefined],
    ]);
    expect(agents.at(-1)?.disallowedTools).toEqual(["Bash", "Write"]);
    // A plugin's has no mode, whatever it says.
    const about = { path: "/p/a.md", source: "plugin" as const, isTrusted: true };
    expect((await readAgentFile(agent("a", "permissionMode: yolo\n"), about)).agent).not.toHaveProperty("unfit");
  });
});

// Seen: an agent whose file says so was not started.
test('"manual" is another name for the default permission mode', async () => {
  const about = { path: "/p/a.md", source: "user" as const, isTrusted: true };
  const { agent: read, problems } = await readAgentFile(agent("a", "permissionMode: manual\n"), about);
  expect(problems).toEqual([]);
  expect(read).toMatchObject({ permissionMode: "default" });
  expect(read).not.toHaveProperty("unfit");
});

// Seen: of two lists of what an agent may not use the first was lost without a word.
test("an agent with a repeated restriction cannot be used, while other repeated fields are only reported", async () => {
  const about = { path: "/p/a.md", source: "user" as const, isTrusted: true };
  const twice = "disallowedTools: [Bash]\nmodel: haiku\ndisallowedTools: [Write]\n";
  const { agent: read, problems } = await readAgentFile(agent("a", twice), about);
  expect(read?.unfit).toBe('/p/a.md says "disallowedTools" twice, and only one of the two could count');
  expect(problems).toMatchObject([{ line: 6, reason: '"disallowedTools" appears twice; the last one counts' }]);
  const other = await readAgentFile(agent("a", "model: haiku\n'model': opus\n"), about);
  expect(other.agent).toMatchObject({ model: "opus" });
  expect(other.agent).not.toHaveProperty("unfit");
  expect(other.problems).toMatchObject([{ line: 5, reason: '"model" appears twice; the last one counts' }]);
  const once = await readAgentFile(agent("a", "initialPrompt: |\n  model: x\n  model: y\nmodel: haiku\n"), about);
  expect(once.problems).toEqual([]);
});

// As agents that a model wrote often are: examples below the description, at the start of the line.
test("speakers in the examples of a description are not taken for repeated fields", async () => {
  const example = 'Context: a pull request\nuser: "Look at it"\nassistant: "I do"\n</example>\n\n<example>\n';
  const written = `\n<example>\n${example.repeat(3)}\ntools: Read\n`;
  const about = { path: "/p/a.md", source: "user" as const, isTrusted: true };
  const { agent: read, problems } = await readAgentFile(agent("a", written), about);
  expect(read).toMatchObject({ tools: ["Read"] });
  expect(problems).toMatchObject([{ reason: expect.stringContaining("is not YAML") as string }]);
  const twice = await readAgentFile(agent("a", `${written}tools: Write\n`), about);
  expect(twice.agent?.unfit).toBe('/p/a.md says "tools" twice, and only one of the two could count');
});

describeCorpus(
  "agents",
  (name) => name.endsWith(".md"),
  (files) => {
    test("every file is an agent, or has a problem with its reason", async () => {
      const counts = { loaded: 0, told: 0 };
      for (const { path, text } of files) {
        const { agent: read, problems } = await readAgentFile(text, { path, source: "user", isTrusted: true });
        if (read !== undefined) counts.loaded += 1;
        else expect(problems, path).not.toEqual([]);
        counts.told += problems.length;
        for (const problem of problems) expect(problem).toMatchObject({ path, line: expect.any(Number) });
      }
      expect(counts.loaded).toBeGreaterThanOrEqual(files.length - 10);
    });
  },
);

test("a README without front matter in a folder of agents is not reported, and any other file without a name is", async () => {
  const about = { source: "user" as const, isTrusted: true };
  expect(await readAgentFile("# Agents\n", { ...about, path: "/p/README.md" })).toEqual({ problems: [] });
  const reason = expect.stringContaining("it has no name") as string;
  for (const [path, text] of [
    ["/p/README.md", "---\ndescription: x\n---\nx"],
    ["/p/reviewer.md", "# Reviewer\n"],
  ] as const)
    expect(await readAgentFile(text, { ...about, path })).toMatchObject({ problems: [{ path, reason }] });
});

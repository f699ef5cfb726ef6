import { mkdirSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { knowledgeEvidence } from "../../src/knowledge/evidence.ts";
import { readFrontMatter } from "../../src/knowledge/front-matter.ts";
import { loadKnowledge } from "../../src/knowledge/load-knowledge.ts";
import { readManifest } from "../../src/knowledge/plugins.ts";
import { readSkillFile } from "../../src/knowledge/skill-file.ts";
import { skillListing } from "../../src/knowledge/skill-listing.ts";
import type { Skill } from "../../src/knowledge/skill.ts";
import { describeCorpus } from "../support/corpus.ts";
import { put as putFile } from "../support/put.ts";
import { describeVectors } from "../support/vectors.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
beforeEach(() => {
  root = temporaryFolder();
  mkdirSync(join(root, "repo/.git"), { recursive: true });
  mkdirSync(join(root, "repo/inner"));
});

const put = (file: string, text: string): string => putFile(join(root, file), text);

const skill = (description: string, more = "") => `---\ndescription: ${description}\n${more}---\n# Do it\n`;
const places = () => ({
  cwd: join(root, "repo/inner"),
  pawlHome: join(root, "home/.pawl"),
  claudeHome: join(root, "home/.claude"),
  home: join(root, "home"),
  policyFolders: [join(root, "etc")],
});
const load = (trusts = false) => loadKnowledge({ ...places(), trusts: () => trusts });
const aboutOf = (path: string) => ({
  path,
  folder: dirname(path),
  kind: "skill" as const,
  name: "x",
  source: "user" as const,
});

describe("skills and commands", () => {
  test("with misspelt fields are reported, restrictions as lost", async () => {
    const text = skill(
      "d",
      "disalowed-tools: Bash\ndisable-model-invokation: true\nalowed-tools: Read\nlicense: MIT\n",
    );
    const { problems } = await readSkillFile(text, { ...aboutOf("/s/SKILL.md"), isTrusted: true });
    expect(problems.map(({ line, reason, isLostRestriction }) => [line, reason, isLostRestriction])).toEqual([
      [3, '"disalowed-tools" is ignored: the field is called "disallowed-tools"', true],
      [4, '"disable-model-invokation" is ignored: the field is called "disable-model-invocation"', true],
      [5, '"alowed-tools" is ignored: the field is called "allowed-tools"', undefined],
    ]);
  });

  test("have a wrong hint reported before a wrong model and effort", async () => {
    const text = skill("d", "argument-hint: {a: 1}\nmodel: [a, b]\neffort: bogus\n");
    const { problems } = await readSkillFile(text, { ...aboutOf("/s/SKILL.md"), isTrusted: true });
    expect(problems.map(({ line }) => line)).toEqual([3, 4, 5]);
  });

  // Seen in commands that are to push, and not to commit.
  test("may list their denied tools as denied-tools", async () => {
    const about = { ...aboutOf("/u/x/SKILL.md"), isTrusted: true };
    const { skill: read } = await readSkillFile(skill("x", "denied-tools: Bash(git commit:*), Edit(*)\n"), about);
    expect(read.disallowedTools).toEqual(["Bash(git commit:*)", "Edit(*)"]);
  });

  // Seen of skills that a generator puts a comment before: they were listed as "---", and those kept from the model were not.
  test.each(["\n \n", "<!-- Generated. -->\n", "<!--\n---\nname: y\n-->\n\n"])(
    "with text before the front matter are read, but get no rights from it: %j",
    async (before) => {
      const more = "disable-model-invocation: true\nallowed-tools: Bash\nhooks: {}\n";
      const about = { ...aboutOf("/u/x/SKILL.md"), isTrusted: true };
      const { skill: read, body, problems } = await readSkillFile(before + skill("Deploys", more), about);
      expect(read).toMatchObject({ description: "Deploys", isModelInvocable: false, allowedTools: [] });
      expect([body, read.hooks]).toEqual(["# Do it\n", undefined]);
      const line = before.split("\n").length + 3;
      const reason = "counts only if the file begins with its front matter";
      expect(problems).toEqual([
        { path: about.path, line, reason: `"allowed-tools" ${reason}` },
        { path: about.path, line: line + 1, reason: `"hooks" ${reason}` },
      ]);
    },
  );

  test.each([
    "\n---\nA rule above.\n---\n",
    "Text\n---\nname: x\n---\n",
    "<!-- a --> b\n---\nname: x\n---\n",
    "<!--\n---\nname: x\n",
  ])("without front matter at their beginning keep their whole text: %j", async (text) => {
    const read = await readSkillFile(text, { ...aboutOf("/u/x/SKILL.md"), isTrusted: true });
    expect(read).toMatchObject({ body: text, problems: [] });
  });

  test.each(["disable_model_invocation", "disableModelInvocation"])(
    "are also hidden from the model by %s",
    async (name) => {
      const about = { ...aboutOf("/u/x/SKILL.md"), isTrusted: true };
      const { skill: read, problems } = await readSkillFile(skill("x", `${name}: true\n`), about);
      expect(read.isModelInvocable).toBe(false);
      expect(problems[0]?.reason).toBe(`"${name}" is read as "disable-model-invocation", which is its name here`);
    },
  );

  test("with disallowedTools forbid those tools, but allowedTools permits nothing and is reported", async () => {
    const text = skill("x", "disallowedTools: Bash\nallowedTools: Read\n");
    const { skill: read, problems } = await readSkillFile(text, { ...aboutOf("/u/x/SKILL.md"), isTrusted: true });
    expect([read.disallowedTools, read.allowedTools]).toEqual([["Bash"], []]);
    expect(problems.map(({ line, reason }) => `${line}: ${reason}`)).toEqual([
      '3: "disallowedTools" is read as "disallowed-tools", which is its name here',
      '4: "allowedTools" permits nothing: it is called "allowed-tools" here',
    ]);
  });

  test("come from the administrator, the user and the project (nearest first); the first of a name counts", async () => {
    put("etc/.claude/skills/guard/SKILL.md", skill("managed"));
    put("home/.pawl/skills/pdf/SKILL.md", skill("mine"));
    put("home/.claude/skills/pdf/SKILL.md", skill("elder"));
    put("repo/inner/.claude/skills/pdf/SKILL.md", skill("theirs"));
    put("repo/inner/.pawl/skills/build/SKILL.md", skill("near"));
    put("repo/.claude/skills/build/skill.md", skill("far"));
    put("repo/.claude/skills/build/references/inner/SKILL.md", skill("a file of it"));
    put("repo/.claude/commands/git/commit.md", skill("commits"));
    put("repo/.claude/commands/build.md", skill("a command"));
    const { skills, shadowed, problems } = await load();
    expect(skills.map(({ name, description, kind }) => `${kind} ${name}: ${description}`)).toEqual([
      "skill guard: managed",
      "skill pdf: mine",
      "skill build: near",
      "command git:commit: commits",
    ]);
    expect(shadowed).toHaveLength(4);
    expect(problems).toEqual([]);
  });

  // Seen in hundreds of repositories: a SKILL.md that lies in `skills` itself took all skills beside it for files of its own.
  test("are found beside a SKILL.md directly in the skills folder", async () => {
    put("home/.claude/skills/SKILL.md", skill("open"));
    put("home/.claude/skills/skills/SKILL.md", skill("in its folder"));
    put("repo/.claude/skills/SKILL.md", skill("a list of them"));
    put("repo/.claude/skills/pdf/SKILL.md", skill("PDF", "allowed-tools: Read\n"));
    put("repo/.claude/skills/pdf/templates/SKILL.md", skill("a file of it"));
    put("repo/.claude/skills/office/word/SKILL.md", skill("Word"));
    const { skills, shadowed } = await load();
    expect(skills.map(({ name, description }) => `${name}: ${description}`)).toEqual([
      "skills: in its folder",
      "word: Word",
      "pdf: PDF",
    ]);
    expect(shadowed.map(({ name, path }) => [name, path?.slice(root.length)])).toEqual([
      ["skills", "/home/.claude/skills/SKILL.md"],
      ["skills", "/repo/.claude/skills/SKILL.md"],
    ]);
  });

  test("may have all documented fields", async () => {
    const head = [
      "description: Makes a PDF",
      "when_to_use: For papers",
      "allowed-tools: Read, Bash(pdftk *)",
      "disallowed-tools: Write",
      "argument-hint: [file] [pages]",
      "arguments: [file, pages]",
      "disable-model-invocation: yes",
      "user-invocable: off",
      "model: haiku",
      "effort: low",
    ].join("\n");
    const { skill: read, problems } = await readSkillFile(`---\n${head}\n---\nBody\n`, {
      ...aboutOf("/s/x/SKILL.md"),
      isTrusted: true,
    });
    expect(problems).toEqual([]);
    expect(read).toMatchObject({
      description: "Makes a PDF",
      whenToUse: "For papers",
      allowedTools: ["Read", "Bash(pdftk *)"],
      disallowedTools: ["Write"],
      argumentHint: "[file] [pages]",
      arguments: ["file", "pages"],
      isModelInvocable: false,
      isUserInvocable: false,
      model: "haiku",
      effort: "low",
      runsCommands: true,
      withheld: [],
    });
  });

  test('with the model "inherit", in any case, name no model', async () => {
    for (const model of ["inherit", "Inherit"]) {
      const about = { ...aboutOf("/s/x/SKILL.md"), isTrusted: true };
      const { skill: read } = await readSkillFile(`---\nmodel: ${model}\n---\nBody\n`, about);
      expect(read.model).toBeUndefined();
    }
  });

  test("may list their paths in a list or in one text, with braces", async () => {
    for (const paths of ['["src/**/*.{ts,js}", docs/*]', "src/**/*.{ts,js}, docs/*"]) {
      const about = { ...aboutOf("/s/x/SKILL.md"), isTrusted: true };
      const { skill: read } = await readSkillFile(`---\npaths: ${paths}\n---\nBody\n`, about);
      expect(read.paths).toEqual(["src/**/*.{ts,js}", "docs/*"]);
    }
  });

  test("keep rules with commas in parentheses whole, even in YAML's brackets", async () => {
    const head = [
      "allowed-tools: [Read, Bash(git add *)]",
      "disallowed-tools: [Agent(worker, reviewer, Plan), Bash(rm, Write]",
    ];
    const about = { ...aboutOf("/s/x/SKILL.md"), isTrusted: true };
    const { skill: read } = await readSkillFile(`---\n${head.join("\n")}\n---\nBody\n`, about);
    expect(read.allowedTools).toEqual(["Read", "Bash(git add *)"]);
    expect(read.disallowedTools).toEqual(["Agent(worker, reviewer, Plan)", "Bash(rm", "Write"]);
  });

  test("with invisible characters in their name are left out", async () => {
    const hidden = ["a\u202eb", "a\u200bb", "a\u{e0041}\u{e0042}"];
    for (const name of hidden) {
      put(`repo/.claude/skills/${name}/SKILL.md`, skill("x"));
      put(`repo/.claude/commands/${name}.md`, "x");
      put(`repo/.claude/agents/${name.length}${name.codePointAt(1)}.md`, `---\nname: ${name}\ndescription: d\n---\nx`);
    }
    put("repo/.claude/skills/日本語/SKILL.md", skill("x"));
    const { skills, agents, problems } = await load();
    expect([skills.map(({ name }) => name), agents]).toEqual([["日本語"], []]);
    expect(problems).toHaveLength(9);
    const { plugin } = readManifest(JSON.stringify({ name: hidden[0] }), join(root, "p/.claude-plugin/plugin.json"));
    expect(plugin).toBeUndefined();
  });

  test("of an untrusted folder permit and run nothing, but still forbid tools", async () => {
    put("repo/.claude/skills/x/SKILL.md", `${skill("x", "allowed-tools: Bash\ndisallowed-tools: Write\n")}- !\`id\`\n`);
    const [held] = (await load()).skills;
    expect(held).toMatchObject({ allowedTools: [], runsCommands: false, disallowedTools: ["Write"] });
    expect(held?.withheld).toEqual(["allowed-tools", "shell lines"]);
    expect((await load(true)).skills[0]).toMatchObject({ allowedTools: ["Bash"], runsCommands: true });
  });

  test("also come from the shared .agents folders, unless another one has the same name", async () => {
    put("home/.agents/skills/pdf/SKILL.md", skill("shared, mine"));
    put("home/.claude/skills/word/SKILL.md", skill("mine"));
    put("home/.agents/skills/word/SKILL.md", skill("shared"));
    put("repo/inner/.agents/skills/build/SKILL.md", skill("nearest"));
    put("repo/.claude/skills/build/SKILL.md", skill("farther"));
    put("repo/.claude/skills/pdf/SKILL.md", skill("theirs"));
    put("repo/.agents/skills/test/SKILL.md", skill("shared", "allowed-tools: Bash\n"));
    put("repo/.agents/commands/go.md", "Nobody's.");
    put("repo/.agents/agents/helper.md", "---\nname: helper\ndescription: d\n---\nHelp.");
    const { skills, agents } = await load();
    expect(skills.map(({ name, description, source }) => `${source} ${name}: ${description}`)).toEqual([
      "user word: mine",
      "user pdf: shared, mine",
      "project build: nearest",
      "project test: shared",
    ]);
    expect([agents, skills.map(({ allowedTools }) => allowedTools ?? [])]).toEqual([[], [[], [], [], []]]);
    const { wants } = knowledgeEvidence(places());
    expect(wants).toEqual(["rights in 1 skill"]);
  });

  // As installers of skills make them: one folder, and a link to it for each agent.
  // Seen: of eight skills with rights, seven had none in a trusted folder, because their neighbours' texts were read first.
  test("need trust only for their own file, however many other files lie beside and below it", async () => {
    put("repo/.claude/skills/note.md", skill("no skill", "allowed-tools: Bash\n"));
    for (let at = 0; at < 510; at++) put(`repo/.claude/skills/a/references/${at}.md`, "allowed-tools: all");
    put("repo/.claude/skills/a/SKILL.md", skill("first"));
    put("repo/.claude/skills/b/SKILL.md", skill("last", "allowed-tools: Read\n"));
    const { wants, texts } = knowledgeEvidence(places());
    expect(wants).toEqual(["rights in 1 skill"]);
    expect([...texts.keys()]).toEqual([join(root, "repo/.claude/skills/b/SKILL.md")]);
  });

  test("found through several links are one skill", async () => {
    for (const owner of ["home", "repo"]) {
      put(`${owner}/.agents/skills/${owner}s/SKILL.md`, skill("once", "allowed-tools: Bash\n"));
      mkdirSync(join(root, owner, ".claude/skills"), { recursive: true });
      symlinkSync(`../../.agents/skills/${owner}s`, join(root, owner, `.claude/skills/${owner}s`));
    }
    const { skills, shadowed, problems } = await load();
    expect(skills.map(({ name, path }) => [name, path.slice(root.length)])).toEqual([
      ["homes", "/home/.claude/skills/homes/SKILL.md"],
      ["repos", "/repo/.claude/skills/repos/SKILL.md"],
    ]);
    expect([shadowed, problems]).toEqual([[], []]);
    expect(knowledgeEvidence(places()).wants).toEqual(["rights in 1 skill"]);
  });

  // Seen: of folders that hold links alone, as tools for dotfiles and Nix make them, nothing counted, and folders were not even named.
  test("of the user may be links to anywhere, those of a project only within it, which is reported", async () => {
    put("dotfiles/pdf/SKILL.md", skill("linked folder"));
    put("dotfiles/SKILL.md", skill("linked file"));
    put("dotfiles/more/go.md", "Go.");
    put("dotfiles/agent.md", "---\nname: helper\ndescription: d\n---\nHelp.");
    for (const folder of ["home/.claude", "repo/.claude"]) {
      for (const below of ["skills/notes", "commands", "agents"])
        mkdirSync(join(root, folder, below), { recursive: true });
      symlinkSync(join(root, "dotfiles/pdf"), join(root, folder, "skills/pdf"));
      symlinkSync(join(root, "dotfiles/SKILL.md"), join(root, folder, "skills/notes/SKILL.md"));
      symlinkSync(join(root, "dotfiles/more"), join(root, folder, "commands/more"));
      symlinkSync(join(root, "dotfiles/agent.md"), join(root, folder, "agents/helper.md"));
    }
    symlinkSync(root, join(root, "home/.claude/commands/round"));
    const { skills, agents, problems } = await load();
    const names = skills.filter(({ name }) => !name.startsWith("round:")).map(({ name }) => name);
    expect(names).toEqual(["notes", "pdf", "more:go"]);
    expect(agents.map(({ name, source }) => [name, source])).toEqual([["helper", "user"]]);
    const left = problems.filter(({ reason }) => reason === "it is a link that leads out of the project");
    expect(left.map(({ path }) => path.slice(root.length))).toEqual([
      "/repo/.claude/skills/notes/SKILL.md",
      "/repo/.claude/skills/pdf",
      "/repo/.claude/commands/more",
      "/repo/.claude/agents/helper.md",
    ]);
  });

  test("that cannot be used are reported, and do not affect the others", async () => {
    put("repo/.claude/skills/a/SKILL.md", "\0");
    put("repo/.claude/skills/b b/SKILL.md", skill("blank"));
    put("repo/.claude/skills/c/SKILL.md", skill("fine: really"));
    mkdirSync(join(root, "elsewhere"));
    put("elsewhere/SKILL.md", skill("SECRET"));
    symlinkSync(join(root, "elsewhere"), join(root, "repo/.claude/skills/d"));
    const { skills, problems } = await load();
    expect(skills.map(({ description }) => description)).toEqual(["fine: really"]);
    expect(problems.map(({ path, reason }) => `${basename(dirname(path))}: ${reason.slice(0, 20)}`)).toEqual([
      "skills: it is a link that le",
      "a: it is not text",
      "b b: its name has blanks ",
      'c: "description" is not',
    ]);
  });
});

describe("the list of skills", () => {
  const made = (name: string, description: string): Skill =>
    ({ name, description, isModelInvocable: true }) as Partial<Skill> as Skill;

  test("is sorted, and leaves out skills that the model may not start or the user disabled", () => {
    const skills = [
      made("b", "B"),
      made("a", "A\nand more"),
      { ...made("c", "C"), isModelInvocable: false },
      made("d", "D"),
      made("e", "E"),
    ];
    const overrides = { d: "off", e: "name-only" } as const;
    expect(skillListing(skills, { budget: 1_000, overrides })).toEqual(["- a: A and more", "- b: B", "- e"]);
  });

  test("stays within its budget by shortening the longest descriptions, and keeps every name", () => {
    const skills = [made("long", "x".repeat(5_000)), made("short", "brief words here"), made("other", "y".repeat(300))];
    const lines = skillListing(skills, { budget: 400, overrides: {} });
    expect(lines.join("\n").length).toBeLessThanOrEqual(400);
    expect(lines).toContain("- short: brief words here");
    expect(skillListing(skills, { budget: 10, overrides: {} })).toEqual(["- long", "- other", "- short"]);
    expect(skillListing(skills, { budget: 100_000, overrides: {} })[0]).toHaveLength("- long: ".length + 1_536);
  });
});

type Case =
  | { kind: "validate" | "read_properties"; dir: string; files: Record<string, string>; result: unknown }
  | { kind: "parse_frontmatter"; content: string; result: { error?: string; metadata: unknown; body: string } };

describeVectors<{ vectors: (Case & { test: string })[] }>("agent_skills", ({ vectors }) => {
  test.each(vectors)("$kind $test", async (vector) => {
    if (vector.kind === "parse_frontmatter") {
      const { fields, body, problems } = await readFrontMatter(vector.content);
      if (vector.result.error !== undefined) expect(problems).not.toEqual([]);
      else expect([{ ...fields }, body.trim(), problems]).toEqual([vector.result.metadata, vector.result.body, []]);
      return;
    }
    const [name = "", text = ""] = Object.entries(vector.files)[0] ?? [];
    const { skill: read, problems } = await readSkillFile(text, {
      ...aboutOf(join("/s", vector.dir, name)),
      isTrusted: true,
    });
    expect(problems).toEqual([]);
    expect(read.description).not.toBe("");
    // What a stricter reader would refuse is accepted here, because nobody would see a report.
    if (vector.kind !== "validate") expect({ ...(await readFrontMatter(text)).fields }).toEqual(vector.result);
  });
});

for (const kind of ["skills", "commands"] as const) {
  describeCorpus(
    kind,
    (name) => name.endsWith(".md"),
    (files) => {
      test("every file can be read, and its problems have a line", async () => {
        for (const { path, text } of files) {
          const about = {
            ...aboutOf(path),
            kind: kind === "skills" ? ("skill" as const) : ("command" as const),
            isTrusted: true,
          };
          const { skill: read, problems } = await readSkillFile(text, about);
          expect(read.description, path).not.toBe("");
          for (const problem of problems) expect(problem).toMatchObject({ path, line: expect.any(Number) });
        }
      });
    },
  );
}

test("loads a skill with an odd argument hint and a command with a very long front matter", async () => {
  put("repo/.claude/skills/odd/SKILL.md", skill("odd", "argument-hint: [{toString: a}, b]\n"));
  put("repo/.claude/commands/many.md", `---\nallowed-tools: Read\n${"a\n".repeat(300_000)}---\n`);
  const { skills } = await load();
  expect(skills.find(({ name }) => name === "odd")).toMatchObject({ argumentHint: '[{"toString":"a"}] [b]' });
  expect(knowledgeEvidence(places()).wants).toEqual(["rights in 1 command"]);
});

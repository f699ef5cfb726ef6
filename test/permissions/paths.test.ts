// Paths as rules see them: with links followed, in any spelling, inside or outside the session's folders.
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { diskPaths, isInside, pathForms } from "../../src/permissions/paths/path-forms.ts";
import { protectionOf } from "../../src/permissions/paths/protected-paths.ts";
import { make, makePlace, verdict, type Place, type Setup } from "./support.ts";

let place: Place;
beforeEach(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "src"));
  writeFileSync(join(place.cwd, "src/a.ts"), "");
  mkdirSync(`${place.cwd}-evil`);
  writeFileSync(`${place.cwd}-evil/secret.txt`, "");
  mkdirSync(join(place.home, ".ssh"));
  writeFileSync(join(place.home, ".ssh/id_rsa"), "");
});
afterEach(() => place.remove());

const at = (path: string): string => (path.startsWith("/") ? path : join(place.cwd, path));
const read = (path: string, setup: Setup = {}, tool = "Read") =>
  verdict(make(place, setup), place.cwd, tool, { file_path: at(path) });
const write = (path: string, setup: Setup = {}, tool = "Write") =>
  verdict(make(place, setup), place.cwd, tool, { file_path: at(path) });
const edits: Setup = { mode: "acceptEdits" };

describe("paths inside and outside the working directories", () => {
  test("are read inside, and written there if edits are accepted", async () => {
    expect(await read("src/a.ts")).toBe("allow");
    expect(await read("not/there/yet.ts")).toBe("allow");
    expect(await read(".")).toBe("allow");
    expect(await write("src/a.ts")).toBe("ask");
    expect(await write("src/new/file.ts", edits)).toBe("allow");
    expect(await write("src/a.ts", edits, "NotebookEdit")).toBe("allow");
  });

  test("are asked about outside", async () => {
    expect(await read(`${place.cwd}-evil/secret.txt`)).toBe("ask");
    expect(await read("../repo-evil/secret.txt")).toBe("ask");
    expect(await read("/etc/passwd")).toBe("ask");
    expect(await write(`${place.root}/x`, edits)).toBe("ask");
    expect(await verdict(make(place), place.cwd, "Grep", { path: "/etc" })).toBe("ask");
  });

  test("are searched as folders if a rule allows reading everything in them", async () => {
    const run = (tool: string, input: Record<string, unknown>, allow: string) =>
      verdict(make(place, { allow: [allow] }), place.cwd, tool, input);
    const outside = `${place.cwd}-evil`;
    for (const rule of [`Read(/${outside}/**)`, `Read(/${outside}/)`]) {
      expect(await run("Grep", { pattern: "x", path: outside }, rule)).toBe("allow");
      expect(await run("Glob", { pattern: `${outside}/**/*.txt` }, rule)).toBe("allow");
      for (const command of [`ls ${outside}`, `grep -r x ${outside}`, `cat ${outside}/*`])
        expect(await run("Bash", { command }, rule), command).toBe("allow");
      expect(await run("Grep", { pattern: "x", path: place.root }, rule)).toBe("ask");
      expect(await run("Bash", { command: `rm -r ${outside}` }, rule)).toBe("ask");
    }
    for (const rule of [`Read(/${outside}/*.txt)`, `Read(/${outside}/[!a]*)`, `Read(/${place.root}/*/**)`])
      expect(await run("Grep", { pattern: "x", path: outside }, rule)).toBe("ask");
  });

  test("count as inside in added folders, and are not written in read-only folders", async () => {
    const added = {
      additionalDirectories: [`${place.cwd}-evil`],
      readOnlyDirectories: [place.home],
      mode: "acceptEdits",
    } as const;
    expect(await read(`${place.cwd}-evil/notes.txt`, added)).toBe("allow");
    expect(await write(`${place.cwd}-evil/new`, added)).toBe("allow");
    expect(await read(join(place.home, "spilled"), added)).toBe("allow");
    expect(await write(join(place.home, "spilled"), added)).toBe("ask");
    const permissions = make(place);
    permissions.addDirectory(`${place.cwd}-evil`);
    expect(await verdict(permissions, place.cwd, "Read", { file_path: `${place.cwd}-evil/notes.txt` })).toBe("allow");
  });

  test("are compared segment by segment", () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z.]{1,3}$/), { minLength: 1, maxLength: 4 }),
        fc.stringMatching(/^[a-z-]{1,3}$/),
        (names, tail) => {
          const folder = `/${names.join("/")}`;
          expect(isInside(folder, `${folder}/${tail}`)).toBe(true);
          expect(isInside(folder, folder + tail)).toBe(false);
          expect(isInside("/", folder)).toBe(true);
        },
      ),
    );
  });

  test("are denied in every mode if they contain control characters", async () => {
    for (const mode of ["default", "acceptEdits", "bypassPermissions"] as const) {
      expect(await read(`${place.cwd}/a\u0000/../../etc/passwd`, { mode })).toBe("deny");
      expect(await read(`${place.cwd}/a\nb`, { mode })).toBe("allow");
      expect(await write("a\u001b[2Jb", { mode })).toBe("deny");
    }
  });
});

test("a rule for a folder with brackets in its name matches that folder literally", async () => {
  for (const path of ["app/[id]/page.tsx", "app/[[...all]]/page.tsx"]) {
    const rule = `Edit(${path.replace("page.tsx", "**")})`;
    expect(await write(path, { deny: [rule], mode: "bypassPermissions" })).toBe("deny");
    expect(await write(path, { allow: [rule] })).toBe("allow");
    expect(await write("app/id/page.tsx", { allow: [rule] })).toBe("ask");
  }
  expect(
    await verdict(make(place, { deny: ["Read(app/[ID]/**)"] }), place.cwd, "Bash", { command: "cat 'app/[id]/a.ts'" }),
  ).toBe("deny");
});

describe("links", () => {
  test("that lead out of the working directory are asked about, whoever made them", async () => {
    symlinkSync(join(place.home, ".ssh"), join(place.cwd, "out"));
    symlinkSync(join(place.home, ".ssh/id_rsa"), join(place.cwd, "key"));
    expect(await read("key")).toBe("ask");
    expect(await read("out/id_rsa")).toBe("ask");
    expect(await write("out/authorized_keys", edits)).toBe("ask");
    expect(await write("out/authorized_keys", { allow: ["Write", "Edit"] })).toBe("ask");
    expect(await write("out/new/deeper", edits)).toBe("ask");
  });

  test("to missing targets are followed, too", async () => {
    symlinkSync(join(place.home, "made-by-write"), join(place.cwd, "dangling"));
    symlinkSync("dangling", join(place.cwd, "twice"));
    expect(await write("dangling", edits)).toBe("ask");
    expect(await write("twice", edits)).toBe("ask");
    symlinkSync("src/later", join(place.cwd, "fine"));
    expect(await write("fine", edits)).toBe("allow");
  });

  test("that form a circle are asked about", async () => {
    symlinkSync("b", join(place.cwd, "a"));
    symlinkSync("a", join(place.cwd, "b"));
    expect(await read("a/x")).toBe("ask");
    expect(await write("a", edits)).toBe("ask");
  });

  test("before a .. are resolved as the kernel resolves them", async () => {
    symlinkSync(join(place.home, ".ssh"), join(place.cwd, "out"));
    const permissions = make(place, edits);
    const file = `${place.cwd}/out/../x`;
    expect(await verdict(permissions, place.cwd, "Read", { file_path: file })).toBe("allow");
    expect(pathForms(file, diskPaths).forms).toContain(join(place.home, "x"));
  });

  test("to the working directory itself do not change anything", async () => {
    const link = join(place.root, "link");
    symlinkSync(place.cwd, link);
    const permissions = make({ ...place, cwd: link }, edits);
    expect(await verdict(permissions, link, "Read", { file_path: `${link}/src/a.ts` })).toBe("allow");
    expect(await verdict(permissions, link, "Write", { file_path: `${place.cwd}/src/b.ts` })).toBe("allow");
  });
});

describe("files that may be secret by their name", () => {
  test.each([".env", "a/.env.local", "server.pem", "id_ed25519", ".aws/config", "credentials.json", ".NPMRC"])(
    "are read only by a rule or a person, by every tool and in commands: %s",
    async (path) => {
      const command = `cat ${path}`;
      for (const mode of ["default", "acceptEdits"] as const) {
        expect(await read(path, { mode })).toBe("ask");
        expect(await verdict(make(place, { mode }), place.cwd, "Grep", { path: at(path) })).toBe("ask");
        expect(await verdict(make(place, { mode }), place.cwd, "Bash", { command })).toBe("ask");
      }
      for (const rule of ["Read", `Read(${path})`, "Read(**)"]) {
        expect(await read(path, { allow: [rule] }), rule).toBe("allow");
        const isCommands = rule === "Read" ? "ask" : "allow";
        expect(await verdict(make(place, { allow: [rule] }), place.cwd, "Bash", { command }), rule).toBe(isCommands);
      }
      expect(await read(path, { mode: "bypassPermissions" })).toBe("allow");
    },
  );

  test("do not include examples of such files", async () => {
    for (const path of [".env.example", "src/a.ts", "README.md"]) expect(await read(path)).toBe("allow");
  });

  test("are asked about if a command names them by a glob, even if a rule allows one of them", async () => {
    const permissions = make(place, { allow: ["Read(.env)"] });
    expect(await verdict(permissions, place.cwd, "Bash", { command: "cat .env*" })).toBe("ask");
    expect(await verdict(permissions, place.cwd, "Bash", { command: "wc -l < .env" })).toBe("allow");
  });
});

describe("path rules:", () => {
  test.each([
    ["Read(.env)", ".env", true],
    ["Read(.env)", "a/b/.env", true],
    ["Read(./.env)", "a/.ENV", true],
    ["Read(*.pem)", "x/y.pem", true],
    ["Read(secrets/)", "secrets/a", true],
    ["Read(secrets/**)", "deep/secrets/a", true],
    ["Read(./secrets/**)", "secrets/a", true],
    ["Read(config/secret.json)", "config/secret.json", true],
    ["Read(config/secret.json)", "x/config/secret.json", false],
    ["Read(/src/*.ts)", "src/a.ts", true],
    ["Read(/src/*.ts)", "src/b/a.ts", false],
    ["Edit(.env)", ".env", false],
    ["Write(.env)", ".env", false],
    ["Grep(.env)", ".env", true],
    ["Read(**)", "src/a.ts", true],
  ])("deny %s, read %s: denied is %s", async (rule, path, isDenied) => {
    expect(await read(path, { deny: [rule], allow: ["Read"] })).toBe(isDenied ? "deny" : "allow");
  });

  test("a deny rule for reading also denies writing and every tool that reads", async () => {
    const setup: Setup = { deny: ["Read(.env)"], mode: "bypassPermissions" };
    expect(await write(".env", setup)).toBe("deny");
    expect(await write(".env", setup, "Edit")).toBe("deny");
    expect(await verdict(make(place, setup), place.cwd, "Grep", { path: at(".env") })).toBe("deny");
    expect(await verdict(make(place, { deny: ["Read(secrets/**)"] }), place.cwd, "Grep", { path: at("secrets") })).toBe(
      "deny",
    );
    expect(await read(".env", { deny: ["Edit(.env)"], allow: ["Read(.env)"] })).toBe("allow");
    expect(await write(".env", { deny: ["Edit(.env)"], mode: "bypassPermissions" }, "NotebookEdit")).toBe("deny");
  });

  test("rules may be relative to home, to the disk or to the folder of their file", async () => {
    const key = join(place.home, ".ssh/id_rsa");
    expect(await read(key, { deny: ["Read(~/.ssh/)"], allow: ["Read"] })).toBe("deny");
    expect(await read(key, { deny: [`Read(/${place.home}/**)`], allow: ["Read"] })).toBe("deny");
    expect(await read(key, { allow: ["Read(~/.ssh/**)"] })).toBe("allow");
    const rooted = make(place, {
      rules: { allow: [{ rule: "Read(/.ssh/**)", source: "user", root: place.home }], deny: [], ask: [] },
    } as Setup);
    expect(await verdict(rooted, place.cwd, "Read", { file_path: key })).toBe("allow");
  });

  test("a denied file is denied through a link, and a denied link denies its target", async () => {
    symlinkSync(join(place.home, ".ssh"), join(place.cwd, "out"));
    expect(await read("out/id_rsa", { deny: ["Read(~/.ssh/**)"], allow: ["Read(**)"] })).toBe("deny");
    expect(await read(join(place.home, ".ssh/id_rsa"), { deny: ["Read(./out/**)"], allow: ["Read"] })).toBe("deny");
  });

  test("an allowed link is only read if its target is allowed as well", async () => {
    symlinkSync(join(place.home, ".ssh"), join(place.cwd, "out"));
    expect(await read("out/id_rsa", { allow: ["Read(out/**)"] })).toBe("ask");
    expect(await read("out/id_rsa", { allow: ["Read(./**)"] })).toBe("ask");
    expect(await read("out/id_rsa", { allow: ["Read(**)", "Read(~/.ssh/**)"] })).toBe("ask");
    expect(await read("out/id_rsa", { allow: ["Read(//**)"] })).toBe("allow");
  });

  test("an allow rule for editing also allows reading, but not the other way round", async () => {
    const other = `${place.cwd}-evil/secret.txt`;
    expect(await read(other, { allow: [`Edit(/${place.cwd}-evil/**)`] })).toBe("allow");
    expect(await write(other, { allow: [`Edit(/${place.cwd}-evil/**)`] })).toBe("allow");
    expect(await write(other, { allow: [`Read(/${place.cwd}-evil/**)`] })).toBe("ask");
    expect(await write("src/a.ts", { allow: ["Edit(src/**)"] })).toBe("allow");
    expect(await write("x/src/a.ts", { allow: ["Edit(src/**)"] })).toBe("ask");
    expect(await write("src/a.ts", { allow: ["Write(src/**)"] })).toBe("ask");
    expect(await write("src/a.ts", { allow: ["Write"] })).toBe("allow");
    expect(await write("/etc/x", { allow: ["Edit(./**)"] })).toBe("ask");
  });

  test("a deny rule for a bare name also applies in added folders", async () => {
    const setup: Setup = { deny: ["Read(.env)"], additionalDirectories: [`${place.cwd}-evil`] };
    expect(await read(`${place.cwd}-evil/.env`, setup)).toBe("deny");
  });

  test("the path of a denied file, or of a link to it, is reported as unreadable", () => {
    const permissions = make(place, { deny: ["Read(.env)", "Read(~/.ssh/**)"] });
    symlinkSync(join(place.home, ".ssh/id_rsa"), join(place.cwd, "key"));
    expect(permissions.isReadDenied(at("src/.env"))).toBe(true);
    expect(permissions.isReadDenied(at("key"))).toBe(true);
    expect(permissions.isReadDenied(at("src/a.ts"))).toBe(false);
    expect(make(place).isReadDenied(at(".env"))).toBe(false);
    expect(make(place, { deny: ["Edit(src/**)"] }).isReadDenied(at("src/a.ts"))).toBe(false);
  });

  test("a shell command that names a denied file is denied", async () => {
    const setup: Setup = { deny: ["Read(.env)", "Edit(//etc/**)"], allow: ["Bash"] };
    const run = (command: string) => verdict(make(place, setup), place.cwd, "Bash", { command });
    for (const command of [
      "cat .env",
      "cat < .env",
      "cat ./src/../.env",
      "grep x --file=.env",
      "echo a && cat '.env'",
      "echo x > /etc/hosts",
    ]) {
      expect(await run(command), command).toBe("deny");
    }
    expect(await run("cat src/a.ts")).toBe("allow");
    expect(await run("cat /etc/hosts")).toBe("allow");
  });
});

describe("protected paths", () => {
  test.each([
    ".git/hooks/pre-commit",
    ".git/config",
    ".GIT/hooks/x",
    ".Git/config",
    ".git\u200c/config",
    "GIT~1/config",
    ".git. /config",
    ".git::$INDEX_ALLOCATION/config",
    ".vscode/tasks.json",
    ".idea/workspace.xml",
    ".husky/pre-commit",
    ".cargo/config.toml",
    ".claude/settings.json",
    ".cLaude/agents/x.md",
    ".pawl/settings.json",
    ".envrc",
    ".npmrc",
    ".yarnrc.yml",
    ".bashrc",
    ".zshrc",
    ".mcp.json",
    ".pnp.cjs",
    "lefthook.yml",
    "lefthook-local.yml",
    ".lefthook.toml",
    ".lefthook/pre-commit/check.sh",
    ".lefthook-local/pre-push/check.sh",
    ".pre-commit-config.yaml",
    "sub/.git/config",
    ".gitmodules",
    "bunfig.toml",
    "gradle/wrapper/gradle-wrapper.properties",
    ".config/git/config",
    ".cache/pawl/compile/v24/session.cjs",
    "dist/command/compiled/v24/session.cjs",
    ".yarn/releases/yarn.cjs",
    ".claude/worktrees",
    ".claude/worktrees/a/.git/x",
    ".github/workflows/.git/config",
    ".agents/skills/pdf/.git/config",
    ".cursor/mcp.json",
    ".Cursor/hooks.json",
    "CURSOR~1/mcp.json",
    ".cursor",
    ".cursor/worktrees",
    ".cursor/worktrees/a/.cursor/mcp.json",
    ".gemini/settings.json",
    ".codex/config.toml",
    ".windsurf/hooks.json",
    ".continue/mcpServers/a.yaml",
    ".kiro/settings/mcp.json",
    ".kiro/hooks/a.json",
    ".roo/mcp.json",
    ".opencode/plugin/a.ts",
    "opencode.json",
    ".zed/settings.json",
    ".zed/tasks.json",
    ".helix/languages.toml",
    ".githooks/pre-commit",
    ".pre-commit-config.yml",
    ".envrc.local",
    ".exrc",
    ".Rprofile",
    ".gdbinit",
    ".ssh/config",
    ".config/autostart/a.desktop",
    ".config/systemd/user/a.service",
    ".config/direnv/direnvrc",
  ])("are asked about in every mode and with every rule: %s", async (path) => {
    for (const setup of [
      edits,
      { ...edits, allow: ["Write", "Edit(**)", `Edit(//**)`] },
      { allow: ["Write"] },
    ] satisfies Setup[]) {
      expect(await write(path, setup)).toBe("ask");
    }
    const hooked = await verdict(
      make(place, edits),
      place.cwd,
      "Write",
      { file_path: at(path) },
      { hookDecision: { behavior: "allow" } },
    );
    expect(hooked).toBe("ask");
    expect(await write(path, { mode: "bypassPermissions" })).toBe("allow");
    expect(await read(path, { allow: ["Read"] })).toBe("allow");
  });

  test.each([
    ".github/workflows/ci.yml",
    ".github/actions/a/action.yml",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "sub/AGENTS.md",
    "x.code-workspace",
    ".gitlab-ci.yml",
    "Jenkinsfile",
    ".circleci/config.yml",
    "azure-pipelines.yml",
    "sub/.cUrSoR/rules/a.mdc",
    ".appveyor.yml",
    ".woodpecker.yaml",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".agents/skills/pdf/SKILL.md",
    "sub/.Agents/Skills/pdf/run.sh",
    ".cursor/rules/style.mdc",
    ".cursorrules",
    ".gemini/GEMINI.md",
    "GEMINI.md",
    ".clinerules/style.md",
    ".github/copilot-instructions.md",
    ".github/hooks/a.json",
    ".circleci/config.yml",
    ".forgejo/workflows/ci.yml",
    "azure-pipelines.yml",
    "mise.toml",
    ".mise.local.toml",
    ".mise/config.toml",
    ".config/mise/config.toml",
    "x.sublime-project",
  ])("that steer agents, builds or editors take a rule: %s", async (path) => {
    expect(await write(path, edits)).toBe("ask");
    expect(await write(path, { ...edits, allow: ["Edit(**)"] })).toBe("allow");
  });

  test.each([
    "src/git.ts",
    ".gitignore",
    "README.md",
    ".github/dependabot.yml",
    ".agents/PLANS.md",
    "agents/skills/a/SKILL.md",
    ".claude/worktrees/a/src/x.ts",
    ".cursor/worktrees/a/src/x.ts",
    ".kiro/specs/a/design.md",
    "claude.ts",
    "digit~1",
    ".env",
    "package.json",
    "Makefile",
    "pyproject.toml",
    "vite.config.ts",
    "docker-compose.yml",
    ".tool-versions",
    ".nvmrc",
    ".eslintrc.cjs",
    ".kiro/specs/a/tasks.md",
    ".cursor/worktrees/a/src/x.ts",
    "src/mise.ts",
    ".mise/tasks/build",
    ".config/app.json",
    ".github/ISSUE_TEMPLATE/bug.md",
    "gemini.ts",
    "cursor/rules.md",
    ".cursorignore",
  ])("do not include %s", (path) => {
    expect(protectionOf(`/srv/repo/${path}`)).toBeNull();
  });

  test("do not include a project below another agent's folder, except for the project's own such files", async () => {
    const agents = join(place.home, ".gemini");
    const cwd = join(agents, "scratch/project");
    mkdirSync(cwd, { recursive: true });
    symlinkSync(join(agents, "settings.json"), join(cwd, "settings"));
    const written = (file: string, here = cwd) =>
      verdict(make({ ...place, cwd: here }, edits), here, "Write", { file_path: join(here, file) });
    for (const file of ["src/a.ts", "README.md", "package.json"]) expect(await written(file), file).toBe("allow");
    for (const file of [".gemini/settings.json", ".cursor/mcp.json", ".git/config", "settings", "GEMINI.md"])
      expect(await written(file), file).toBe("ask");
    expect(await written("settings.json", agents)).toBe("ask");
    const both = make({ ...place, cwd: agents }, { ...edits, additionalDirectories: [cwd] });
    expect(await verdict(both, agents, "Write", { file_path: join(cwd, "src/a.ts") })).toBe("allow");
    expect(await verdict(both, agents, "Write", { file_path: join(agents, "scratch/a.ts") })).toBe("ask");
  });

  test("are protected through a link", async () => {
    mkdirSync(join(place.cwd, ".git"));
    symlinkSync(".git", join(place.cwd, "innocent"));
    expect(await write("innocent/config", edits)).toBe("ask");
  });

  test("are protected from a redirection", async () => {
    const permissions = make(place, { allow: ["Bash"] });
    expect(await verdict(permissions, place.cwd, "Bash", { command: "echo x > .git/hooks/pre-commit" })).toBe("ask");
    expect(await verdict(permissions, place.cwd, "Bash", { command: "echo x > out.txt" })).toBe("allow");
  });
});

test("a rule for one file guards all of its hard links, and no other file", async () => {
  for (const name of ["src/notes.txt", "src/other.txt"]) writeFileSync(at(name), "");
  linkSync(join(place.home, ".ssh/id_rsa"), at("src/key.txt"));
  linkSync(at("src/notes.txt"), at("src/more.txt"));
  linkSync(at("src/other.txt"), at("src/another.txt"));
  for (const rule of ["Read(~/.ssh/id_rsa)", `Read(/${join(place.home, ".ssh/id_rsa")})`])
    for (const tool of ["Read", "Grep", "Write"])
      expect(await verdict(make(place, { deny: [rule] }), place.cwd, tool, { file_path: "src/key.txt" })).toBe("deny");
  const notes: Setup = { deny: ["Read(src/notes.txt)"] };
  expect(await read("src/more.txt", notes)).toBe("deny");
  expect(await verdict(make(place, notes), place.cwd, "Bash", { command: "cat src/more.txt" })).toBe("deny");
  expect(await read("src/another.txt", notes)).toBe("allow");
  expect(await read("src/more.txt", { deny: ["Read(src/n*.txt)"] })).toBe("allow");
});

// Names that make programs run something or steer agents, which `acceptEdits` does not cover. And variables that steer nothing.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, verdict, type Place, type Setup } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

const names = (...lines: string[]): string[] => lines.flatMap((line) => line.split(" "));
const writes = (name: string, setup: Setup) =>
  verdict(make(place, setup), place.cwd, "Write", { file_path: join(place.cwd, name) });

test.each(
  names(
    ".git/x .vscode/x .idea/x .husky/x .cargo/x .devcontainer/x .yarn/x .mvn/x .claude/x .pawl/x .githooks/x .lefthook/x",
    ".lefthook-local/x .zed/x .helix/x .ssh/x .gnupg/x a/.git/b/x .GIT/x GIT~1/x DEVCON~1/x",
    ".gitconfig .gitmodules .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv",
    ".zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc .npmrc bunfig.toml .devcontainer.json .ripgreprc",
    "pyrightconfig.json .mcp.json .claude.json gradle-wrapper.properties maven-wrapper.properties config.fish",
    ".exrc .vimrc .gvimrc .lvimrc .nvimrc .nvim.lua .emacs .tmux.conf .screenrc .xprofile .xinitrc .gdbinit .lldbinit",
    ".Rprofile .Renviron .irbrc .pryrc .ghci .rvmrc .overcommit.yml prek.toml opencode.json opencode.jsonc crush.json",
    ".crush.json .aider.conf.yml .continuerc.json .yarnrc .yarnrc.yml .pnp.cjs .bazelrc .envrc .envrc.local",
    ".autoenv .autoenv.zsh .pre-commit-config.yaml lefthook.yml .lefthook.toml lefthook-local.yml .lefthook-local.json",
    ".cursor/x .windsurf/x .gemini/x .codex/x .continue/x .kiro/x .roo/x .kilocode/x .amazonq/x .qwen/x .opencode/x",
    ".trae/x .junie/x .factory/x .augment/x .copilot/x",
    ".cursor/rules/x.md.sh .config/git/x .config/fish/x .config/direnv/x .config/autostart/x .config/systemd/x .config/environment.d/x",
    ".hg/hgrc .hg/hgrc-not-shared",
  ),
)("writing %s takes a person, even with a rule", async (name) => {
  expect(await writes(name, { mode: "acceptEdits", allow: ["Edit(**)"] })).toBe("ask");
});

test.each(
  names(
    "CLAUDE.md CLAUDE.local.md AGENTS.md AGENTS.override.md GEMINI.md QWEN.md .cursorrules .windsurfrules .roorules",
    ".goosehints .gitlab-ci.yml Jenkinsfile appveyor.yml .appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml",
    ".travis.yml .drone.yml .woodpecker.yml .woodpecker.yaml .cirrus.yml .gitpod.yml a.code-workspace",
    "a.sublime-project mise.toml .mise.toml mise.local.toml .agents/skills/x .config/mise/x .mise/config.toml",
    ".mise/config.local.toml .github/workflows/x .github/actions/x .github/hooks/x .github/agents/x .github/skills/x",
    ".github/prompts/x .github/instructions/x .github/copilot-instructions.md .gitea/workflows/x .forgejo/workflows/x",
    ".circleci/x .buildkite/x .woodpecker/x .clinerules/x .cursor/rules/x.mdc .kiro/steering/x.md .github",
  ),
)("writing %s takes a rule or a person", async (name) => {
  expect(await writes(name, { mode: "acceptEdits" })).toBe("ask");
  expect(await writes(name, { allow: ["Edit(**)"] })).toBe("allow");
});

test.each(
  names(
    "gitconfig .gitignore .github/x .github/ISSUE_TEMPLATE/x .config/x .agents/x .mise/x .claude/worktrees/a/x",
    ".pawl/agent-memory/a/x .claude/agent-memory-local/a/x .cursor/worktrees/a/x .kiro/specs/x envrc profile claude.mdx",
    ".hg/last-message.txt premise.toml mise.toml.txt a.code-workspace.txt src/config.toml",
  ),
)("writing %s is an ordinary edit", async (name) => {
  expect(await writes(name, { mode: "acceptEdits" })).toBe("allow");
});

const shows = names(
  "LANG LANGUAGE LC_ALL LC_MESSAGES TZ NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE TERM COLUMNS LINES CI",
);
const chooses = names(
  "COLORTERM CARGO_TERM_COLOR CGO_ENABLED DEBUG GOARCH GOOS GO111MODULE LOG_LEVEL NODE_ENV PYTHONDONTWRITEBYTECODE",
  "PYTHONHASHSEED PYTHONIOENCODING PYTHONUNBUFFERED PYTHONUTF8 RUST_BACKTRACE RUST_LIB_BACKTRACE RUST_LOG VERBOSE",
);
const allow = ["Bash(npm test)"];

test.each([...shows, ...chooses])(
  "a rule for a command also covers it after %s, unless the value names a folder",
  async (name) => {
    expect(await bash(make(place, { allow }), place.cwd, `${name}=1 npm test`)).toBe("allow");
    expect(await bash(make(place, { allow }), place.cwd, `${name}=a/b npm test`)).toBe(name === "TZ" ? "allow" : "ask");
    expect(await bash(make(place, { allow }), place.cwd, `${name}="$X" npm test`)).toBe("ask");
    expect(await bash(make(place), place.cwd, `${name}=1 ls`)).toBe(shows.includes(name) ? "allow" : "ask");
  },
);

test.each(names("PATH LD_PRELOAD NODE_OPTIONS PYTHONPATH XLANG LANGX LC_ALLx MY_CI GOFLAGS RUSTFLAGS"))(
  "a rule for a command does not cover it after %s",
  async (name) => {
    expect(await bash(make(place, { allow }), place.cwd, `${name}=1 npm test`)).toBe("ask");
  },
);

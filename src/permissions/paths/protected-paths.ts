/** Files that make other programs run something, or decide what pawl may do. Except in bypass mode, only a person approves writing one. */
import { foldCase } from "../../lib/path-pattern.ts";
import { trimEndCharacters } from "../../lib/trim-end.ts";

const neverFolders = new Set(
  ".git .vscode .idea .husky .cargo .devcontainer .yarn .mvn .claude .pawl .githooks .lefthook .lefthook-local .zed .helix .ssh .gnupg".split(
    " ",
  ),
);
const neverFiles = new Set(
  [
    ".gitconfig .gitmodules .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc .npmrc bunfig.toml .devcontainer.json .ripgreprc pyrightconfig.json .mcp.json .claude.json gradle-wrapper.properties maven-wrapper.properties config.fish",
    // Files that editors, desktops, debuggers and languages run at start, some of them from the folder they start in.
    ".exrc .vimrc .gvimrc .lvimrc .nvimrc .nvim.lua .emacs .tmux.conf .screenrc .xprofile .xinitrc .gdbinit .lldbinit .rprofile .renviron .irbrc .pryrc .ghci",
    ".rvmrc .overcommit.yml prek.toml",
    // Files of other agents.
    "opencode.json opencode.jsonc crush.json .crush.json .aider.conf.yml .continuerc.json",
  ].flatMap((line) => line.split(" ")),
);
const neverFilePrefixes =
  ".yarnrc .pnp. .bazelrc .envrc .autoenv .pre-commit-config. lefthook. .lefthook. lefthook-local. .lefthook-local.".split(
    " ",
  );

/** Folders of other agents, with the servers, hooks and programs they start. Instructions in them only steer. */
const otherAgentFolders = new Set(
  ".cursor .windsurf .gemini .codex .continue .kiro .roo .kilocode .amazonq .qwen .opencode .trae .junie .factory .augment .copilot".split(
    " ",
  ),
);
const instructionFile = /\.mdc?$/u;

/** Files that a rule may open but `acceptEdits` does not: instructions for agents, CI configuration, what IDEs or shells open. */
const guardedFiles = new Set(
  [
    "claude.md claude.local.md agents.md agents.override.md gemini.md qwen.md .cursorrules .windsurfrules .roorules .goosehints",
    ".gitlab-ci.yml jenkinsfile appveyor.yml .appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml .travis.yml .drone.yml .woodpecker.yml .woodpecker.yaml .cirrus.yml .gitpod.yml",
  ].flatMap((line) => line.split(" ")),
);
const guardedForms = /\.(?:code-workspace|sublime-project)$|^\.?mise(?:\.[\w-]+)*\.toml$/u;

/** Guarded parts of folders; null: everything in the folder. */
const guardedBelow: ReadonlyMap<string, readonly string[] | null> = new Map([
  [".agents", ["skills"]],
  [".config", ["mise"]],
  [".mise", ["config.toml", "config.local.toml"]],
  [".github", "workflows actions hooks agents skills prompts instructions copilot-instructions.md".split(" ")],
  [".gitea", ["workflows"]],
  [".forgejo", ["workflows"]],
  [".circleci", null],
  [".buildkite", null],
  [".woodpecker", null],
  [".clinerules", null],
]);
/** Parts of folders that are never written without a question. */
const neverBelow: ReadonlyMap<string, readonly string[]> = new Map([
  [".config", ["git", "fish", "direnv", "autostart", "systemd", "environment.d"]],
  [".hg", ["hgrc", "hgrc-not-shared"]],
]);

/** Folds a name as file systems compare names: case and Unicode forms folded, without what HFS+ ignores and Windows strips. */
function foldSegment(segment: string): string {
  const visible = segment.replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu, "");
  const folded = foldCase(visible);
  const lastLine = Math.max(...["\n", "\r", "\u2028", "\u2029"].map((end) => folded.lastIndexOf(end))) + 1;
  const colon = folded.indexOf(":", lastLine);
  return trimEndCharacters(colon < 0 ? folded : folded.slice(0, colon), ". ");
}

/** Resolves short names: `GIT~1` is the eight-character form of `.git` on Windows. */
function longName(segment: string): string {
  const stem = /^([^~]{1,6})~\d+$/u.exec(segment)?.[1];
  if (stem === undefined) return segment;
  return (
    [...neverFolders, ...otherAgentFolders, ...neverFiles].find((name) => name.replaceAll(".", "").startsWith(stem)) ??
    segment
  );
}

/** Work trees and notes of agents: everything below them is judged afresh. */
const agentRecordFolders = new Set(["worktrees", "agent-memory", "agent-memory-local"]);
const otherAgentRecordFolders = new Set(["worktrees", "specs"]);

/** Where pawl keeps its compiled code and runs it from (bin/compiled.js). */
const ownCode = [
  ["pawl", "compile"],
  ["dist", "command", "compiled"],
];

/** The segments of an absolute path. */
export function absolutePathSegments(path: string): string[] {
  return path.split(/[/\\]/u).filter((name) => name !== "");
}

export type Protection = { level: "never" | "guarded"; name: string } | null;

/**
 * The protection of writing `path` (absolute, in one of its forms). `within`: the number of segments of the working directory that contains
 * it; a working directory below another agent's folder is not part of what that agent starts.
 */
export function protectionOf(path: string, within = 0): Protection {
  const written = absolutePathSegments(path);
  const segments = written.map((segment) => longName(foldSegment(segment)));
  const name = segments.at(-1) ?? "";
  let guarded: string | undefined;
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    const isAgents = (segment === ".claude" || segment === ".pawl") && index + 2 < segments.length;
    if (neverFolders.has(segment) && !(isAgents && agentRecordFolders.has(next ?? "")))
      return { level: "never", name: segment };
    const never = neverBelow.get(segment);
    if (never?.includes(next ?? "") === true) return { level: "never", name: `${segment}/${next}` };
    if (
      index + 1 >= within &&
      otherAgentFolders.has(segment) &&
      !(otherAgentRecordFolders.has(next ?? "") && index + 2 < segments.length)
    ) {
      if (next === undefined || !instructionFile.test(name)) return { level: "never", name: segment };
      guarded ??= segment;
    }
    const own = ownCode.find((names) => names.every((name, at) => segments[index + at] === name));
    if (own !== undefined) return { level: "never", name: own.join("/") };
    const kinds = guardedBelow.get(segment);
    // The folder as a whole, with its existing contents.
    if (kinds === null || ((kinds ?? never) !== undefined && next === undefined)) guarded ??= segment;
    else if (kinds?.includes(next ?? "") === true) guarded ??= `${segment}/${next}`;
  }
  const shown = written.at(-1) ?? name;
  if (neverFiles.has(name) || neverFilePrefixes.some((prefix) => name.startsWith(prefix)))
    return { level: "never", name: shown };
  if (guarded !== undefined) return { level: "guarded", name: guarded };
  return guardedFiles.has(name) || guardedForms.test(name) ? { level: "guarded", name: shown } : null;
}

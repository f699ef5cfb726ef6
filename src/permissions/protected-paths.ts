/** Files that make other programs run something, or that decide what pawl may do. Writing one is never approved without a person, but in bypass mode. */
import { foldCase } from "../lib/path-pattern.ts";
import { withoutEnd } from "../lib/without-end.ts";

const folders = new Set(".git .vscode .idea .husky .cargo .devcontainer .yarn .mvn .claude .pawl".split(" "));
const files = new Set(
  ".gitconfig .gitmodules .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc .envrc .npmrc bunfig.toml .pre-commit-config.yaml .devcontainer.json .ripgreprc pyrightconfig.json .mcp.json .claude.json gradle-wrapper.properties maven-wrapper.properties config.fish".split(
    " ",
  ),
);
const filePrefixes = ".yarnrc .pnp. .bazelrc lefthook. .lefthook. lefthook-local. .lefthook-local.".split(" ");

/** Names a person may allow by a rule, but that `acceptEdits` does not cover: what agents are told, what CI runs, what an IDE opens. */
const guardedFiles = new Set(["claude.md", "claude.local.md", "agents.md", ".gitlab-ci.yml", "jenkinsfile"]);

/** So are these folders of them. */
const guardedBelow: ReadonlyMap<string, readonly string[]> = new Map([
  [".agents", ["skills"]],
  [".config", []],
  [".github", ["workflows", "actions"]],
]);

/** As file systems compare: case and Unicode forms folded, what HFS+ ignores and what Windows strips taken out. */
function foldSegment(segment: string): string {
  const visible = segment.replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu, "");
  const folded = foldCase(visible);
  const lastLine = Math.max(...["\n", "\r", "\u2028", "\u2029"].map((end) => folded.lastIndexOf(end))) + 1;
  const colon = folded.indexOf(":", lastLine);
  return withoutEnd(colon < 0 ? folded : folded.slice(0, colon), ". ");
}

/** `GIT~1` is how Windows spells `.git` in eight characters. */
function longName(segment: string): string {
  const stem = /^([^~]{1,6})~\d+$/u.exec(segment)?.[1];
  if (stem === undefined) return segment;
  return [...folders, ...files].find((name) => name.replaceAll(".", "").startsWith(stem)) ?? segment;
}

/** Work trees and notes of agents: below them everything is judged anew. */
const agentsOwn = new Set(["worktrees", "agent-memory", "agent-memory-local"]);

/** Where the command keeps what was compiled of it, and runs it from (bin/compiled.js). */
const ownCode = [
  ["pawl", "compile"],
  ["dist", "command", "compiled"],
];

export type Protection = { level: "never" | "guarded"; name: string } | null;

/** What kind of care writing `path` (absolute, in one of its forms) takes. */
export function protectionOf(path: string): Protection {
  const written = path.split(/[/\\]/u).filter((segment) => segment !== "");
  const segments = written.map((segment) => longName(foldSegment(segment)));
  let guarded: string | undefined;
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    const isAgents = (segment === ".claude" || segment === ".pawl") && index + 2 < segments.length;
    if (folders.has(segment) && !(isAgents && agentsOwn.has(next ?? ""))) return { level: "never", name: segment };
    if (segment === ".config" && (next === "git" || next === "fish"))
      return { level: "never", name: `.config/${next}` };
    const own = ownCode.find((names) => names.every((name, at) => segments[index + at] === name));
    if (own !== undefined) return { level: "never", name: own.join("/") };
    const kinds = guardedBelow.get(segment);
    // As a whole, with what is below it already.
    if (kinds !== undefined && next === undefined) guarded ??= segment;
    else if (kinds?.includes(next ?? "") === true) guarded ??= `${segment}/${next}`;
  }
  const name = segments.at(-1) ?? "";
  if (files.has(name) || filePrefixes.some((prefix) => name.startsWith(prefix))) return { level: "never", name };
  if (guarded !== undefined) return { level: "guarded", name: guarded };
  return guardedFiles.has(name) || name.endsWith(".code-workspace") ? { level: "guarded", name } : null;
}

// What the permission tests share: a session's permissions in a folder of their own, and the calls held against them.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { HookDecision, PermissionDecision, PermissionSubject } from "../../src/protocol/permission.ts";
import { createPermissions, type PermissionOptions, type Permissions } from "../../src/permissions/permissions.ts";

export interface Place {
  /** Real paths. */
  root: string;
  cwd: string;
  home: string;
  remove(): void;
}

/** `files`: below its folder, each with one line. */
export function makePlace(...files: string[]): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-permissions-")));
  const cwd = join(root, "repo");
  const home = join(root, "home");
  mkdirSync(cwd);
  mkdirSync(home);
  for (const file of files) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), "x\n");
  }
  return { root, cwd, home, remove: () => rmSync(root, { recursive: true, force: true }) };
}

export interface Setup extends Partial<Omit<PermissionOptions, "rules">> {
  allow?: string[];
  deny?: string[];
  askRules?: string[];
}

function subjectsOf(toolName: string, input: Record<string, unknown>): PermissionSubject[] {
  if (toolName === "Bash") return [{ kind: "command", command: String(input["command"]) }];
  if (["Read", "Glob", "Grep"].includes(toolName)) {
    return [{ kind: "read", path: String(input["file_path"] ?? input["path"]) }];
  }
  if (["Write", "Edit", "NotebookEdit"].includes(toolName))
    return [{ kind: "write", path: String(input["file_path"]) }];
  return [{ kind: "tool" }];
}

export const never = { timer: () => () => {} };

export function make(place: { cwd: string; home: string }, setup: Setup = {}): Permissions {
  const { allow = [], deny = [], askRules = [], ...rest } = setup;
  const sourced = (rules: string[]) => rules.map((rule) => ({ rule, source: "test" }));
  return createPermissions({
    mode: "default",
    rules: { allow: sourced(allow), deny: sourced(deny), ask: sourced(askRules) },
    cwd: place.cwd,
    home: place.home,
    clock: never,
    headless: true,
    subjectsOf,
    ...rest,
  });
}

const readers = new Set(["Read", "Glob", "Grep", "TodoWrite"]);

export async function call(
  permissions: Permissions,
  cwd: string,
  toolName: string,
  input: Record<string, unknown>,
  extra: {
    hookDecision?: HookDecision;
    signal?: AbortSignal;
    isReadOnly?: boolean;
  } = {},
): Promise<PermissionDecision> {
  const { hookDecision, signal = new AbortController().signal, isReadOnly = readers.has(toolName) } = extra;
  return permissions.decide(
    {
      toolName,
      toolUseId: "toolu_1",
      input,
      isReadOnly,
      subjects: subjectsOf(toolName, input),
      cwd,
      key: "t1.tool.0.permission",
      ...(hookDecision === undefined ? {} : { hookDecision }),
    },
    signal,
  );
}

/** `allow`, or what stood in its way: `deny` where a rule or mode refused, `ask` where a person would have been asked. */
export async function verdict(
  permissions: Permissions,
  cwd: string,
  toolName: string,
  input: Record<string, unknown>,
  extra: Parameters<typeof call>[4] = {},
): Promise<"allow" | "ask" | "deny"> {
  const decision = await call(permissions, cwd, toolName, input, extra);
  if (decision.behavior === "allow") return "allow";
  return /nobody can be asked|denies instead of asking/u.test(decision.message) ? "ask" : "deny";
}

export function bash(permissions: Permissions, cwd: string, command: string): Promise<"allow" | "ask" | "deny"> {
  return verdict(permissions, cwd, "Bash", { command });
}

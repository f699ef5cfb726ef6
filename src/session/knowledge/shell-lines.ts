/** Runs the shell lines of skills and commands: through the permission rules and the Bash tool, as if the model had called it. */
import { blockText } from "../../protocol/block-text.ts";
import type { PermissionPort } from "../../protocol/permission.ts";
import type { Tool } from "../../protocol/tool.ts";
import type { ShellLine } from "../hooks/hook-occasions.ts";
import { outsideContext, permissionRequestFor } from "../tools/outside-call.ts";

export type SkillStarter = ShellLine["startedBy"];

export interface ShellLineWorld extends Omit<ShellLine, "command"> {
  bash: Tool | undefined;
  permissions: PermissionPort;
  sessionId: string;
  cwd: () => string;
  signal: AbortSignal;
  /** Why hooks do not let the line run. */
  shellLineRefusal: (line: ShellLine, signal: AbortSignal) => Promise<string | undefined>;
}

const limitMs = 120_000;

export async function runShellLine(
  command: string,
  { bash, permissions, sessionId, cwd, signal, key, ...line }: ShellLineWorld,
): Promise<{ ok: true; output: string } | { ok: false; why: string }> {
  if (bash === undefined)
    return { ok: false, why: `Shell command "${command}": there is no Bash tool in this session.` };
  const refused = await line.shellLineRefusal({ command, skill: line.skill, startedBy: line.startedBy, key }, signal);
  if (refused !== undefined) return { ok: false, why: `Shell command "${command}" was not run: ${refused}` };
  const input = { command, timeout: limitMs };
  const context = outsideContext({ sessionId, key, signal, cwd: cwd() });
  const decision = await permissions.decide(permissionRequestFor(bash, input, context), signal);
  if (decision.behavior !== "allow")
    return { ok: false, why: `Shell command permission check failed for pattern "${command}": ${decision.message}` };
  const result = await bash.call({ ...input, ...decision.updatedInput }, context, () => {});
  const text = blockText(result.content);
  if (result.isError === true) return { ok: false, why: `Shell command failed for pattern "${command}": ${text}` };
  return { ok: true, output: text };
}

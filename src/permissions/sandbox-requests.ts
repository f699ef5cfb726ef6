/** Builds requests from confined commands: what the sandbox is asked about them, and the question about a host they want to reach. */
import type { PermissionRequest } from "../protocol/permission.ts";
import type { SandboxInput } from "../protocol/sandbox.ts";
import type { HostQuestion } from "./permission-options.ts";
import { canonicalTool, networkAccessTool } from "./rules/tool-names.ts";
import { allowingFlags, openAsk, type Ask } from "./judging/verdict.ts";

/** What the sandbox is asked about a call, or undefined if the call runs no command. */
export function sandboxInput({ toolName, subjects, input }: PermissionRequest): SandboxInput | undefined {
  const command = subjects.find((subject) => subject.kind === "command")?.command;
  if (command === undefined || canonicalTool(toolName) !== "Bash") return undefined;
  return { command, dangerouslyDisableSandbox: input["dangerouslyDisableSandbox"] === true };
}

export function hostRequest({ host, port, command, toolUseId, cwd }: HostQuestion): {
  request: PermissionRequest;
  verdict: Ask;
} {
  const why = `a sandboxed command wants to reach ${host}`;
  return {
    request: {
      toolName: networkAccessTool,
      toolUseId,
      input: { host, port, command },
      isReadOnly: false,
      subjects: [{ kind: "tool" }],
      cwd,
      key: `${toolUseId}.network.${host}`,
    },
    verdict: openAsk({ type: "sandbox", text: why }, why, allowingFlags(`WebFetch(domain:${host})`)),
  };
}

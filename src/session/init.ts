/** `system/init`: what this session is, told at the start of every user turn. */
import type { SDKSystemInit } from "../protocol/sdk.ts";
import { offeredCommands } from "./commands/help.ts";
import { commands } from "./commands/table.ts";
import type { SessionParts } from "./parts.ts";

export function initMessage(parts: SessionParts): SDKSystemInit {
  return {
    type: "system",
    subtype: "init",
    uuid: parts.ids.uuid(),
    session_id: parts.sessionId,
    apiKeySource: "user",
    cwd: parts.cwd,
    tools: [...parts.toolNames],
    mcp_servers: (parts.mcp?.statuses() ?? []).map(({ name, status }) => ({ name, status })),
    model: parts.model.current,
    permissionMode: parts.choices.permissionMode,
    slash_commands: [...commands, ...offeredCommands(parts)].map(({ name }) => name),
    output_style: parts.desk.outputStyle,
    skills: parts.skills.offered().map(({ name }) => name),
    agents: parts.desk.agents().map(({ name }) => name),
    plugins: parts.desk.plugins(),
    pawl_version: parts.version,
    claude_code_version: parts.version,
    capabilities: [],
  };
}

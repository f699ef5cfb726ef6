/** `system/init`: describes the session to clients at the start of every user turn. */
import type { SDKSystemInit } from "../protocol/sdk.ts";
import { withPromptCommands } from "./commands/help.ts";
import { commands } from "./commands/table.ts";
import { effortField } from "./hooks/hook-parts.ts";
import { readBetas } from "./model/request-headers.ts";
import { variablesOf } from "./options/variables.ts";
import { pluginErrors } from "./plugins/plugin-errors.ts";
import type { Session } from "./session.ts";

/** Names by which hosts of the convention recognize what they may rely on, such as interrupt receipts and guarded server calls. */
const capabilities = [
  "interrupt_receipt_v1",
  "interrupt_cancel_queued_v1",
  "mcp_call_check_permissions_v1",
  "mcp_read_resource_v1",
  "reload_plugins_refuse_if_busy_v1",
];

export function initMessage({ joined, choices, desk }: Session): SDKSystemInit {
  const { around, store, view, mcp, selected, skills } = joined;
  const { effort } = effortField(joined);
  const { apiKeySource: keySource } = desk.account();
  // Problems with the betas were reported when the model was made.
  const betas = readBetas(
    variablesOf(around.env, () => undefined),
    () => undefined,
  );
  return {
    type: "system",
    subtype: "init",
    uuid: around.ids.uuid(),
    session_id: store.sessionId,
    apiKeySource: keySource === undefined || keySource === "ANTHROPIC_AUTH_TOKEN" ? "none" : keySource,
    cwd: around.cwd,
    tools: view.names(),
    mcp_servers: (mcp.desk?.statuses() ?? []).map(({ name, status, source }) => ({ name, status, source })),
    model: selected.current,
    permissionMode: choices.permissionMode,
    ...(effort === undefined ? {} : { effort: effort.level }),
    ...(betas.length === 0 ? {} : { betas }),
    slash_commands: withPromptCommands(commands, joined).map(({ name }) => name),
    output_style: desk.outputStyle,
    skills: skills.offered().map(({ name }) => name),
    agents: desk.agents().map(({ name }) => name),
    plugins: desk.plugins(),
    ...pluginErrors(joined),
    pawl_version: around.version,
    claude_code_version: around.version,
    capabilities: [...capabilities],
  };
}

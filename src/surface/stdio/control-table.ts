/** Every control request that a client may send: either supported, or answered with an error that says why not. */
import type { McpServerStatus } from "../../protocol/mcp.ts";
import { isPermissionMode } from "../../protocol/permission.ts";
import { changingRequests } from "./changing-requests.ts";
import {
  ControlError,
  flagField,
  noTaskError,
  optionalField,
  textField,
  wholeNumberField,
  type ControlEntry,
} from "./control.ts";
import { queryRequests } from "./query-requests.ts";
import { mayEnter, bypassModeRefusal } from "../../session/convention/host-question.ts";
import { titleOf } from "../../session/options/title.ts";

const steeringRequests: readonly ControlEntry[] = [
  {
    name: "interrupt",
    does: "ends the running turn, or else the turn of a message that came before the interrupt and has not started, or else the first turn to come. The receipt comes before the turn's result. Reports of background agents wait for the next message, but their end is announced at once. `cancel_queued` drops waiting messages; an `informational` message says how many of them had no `uuid` for the receipt to name",
    now: (desk, fields) => desk.interrupt({ cancelQueued: fields["cancel_queued"] === true }),
  },
  {
    name: "cancel_async_message",
    does: "drops a message that waits for its turn",
    now: (desk, fields) => ({ cancelled: desk.cancelMessage(textField(fields, "message_uuid")) }),
  },
  {
    name: "set_permission_mode",
    does: "sets the mode from the next tool call on, and for open questions (a question that the new mode would not ask is withdrawn); `bypassPermissions` only if the session was started with it or with permission to switch to it. The answer names the `mode` now in force",
    run({ engine, mayBypass }, fields) {
      const requestedMode = textField(fields, "mode");
      const mode = requestedMode === "manual" ? "default" : requestedMode;
      if (!isPermissionMode(mode)) throw new ControlError(`there is no permission mode "${mode.slice(0, 40)}" here`);
      if (!mayEnter(mode, mayBypass)) throw new ControlError(bypassModeRefusal);
      engine.setPermissionMode(mode);
      return { mode: engine.getPermissionMode() };
    },
  },
  {
    name: "set_model",
    does: "sets the model from the next request to the model on, also in a turn that runs (a request that is being retried stays with its model), unless a `PreModelSwitch` hook refuses it; no value, null or `default` is the model the session started with",
    holdsTurns: true,
    async run({ engine }, fields, signal) {
      const name = optionalField(fields, "model", textField);
      await engine.desk.switchModel(name === "default" ? undefined : name, signal);
      return {};
    },
  },
  {
    name: "set_max_thinking_tokens",
    does: "sets the thinking budget from the next turn on: 0 turns thinking off, null restores the start's value, and without a value nothing changes. `thinking_display` is `summarized` or `omitted`; null restores the start's value",
    run({ engine }, fields) {
      const { max_thinking_tokens: tokens, thinking_display: display } = fields;
      if (display !== undefined && display !== null && display !== "summarized" && display !== "omitted")
        throw new ControlError('"thinking_display" must be summarized, omitted or null');
      const most = tokens === null || tokens === undefined ? tokens : wholeNumberField(fields, "max_thinking_tokens");
      engine.desk.setMaxThinkingTokens(most, display);
      return {};
    },
  },
  {
    name: "rewind_files",
    does: "restores files to their state before a user message; not while a turn runs",
    holdsTurns: true,
    run: async ({ engine }, fields) =>
      await engine.rewindFiles(textField(fields, "user_message_id"), {
        dryRun: optionalField(fields, "dry_run", flagField) ?? false,
      }),
  },
  {
    name: "seed_read_state",
    does: "marks a file as read in its state at `mtime`",
    async run({ engine }, fields) {
      const { mtime } = fields;
      if (typeof mtime !== "number") throw new ControlError('"mtime" must be a number of milliseconds since 1970');
      await engine.desk.seedReadState(textField(fields, "path"), mtime);
      return {};
    },
  },
  {
    name: "stop_task",
    does: "ends a background command or an agent (a teammate also by its name)",
    async run({ engine }, fields) {
      const id = textField(fields, "task_id");
      if ((await engine.desk.stopTask(id)) === undefined) throw noTaskError(id);
      return {};
    },
  },
  {
    name: "mcp_reconnect",
    does: "closes the connection to a server, if there is one, and opens a new one; an error with the reason if the server is not connected then",
    async run({ engine }, fields) {
      requireConnection(await engine.desk.reconnectMcpServer(textField(fields, "serverName")));
      return {};
    },
  },
  {
    name: "mcp_toggle",
    does: "turns a server off, or on again; an error with the reason if the server is then on and not connected",
    async run({ engine }, fields) {
      const isEnabled = flagField(fields, "enabled");
      const server = await engine.desk.toggleMcpServer(textField(fields, "serverName"), isEnabled);
      if (isEnabled) requireConnection(server);
      return {};
    },
  },
  {
    name: "rename_session",
    does: "gives the session its title",
    run({ engine }, fields) {
      const wanted = optionalField(fields, "session_id", textField);
      if (wanted !== undefined && wanted !== engine.getSessionId())
        throw new ControlError("the session has a different id by now, so its title is not changed");
      engine.desk.setTitle(titleOf(textField(fields, "title")));
      return {};
    },
  },
  {
    name: "set_has_subscribers",
    does: "is accepted without an effect",
    now: () => ({}),
  },
];

/** A client that wanted a server would take a plain success for a connection. */
function requireConnection({ name, status, error = status }: McpServerStatus): void {
  if (status !== "connected") throw new ControlError(`the MCP server ${name} is not connected: ${error}`);
}

/** Requests of the convention that are not supported. */
const refusedRequests: readonly ControlEntry[] = [
  {
    name: "set_mcp_permission_mode_override",
    refusal: "servers have no permission mode of their own here: use rules that name their tools",
  },
  { name: "set_color", refusal: "sessions have no colour here" },
];

/** All requests but `initialize`, which the session answers itself because it sets the session's options. */
export const controlTable: readonly ControlEntry[] = [
  ...steeringRequests,
  ...changingRequests,
  ...queryRequests,
  ...refusedRequests,
];

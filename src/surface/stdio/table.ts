/** Every control request a client may make: supported, or answered with an error that says why not. */
import { isPermissionMode } from "../../protocol/permission.ts";
import { changingRequests } from "./changing-requests.ts";
import { ControlError, flag, optionalFlag, optionalText, text, wholeNumber, type ControlEntry } from "./control.ts";
import { lookingRequests } from "./looking-requests.ts";
import { mayEnter, refusedMode } from "../../session/permissions/host-question.ts";
import { titleOf } from "../../session/options/title.ts";

const steeringRequests: readonly ControlEntry[] = [
  {
    name: "interrupt",
    does: "ends the running turn, that of a message which came before it and has not begun, or the first one; the receipt comes before its result, and what agents in the background report waits for the next message; that they have ended is told at once. `cancel_queued` drops what waits; where that has no `uuid` for the receipt to name, an `informational` message says how many",
    now: (desk, fields) => desk.interrupt({ cancelQueued: fields["cancel_queued"] === true }),
  },
  {
    name: "cancel_async_message",
    does: "drops a message that waits for its turn",
    now: (desk, fields) => ({ cancelled: desk.cancelMessage(text(fields, "message_uuid")) }),
  },
  {
    name: "set_permission_mode",
    does: "from the next call of a tool on, and for questions that are open (one that would not be asked any more is withdrawn); into `bypassPermissions` only where the start allowed it. The answer names the `mode` that counts now",
    run({ engine, mayBypass }, fields) {
      const given = text(fields, "mode");
      const mode = given === "manual" ? "default" : given;
      if (!isPermissionMode(mode)) throw new ControlError(`there is no permission mode "${mode.slice(0, 40)}" here`);
      if (!mayEnter(mode, mayBypass)) throw new ControlError(refusedMode);
      engine.setPermissionMode(mode);
      return { mode: engine.getPermissionMode() };
    },
  },
  {
    name: "set_model",
    does: "from the next turn on, unless a `PreModelSwitch` hook refuses it; nothing, null or `default` is the model the session began with",
    holdsTurns: true,
    async run({ engine }, fields, signal) {
      const name = optionalText(fields, "model");
      await engine.desk.switchModel(name === "default" ? undefined : name, signal);
      return {};
    },
  },
  {
    name: "set_max_thinking_tokens",
    does: "from the next turn on; 0 is none, null as at first, absent as it is. `thinking_display` is `summarized` or `omitted`; null as at first",
    run({ engine }, fields) {
      const { max_thinking_tokens: tokens, thinking_display: display } = fields;
      if (display !== undefined && display !== null && display !== "summarized" && display !== "omitted")
        throw new ControlError('"thinking_display" has to be summarized, omitted or null');
      const most = tokens === null || tokens === undefined ? tokens : wholeNumber(fields, "max_thinking_tokens");
      engine.desk.setMaxThinkingTokens(most, display);
      return {};
    },
  },
  {
    name: "rewind_files",
    does: "puts files back to what they were before a user message; not while a turn runs",
    holdsTurns: true,
    run: async ({ engine }, fields) =>
      await engine.rewindFiles(text(fields, "user_message_id"), { dryRun: optionalFlag(fields, "dry_run") }),
  },
  {
    name: "seed_read_state",
    does: "a file counts as read as it was at `mtime`",
    async run({ engine }, fields) {
      const { mtime } = fields;
      if (typeof mtime !== "number") throw new ControlError('"mtime" has to be milliseconds since 1970');
      await engine.desk.seedReadState(text(fields, "path"), mtime);
      return {};
    },
  },
  {
    name: "stop_task",
    does: "ends a command of the background, or an agent (a teammate by its name too)",
    async run({ engine }, fields) {
      const id = text(fields, "task_id");
      if ((await engine.desk.stopTask(id)) === undefined) throw noTask(id);
      return {};
    },
  },
  {
    name: "mcp_reconnect",
    does: "ends the connection to a server, if there is one, and makes a new one",
    async run({ engine }, fields) {
      await engine.desk.reconnectMcpServer(text(fields, "serverName"));
      return {};
    },
  },
  {
    name: "mcp_toggle",
    does: "turns a server off, or on again",
    async run({ engine }, fields) {
      await engine.desk.toggleMcpServer(text(fields, "serverName"), flag(fields, "enabled"));
      return {};
    },
  },
  {
    name: "rename_session",
    does: "gives the session its title",
    run({ engine }, fields) {
      const wanted = optionalText(fields, "session_id");
      if (wanted !== undefined && wanted !== engine.getSessionId())
        throw new ControlError("the session has another id by now: it keeps its title");
      engine.desk.setTitle(titleOf(text(fields, "title")));
      return {};
    },
  },
  {
    name: "set_has_subscribers",
    does: "taken note of; nothing depends on it",
    now: () => ({}),
  },
];

/** Of the convention, and not met. */
const refusedRequests: readonly ControlEntry[] = [
  {
    name: "set_mcp_permission_mode_override",
    refusal: "a server has no permission mode of its own here: rules name its tools",
  },
  { name: "set_color", refusal: "a session has no colour here" },
];

function noTask(id: string): ControlError {
  return new ControlError(`there is no background task "${id.slice(0, 80)}"`);
}

/** `initialize` is not among them: the session itself answers it, since it decides what the session is made of. */
export const controlTable: readonly ControlEntry[] = [
  ...steeringRequests,
  ...changingRequests,
  ...lookingRequests,
  ...refusedRequests,
];

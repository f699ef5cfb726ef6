/** Every control request a client may make: supported, or answered with an error that says why not. */
import { isPermissionMode } from "../../protocol/permission.ts";
import { ControlError, optionalText, text, type ControlEntry } from "./control.ts";
import { mayEnter, refusedMode } from "./permission.ts";

export const controlTable: readonly ControlEntry[] = [
  {
    name: "interrupt",
    does: "ends the running turn; the receipt comes before its result",
    now: (desk, fields) => desk.interrupt({ cancelQueued: fields["cancel_queued"] === true }),
  },
  {
    name: "set_permission_mode",
    does: "from the next call of a tool on",
    run({ engine, mayBypass }, fields) {
      const given = text(fields, "mode");
      const mode = given === "manual" ? "default" : given;
      if (!isPermissionMode(mode)) throw new ControlError(`there is no permission mode ${mode}`);
      if (!mayEnter(mode, mayBypass)) throw new ControlError(refusedMode);
      engine.setPermissionMode(mode);
      return {};
    },
  },
  {
    name: "set_model",
    does: "from the next turn on; nothing or `default` goes back to the default",
    run({ engine }, fields) {
      engine.setModel(optionalText(fields, "model") ?? "default");
      return {};
    },
  },
  {
    name: "get_context_usage",
    does: "where the tokens are",
    run: ({ engine }) => engine.getContextUsage(),
  },
  {
    name: "mcp_status",
    does: "the servers and how they are",
    run: ({ engine }) => ({ mcpServers: engine.desk.mcpServers() }),
  },
  {
    name: "rewind_files",
    does: "puts files back to what they were before a user message",
    holdsTurns: true,
    run: async ({ engine }, fields) =>
      await engine.rewindFiles(text(fields, "user_message_id"), { dryRun: fields["dry_run"] === true }),
  },
  {
    name: "cancel_async_message",
    does: "drops a message that waits for its turn",
    now: (desk, fields) => ({ cancelled: desk.cancelMessage(text(fields, "message_uuid")) }),
  },
  {
    name: "get_binary_version",
    does: "the version of pawl",
    now: ({ version }) => ({ version }),
  },
];

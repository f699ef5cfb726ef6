/** Converts attachments, which join the conversation at a turn border, into the messages that clients get. */
import type { AttachmentMessage, EndedTask, MailFacts } from "../../protocol/message.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import { toWireBlocks } from "../../protocol/wire-block.ts";
import type { SDKTaskNotification } from "../../protocol/sdk-task.ts";

export function fromAttachment(message: AttachmentMessage, sessionId: string): SDKMessage | null {
  const { attachment } = message;
  if (attachment.kind === "queued_command") {
    const content = toWireBlocks(attachment.prompt);
    return {
      type: "user",
      message: { role: "user", content },
      parent_tool_use_id: null,
      uuid: attachment.sourceUuid,
      session_id: sessionId,
      isReplay: true,
    };
  }
  if (attachment.kind === "reminder") {
    const { task, mail, permissionMode } = attachment;
    if (permissionMode !== undefined) {
      const own = { uuid: message.uuid, session_id: sessionId };
      return { type: "system", subtype: "status", status: null, permissionMode, ...own };
    }
    if (task !== undefined) return fromEndedTask(task, message.uuid, sessionId);
    return mail === undefined ? null : fromMail(mail, message.uuid, sessionId);
  }
  const base = {
    type: "system" as const,
    subtype: "informational" as const,
    uuid: message.uuid,
    session_id: sessionId,
  };
  if (attachment.kind === "max_turns_reached") {
    return {
      ...base,
      level: "warning",
      tag: attachment.kind,
      content: `Reached maximum number of turns (${attachment.maxTurns})`,
    };
  }
  if (attachment.kind === "hook_stopped_continuation") {
    return {
      ...base,
      level: "notice",
      tag: attachment.kind,
      content: `${attachment.event} hook stopped the run: ${attachment.message}`,
      prevent_continuation: true,
    };
  }
  return null;
}

export function fromEndedTask(task: EndedTask, uuid: string, sessionId: string): SDKTaskNotification {
  return {
    type: "system",
    subtype: "task_notification",
    task_id: task.taskId,
    ...(task.toolUseId === undefined ? {} : { tool_use_id: task.toolUseId }),
    status: task.status,
    exit_code: task.exitCode,
    output_file: task.outputFile ?? "",
    summary: task.summary,
    ...(task.usage === undefined ? {} : { usage: task.usage }),
    uuid,
    session_id: sessionId,
  };
}

/** The text that agents write to each other stays private; clients only learn that a message was sent. */
function fromMail({ kind, from, agentId }: MailFacts, uuid: string, sessionId: string): SDKMessage {
  const base = { type: "system" as const, uuid, session_id: sessionId };
  if (kind === "idle" && agentId !== undefined)
    return { ...base, subtype: "task_updated", task_id: agentId, patch: { status: "paused" } };
  return {
    ...base,
    subtype: "informational",
    level: "info",
    tag: "teammate_message",
    content: `A message from ${from}`,
  };
}

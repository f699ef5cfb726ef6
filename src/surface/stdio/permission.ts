/** Puts permission questions to the client as `can_use_tool` requests, and reads the answers. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { AskPermission, PermissionQuestion } from "../../protocol/permission.ts";
import { hostQuestion, readHostAnswer } from "../../session/convention/host-question.ts";
import type { ClientRequest, ClientRequests } from "./client-requests.ts";

export interface ClientPermissionOptions {
  requests: ClientRequests;
  /** Whether the session may switch to `bypassPermissions`. */
  mayBypass: boolean;
  /** Tells people about a part of an answer that was ignored. */
  notice: (text: string) => void;
}

export function askClient({ requests, mayBypass, notice }: ClientPermissionOptions): AskPermission {
  return async (question, signal) => {
    const answer = await requests.send(permissionRequest(question), signal);
    return readHostAnswer(answer, mayBypass, notice);
  };
}

function permissionRequest(question: PermissionQuestion): ClientRequest {
  const { toolName, toolUseId, input } = question;
  const { suggestions, blockedPath, matchedAskRule, description, agentId, mcpServer, ...details } =
    hostQuestion(question);
  const { ruleContent } = matchedAskRule ?? {};
  return {
    subtype: "can_use_tool",
    tool_name: toolName,
    input,
    tool_use_id: toolUseId,
    ...(suggestions.length === 0 ? {} : { permission_suggestions: suggestions }),
    ...(blockedPath === undefined ? {} : { blocked_path: blockedPath }),
    decision_reason: details.decisionReason,
    decision_reason_type: details.decisionReasonType,
    ...(matchedAskRule === undefined
      ? {}
      : {
          matched_ask_rule: {
            source: matchedAskRule.source,
            tool_name: matchedAskRule.toolName,
            ...(ruleContent === undefined ? {} : { rule_content: ruleContent }),
          },
        }),
    display_name: details.displayName,
    ...withoutUndefined({ description, agent_id: agentId, mcp_server: mcpServer }),
    ...(details.requiresUserInteraction === true ? { requires_user_interaction: true } : {}),
  };
}

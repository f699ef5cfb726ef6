/** A tool that answers permission questions if no person is there: chosen by the user and called outside the conversation. */
import { tryParseRecord } from "../../lib/try-parse-json.ts";
import { contentText } from "../../protocol/block-text.ts";
import type { AskPermission, PermissionAnswer } from "../../protocol/permission.ts";
import type { Tool } from "../../protocol/tool.ts";
import { isRecord } from "../../lib/is-record.ts";
import { outsideContext } from "../tools/outside-call.ts";

const maxShownChars = 200;

/** `find` is called for each question, since servers connect late. Rejects if the answer cannot be understood, which refuses the call. */
export function askThroughTool(
  name: string,
  sessionId: string,
  find: (name: string) => Tool | undefined,
): AskPermission {
  return async (question, signal) => {
    const tool = find(name);
    if (tool === undefined) throw new Error(`there is no tool ${name} to ask`);
    const { toolName, toolUseId, input, cwd, key } = question;
    const toolInput = { tool_name: toolName, input: structuredClone(input), tool_use_id: toolUseId };
    const own = { key: `${key}.prompt`, toolUseId: `${toolUseId}.prompt` };
    const context = outsideContext({ sessionId, ...own, signal, cwd });
    const { content, isError } = await tool.call(toolInput, context, () => undefined);
    const text = contentText(content);
    if (isError === true) throw new Error(`${name} failed: ${text.slice(0, maxShownChars)}`);
    return parseAnswer(text, name);
  };
}

function parseAnswer(text: string, name: string): PermissionAnswer {
  const answer = tryParseRecord(text);
  if (answer?.["behavior"] === "allow") {
    const { updatedInput } = answer;
    return { behavior: "allow", ...(isRecord(updatedInput) ? { updatedInput } : {}) };
  }
  if (answer?.["behavior"] === "deny") {
    const { message, interrupt } = answer;
    const ends = interrupt === true ? { interrupt } : {};
    return { behavior: "deny", ...(typeof message === "string" ? { message } : {}), ...ends };
  }
  throw new Error(`${name} answered neither allow nor deny: ${text.slice(0, maxShownChars)}`);
}

/** Tools of the caller, as the loop uses them. */
import { errorText } from "../../lib/error-text.ts";
import { asFireAndForget } from "../../lib/fire-and-forget.ts";
import { pictureType } from "../../lib/image-header.ts";
import { maxValueDepth, isDeeperThan } from "../../lib/is-deeper.ts";
import { isRecord } from "../../lib/is-record.ts";
import { withoutNulls } from "../../lib/without-nulls.ts";
import type { Tool, ToolContext, ToolResult } from "../../protocol/tool.ts";
import { checkContent } from "../../transcript/check-content.ts";

/**
 * Wraps a foreign tool, which may be a class instance. The tool gets copies, so that changing its input does not change the conversation,
 * and its results become plain JSON of known blocks, so that they can be recorded and sent.
 */
export function adoptTool(tool: Tool): Tool {
  const { name, description, inputSchema, aliases, interruptBehavior, failureCancelsSiblings, replay } = tool;
  const own: Tool = {
    name,
    description,
    inputSchema,
    aliases,
    interruptBehavior,
    failureCancelsSiblings,
    replay,
    checksOwnInput: tool.checksOwnInput,
    requiresUserInteraction: tool.requiresUserInteraction,
    answeredFields: tool.answeredFields,
    mcpServer: tool.mcpServer,
    maxResultSizeChars: tool.maxResultSizeChars,
    isConcurrencySafe: (input) => tool.isConcurrencySafe(structuredClone(input)),
    isReadOnly: (input) => tool.isReadOnly(structuredClone(input)),
    call: async (input, context, onProgress) =>
      plainResult(await tool.call(structuredClone(input), plainContext(context), onProgress), name),
  };
  if (tool.onAnnounced !== undefined) own.onAnnounced = asFireAndForget(() => tool.onAnnounced?.());
  if (tool.timeLimitMs !== undefined) own.timeLimitMs = (input) => tool.timeLimitMs!(structuredClone(input));
  if (tool.permissionSubjects !== undefined)
    own.permissionSubjects = (input, cwd) => tool.permissionSubjects!(structuredClone(input), cwd);
  if (tool.describe !== undefined) own.describe = (input) => tool.describe!(structuredClone(input));
  if (tool.validateInput !== undefined)
    own.validateInput = (input, context) => tool.validateInput!(structuredClone(input), plainContext(context));
  if (tool.contentOf !== undefined) own.contentOf = (output) => plainContent(tool.contentOf!(output), name);
  if (tool.isAnswered !== undefined) own.isAnswered = (input) => tool.isAnswered!(structuredClone(input));
  if (tool.onRefused !== undefined) own.onRefused = (why) => tool.onRefused!(why);
  if (tool.observableInput !== undefined)
    own.observableInput = (input, cwd) => tool.observableInput!(structuredClone(input), cwd);
  return own;
}

/** All properties are own properties, so that the context can be spread. */
function plainContext(context: ToolContext): ToolContext {
  const { sessionId, key, toolUseId, signal, cwd, hookAsks } = context;
  const registerTurnEnd: ToolContext["registerTurnEnd"] = (name, dispose) => context.registerTurnEnd(name, dispose);
  const own = { sessionId, key, toolUseId, signal, cwd, registerTurnEnd };
  return hookAsks === true ? { ...own, hookAsks } : own;
}

/** Sets the media type of an image from its bytes. If they are no known image, the code that fits media replaces it with a line of text. */
function withImageType(value: unknown): unknown {
  const block = isRecord(value) ? withoutNulls(value) : value;
  if (!isRecord(block) || block["type"] !== "image" || !isRecord(block["source"])) return block;
  const { source } = block;
  if (source["type"] !== "base64" || typeof source["data"] !== "string") return block;
  const type = pictureType(Buffer.from(source["data"].slice(0, 64), "base64"));
  return { ...block, source: { ...source, media_type: type ?? "image/png" } };
}

function plainContent(content: ToolResult["content"] | undefined, name: string): ToolResult["content"] | undefined {
  return content === undefined ? undefined : plainResult({ content }, name).content;
}

/** A value that is not a tool result becomes an error result. */
export function plainResult(result: unknown, name: string): ToolResult {
  let plain: unknown;
  try {
    plain = JSON.parse(JSON.stringify(result) ?? "null");
  } catch (error) {
    // Some JavaScript engines cannot serialize such depth.
    if (error instanceof RangeError && isRecord(result) && result["output"] !== undefined)
      return plainResult({ ...result, output: undefined }, name);
    const why = error instanceof RangeError ? "it is nested too deep" : errorText(error);
    return { content: `${name} returned something that cannot be written as JSON (${why}).`, isError: true };
  }
  // `output` is only for clients; a record with output this deep could not be read again.
  if (isRecord(plain) && isDeeperThan(plain["output"], maxValueDepth)) delete plain["output"];
  if (isDeeperThan(plain, maxValueDepth + 1))
    return { content: `${name} returned something that is nested too deep.`, isError: true };
  const rawContent = isRecord(plain) ? plain["content"] : undefined;
  const content: unknown = Array.isArray(rawContent) ? rawContent.map(withImageType) : rawContent;
  const followUp: unknown = (isRecord(plain) ? plain["followUp"] : undefined) ?? [];
  const wrong =
    checkContent([{ type: "tool_result", tool_use_id: name, content }], "user") ?? checkContent(followUp, "result");
  if (wrong === undefined) return { ...(plain as ToolResult), content: content as ToolResult["content"] };
  return {
    content: `${name} returned something that is not a tool result: expected text or a list of blocks.`,
    isError: true,
  };
}

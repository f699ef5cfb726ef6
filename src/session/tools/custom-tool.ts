/** Tools of the caller's own: a name, a schema and a function. */
import { pictureType } from "../../lib/image-header.ts";
import { checkContent } from "../../transcript/check-content.ts";
import type { Tool, ToolContext, ToolInput, ToolInputSchema, ToolResult } from "../../protocol/tool.ts";
import { isRecord } from "../../lib/is-record.ts";

export interface CustomToolOptions {
  /** Changes nothing: may run beside others, and is allowed where reading is. */
  readOnlyHint?: boolean;
  /** May simply be called again after a crash. Default: `safe` for read-only tools, else `never`. */
  replay?: Tool["replay"];
  /** Characters of result the model gets inline. Default 100,000. */
  maxResultSizeChars?: number;
  timeLimitMs?: number;
}

/** What a handler may return: text, or a whole result. */
export type CustomToolAnswer = string | ToolResult;

/**
 * Makes a tool from a function. The input has been checked against `inputSchema` (JSON Schema) before the handler sees it.
 * What the handler throws becomes an error result for the model.
 */
export function tool(
  name: string,
  description: string,
  inputSchema: ToolInputSchema,
  handler: (input: ToolInput, context: ToolContext) => Promise<CustomToolAnswer>,
  options: CustomToolOptions = {},
): Tool {
  const isReadOnly = options.readOnlyHint === true;
  const { timeLimitMs } = options;
  return {
    name,
    description,
    inputSchema,
    isConcurrencySafe: () => isReadOnly,
    isReadOnly: () => isReadOnly,
    replay: options.replay ?? (isReadOnly ? "safe" : "never"),
    maxResultSizeChars: options.maxResultSizeChars ?? 100_000,
    ...(timeLimitMs === undefined ? {} : { timeLimitMs: () => timeLimitMs }),
    async call(input, context) {
      const answer = await handler(input, context);
      return typeof answer === "string" ? { content: answer } : answer;
    },
  };
}

/**
 * Somebody else's tool as a session takes it, class instances included: it gets copies, so that what it does to its input does
 * not reach the conversation, and its results are plain JSON of the known blocks, so that they can be recorded and sent.
 */
export function adopted(tool: Tool): Tool {
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
    maxResultSizeChars: tool.maxResultSizeChars,
    isConcurrencySafe: (input) => tool.isConcurrencySafe(structuredClone(input)),
    isReadOnly: (input) => tool.isReadOnly(structuredClone(input)),
    call: async (input, context, onProgress) =>
      plainResult(await tool.call(structuredClone(input), plainContext(context), onProgress), name),
  };
  if (tool.timeLimitMs !== undefined) own.timeLimitMs = (input) => tool.timeLimitMs!(structuredClone(input));
  if (tool.permissionSubjects !== undefined)
    own.permissionSubjects = (input, cwd) => tool.permissionSubjects!(structuredClone(input), cwd);
  if (tool.describe !== undefined) own.describe = (input) => tool.describe!(structuredClone(input));
  if (tool.validateInput !== undefined)
    own.validateInput = (input, context) => tool.validateInput!(structuredClone(input), plainContext(context));
  if (tool.observableInput !== undefined)
    own.observableInput = (input, cwd) => tool.observableInput!(structuredClone(input), cwd);
  return own;
}

/** Everything of it is its own, so that it can be spread. */
function plainContext(context: ToolContext): ToolContext {
  const { sessionId, key, toolUseId, signal, cwd } = context;
  const registerTurnEnd: ToolContext["registerTurnEnd"] = (name, dispose) => context.registerTurnEnd(name, dispose);
  return { sessionId, key, toolUseId, signal, cwd, registerTurnEnd };
}

/** An image is what its bytes are: what fits media looks at them, and has a line for those that are none. */
function relabelled(block: unknown): unknown {
  if (!isRecord(block) || block["type"] !== "image" || !isRecord(block["source"])) return block;
  const { source } = block;
  if (source["type"] !== "base64" || typeof source["data"] !== "string") return block;
  const type = pictureType(Buffer.from(source["data"].slice(0, 64), "base64"));
  return { ...block, source: { ...source, media_type: type ?? "image/png" } };
}

function plainResult(result: unknown, name: string): ToolResult {
  let plain: unknown;
  try {
    plain = JSON.parse(JSON.stringify(result) ?? "null");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { content: `${name} returned something that cannot be written as JSON (${why}).`, isError: true };
  }
  const given = isRecord(plain) ? plain["content"] : undefined;
  const content: unknown = Array.isArray(given) ? given.map(relabelled) : given;
  const wrong = checkContent([{ type: "tool_result", tool_use_id: name, content }], "user");
  if (wrong === undefined) return { ...(plain as ToolResult), content: content as ToolResult["content"] };
  return {
    content: `${name} returned something that is no result: text or a list of blocks is expected.`,
    isError: true,
  };
}

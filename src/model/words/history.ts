/** Messages that a server refuses: thinking, a signed summary, a block of another kind. */
import type { Phrase } from "./phrase.ts";

/** The text is about a tool's definition or a tool call. Tools may have any name and description, so the tables below do not apply. */
export const toolSubject =
  /\btools\W{1,4}\d|\binput_schema\b|\bfunction ?declarations?\b|\bschema for function\b|\b(?:function|tool) name\b|\btool call validation failed\b/;

/** Required for complaints about thinking. Models carry the word in their names: `kimi-k2-thinking`, `claude-3.7-sonnet:thinking`. */
export const thinkingSubject = /(?<![-/\w]|\w:)(?:redacted_)?thinking(?![-\w])/;

export const thinkingComplaints: readonly Phrase[] = [
  [
    /cannot be modified/,
    [
      "Anthropic",
      "messages.5.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
    ],
  ],
  [
    /invalid `?signature/,
    ["Anthropic", "messages.1.content.0: Invalid `signature` in `thinking` block"],
    [
      "Anthropic",
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
    ],
  ],
  [/signature.{0,40}required/, ["Anthropic", "messages.1.content.0.thinking.signature: Field required"]],
  [
    /cannot contain/,
    ["Anthropic", "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`."],
  ],
  [
    /expected `?(?:redacted_)?thinking/,
    [
      "unnamed, in the API's words",
      "messages.3.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_result`.",
    ],
  ],
  [
    /first block must be/,
    [
      "Anthropic",
      "messages.5.content.0: If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`. Found `text`.",
    ],
  ],
  [
    /each `?thinking`? block must/,
    ["Anthropic", "messages.11.content.0.thinking: each thinking block must contain thinking"],
  ],
];

/** The server knows no blocks of thinking at all. */
export const unknownThinking: readonly Phrase[] = [
  [
    /unknown variant `(?:redacted_)?thinking`/,
    [
      "DeepSeek",
      "Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `thinking`, expected one of `text`, `image_url`, `file`",
    ],
  ],
  [
    /input tag '(?:redacted_)?thinking'/,
    [
      "Anthropic, of older models",
      "messages.1.content.0: Input tag 'thinking' found using 'type' does not match any of the expected tags: 'text', 'tool_use'",
    ],
  ],
  [
    /validation errors?:.{0,400}'(?:type|input)': '(?:redacted_)?thinking'/s,
    [
      "vLLM",
      "2 validation errors:\n  {'type': 'literal_error', 'loc': ('body', 'messages', 1, 'content', 0, 'type'), 'msg': \"Input should be 'text', 'image', 'tool_use' or 'tool_result'\", 'input': 'thinking'}",
    ],
  ],
];

/** The same. The word "reasoning" alone tells nothing: models and other fields have that name. */
export const reasoningComplaints: readonly Phrase[] = [
  [
    /property '[\w.]*reasoning(?:_content)?' is unsupported/,
    [
      "Groq",
      "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
    ],
    [
      "Cerebras",
      "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
    ],
  ],
  [/reasoning is not supported with/, ["Groq", "`messages[2].reasoning`: reasoning is not supported with this model"]],
];

/**
 * Servers that accept no tool call without the thinking before it: a summary, another model, or a resume may have lost the
 * thinking, or the model did not think when it made the call.
 */
export const thinkingMissed: readonly Phrase[] = [
  [
    /(?:thinking|reasoning_content)[^.]{0,60}must be passed back/,
    ["DeepSeek", "The `content[].thinking` in the thinking mode must be passed back to the API."],
    ["DeepSeek", "The `reasoning_content` in the thinking mode must be passed back to the API."],
    [
      "Xiaomi MiMo",
      '{"error":{"code":"400","message":"Param Incorrect","param":"The reasoning_content in the thinking mode must be passed back to the API.","type":""}}',
    ],
  ],
  [
    /reasoning_content`? is missing/,
    ["Moonshot", "thinking is enabled but reasoning_content is missing in assistant tool call message at index 54"],
  ],
  [
    /missing `?reasoning_content/,
    ["DeepSeek", "Missing `reasoning_content` field in the assistant message at message index 3."],
  ],
];

/** The API names the block found in place of the thinking, and only checks the current turn. */
export const thinkingMissedInTurn: readonly Phrase[] = [
  [
    /must begin with a `thinking` block/,
    [
      "aimock",
      "messages.1.content.0: when `thinking` is enabled, a tool-loop continuation assistant turn must begin with a `thinking` block; got `text`.",
    ],
  ],
  [
    /must start with a thinking block/,
    [
      "Anthropic",
      "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). To avoid this requirement, disable `thinking`.",
    ],
  ],
  [
    /expected `?thinking`?(?: or `?redacted_thinking`?)?, but found `?(?:text|tool_use|server_tool_use)\b/,
    ["Anthropic", "messages.3.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`."],
  ],
];

/** A signed summary, requested or sent back, and the beta it needs. */
export const compactionComplaints: readonly Phrase[] = [
  [
    /\bcompaction\b/,
    [
      "Anthropic",
      "messages.0.content.0: Input tag 'compaction' found using 'type' does not match any of the expected tags: 'text', 'image'",
    ],
  ],
  [
    /\bcompaction_/,
    ["unnamed, in the API's words", "context_management.edits.0: Input tag 'compaction_20260904' is not known"],
  ],
  [/compact-20\d\d/, ["Anthropic", "Unexpected value(s) `compact-2026-09-04` for the `anthropic-beta` header."]],
];

/** The place a text has to name for the complaints below to be about a block. */
export const blockPlace = /\bmessages\b\W{0,6}\d+\W{1,6}content\W{1,6}(?:list\[\w+\]\W{1,4})?\d+/;

export const blockComplaints: readonly Phrase[] = [
  [
    /input tag/,
    [
      "Anthropic",
      "messages.1.content.0: Input tag 'novelty' found using 'type' does not match any of the expected tags: 'text', 'image', 'thinking'",
    ],
  ],
  [
    /discriminator/,
    ["unnamed, in Zod's words", "messages[1].content[0]: Invalid discriminator value. Expected 'text' | 'tool_use'"],
  ],
  [
    /unknown variant/,
    [
      "unnamed, in serde's words",
      "Failed to deserialize: messages[3].content[0]: unknown variant `novelty`, expected `text`",
    ],
  ],
  [
    /input should be/,
    [
      "vLLM",
      "1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'messages', 1, 'content', 'list[AnthropicContentBlock]', 0, 'type'), 'msg': \"Input should be 'text', 'image', 'tool_use' or 'tool_result'\", 'input': 'novelty', 'ctx': {'expected': \"'text', 'image', 'tool_use' or 'tool_result'\"}}",
    ],
    [
      "unnamed, in Pydantic's words",
      "messages.2.content.list[union[text,tool_use]].1.type: Input should be 'text' or 'tool_use' at messages.2.content.1",
    ],
  ],
  [
    /\b(?:type|block)s?\b[^.]{0,60}(?:not (?:supported|recogni[sz]ed|valid|allowed|known)|unsupported|unknown)/,
    ["unnamed", "messages.3.content.0: type novelty is not supported"],
  ],
];

/** The same, from servers that name no place. */
export const blockComplaintsWithoutPlace: readonly Phrase[] = [
  [
    /(?:unknown|unsupported|unrecogni[sz]ed|invalid) content (?:block|part|type)/,
    ["unnamed", "Unsupported content block type: novelty"],
  ],
  [
    /content (?:block|part) types?\b[^.]{0,60}(?:not supported|unsupported|unknown|unrecogni[sz]ed)/,
    ["unnamed", "content block type novelty is not supported by this provider"],
  ],
];

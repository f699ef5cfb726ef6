/** A field of the request that the server does not know for the model. */
import type { Phrase } from "./phrase.ts";

/** A form of thinking that the model does not have. */
export const adaptiveRefused: readonly Phrase[] = [
  [
    /\badaptive\b(?: \w+)?\W{1,3}(?:is |are )?(?:not (?:supported|permitted|allowed|available|valid|recogni[sz]ed)|unsupported|unknown|invalid)/,
    ["Anthropic", "adaptive thinking is not supported on this model"],
    ["Anthropic", '"thinking.type.adaptive" is not supported for this model. Use "thinking.type.enabled" instead.'],
    ["DashScope", "Only 'enabled' and 'disabled' are supported for thinking; 'adaptive' is not supported."],
  ],
  [
    /(?:does(?: not|n't)|cannot) (?:support|accept|have|use) (?:\w+ )?\W?adaptive/,
    ["unnamed", "This model does not support adaptive thinking."],
  ],
  [
    /(?:unknown|unsupported|unrecogni[sz]ed|unexpected|invalid) (?:thinking\.type\b)?(?:(?!expected|must|only|allowed|use )[^.]){0,40}\badaptive\b/,
    ["unnamed, in serde's words", "thinking: unknown variant `adaptive`, expected `enabled` or `disabled`"],
  ],
  [
    /input tag 'adaptive'/,
    [
      "Anthropic, Vertex",
      "thinking: Input tag 'adaptive' found using 'type' does not match any of the expected tags: 'disabled', 'enabled'",
    ],
  ],
  [
    /\bthinking(?:\.type)?\W{1,4}input should be (?!.*adaptive).*'enabled'/s,
    ["unnamed, in Pydantic's words", "thinking.type: Input should be 'enabled' or 'disabled'"],
  ],
];

export const enabledRefused: readonly Phrase[] = [
  [
    /\bthinking\.(?:type\.)?enabled\W{1,3}(?:is )?not supported/,
    [
      "Anthropic",
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    ],
  ],
  [
    /(?:unknown|unsupported|unrecogni[sz]ed|unexpected|invalid) thinking(?:\.type)?\b(?:(?!expected|must|only|allowed|use )[^.]){0,30}\benabled\b/,
    ["MiniMax", 'invalid params, invalid thinking.type: "enabled" (allowed: adaptive, disabled) (2013)'],
    ["unnamed", "invalid thinking type 'enabled', expected 'adaptive' or 'disabled'"],
  ],
  [
    /input tag 'enabled'/,
    [
      "Anthropic",
      "thinking: Input tag 'enabled' found using 'type' does not match any of the expected tags: 'adaptive', 'disabled'",
    ],
  ],
  [
    /\bthinking(?:\.type)?\W{1,4}input should be (?!.*enabled).*'adaptive'/s,
    ["unnamed, in Pydantic's words", "thinking.type: Input should be 'adaptive' or 'disabled'"],
  ],
];

/** How thinking is to be displayed. */
export const displayRefused: readonly Phrase[] = [
  [
    /\bthinking(?:\.\w+)*\.display\W{1,4}(?:extra inputs|is not)/,
    ["Anthropic", "thinking.adaptive.display: Extra inputs are not permitted"],
    ["unnamed", "thinking.display is not supported"],
  ],
  [
    /(?:unknown|unrecogni[sz]ed|unexpected|unsupported) (?:field|parameter|property|request argument)s?\W{1,4}(?:thinking\.)?display\b/,
    ["unnamed, in serde's words", "thinking: unknown field `display`, expected `type`"],
  ],
];

export const thinkingRefused: readonly Phrase[] = [
  [
    /\bthinking\.(?:type\.)?disabled\W{1,3}(?:is )?not supported/,
    [
      "Anthropic",
      '"thinking.type.disabled" is not supported for this model. Use "thinking.type.between_tools" for the lowest thinking setting.',
    ],
  ],
  [/\bthinking(?:\.\w+)*\W{1,4}extra inputs/, ["Vertex, LiteLLM", "thinking: Extra inputs are not permitted"]],
  [
    /\bthinking(?:\.type)?\W{1,4}input (?:tag|should be ')/,
    [
      "unnamed, in the API's words",
      "thinking: Input tag 'disabled' found using 'type' does not match any of the expected tags: 'auto'",
    ],
  ],
  [
    /does(?: not|n't) support (?:\w+ |parameters?\W{1,4})?thinking/,
    ["Ollama", '"gemma3:12b" does not support thinking'],
    ["LiteLLM", "litellm.UnsupportedParamsError: bedrock does not support parameters: ['thinking'], for model=x."],
  ],
  [
    /(?:unknown|unrecogni[sz]ed|unexpected|unsupported) (?:field|parameter|property|request argument)s?(?: supplied)?\W{1,4}thinking\b/,
    ["OpenAI", "Unknown parameter: 'thinking'."],
    ["OpenAI", "Unrecognized request argument supplied: thinking"],
  ],
  [
    /extraneous key \[thinking\]/,
    [
      "Bedrock",
      "Malformed input request: #: extraneous key [thinking] is not permitted, please reformat your input and try again.",
    ],
  ],
  [/invalid thinking: only type/, ["Moonshot", "invalid thinking: only type=enabled is allowed for this model"]],
];

/** Ids that another server gave to tool calls. */
export const callIdRefused: readonly Phrase[] = [
  [
    /\b(?:tool_use\W{1,6}id|tool_use_id)\W{1,6}string should (?:match pattern|have at most)/,
    ["Anthropic", "messages.37.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"],
    ["Anthropic, of Bedrock", "messages.1.content.0.tool_use.id: String should have at most 64 characters"],
  ],
  [
    /tooluseid\W{1,6}failed to satisfy constraint/,
    [
      "Bedrock's Converse",
      "Value 'functions.Read:0' at 'messages.2.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
    ],
  ],
  [
    /\b(?:tool_calls\W{1,4}\d+\W{1,4}id|call_id)\W{1,6}string too long/,
    [
      "OpenAI",
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 51 instead.",
    ],
  ],
];

/** Says that a field is unknown; which one is decided elsewhere. */
export const unknownField: readonly Phrase[] = [
  [
    /\b(?:unknown|unrecogni[sz]ed|unexpected|unsupported) (?:field|parameter|property|request argument)/,
    ["OpenAI", "Unknown parameter: 'output_config'."],
    ["OpenAI", "Unrecognized request argument supplied: output_config"],
    ["unnamed, in serde's words", "unknown field `output_config`, expected one of `model`, `messages`"],
  ],
  [
    /not (?:supported|permitted|allowed)/,
    ["Anthropic, Bedrock", "output_config.effort: Extra inputs are not permitted"],
    [
      "Bedrock",
      "Malformed input request: #: extraneous key [output_config] is not permitted, please reformat your input and try again.",
    ],
  ],
  [/does(?: not|n't) support/, ["Anthropic", "This model does not support the effort parameter."]],
];

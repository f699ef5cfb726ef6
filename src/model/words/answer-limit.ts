/** The model does not give answers as long as the one requested. `most` is the longest, `above` is one more, in tokens. */
import type { Phrase } from "./phrase.ts";

export const answerLimits: readonly Phrase[] = [
  [
    /max_tokens: [\d,]+ > (?<most>[\d,]+), which is the maximum allowed number of output tokens/,
    [
      "Anthropic",
      "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5",
    ],
  ],
  [
    /max_(?:completion_|output_)?tokens\W{1,3}is too large\b.{0,40}supports at most (?<most>[\d,]+)/,
    [
      "OpenAI",
      "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.",
    ],
  ],
  [
    /maximum tokens you requested exceeds? the model limit of (?<most>[\d,]+)/,
    [
      "Bedrock",
      "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.",
    ],
    [
      "Bedrock",
      "The maximum tokens you requested exceed the model limit of 4096. Try again with a maximum tokens value lower than 4096.",
    ],
  ],
  [
    /max_tokens(?: for \S+)?\W{1,3}(?:must|should) (?:be (?:<=|at most|less than or equal to|no more than)|not exceed)\W{1,3}(?<most>[\d,]+)/,
    [
      "Groq",
      "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
    ],
    ["Groq", "max_tokens for `llama-3.1-8b-instant` must be less than or equal to 8000"],
    [
      "Cohere",
      "too many tokens: max_tokens must be less than or equal to 4096, the maximum output length for this model - received 8000.",
    ],
  ],
  [
    /max_tokens\W{1,3}(?:must|should) be (?:between [\d,]+ and (?<most>[\d,]+)|less than (?<above>[\d,]+))/,
    ["unnamed", "invalid request: max_tokens must be between 1 and 32768"],
    ["unnamed", "max_tokens must be less than 16384. Please check again."],
  ],
  [
    /max_tokens\W{1,3}(?:\([\d,]+\) )?cannot exceed (?<most>[\d,]+)/,
    ["unnamed", "max_tokens (64000) cannot exceed 16384"],
  ],
  [
    /max_tokens\b.{0,80}expected a value <= (?<most>[\d,]+)/,
    [
      "OpenAI, Moonshot",
      "Invalid 'max_tokens': integer above maximum value. Expected a value <= 16384, but got 32000 instead.",
    ],
  ],
  [
    /max_tokens\W{1,3}input should be less than or equal to (?<most>[\d,]+)/,
    [
      "unnamed, in Pydantic's words",
      '{"detail":[{"loc":["body","max_tokens"],"msg":"Input should be less than or equal to 4096"}]}',
    ],
  ],
  [
    /but can only afford (?<most>[\d,]+)/,
    [
      "OpenRouter",
      "This request requires more credits, or fewer max_tokens. You requested up to 131072 tokens, but can only afford 54095.",
      402,
    ],
  ],
  [
    /max_tokens\b.{0,40}\[\d+, ?(?<most>[\d,]+)\]/,
    ["DeepSeek", "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"],
    ["DashScope", "Range of max_tokens should be [1, 8192]"],
    ["Z.ai", "max_tokens 参数非法，取值范围 [1, 98304]"],
  ],
  [
    /maxoutputtokens value of [\d,]+ but the supported range is from \d+ \(inclusive\) to (?<above>[\d,]+) \(exclusive\)/,
    [
      "Vertex",
      "Unable to submit request because it has a maxOutputTokens value of 64000 but the supported range is from 1 (inclusive) to 8193 (exclusive). Update the value and try again.",
    ],
  ],
];

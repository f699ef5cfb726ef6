/** The figures that servers state when the prompt is too long. */
import type { Phrase } from "./phrase.ts";

/** The first match counts. `extra` is requested output on top of the input; `part` is requested output that `actual` already includes. */
export const overflowFigures: readonly Phrase[] = [
  [
    /maximum context length (?:is|of) (?<maximum>[\d,]+).{0,60}?requested(?: about)? (?<actual>[\d,]+) tokens \([^)]{0,120}?(?<part>[\d,]+) in the (?:completion|output)\)/,
    [
      "OpenAI, DeepSeek",
      "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).",
    ],
    [
      "OpenRouter",
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens (6000 of text input, 2000 of tool input, 32000 in the output).",
    ],
  ],
  [
    /too large: (?<extra>[\d,]+)\. this model's maximum context length is (?<maximum>[\d,]+) tokens and your request has (?<actual>[\d,]+) input tokens/,
    [
      "vLLM",
      "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).",
    ],
  ],
  [
    /maximum context length of (?<maximum>[\d,]+) tokens\. you requested a total of [\d,]+ tokens: (?<actual>[\d,]+) tokens from the input messages and (?<extra>[\d,]+)/,
    [
      "SGLang",
      "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens: 8000 tokens from the input messages and 32000 tokens for the completion.",
    ],
  ],
  [
    /prompt is too long:? (?<actual>[\d,]+) tokens? > (?<maximum>[\d,]+)/,
    ["Anthropic", "prompt is too long: 213462 tokens > 200000 maximum"],
  ],
  [
    /passed (?<actual>[\d,]+) input tokens and requested (?<extra>[\d,]+) output tokens.{0,60}?context length is only (?<maximum>[\d,]+)/,
    [
      "vLLM",
      "You passed 25 input tokens and requested 1000 output tokens. However, the model's context length is only 1024 tokens, resulting in a maximum input length of 24 tokens. Please reduce the length of the input prompt.",
    ],
  ],
  [
    /maximum context length is (?<maximum>[\d,]+) tokens\. however, you requested (?<extra>[\d,]+) output tokens and your prompt contains (?:at least )?(?<actual>[\d,]+) input tokens/,
    [
      "vLLM",
      "This model's maximum context length is 32768 tokens. However, you requested 8000 output tokens and your prompt contains at least 24769 input tokens, for a total of at least 32769 tokens.",
    ],
  ],
  [
    /input length and `?max_tokens`? exceed context limit: (?<actual>[\d,]+) \+ (?<extra>[\d,]+) > (?<maximum>[\d,]+)/,
    ["Anthropic", "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"],
  ],
  [
    /\((?<actual>[\d,]+) tokens\) exceeds the available context size \((?<maximum>[\d,]+)/,
    ["llama.cpp", "request (2136 tokens) exceeds the available context size (2048 tokens), try increasing it"],
  ],
  [
    /token count(?: of)? \(?(?<actual>[\d,]+)\)? exceeds the (?:maximum number of tokens allowed|limit of) \(?(?<maximum>[\d,]+)/,
    ["Gemini", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."],
    ["GitHub Copilot", "prompt token count of 150,000 exceeds the limit of 128,000"],
  ],
  [
    /length (?<actual>[\d,]+)\) is longer than the maximum model length of (?<maximum>[\d,]+)/,
    ["vLLM", "The decoder prompt (length 163840) is longer than the maximum model length of 131072."],
  ],
  [
    /model token limit: (?<maximum>[\d,]+) \(requested: (?<actual>[\d,]+)\)/,
    ["Moonshot", "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)"],
  ],
  [
    /first (?<actual>[\d,]+) tokens when context.{0,80}context length of only (?<maximum>[\d,]+)/,
    [
      "LM Studio",
      "Trying to keep the first 4673 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
    ],
  ],
  [
    /contains (?<actual>[\d,]+) tokens.{0,60}?with (?<maximum>[\d,]+) maximum context length/,
    ["Mistral", "Prompt contains 65673 tokens, too large for model with 32768 maximum context length"],
  ],
  [
    /maximum (?:context|prompt) length is (?<maximum>[\d,]+).{0,60}?(?:requested|resulted in|contains)(?: about)? (?<actual>[\d,]+)/,
    ["OpenAI", "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."],
    [
      "OpenRouter",
      "This endpoint's maximum context length is 128000 tokens. However, you requested about 130000 tokens.",
    ],
    ["xAI", "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
  ],
  [
    /must be <= (?<maximum>[\d,]+)\. given: (?<actual>[\d,]+) `?inputs`? tokens and (?<extra>[\d,]+)/,
    [
      "Text Generation Inference",
      "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 500 `max_new_tokens`",
    ],
  ],
  [
    /must have less than (?<maximum>[\d,]+) tokens\. given: (?<actual>[\d,]+)/,
    ["Text Generation Inference", "`inputs` must have less than 1024 tokens. Given: 2000"],
  ],
  [
    /\((?<actual>[\d,]+) tokens\) is (?:too long and exceeds limit of|longer than the model's context length) \(?(?<maximum>[\d,]+)/,
    ["SGLang, Together", "The input (516368 tokens) is longer than the model's context length (262144 tokens)."],
    ["vLLM", "Input prompt (32769 tokens) is too long and exceeds limit of 32768"],
  ],
  [
    /prompt is too long: (?<actual>[\d,]+), model maximum context length: (?<maximum>[\d,]+)/,
    ["Ollama's cloud", "The prompt is too long: 203557, model maximum context length: 196607"],
  ],
  [
    /current length is (?<actual>[\d,]+) while limit is (?<maximum>[\d,]+)/,
    ["Cerebras", "Please reduce the length of the messages or completion. Current length is 8200 while limit is 8192"],
  ],
  [
    /prompt cannot exceed (?<maximum>[\d,]+) - received (?<actual>[\d,]+)/,
    ["Cohere", "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292."],
  ],
  [
    /configured limit of (?<maximum>[\d,]+) tokens\. your messages resulted in (?<actual>[\d,]+)/,
    ["OpenAI", "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300007 tokens."],
  ],
  [
    /\((?<actual>[\d,]+)\) must be less than (?:or equal to )?max_seq_len \((?<maximum>[\d,]+)/,
    ["SiliconFlow", "length of prompt_tokens (68957) must be less than max_seq_len (65536)."],
  ],
  [
    /length \(?(?<actual>[\d,]+)(?: tokens)?\)? exceeds (?:the )?(?:model's )?maximum(?: allowed)?(?: input| context)? length (?:of )?\(?(?<maximum>[\d,]+)/,
    ["SGLang", "Input length (141382 tokens) exceeds the maximum allowed length (140534 tokens)."],
    ["OpenRouter, of Poolside", "Input length 131393 exceeds the maximum allowed input length of 131040 tokens."],
    ["NVIDIA", "Input length (265330) exceeds model's maximum context length (262144)."],
    ["DeepInfra", "Requested input length 39818 exceeds maximum input length 32767"],
  ],
  [
    /prompt has (?<actual>[\d,]+) tokens, but the configured context size is (?<maximum>[\d,]+)/,
    ["ds4", "Prompt has 5,958,968 tokens, but the configured context size is 256,000 tokens"],
  ],
  [
    /requested tokens \((?<actual>[\d,]+)\) exceed context window of (?<maximum>[\d,]+)/,
    ["llama-cpp-python", "Requested tokens (9437) exceed context window of 8192"],
  ],
  [
    /token count (?<actual>[\d,]+) exceeds model max context (?<maximum>[\d,]+)/,
    ["unnamed", "token count 203783 exceeds model max context 202752"],
  ],
  [
    /too large for .{1,80} model\. max size: (?<maximum>[\d,]+) tokens/,
    ["GitHub Models", "Request body too large for gpt-4o model. Max size: 8000 tokens.", 413],
  ],
  // Servers that state their limit but not their count.
  [
    /maximum context length (?:is|of) (?<maximum>[\d,]+)/,
    ["Bedrock", "This model's maximum context length is 8192 tokens."],
  ],
  [
    /exceed context window of (?<maximum>[\d,]+)/,
    ["llama-cpp-python", "Requested tokens exceed context window of 2048"],
  ],
  [
    /maximum number of tokens allowed \(?(?<maximum>[\d,]+)/,
    ["Gemini", "The input token count exceeds the maximum number of tokens allowed 1048576."],
  ],
  [
    /reached context length of (?<maximum>[\d,]+) tokens/,
    ["LM Studio", "Reached context length of 4096 tokens with model (arch: gpt-oss)"],
  ],
  [
    /n_ctx:? \(?(?<maximum>[\d,]+)/,
    ["LM Studio", "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"],
    [
      "LM Studio",
      "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 4673>= n_ctx: 4096)",
    ],
  ],
  [
    /(?:input tokens exceed the configured limit of|range of input length should be \[\d+,) ?(?<maximum>[\d,]+)/,
    ["OpenAI, by way of LiteLLM", "OpenAIException - Input tokens exceed the configured limit of 272000 tokens."],
    ["DashScope", "Range of input length should be [1, 98304]"],
  ],
];

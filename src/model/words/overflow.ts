/** The prompt is too long. */
import type { Phrase } from "./phrase.ts";

export const overflowPhrases: readonly Phrase[] = [
  [
    /prompt (?:\([\d,]+ tokens\) )?is too long/,
    ["Anthropic", "prompt is too long: 213462 tokens > 200000 maximum"],
    ["Ollama's cloud", "The prompt is too long: 203557, model maximum context length: 196607"],
    ["vLLM", "Input prompt (32769 tokens) is too long and exceeds limit of 32768"],
  ],
  [
    /prompt too long/,
    ["Z.ai", "Prompt too long"],
    ["Ollama", "prompt too long; exceeded max context length by 12 tokens"],
  ],
  [/prompt ?超长/, ["Z.ai", "Prompt 超长"]],
  [/prompt exceeds max length/, ["Z.ai", "Prompt exceeds max length"]],
  [/tokens in request more than max tokens allowed/, ["Z.ai", "tokens in request more than max tokens allowed"]],
  [/input is too long/, ["Bedrock", "Input is too long for requested model."]],
  [
    /exceed(?:s|ed|ing)?[^.]{0,60}(?:context (?:length|window|size|limit)|maximum number of tokens|model token limit)/,
    ["Anthropic", "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"],
    ["OpenAI", "Your input exceeds the context window of this model. Please adjust your input and try again."],
    [
      "llama.cpp",
      "the request exceeds the available context size. try increasing the context size or enable context shift",
    ],
    ["Gemini", "The input token count exceeds the maximum number of tokens allowed 1048576."],
    ["Moonshot", "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)"],
    ["llama-cpp-python", "Requested tokens (9437) exceed context window of 8192"],
    ["NVIDIA", "Input length (265330) exceeds model's maximum context length (262144)."],
  ],
  [
    /(?:longer|greater) than[^.]{0,60}(?:context length|maximum model length)/,
    ["SGLang, Together", "The input (516368 tokens) is longer than the model's context length (262144 tokens)."],
    ["vLLM", "The decoder prompt (length 163840) is longer than the maximum model length of 131072."],
    [
      "LM Studio",
      "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 4673>= n_ctx: 4096)",
    ],
  ],
  [
    /maximum (?:context|prompt) length/,
    ["OpenAI", "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."],
    [
      "OpenRouter",
      "This endpoint's maximum context length is 128000 tokens. However, you requested about 130000 tokens.",
    ],
    ["xAI", "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    ["Mistral", "Prompt contains 65673 tokens, too large for model with 32768 maximum context length"],
  ],
  [
    /context (?:length|window|size)[^.]{0,40}exceed/,
    ["MiniMax", "invalid params, context window exceeds limit (2013)"],
    ["llama.cpp", "Context size has been exceeded.", 500],
  ],
  [/context_length_exceeded/, ["OpenAI, Groq", '{"error":{"message":"Too many.","code":"context_length_exceeded"}}']],
  [
    /exceed_context_size/,
    ["llama.cpp", '{"error":{"code":400,"message":"Too many.","type":"exceed_context_size_error"}}'],
  ],
  [
    /model_context_window_exceeded/,
    ["Z.ai", '{"error":{"message":"Too many.","code":"model_context_window_exceeded"}}'],
  ],
  [
    /contextwindowexceeded/,
    ["LiteLLM", "litellm.ContextWindowExceededError: VertexAIException BadRequestError. Received Model Group=x"],
  ],
  [
    /context the overflows/,
    [
      "LM Studio",
      "Trying to keep the first 4673 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    ],
  ],
  [/cannot truncate prompt with n_keep/, ["LM Studio", "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"]],
  [
    /prompt token count of [\d,]+ exceeds/,
    ["GitHub Copilot", "prompt token count of 150000 exceeds the limit of 128000"],
  ],
  [
    /reduce the length of the (?:messages|input)/,
    ["Groq, Cerebras", "Please reduce the length of the messages or completion."],
    [
      "vLLM",
      "You passed 25 input tokens and requested 1000 output tokens. However, the model's context length is only 1024 tokens, resulting in a maximum input length of 24 tokens. Please reduce the length of the input prompt.",
    ],
  ],
  [
    /inputs` tokens \+ `max_new_tokens` must be/,
    [
      "Text Generation Inference",
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 500 `max_new_tokens`",
    ],
  ],
  [
    /inputs` must have less than [\d,]+ tokens/,
    ["Text Generation Inference", "Input validation error: `inputs` must have less than 1024 tokens. Given: 2000"],
  ],
  [
    /input tokens exceed/,
    ["OpenAI", "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300007 tokens."],
    [
      "Bedrock, of Nova",
      "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
    ],
  ],
  [/exceeds model max context/, ["unnamed", "token count 203783 exceeds model max context 202752"]],
  [
    /tokens in the prompt cannot exceed/,
    [
      "Cohere",
      "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt.",
    ],
  ],
  [
    /range of input length should be/,
    ["DashScope", "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]"],
  ],
  [/too many total text bytes/, ["Bedrock", "too many total text bytes: 25000000 > 20000000"]],
  [/request payload size exceeds/, ["Gemini", "Request payload size exceeds the limit: 20971520 bytes."]],
  [
    /must be less than (?:or equal to )?max_seq_len/,
    ["SiliconFlow", "length of prompt_tokens (68957) must be less than max_seq_len (65536)."],
    ["SiliconFlow", "max_total_tokens (33802) must be less than or equal to max_seq_len (32768)"],
  ],
  [
    /(?:input|prompt) length \(?[\d,]+(?: tokens)?\)? exceeds/,
    [
      "SGLang",
      "Input length (141382 tokens) exceeds the maximum allowed length (140534 tokens). Use a shorter input or enable --allow-auto-truncate.",
    ],
    ["DeepInfra", "Requested input length 39818 exceeds maximum input length 32767"],
    ["OpenRouter, of Poolside", "Input length 131393 exceeds the maximum allowed input length of 131040 tokens."],
  ],
  [
    /prompt has [\d,]+ tokens, but the configured context size is/,
    ["ds4", "Prompt has 5,958,968 tokens, but the configured context size is 256,000 tokens"],
  ],
  [
    /reached context length of [\d,]+ tokens/,
    [
      "LM Studio",
      "Reached context length of 4096 tokens with model (arch: gpt-oss) that does not currently support mid-generation context overflow.",
      500,
    ],
  ],
  [
    /sum of prompt length .{0,60}should not exceed/,
    ["TensorRT-LLM", "The sum of prompt length (11893.0), query length (0) should not exceed max_num_tokens (8192)"],
  ],
  [
    /tokens of image and text exceed/,
    ["Volcengine", "InvalidParameter: Total tokens of image and text exceed max message tokens"],
  ],
  [
    /too large for .{1,80} model\. max size: [\d,]+ tokens/,
    ["GitHub Models", "Request body too large for gpt-4o model. Max size: 8000 tokens."],
  ],
];

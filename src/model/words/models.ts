/** The server does not have the model. */
import type { Phrase } from "./phrase.ts";

export const missingModel: readonly Phrase[] = [
  [/model_not_found/, ["OpenAI", '{"error":{"message":"No.","code":"model_not_found"}}']],
  [
    /\bmodel:? (?:\S*[^\s:,;] ){0,3}(?:(?:is|was|does) )?not (?:found|exist)/,
    ["OpenAI, Groq, xAI", "The model `gpt-9` does not exist or you do not have access to it."],
    ["DeepSeek", "Model Not Exist"],
    ["Volcengine", "The model or endpoint doubao-x does not exist or you do not have access to it."],
    ["SiliconFlow", "Model does not exist. Please check it carefully."],
  ],
  [
    /no models loaded/,
    ["LM Studio", "No models loaded. Please load a model in the developer page or use the 'lms load' command."],
  ],
  [/requested model is not supported/, ["GitHub Copilot", "The requested model is not supported."]],
  [
    /unknown model/,
    ["MiniMax", "invalid params, unknown model 'abc' (2013)"],
    ["Z.ai", "Unknown Model, please check the model code."],
  ],
  [
    /invalid model(?::| '| name| identifier| id)/,
    [
      "LiteLLM",
      "/v1/messages: Invalid model name passed in model=abc. Call `/v1/models` to view available models for your key.",
    ],
    ["LM Studio", 'Invalid model identifier "abc". Please specify a valid downloaded model.'],
    ["Mistral", "Invalid model: abc"],
    [
      "Perplexity",
      "Invalid model 'abc'. Permitted models can be found in the documentation at https://docs.perplexity.ai",
    ],
  ],
  [/model identifier is invalid/, ["Bedrock", "The provided model identifier is invalid."]],
  [
    /on-demand throughput/,
    ["Bedrock", "Invocation of model ID anthropic.claude-x with on-demand throughput isn't supported."],
  ],
  [/not a valid model/, ["OpenRouter", "foo/bar is not a valid model ID"]],
  [
    /llm provider not provided/,
    ["LiteLLM", "litellm.BadRequestError: LLM Provider NOT provided. You passed model=foo"],
  ],
  [/模型不存在/, ["Z.ai", "模型不存在，请检查模型代码。"]],
];

/** The same for a 404: the model is missing rather than the path. */
export const missingModelOf404: readonly Phrase[] = [
  [
    /model/,
    ["Anthropic", '{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}', 404],
    ["Ollama", '{"error":"model \'x\' not found, try pulling it first"}', 404],
    ["Moonshot", "Not found the model kimi-x or Permission denied", 404],
  ],
  [/api deployment/, ["Azure", "The API deployment for this resource does not exist.", 404]],
  [/endpoints found/, ["OpenRouter", "No endpoints found that support tool use.", 404]],
  [
    /provider_not_found/,
    ["claude-code-router", '{"error":{"message":"Provider \'a\' not found","code":"provider_not_found"}}', 404],
  ],
];

/** The same for a 5xx: a retry will not help. */
export const missingRoute: readonly Phrase[] = [
  [/model_not_found/, ["New API", '{"error":{"code":"model_not_found","message":"no such route"}}', 503]],
  [
    /no available channels? for model/,
    ["New API", "No available channel for model foo under group default (distributor)", 503],
  ],
  [/无可用渠道/, ["One API", "分组 default 下模型 foo 无可用渠道（distributor）", 503]],
];

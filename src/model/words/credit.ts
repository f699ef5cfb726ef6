/** The account has no credit left, or may not spend more. */
import type { Phrase } from "./phrase.ts";

export const spendPhrases: readonly Phrase[] = [
  [/spend(?:ing)? (?:limit|cap)/, ["Anthropic", "You have reached your organization's enforced spend limit.", 429]],
  [
    /reached your (?:specified )?(?:workspace )?api usage limits/,
    [
      "Anthropic",
      "You have reached your API usage limits: your organization has crossed its monthly API usage threshold, set based on your organization's API tier.",
      429,
    ],
    ["Anthropic", "You have reached your specified workspace API usage limits. You will regain access on 2025-11-01."],
    [
      "Anthropic",
      "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
    ],
  ],
  [
    /_spend_limit_reached/,
    [
      "Anthropic",
      '{"error":{"type":"rate_limit_error","message":"Slow.","details":{"error_code":"enforced_spend_limit_reached"}}}',
      429,
    ],
  ],
  [
    /credit balance/,
    [
      "Anthropic",
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    ],
  ],
  [
    /insufficient[_ ](?:user[_ ])?(?:quota|credits|balance)/,
    ["OpenAI", '{"error":{"message":"No.","code":"insufficient_quota"}}', 429],
    ["OpenRouter", "Insufficient credits. Add more using https://openrouter.ai/settings/credits", 402],
    ["DeepSeek, MiniMax, OpenCode Zen", "Insufficient Balance", 401],
    ["New API", '{"error":{"message":"No.","type":"new_api_error","code":"insufficient_user_quota"}}', 403],
  ],
  [
    /billing_(?:not_active|hard_limit_reached)/,
    [
      "OpenAI",
      '{"error":{"message":"Your account is not active, please check your billing details on our website.","code":"billing_not_active"}}',
      429,
    ],
    [
      "OpenAI",
      '{"error":{"message":"Billing hard limit has been reached","type":"invalid_request_error","code":"billing_hard_limit_reached"}}',
    ],
  ],
  [/overdue balance/, ["Volcengine", "The request failed because your account has an overdue balance.", 403]],
  [
    /account balance is insufficient/,
    ["SiliconFlow", '{"code":30001,"message":"Sorry, your account balance is insufficient","data":null}', 403],
  ],
  [
    /exceeded your current quota/,
    ["OpenAI", "You exceeded your current quota, please check your plan and billing details.", 429],
  ],
  [
    /exceeded_current_quota/,
    [
      "Moonshot",
      '{"error":{"message":"Your account is suspended, please check your plan","type":"exceeded_current_quota_error"}}',
      429,
    ],
  ],
  [
    /budget_exceeded/,
    ["LiteLLM", '{"error":{"message":"Current cost: 0.1, Max budget: 0.1","type":"budget_exceeded","code":"400"}}'],
  ],
  [/余额不足/, ["Z.ai", "余额不足或无可用资源包,请充值。", 429]],
  [
    /coding plan ?(?:package has expired|套餐已到期)/,
    [
      "Z.ai",
      '{"error":{"code":"1309","message":"Your GLM Coding Plan package has expired and is temporarily unavailable. You can resume using it after renewing the subscription on the official website."}}',
      429,
    ],
    ["Z.ai", '{"error":{"code":"1309","message":"您的GLM Coding Plan套餐已到期，暂无法使用，您可前往官网续费"}}', 429],
  ],
  [
    /reached your (?:weekly \(7-day\) |\d+-hour )?usage limit\b.{1,200}\bpurchase extra usage\b/,
    [
      "Kimi",
      "You've reached your usage limit for this billing cycle. Your quota will be refreshed in the next cycle. To continue now, purchase extra usage or upgrade your plan: https://www.kimi.com/code/#pricing",
      403,
    ],
    [
      "Kimi",
      '{"error":{"message":"You\'ve reached your weekly (7-day) usage limit. Your quota will reset when the current 7-day window ends. To continue now, purchase extra usage or upgrade your plan: https://www.kimi.com/membership/subscription?tab=quota","type":"access_terminated_error"}}',
      403,
    ],
  ],
  [/额度不足/, ["New API", "用户额度不足, 剩余额度: ＄0.000000", 403]],
  [/quota is not enough/, ["One API", "token quota is not enough, token remain quota: 1", 403]],
  [
    /credit limit is insufficient/,
    ["New API", "User's credit limit is insufficient, remaining credit limit: $0.00", 403],
  ],
  [
    /402 payment required/,
    [
      "unnamed, in httpx's words",
      "Client error '402 Payment Required' for url 'https://api.deepseek.com/chat/completions'",
      500,
    ],
  ],
  [
    /arrearage/,
    [
      "DashScope",
      '{"error":{"message":"Access denied, please make sure your account is in good standing.","code":"Arrearage"}}',
    ],
  ],
];

/** Servers that call a rate limit a quota, and say when it is available again. */
export const quotaReturns: readonly Phrase[] = [
  [
    /\bretry (?:in|after) [\d.]+ ?(?:m?s|m|seconds|minutes)(?![a-z])/,
    ["Gemini", "You exceeded your current quota. Please retry in 1m12.5s.", 429],
    [
      "Gemini",
      "You exceeded your current quota, please check your plan and billing details. Please retry in 25.3s.",
      429,
    ],
  ],
];

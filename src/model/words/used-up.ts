/** A plan's allowance for some hours or longer is used up: requests within the next minutes will be refused as well. */
import type { Phrase } from "./phrase.ts";

export const allowanceUsedUp: readonly Phrase[] = [
  [
    /usage limit reached for \d+ (?:hour|day|week|month)/,
    [
      "Z.ai",
      '{"error":{"code":"1308","message":"Usage limit reached for 5 hour. Your limit will reset at 2026-09-09 05:38:28"}}',
      429,
    ],
  ],
  [
    /\b(?:weekly|monthly) limit exhausted/,
    [
      "Z.ai",
      '{"error":{"code":"1310","message":"Weekly/Monthly Limit Exhausted. Your limit will reset at 2026-08-14 00:00:00"}}',
      429,
    ],
  ],
  [
    /\b(?:\d+-(?:hour|day)|weekly|monthly) usage limit reached\b/,
    [
      "MiniMax",
      "usage limit exceeded, 5-hour usage limit reached for Token Plan Starter (0/0 used), resets at 2026-05-15T15:00:00Z (2056)",
      429,
    ],
  ],
  [
    /\breached your (?:hourly|session|daily|weekly|monthly) usage limit\b/,
    ["Ollama", "you've reached your hourly usage limit, please wait or upgrade to continue", 429],
    [
      "Ollama",
      "you (ada) have reached your weekly usage limit, upgrade for higher limits: https://ollama.com/upgrade",
      429,
    ],
  ],
  [
    /\b(?:free|hour|week|month) allocated quota exceeded\b/,
    ["Qwen", "Free allocated quota exceeded.", 429],
    ["DashScope", "week allocated quota exceeded", 429],
  ],
  [
    /\bthe usage limit has been reached\b/,
    [
      "ChatGPT, behind gateways",
      '{"type":"error","error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_at":1777936568,"resets_in_seconds":13872}}',
      429,
    ],
  ],
  [
    /已达到 ?(?:\d+ ?(?:小时|天|周|月)的|每周\/每月)使用上限/,
    [
      "Z.ai",
      '{"error":{"code":"1308","message":"已达到 5 小时的使用上限。您的限额将在 2026-08-25 07:41:44 重置。"}}',
      429,
    ],
    [
      "Z.ai",
      '{"error":{"code":"1310","message":"您已达到每周/每月使用上限,您的限额将在 2026-08-25 07:41:44 重置"}}',
      429,
    ],
  ],
];

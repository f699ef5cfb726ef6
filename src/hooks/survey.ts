/** Lists the hooks configured in settings, each with whether it would run and, if not, why. */
import type { HookEvent } from "../protocol/hook.ts";
import { supportsConditions } from "./configured-hooks.ts";
import {
  defaultTimeoutSeconds,
  handlerName,
  type ConfiguredHook,
  type HookHandler,
  type HookOrigin,
} from "./handler.ts";
import { allowsAddress } from "../lib/address-pattern.ts";
import { matcherProblem } from "./matcher.ts";

export interface SurveyedHook {
  event: HookEvent;
  /** Null: matches everything. */
  matcher: string | null;
  type: HookHandler["type"];
  /** The command line, the address, or the question. */
  command: string;
  /** The rule in its `if`. */
  if: string | null;
  /** Seconds. */
  timeout: number;
  async: boolean;
  /** The file it is configured in, or `--settings`. */
  source: string;
  origin: HookOrigin;
  /** False if it comes from a folder whose current content is not trusted. */
  trusted: boolean;
  runs: boolean;
  /** Why it does not run; null if it does. */
  why: string | null;
}

export interface SurveyOptions {
  isTrusted(hook: ConfiguredHook): boolean;
  disableAllHooks: boolean;
  /** Only an administrator's hooks run. */
  leavesToPolicy?: boolean;
  allowedHttpHookUrls?: readonly string[];
  /** How long the end of a session waits for its hooks, ms. */
  endMs: number;
}

/** Returns the hooks in the order of configuration, which is the order in which their answers count. */
export function surveyHooks(hooks: readonly ConfiguredHook[], options: SurveyOptions): SurveyedHook[] {
  const seen = new Map<string, string>();
  return hooks.map((hook) => {
    const { event, matcher, handler, origin, source } = hook;
    const isTrusted = options.isTrusted(hook);
    const why = reasonNotToRun(hook, isTrusted, options) ?? duplicateReason(hook, seen);
    return {
      event,
      matcher: matcher ?? null,
      type: handler.type,
      command: handlerName(handler),
      if: handler.condition ?? null,
      timeout: Math.min(handler.timeout ?? defaultTimeoutSeconds(event, handler.type), maxTimeout(event, options)),
      async: handler.type === "command" && handler.isAsync,
      source,
      origin,
      trusted: isTrusted,
      runs: why === null,
      why,
    };
  });
}

function maxTimeout(event: HookEvent, { endMs }: SurveyOptions): number {
  return event === "SessionEnd" ? endMs / 1_000 : Infinity;
}

function reasonNotToRun(hook: ConfiguredHook, isTrusted: boolean, options: SurveyOptions): string | null {
  const { event, matcher, handler } = hook;
  const isAdministrators = hook.origin === "policy" || hook.isAdministrators === true;
  if (!isTrusted) return "the folder is not trusted as it is now";
  if (options.disableAllHooks && !isAdministrators) return "disableAllHooks is set";
  if (options.leavesToPolicy === true && !isAdministrators) return "an administrator allows no other hooks";
  const wrong = matcherProblem(matcher, event);
  if (wrong !== undefined) return `its matcher matches nothing: ${wrong.replace(/\.$/u, "")}`;
  if (handler.condition !== undefined && !supportsConditions(event)) return `its "if" is not evaluated on ${event}`;
  const { allowedHttpHookUrls: allowed } = options;
  if (handler.type === "http" && allowed?.some((pattern) => allowsAddress(pattern, handler.url)) === false)
    return "no pattern of allowedHttpHookUrls matches its address";
  return null;
}

/** Finds duplicates among hooks that would run: a hook that does not run does not replace a duplicate. */
function duplicateReason({ event, matcher, handler, origin, source }: ConfiguredHook, seenHooks: Map<string, string>) {
  if (origin === "plugin") return null;
  const key = JSON.stringify([event, matcher ?? "", handler]);
  const before = seenHooks.get(key);
  if (before === undefined) seenHooks.set(key, source);
  return before === undefined ? null : `it is the same as a hook of ${before}, which runs`;
}

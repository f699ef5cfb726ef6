/** Continues a resumed session that was cut off within a turn, if CLAUDE_CODE_RESUME_INTERRUPTED_TURN is set. */
import { environmentFlag } from "../tools/variables.ts";
import type { Message } from "../protocol/message.ts";
import type { SDKMessageOrigin } from "../protocol/sdk-origin.ts";
import type { Engine } from "./engine-port.ts";

const defaultPrompt = "Continue from where you left off.";
/** The maximum age if the variable for it is not a valid number. */
const defaultMaxAgeMs = 3_600_000;

/** Returns the prompt to continue with, or undefined if the session is to wait for the user. */
export function interruptedTurnPrompt(
  engine: Pick<Engine, "background" | "getMessages">,
  now: () => number,
): { content: string; isMeta: true; origin: SDKMessageOrigin } | undefined {
  const { env = {}, wasCutOff } = engine.background;
  if (!environmentFlag(env, "CLAUDE_CODE_RESUME_INTERRUPTED_TURN", false)) return undefined;
  const last = engine.getMessages().findLast(({ type }) => type === "user" || type === "assistant");
  if (last === undefined || !(wasCutOff ?? isUnfinished(last))) return undefined;
  const age = now() - Date.parse(last.timestamp);
  // Without a valid timestamp the age is unknown, so the session does not continue.
  if (!(age <= maxAgeMs(env["CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS"]))) return undefined;
  const configuredPrompt = env["CLAUDE_CODE_RESUME_PROMPT"]?.trim() ?? "";
  return {
    content: configuredPrompt === "" ? defaultPrompt : configuredPrompt,
    isMeta: true,
    origin: { kind: "auto-continuation" },
  };
}

/** Returns whether the model or its tools were to act next. A turn that the user has stopped is finished. */
export function isUnfinished(message: Message): boolean {
  if (message.type === "assistant") return message.content.some(({ type }) => type === "tool_use");
  if (message.type !== "user") return false;
  if (message.content.some(({ type }) => type === "tool_result")) return message.deferred !== true;
  return (["human", "queued", "stop_hook", "recovery", "token_budget"] as unknown[]).includes(message.origin);
}

function maxAgeMs(text: string | undefined): number {
  // Number() of an empty or blank text is 0.
  const number = Number(text ?? "");
  if (!Number.isFinite(number) || number < 0) return defaultMaxAgeMs;
  return number === 0 ? Number.MAX_VALUE : number;
}

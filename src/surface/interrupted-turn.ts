/** A session that is taken up again where it was cut off in a turn goes on by itself, where the user's environment says so. */
import { environmentFlag } from "../tools/variables.ts";
import type { Message } from "../protocol/message.ts";
import type { SDKMessageOrigin } from "../protocol/sdk-origin.ts";
import type { Engine } from "./engine-port.ts";

const usualPrompt = "Continue from where you left off.";
/** Of a bound that is none. */
const hourMs = 3_600_000;

/** The prompt it goes on with; undefined where it waits for one. */
export function promptOfInterrupted(
  engine: Pick<Engine, "background" | "getMessages">,
  now: () => number,
): { content: string; isMeta: true; origin: SDKMessageOrigin } | undefined {
  const { env = {}, wasCutOff } = engine.background;
  if (!environmentFlag(env, "CLAUDE_CODE_RESUME_INTERRUPTED_TURN", false)) return undefined;
  const last = engine.getMessages().findLast(({ type }) => type === "user" || type === "assistant");
  if (last === undefined || !(wasCutOff ?? isUnfinished(last))) return undefined;
  const age = now() - Date.parse(last.timestamp);
  // What has no time may be of any age.
  if (!(age <= mostAge(env["CLAUDE_CODE_RESUME_INTERRUPTED_TURN_MAX_AGE_MS"]))) return undefined;
  const said = env["CLAUDE_CODE_RESUME_PROMPT"]?.trim() ?? "";
  return { content: said === "" ? usualPrompt : said, isMeta: true, origin: { kind: "auto-continuation" } };
}

/** The model was to speak next, or its tools. One that the user has stopped is over. */
export function isUnfinished(message: Message): boolean {
  if (message.type === "assistant") return message.content.some(({ type }) => type === "tool_use");
  if (message.type !== "user") return false;
  if (message.content.some(({ type }) => type === "tool_result")) return message.deferred !== true;
  return (["human", "queued", "stop_hook", "recovery", "token_budget"] as unknown[]).includes(message.origin);
}

function mostAge(text: string | undefined): number {
  // Of blanks it is 0.
  const number = Number(text ?? "");
  if (!Number.isFinite(number) || number < 0) return hourMs;
  return number === 0 ? Number.MAX_VALUE : number;
}

/** A person's own command: run as Bash would, without asking and outside a sandbox. */
import { SessionError } from "../../lib/session-error.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { Joined } from "../joined.ts";
import type { OwnCommandResult } from "./desk.ts";
import { hostContext } from "../tools/outside-call.ts";

/** In ms. After that the command continues in the background, as one of the model's would. */
const limitMs = 600_000;

interface OwnCommandCallbacks {
  signal: AbortSignal;
  /** Called with the end of what was printed since the last call. */
  onOutput: (text: string) => void;
}

/** Throws `SessionError` if the session has no Bash. */
export async function runOwnCommand(
  joined: Joined,
  command: string,
  { signal, onOutput }: OwnCommandCallbacks,
): Promise<OwnCommandResult> {
  const bash = joined.tools.tools.find(({ name }) => name === "Bash");
  if (bash === undefined)
    throw new SessionError("call_refused", "There is no Bash tool in this session, so no command can be run here.");
  const context = hostContext(joined, "own", signal);
  const input = { command, timeout: limitMs, dangerouslyDisableSandbox: true };
  const verdict = await bash.validateInput?.(input, context);
  if (verdict?.ok === false) return { text: verdict.message, isError: true };
  const { content, isError } = await bash.call(input, context, ({ text }) => {
    if (text !== undefined) onOutput(text);
  });
  return { text: blockText(content), isError: isError === true };
}

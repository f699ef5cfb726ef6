/** What of the environment goes into a request's headers: beta names, and who asks. */
import type { Variables } from "../options/variables.ts";

/** Names with commas between. Those that other variables rule out are left out, and so is what no header can carry. */
export function readBetas(variables: Variables, notice: (text: string) => void): string[] {
  const ruledOut = [
    ...(variables.flag("DISABLE_INTERLEAVED_THINKING") === true ? ["interleaved-thinking-"] : []),
    ...(variables.flag("CLAUDE_CODE_DISABLE_1M_CONTEXT") === true ? ["context-1m-"] : []),
  ];
  const named = (variables.text("ANTHROPIC_BETAS") ?? "").split(",").map((name) => name.trim());
  const names = named.filter((name) => name !== "");
  const fit = names.filter((name) => /^[\w.:-]+$/u.test(name));
  if (fit.length < names.length)
    notice("ANTHROPIC_BETAS: what is no name was left out; it is names of letters, digits, -, . and _ with commas.");
  return fit.filter((name) => !ruledOut.some((beginning) => name.startsWith(beginning)));
}

/** As a comment of `user-agent`: how the program was begun, and the program of a host. Undefined where neither is told. */
export function readClient(variables: Variables): string | undefined {
  const entrypoint = inHeader(variables.text("CLAUDE_CODE_ENTRYPOINT"));
  const app = inHeader(variables.text("CLAUDE_AGENT_SDK_CLIENT_APP"));
  const parts = [entrypoint, app === "" ? "" : `client-app/${app}`].filter((part) => part !== "");
  return parts.length === 0 ? undefined : parts.join(", ");
}

/** Nothing that would end the comment or the header. */
function inHeader(text = ""): string {
  return text
    .replace(/[^\x20-\x7e]|[()\\,]/gu, "")
    .trim()
    .slice(0, 200);
}

/** Request headers from environment variables: beta names, and the client's identity. */
import type { Variables } from "../options/variables.ts";

/** Reads comma-separated names. Names ruled out by other variables are left out, and so are names that a header cannot carry. */
export function readBetas(variables: Variables, notice: (text: string) => void): string[] {
  const ruledOut = [
    ...(variables.flag("DISABLE_INTERLEAVED_THINKING") === true ? ["interleaved-thinking-"] : []),
    ...(variables.flag("CLAUDE_CODE_DISABLE_1M_CONTEXT") === true ? ["context-1m-"] : []),
  ];
  const betaNames = (variables.text("ANTHROPIC_BETAS") ?? "").split(",").map((name) => name.trim());
  const names = betaNames.filter((name) => name !== "");
  const fit = names.filter((name) => /^[\w.:-]+$/u.test(name));
  if (fit.length < names.length)
    notice(
      "ANTHROPIC_BETAS: invalid names were left out; it must be a comma-separated list of names of letters, digits, -, . and _.",
    );
  return fit.filter((name) => !ruledOut.some((beginning) => name.startsWith(beginning)));
}

/** Returns the comment of `user-agent`: the entry point, and the host's program. Undefined if neither is set. */
export function userAgentComment(variables: Variables): string | undefined {
  const entrypoint = toHeaderText(variables.text("CLAUDE_CODE_ENTRYPOINT"));
  const app = toHeaderText(variables.text("CLAUDE_AGENT_SDK_CLIENT_APP"));
  const parts = [entrypoint, app === "" ? "" : `client-app/${app}`].filter((part) => part !== "");
  return parts.length === 0 ? undefined : parts.join(", ");
}

/** Removes whatever would end the comment or the header. */
function toHeaderText(text = ""): string {
  return text
    .replace(/[^\x20-\x7e]|[()\\,]/gu, "")
    .trim()
    .slice(0, 200);
}

/** The words after `pawl auth`. */
import { oneLine } from "../lib/sanitize.ts";
import { UsageError } from "../lib/usage-error.ts";

export interface AuthArguments {
  /** False: JSON, which programs that follow the convention expect without a flag. */
  isText: boolean;
}

export const authHelp = `Usage: pawl auth status [--json|--text]

Says whether a key is configured and where it comes from, without asking a
server or running a helper. Exit code 0 if there is a key, 1 if there is none.

There is no login: the key is ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or the
output of apiKeyHelper in your settings.

  --json  as JSON (the default)
  --text  as a sentence
`;

export function parseAuth([verb = "status", ...words]: readonly string[]): AuthArguments {
  if (verb === "login" || verb === "logout")
    throw new UsageError(
      "pawl has no login: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or apiKeyHelper in your settings. pawl auth status says which of them is set.",
    );
  const unknown = verb === "status" ? words.find((word) => word !== "--json" && word !== "--text") : verb;
  if (unknown !== undefined)
    throw new UsageError(`pawl auth takes status, with --json or --text, not "${oneLine(unknown, 60)}".`);
  return { isText: words.at(-1) === "--text" };
}

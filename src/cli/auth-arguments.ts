/** The words after `pawl auth`. */
import { oneLine } from "../lib/sanitize.ts";
import { UsageError } from "../lib/usage-error.ts";

export interface AuthArguments {
  /** Else JSON, which programs of the convention expect without asking for it. */
  isText: boolean;
}

export const authHelp = `Usage: pawl auth status [--json|--text]

Says whether there is a key here, and where it is from, without asking a server
or running a helper. Exit code 0 where there is one, 1 where there is none.

There is no login: the key is ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or what
apiKeyHelper in your settings prints.

  --json  as JSON (the default)
  --text  as a sentence
`;

export function parseAuth([verb = "status", ...words]: readonly string[]): AuthArguments {
  if (verb === "login" || verb === "logout")
    throw new UsageError(
      "pawl has no login: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or apiKeyHelper in your settings. pawl auth status says what is there.",
    );
  const unknown = verb === "status" ? words.find((word) => word !== "--json" && word !== "--text") : verb;
  if (unknown !== undefined)
    throw new UsageError(`pawl auth takes status, with --json or --text, not "${oneLine(unknown, 60)}".`);
  return { isText: words.at(-1) === "--text" };
}

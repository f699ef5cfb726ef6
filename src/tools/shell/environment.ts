/** What a command gets of the user's environment: no credentials, nothing that runs code or asks questions by itself. */

import { hasPassword, isKey, isSecretName } from "../../lib/secrets.ts";
import { environmentFlag } from "../variables.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Make bash run or look up something of their own: the command that was asked for is to be what runs. */
const shellNames = /^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|CDPATH|BASH_FUNC_.*)$/;

/** Where GnuPG's agent asks for a passphrase: there the conversation reads the keys, and what was typed for the agent stood in the prompt. */
const terminalName = "GPG_TTY";

export function isCredentialName(name: string): boolean {
  if (/^ANTHROPIC_/i.test(name)) return true;
  return isSecretName(name);
}

/**
 * What a session that this one was started by says of itself, where this one says its own or nothing; and where it tells of itself:
 * the headers for a collector are no command's.
 */
const ownNames =
  /^(?:(?:PAWL_JOB_DIR|CLAUDE_CODE_CHILD_SESSION|CLAUDE_CODE_SESSION_ID|CLAUDE_EFFORT|CLAUDE_PID)$|OTEL_)/;

/**
 * A copy without credentials but those named in `pass`, and without what changes how the shell itself works or leads to the terminal. With
 * CLAUDE_CODE_SUBPROCESS_ENV_SCRUB none is passed, and what is a secret by its value, or says where one lies, is left out too.
 */
export function scrubEnvironment(environment: Environment, pass: readonly string[] = []): Record<string, string> {
  const isStrict = environmentFlag(environment, "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB", false);
  const passed = new Set(isStrict ? [] : pass);
  const scrubbed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || name === terminalName || shellNames.test(name) || ownNames.test(name)) continue;
    if (isStrict && (leadsToSecret.test(name) || isSecretValue(name, value))) continue;
    if (!isCredentialName(name) || passed.has(name)) scrubbed[name] = value;
  }
  return scrubbed;
}

const leadsToSecret =
  /^GOOGLE_APPLICATION_CREDENTIALS$|(TOKEN|SECRETS?|PASSWORD|PASSWD|CREDENTIALS?|(API|ACCESS|PRIVATE)_?KEY)_(FILE|PATH)$/i;

/** Proxies have to be reached. */
function isSecretValue(name: string, value: string): boolean {
  return isKey(value) || (!/_proxy$/iu.test(name) && hasPassword(value));
}

/** The variable by which a command's descendants are found again; each level of nesting adds its own mark. */
const tagVariable = "PAWL_TASK";

/** Scrubbed, without prompts and pagers, and marked: `tag` ends up in the environment of every descendant. */
export function commandEnvironment(
  environment: Environment,
  tag: string,
  pass: readonly string[] = [],
): Record<string, string> {
  return {
    ...scrubEnvironment(environment, pass),
    CLAUDECODE: "1",
    CLAUDE_CODE_CHILD_SESSION: "1",
    AI_AGENT: "pawl",
    PAWL: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
    GIT_EDITOR: "true",
    PAGER: "cat",
    [tagVariable]: `${environment[tagVariable] ?? ""}${tag}`,
  };
}

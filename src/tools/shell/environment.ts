/** The environment of commands: the user's, without credentials and without anything that runs code or asks questions by itself. */

import type { Environment } from "../../lib/environment.ts";
import { hasPassword, isApiKey, isSecretName } from "../../lib/secrets.ts";
import { environmentFlag } from "../variables.ts";

/**
 * Variables that make bash run or look up something else: only the requested command may run. OLDPWD is where the user was before pawl
 * began: `cd -` would lead there.
 */
const shellVariables = /^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|CDPATH|OLDPWD|BASH_FUNC_.*)$/;

/** The terminal where GnuPG's agent asks for a passphrase. The conversation reads keys there too: what was typed ended up in the prompt. */
const terminalVariable = "GPG_TTY";

export function isCredentialName(name: string): boolean {
  if (/^ANTHROPIC_/i.test(name)) return true;
  return isSecretName(name);
}

/**
 * Variables in which an enclosing session describes itself; this session sets its own or none. Also the telemetry settings: the headers for
 * a collector are not meant for commands.
 */
const enclosingSessionVariables =
  /^(?:(?:PAWL_JOB_DIR|CLAUDE_CODE_CHILD_SESSION|CLAUDE_CODE_SESSION_ID|CLAUDE_EFFORT|CLAUDE_PID)$|OTEL_)/;

/**
 * Returns a copy without credentials (except those in `pass`) and without variables that change how the shell works or name the terminal.
 * With CLAUDE_CODE_SUBPROCESS_ENV_SCRUB, `pass` is ignored, and secrets recognised by value and paths to secrets are left out too.
 */
export function scrubEnvironment(environment: Environment, pass: readonly string[] = []): Record<string, string> {
  const isStrict = environmentFlag(environment, "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB", false);
  const passed = new Set(isStrict ? [] : pass);
  const scrubbed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (
      value === undefined ||
      name === terminalVariable ||
      shellVariables.test(name) ||
      enclosingSessionVariables.test(name)
    )
      continue;
    if (isStrict && (secretPathNames.test(name) || isSecretValue(name, value))) continue;
    if (!isCredentialName(name) || passed.has(name)) scrubbed[name] = value;
  }
  return scrubbed;
}

const secretPathNames =
  /^GOOGLE_APPLICATION_CREDENTIALS$|(TOKEN|SECRETS?|PASSWORD|PASSWD|CREDENTIALS?|(API|ACCESS|PRIVATE)_?KEY)_(FILE|PATH)$/i;

/** Proxy variables are kept even with a password, because proxies must stay reachable. */
function isSecretValue(name: string, value: string): boolean {
  return isApiKey(value) || (!/_proxy$/iu.test(name) && hasPassword(value));
}

/** The variable that identifies a command's descendants; each level of nesting appends its own mark. */
const tagVariable = "PAWL_TASK";

/** The scrubbed environment, without prompts and pagers, and marked: every descendant inherits `tag` in its environment. */
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

/** What a command gets of the user's environment: no credentials, nothing that runs code or asks questions by itself. */

import { environmentFlag } from "../variables.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const credentialNames: readonly RegExp[] = [
  /(TOKEN|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASES?)$/i,
  /(^|_)(API_?KEYS?|ACCESS_KEYS?|ACCESS_KEY_ID|SECRET_KEYS?|PRIVATE_KEYS?|SIGNING_KEYS?|ENCRYPTION_KEYS?|AUTH_KEYS?)$/i,
  /(^|_)(CREDENTIALS?|CREDS|PAT|AUTH)$/i,
  /(^|_)(SECRET|TOKEN|PASSWORD|API_?KEY)_/i,
];

/** Where a secret is, not what it is; and counts, which are named like secrets. */
const harmlessNames = /(_FILE|_PATH|_DIR|_SOCK)$|^GOOGLE_APPLICATION_CREDENTIALS$|_MAX_|^MAX_/i;

/** Make bash run or look up something of their own: the command that was asked for is to be what runs. */
const shellNames = /^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|CDPATH|BASH_FUNC_.*)$/;

export function isCredentialName(name: string): boolean {
  if (/^ANTHROPIC_/i.test(name)) return true;
  return !harmlessNames.test(name) && credentialNames.some((pattern) => pattern.test(name));
}

/**
 * What a session that this one was started by says of itself, where this one says its own or nothing; and where it tells of itself:
 * the headers for a collector are no command's.
 */
const ownNames =
  /^(?:(?:PAWL_JOB_DIR|CLAUDE_CODE_CHILD_SESSION|CLAUDE_CODE_SESSION_ID|CLAUDE_EFFORT|CLAUDE_PID)$|OTEL_)/;

/**
 * A copy without credentials but those named in `pass`, and without what changes how the shell itself works. With
 * CLAUDE_CODE_SUBPROCESS_ENV_SCRUB none is passed, and what is a secret by its value, or says where one lies, is left out too.
 */
export function scrubEnvironment(environment: Environment, pass: readonly string[] = []): Record<string, string> {
  const isStrict = environmentFlag(environment, "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB", false);
  const passed = new Set(isStrict ? [] : pass);
  const scrubbed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || shellNames.test(name) || ownNames.test(name)) continue;
    if (isStrict && (leadsToSecret.test(name) || isSecretValue(name, value))) continue;
    if (!isCredentialName(name) || passed.has(name)) scrubbed[name] = value;
  }
  return scrubbed;
}

const leadsToSecret =
  /^GOOGLE_APPLICATION_CREDENTIALS$|(TOKEN|SECRETS?|PASSWORD|PASSWD|CREDENTIALS?|(API|ACCESS|PRIVATE)_?KEY)_(FILE|PATH)$/i;

/** Keys by how they begin, and addresses that have a password; proxies have to be reached. */
const secretValue =
  /^(sk-[\w-]{16,}|gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|A[KS]IA[A-Z0-9]{16}|AIza[\w-]{30,}|-----BEGIN [A-Z ]*PRIVATE KEY)/u;
const addressWithPassword = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]*:[^/?#@\s]+@/iu;

function isSecretValue(name: string, value: string): boolean {
  return secretValue.test(value) || (!/_proxy$/iu.test(name) && addressWithPassword.test(value));
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

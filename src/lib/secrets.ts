/** Recognises secrets among variables and headers by name or value, and removes secret values from texts. */

const secretNames: readonly RegExp[] = [
  /(TOKEN|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASES?)$/i,
  /(^|_)(API_?KEYS?|ACCESS_KEYS?|ACCESS_KEY_ID|SECRET_KEYS?|PRIVATE_KEYS?|SIGNING_KEYS?|ENCRYPTION_KEYS?|AUTH_KEYS?)$/i,
  /(^|_)(CREDENTIALS?|CREDS|PAT|AUTH|AUTH_CONFIG)$/i,
  /_(PASS|PWD|JWT)$|^(SSHPASS|JWT)$/i,
  /(^|_)(SECRET|TOKEN|PASSWORD|API_?KEY)_/i,
];

/** Names of places where a secret is stored, and of counts, which are named like secrets. */
const harmlessNames = /(_FILE|_PATH|_DIR|_SOCK)$|^GOOGLE_APPLICATION_CREDENTIALS$|_MAX_|^MAX_/i;

export function isSecretName(name: string): boolean {
  return !harmlessNames.test(name) && secretNames.some((pattern) => pattern.test(name));
}

/** Recognises keys by their prefixes. */
const apiKeyPattern =
  /^(sk-[\w-]{16,}|gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|A[KS]IA[A-Z0-9]{16}|AIza[\w-]{30,}|-----BEGIN [A-Z ]*PRIVATE KEY)/u;
const addressWithPassword = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]*:[^/?#@\s]+@/iu;

export function isApiKey(value: string): boolean {
  return apiKeyPattern.test(value);
}

export function hasPassword(address: string): boolean {
  return addressWithPassword.test(address);
}

/** Whether a reader should not see the value: judged more broadly by name than what is withheld from programs. */
export function shouldHideValue(name: string, value: string): boolean {
  return isSecretName(name) || /(?:KEY|HEADERS)$/iu.test(name) || isApiKey(value) || hasPassword(value);
}

/** Replacing shorter values would also hide ordinary words. */
const shortestSecret = 8;

/** Returns the text with all these values replaced. */
export function redactValues(text: string, secrets: readonly string[], instead = "***"): string {
  // Replace longer values first: otherwise the rest of a value that contains another would stay.
  return secrets
    .filter((value) => value.length >= shortestSecret)
    .toSorted((one, other) => other.length - one.length)
    .reduce((redacted, value) => redacted.replaceAll(value, instead), text);
}

/** What is a secret by its name or its value, among variables and headers; and texts in which none is to be read. */

const secretNames: readonly RegExp[] = [
  /(TOKEN|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASES?)$/i,
  /(^|_)(API_?KEYS?|ACCESS_KEYS?|ACCESS_KEY_ID|SECRET_KEYS?|PRIVATE_KEYS?|SIGNING_KEYS?|ENCRYPTION_KEYS?|AUTH_KEYS?)$/i,
  /(^|_)(CREDENTIALS?|CREDS|PAT|AUTH|AUTH_CONFIG)$/i,
  /_(PASS|PWD|JWT)$|^(SSHPASS|JWT)$/i,
  /(^|_)(SECRET|TOKEN|PASSWORD|API_?KEY)_/i,
];

/** Where a secret is, not what it is; and counts, which are named like secrets. */
const harmlessNames = /(_FILE|_PATH|_DIR|_SOCK)$|^GOOGLE_APPLICATION_CREDENTIALS$|_MAX_|^MAX_/i;

export function isSecretName(name: string): boolean {
  return !harmlessNames.test(name) && secretNames.some((pattern) => pattern.test(name));
}

/** Keys by how they begin. */
const key =
  /^(sk-[\w-]{16,}|gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|A[KS]IA[A-Z0-9]{16}|AIza[\w-]{30,}|-----BEGIN [A-Z ]*PRIVATE KEY)/u;
const addressWithPassword = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]*:[^/?#@\s]+@/iu;

export function isKey(value: string): boolean {
  return key.test(value);
}

export function hasPassword(address: string): boolean {
  return addressWithPassword.test(address);
}

/** Whether somebody who reads along should not see the value: here a name is judged more widely than where it is withheld from programs. */
export function isForNoReader(name: string, value: string): boolean {
  return isSecretName(name) || /(?:KEY|HEADERS)$/iu.test(name) || isKey(value) || hasPassword(value);
}

/** Shorter values would blot out ordinary words. */
const shortestSecret = 8;

/** The text without any of the values. */
export function withoutValues(text: string, secrets: readonly string[], instead = "***"): string {
  // One that holds another goes first, or its rest would stay.
  return secrets
    .filter((value) => value.length >= shortestSecret)
    .toSorted((one, other) => other.length - one.length)
    .reduce((left, value) => left.replaceAll(value, instead), text);
}

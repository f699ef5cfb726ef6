/** Files whose names suggest that they hold secrets. Reading one, by a tool or a command, is asked about unless a rule allows it. */

const exampleFiles = /\.(?:example|sample|template|dist|defaults?)$/u;
const secretFiles =
  /^(?:\.env(?:\..*)?|\.?secrets?(?:\..*)?|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|gpg|asc|ovpn)|id_(?:rsa|dsa|ecdsa|ed25519)(?:_.*)?|\.?credentials(?:\.\w+)?|\.netrc|_netrc|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|\.pgpass|\.my\.cnf|\.vault-token|service[-_]?account.*\.json|.*[-_.](?:secrets?|credentials)\.(?:json|ya?ml|toml|ini|txt)|shadow|gshadow|known_hosts|authorized_keys|environ)$/u;
/** Some part of each such name: a quick test that excludes most names, since a folder may hold thousands. */
const possiblySecret =
  /env|secret|cred|pem|key|p12|pfx|jks|kdbx|gpg|asc|ovpn|id_|netrc|npmrc|pypirc|htpasswd|pgpass|my\.cnf|vault|service|shadow|known_hosts/iu;
const secretFolders = new Set([
  ".ssh",
  ".aws",
  ".gnupg",
  ".gnupg2",
  ".kube",
  ".docker",
  ".azure",
  ".gcloud",
  ".password-store",
]);

/** `path` is in one of its forms. Globs are tested against the names they could match. */
export function mayBeSecret(path: string): boolean {
  const segments = path.toLowerCase().split("/");
  for (const segment of segments) if (secretFolders.has(segment)) return true;
  const name = segments.at(-1) ?? "";
  return possiblySecret.test(name) && secretFiles.test(name) && !exampleFiles.test(name);
}

/** The keys of `sandbox`: what each value must be, whether it guards, who may set it. Parsing, merging and trust share this table. */
import { withoutPrototype } from "../lib/without-prototype.ts";
import { withoutUndefined } from "../lib/without-undefined.ts";
import { normalize, resolve } from "node:path";
import { isObject, newObject, type Json, type JsonObject } from "../lib/json.ts";
import { homeVariableToTilde, expandHome } from "../lib/home-folder.ts";

type SandboxKeyKind =
  | "flag"
  | "commands"
  | "domains"
  | "allowed paths"
  | "denied paths"
  | "hidden paths"
  | "port"
  | "program"
  | "provider"
  | "violations";

export const sandboxProviders = ["sandbox-runtime", "bubblewrap"] as const;
export type SandboxProvider = (typeof sandboxProviders)[number];

export interface SandboxKey {
  kind: SandboxKeyKind;
  /** A misspelt value would leave something open, so a wrong value is an error, not a notice. */
  guards?: true;
  /** The value that an untrusted folder may set; `any` if every value only forbids. */
  tightens?: boolean | "any";
  /** The only source whose value counts: an administrator, or the user of the machine. */
  owner?: "policy" | "user";
}

const lockingFlag = { kind: "flag", guards: true, tightens: true } as const;
const openingFlag = { kind: "flag" } as const;
const forbiddingKey = { guards: true, tightens: "any" } as const;

/** Keyed by the path below `sandbox`. */
export const sandboxKeys = withoutPrototype<SandboxKey>({
  enabled: lockingFlag,
  failIfUnavailable: { kind: "flag", guards: true },
  autoAllowBashIfSandboxed: { kind: "flag", tightens: false },
  allowUnsandboxedCommands: { kind: "flag", guards: true, tightens: false },
  excludedCommands: { kind: "commands" },
  "network.allowedDomains": { kind: "domains" },
  "network.deniedDomains": { kind: "domains", ...forbiddingKey },
  "network.strictAllowlist": lockingFlag,
  "network.allowManagedDomainsOnly": { kind: "flag", guards: true, owner: "policy" },
  "network.allowAllUnixSockets": openingFlag,
  "network.httpProxyPort": { kind: "port", owner: "user" },
  "network.socksProxyPort": { kind: "port", owner: "user" },
  "filesystem.allowWrite": { kind: "allowed paths" },
  "filesystem.denyWrite": { kind: "denied paths", ...forbiddingKey },
  "filesystem.denyRead": { kind: "hidden paths", ...forbiddingKey },
  "filesystem.allowRead": { kind: "allowed paths" },
  "filesystem.allowManagedReadPathsOnly": { kind: "flag", guards: true, owner: "policy" },
  "filesystem.disabled": { kind: "flag", owner: "user" },
  ignoreViolations: { kind: "violations" },
  enableWeakerNestedSandbox: { kind: "flag", owner: "user" },
  allowNestedUserNamespaces: { kind: "flag", owner: "user" },
  bwrapPath: { kind: "program", owner: "user" },
  socatPath: { kind: "program", owner: "user" },
  provider: { kind: "provider", guards: true, owner: "user" },
});

/** Keys for other systems: they open something there, and mean nothing where bubblewrap is the sandbox. */
const otherSystemKeys = new Set([
  "network.allowUnixSockets",
  "network.allowLocalBinding",
  "network.allowMachLookup",
  "enableWeakerNetworkIsolation",
  "allowAppleEvents",
]);
const unsupportedKeys = new Set(["network.tlsTerminate", "ripgrep"]);
const nestedGroups = new Set(["network", "filesystem"]);
export const sandboxGroups = [...nestedGroups, "credentials"];

export interface SandboxReport {
  /** Reports a wrong value of a guarding key. */
  fail(text: string): void;
  notice(text: string): void;
  show(value: Json): string;
}

export interface SandboxPlaces {
  /** The absolute folder that relative paths start from. */
  folder: string;
  home: string;
}

/** Returns the checked values by dotted key, with absolute paths. `credentials.files` and `credentials.envVars` list what is withheld. */
export function readSandbox(value: Json, places: SandboxPlaces, report: SandboxReport): JsonObject {
  const read = newObject();
  if (!isObject(value)) {
    report.fail(`"sandbox" should be an object, not ${report.show(value)}`);
    return read;
  }
  for (const [name, inner] of Object.entries(value)) {
    if (name === "credentials") readCredentials(inner, places, report, read);
    else if (!nestedGroups.has(name)) readKey(name, inner, places, report, read);
    else if (isObject(inner))
      for (const [key, each] of Object.entries(inner)) readKey(`${name}.${key}`, each, places, report, read);
    else report.fail(`"sandbox.${name}" should be an object, not ${report.show(inner)}`);
  }
  return read;
}

/** Returns the first key of a host's `sandbox` that no version knows, or undefined. Undefined values count as absent. */
export function findUnknownSandboxKey(sandbox: object): string | undefined {
  const keys = Object.entries(withoutUndefined({ ...sandbox })).flatMap(([name, inner]: [string, unknown]) =>
    nestedGroups.has(name) && typeof inner === "object" && inner !== null
      ? Object.keys(withoutUndefined({ ...inner })).map((key) => `${name}.${key}`)
      : [name],
  );
  return keys.find((key) => key !== "credentials" && !nestedGroups.has(key) && !isKnownKey(key));
}

function isKnownKey(key: string): boolean {
  return sandboxKeys[key] !== undefined || unsupportedKeys.has(key) || otherSystemKeys.has(key);
}

function readKey(key: string, value: Json, places: SandboxPlaces, report: SandboxReport, read: JsonObject): void {
  const known = sandboxKeys[key];
  if (known === undefined) {
    if (unsupportedKeys.has(key)) report.notice(`this version does not act on "sandbox.${key}"`);
    else if (!isKnownKey(key)) report.notice(`"sandbox.${key}" is not a setting of the sandbox; it was left out`);
    return;
  }
  const checked = checkValue(known.kind, value, places);
  if (typeof checked !== "string") {
    read[key] = checked.value;
    for (const part of checked.notices) report.notice(`"sandbox.${key}": ${part}`);
  } else {
    const text = `"sandbox.${key}" should be ${checked}, not ${report.show(value)}`;
    if (known.guards === true) report.fail(`${text}; what it guards cannot be told`);
    else report.notice(`${text}; it was left out`);
  }
}

type CheckedValue = { value: Json; notices: string[] } | string;
const acceptedValue = (value: Json): CheckedValue => ({ value, notices: [] });
const isText = (value: Json): value is string =>
  typeof value === "string" && value.trim() !== "" && !value.includes("\0");
const isTextList = (value: Json): value is string[] => Array.isArray(value) && value.every(isText);

/** A string result says what was expected instead. */
function checkValue(kind: SandboxKeyKind, value: Json, places: SandboxPlaces): CheckedValue {
  switch (kind) {
    case "flag":
      return typeof value === "boolean" ? acceptedValue(value) : "true or false";
    case "commands":
      return isTextList(value) ? { value, notices: bareCommandHints(value) } : "a list of texts";
    case "domains":
      return isTextList(value) && value.every(isDomain)
        ? acceptedValue(value)
        : "a list of hosts such as example.com or *.example.com";
    case "port":
      return Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536 ? acceptedValue(value) : "a port";
    case "program":
      return isText(value) && expandHome(value, places.home).startsWith("/")
        ? acceptedValue(expandHome(value, places.home))
        : "an absolute path";
    case "allowed paths":
      return isTextList(value) ? resolveAllowedPaths(value, places) : "a list of paths";
    case "provider":
      return sandboxProviders.some((name) => name === value)
        ? acceptedValue(value)
        : `one of ${sandboxProviders.join(", ")}`;
    case "denied paths":
      return isTextList(value)
        ? acceptedValue(value.map((path) => resolveSandboxPath(path, places)))
        : "a list of paths";
    case "hidden paths": {
      const paths = isTextList(value) ? value.map((path) => resolveSandboxPath(path, places)) : undefined;
      return paths === undefined || paths.includes("/")
        ? "a list of paths other than the whole disk"
        : acceptedValue(paths);
    }
    case "violations":
      return isObject(value) && Object.values(value).every(isTextList)
        ? acceptedValue(pathsByCommand(value, places))
        : "an object of lists of paths";
    default:
      return kind satisfies never;
  }
}

/** Hints at names without arguments: nobody runs a bare `docker`. */
function bareCommandHints(written: readonly string[]): string[] {
  const all = new Set(written.map((each) => each.trim()));
  const names = [...all].filter(
    (each) => /^[\w-]+$/u.test(each) && !["*", " *", ":*"].some((end) => all.has(each + end)),
  );
  return names.map((name) => `"${name}" is ${name} without arguments; with any it is "${name} *"`);
}

function pathsByCommand(value: JsonObject, places: SandboxPlaces): JsonObject {
  const read = newObject();
  for (const [command, paths] of Object.entries(value))
    read[command] = (paths as string[]).map((path) => resolveSandboxPath(path, places));
  return read;
}

/** Whether the text is a host, `*.` and a host, or `*`; or an IP address as written in a URL. */
function isDomain(value: string): boolean {
  return /^(?:\*|(?:\*\.)?[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.?|\[[\da-f:.]+\])$/iu.test(value.trim());
}

const wildcard = /[*?[\]]/u;

/** A path that opens something only counts if it is clear what it opens. */
function resolveAllowedPaths(paths: readonly string[], places: SandboxPlaces): CheckedValue {
  const resolvedPaths = paths.flatMap((path) => homeVariableToTilde(path.trim()) ?? []);
  const written = paths.filter((path) => homeVariableToTilde(path.trim()) === undefined);
  const resolved = written.map((path) => resolveSandboxPath(path, places));
  const left = resolved.filter((path) => wildcard.test(path));
  return {
    value: resolved.filter((path) => !wildcard.test(path)),
    notices: [
      ...left.map((path) => `${path} has a wildcard, which opens nothing here; name the folder`),
      ...resolvedPaths.map((path) => `variables are not filled in, and open nothing; write ${path}`),
    ],
  };
}

/** `/p` and `//p` are absolute, `~/p` and `$HOME/p` relative to home, others to the file's folder. `/**` at the end means the folder. */
function resolveSandboxPath(written: string, { folder, home }: SandboxPlaces): string {
  const text = written.trim();
  const path = resolve(folder, expandHome((homeVariableToTilde(text) ?? text).replace(/^\/\/+/u, "/"), home));
  const bare = path.replace(/(?:\/\*\*)+$/u, "");
  return bare === "" ? "/" : normalize(bare);
}

/** Credentials that the convention would mask are withheld entirely, so that the program has nothing to leak. */
function readCredentials(value: Json, places: SandboxPlaces, report: SandboxReport, read: JsonObject): void {
  const reportInvalid = (key: string, expected: string, value: Json): void =>
    report.fail(`"sandbox.${key}" should be ${expected}, not ${report.show(value)}; what it guards cannot be told`);
  if (!isObject(value)) return reportInvalid("credentials", "an object", value);
  for (const [key, list] of Object.entries(value)) {
    const field = key === "files" ? "path" : key === "envVars" ? "name" : undefined;
    if (field === undefined) {
      report.notice(`this version does not act on "sandbox.credentials.${key}"`);
      continue;
    }
    const entries = Array.isArray(list)
      ? list.map((entry) => (isObject(entry) ? entry[field] : undefined))
      : [undefined];
    const names = entries.filter((entry) => typeof entry === "string").filter(isText);
    if (names.length < entries.length) reportInvalid(`credentials.${key}`, `a list of objects with a ${field}`, list);
    const isMasked = Array.isArray(list) && list.some((entry) => isObject(entry) && entry["mode"] === "mask");
    if (isMasked) report.notice(`"sandbox.credentials.${key}": credentials to be masked are withheld entirely`);
    read[`credentials.${key}`] = field === "path" ? names.map((path) => resolveSandboxPath(path, places)) : names;
  }
}

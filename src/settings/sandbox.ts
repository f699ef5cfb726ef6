/** The sandbox as settings describe it: checks what of a project's part counts, and merges the parts of all files. */
import { filterEntries, type Json, type JsonObject } from "../lib/json.ts";
import { sandboxKeys, type SandboxProvider } from "./sandbox-keys.ts";
import type { SettingsOrigin } from "./source.ts";

export interface SandboxSettings {
  enabled: boolean;
  /** If there is no sandbox, no session starts. */
  failIfUnavailable: boolean;
  /** Confined commands need no question unless a guarding rule applies. */
  autoAllowBashIfSandboxed: boolean;
  /** A call may ask for `dangerouslyDisableSandbox`. */
  allowUnsandboxedCommands: boolean;
  /** `Bash` rule patterns. */
  excludedCommands: string[];
  network: {
    /** `example.com`, `*.example.com`. */
    allowedDomains: string[];
    deniedDomains: string[];
    /** Nobody is asked about other hosts: they are refused. */
    strictAllowlist: boolean;
    /** Permission rules do not open hosts either. */
    allowManagedDomainsOnly: boolean;
    allowAllUnixSockets: boolean;
    /** A port on 127.0.0.1: the user's own proxy, which decides instead of the lists. */
    httpProxyPort?: number;
    socksProxyPort?: number;
  };
  /** Absolute paths. Those that deny may contain wildcards. */
  filesystem: {
    allowWrite: string[];
    denyWrite: string[];
    denyRead: string[];
    allowRead: string[];
    disabled: boolean;
  };
  credentials: { files: string[]; envVars: string[] };
  /** Keyed by a part of the command, or `*` for all: paths whose refusal needs no explanation. */
  ignoreViolations: Record<string, string[]>;
  enableWeakerNestedSandbox: boolean;
  allowNestedUserNamespaces: boolean;
  bwrapPath?: string;
  socatPath?: string;
  /** The program that confines commands. Default: sandbox-runtime if it is installed, or else bubblewrap. */
  provider?: SandboxProvider;
}

export interface SandboxLayer {
  origin: SettingsOrigin;
  /** Keyed by dotted key. */
  values: JsonObject;
}

/** Merges the layers (lowest first): lists add up, for other keys the last value counts. Undefined if no file mentions the sandbox. */
export function mergeSandbox(layers: readonly SandboxLayer[]): SandboxSettings | undefined {
  const effective = layers.map(({ origin, values }) => ({ origin, values: effectiveValues(origin, values) }));
  if (effective.every(({ values }) => Object.keys(values).length === 0)) return undefined;
  const lastValue = <T extends Json>(key: string): T | undefined =>
    effective.findLast(({ values }) => values[key] !== undefined)?.values[key] as T | undefined;
  const flag = (key: string, otherwise: boolean): boolean => lastValue<boolean>(key) ?? otherwise;
  const list = (key: string, only?: SettingsOrigin): string[] => [
    ...new Set(
      effective
        .filter(({ origin }) => only === undefined || origin === only)
        .flatMap(({ values }) => (values[key] ?? []) as string[]),
    ),
  ];
  const policyOnlyIf = (isOn: boolean): SettingsOrigin | undefined => (isOn ? "policy" : undefined);
  const domainsOnly = flag("network.allowManagedDomainsOnly", false);
  const readsOnly = flag("filesystem.allowManagedReadPathsOnly", false);
  const optional = <T extends Json>(key: string): { [name: string]: T } => {
    const value = lastValue<T>(key);
    return value === undefined ? {} : { [key.slice(key.lastIndexOf(".") + 1)]: value };
  };
  return {
    enabled: flag("enabled", false),
    failIfUnavailable: flag("failIfUnavailable", false),
    autoAllowBashIfSandboxed: flag("autoAllowBashIfSandboxed", false),
    allowUnsandboxedCommands: flag("allowUnsandboxedCommands", true),
    excludedCommands: list("excludedCommands"),
    network: {
      allowedDomains: list("network.allowedDomains", policyOnlyIf(domainsOnly)),
      deniedDomains: list("network.deniedDomains"),
      allowManagedDomainsOnly: domainsOnly,
      strictAllowlist: domainsOnly || flag("network.strictAllowlist", false),
      allowAllUnixSockets: flag("network.allowAllUnixSockets", false),
      ...optional<number>("network.httpProxyPort"),
      ...optional<number>("network.socksProxyPort"),
    },
    filesystem: {
      allowWrite: list("filesystem.allowWrite"),
      denyWrite: list("filesystem.denyWrite"),
      denyRead: list("filesystem.denyRead"),
      allowRead: list("filesystem.allowRead", policyOnlyIf(readsOnly)),
      disabled: flag("filesystem.disabled", false),
    },
    credentials: { files: list("credentials.files"), envVars: list("credentials.envVars") },
    ignoreViolations: mergeViolations(effective.map(({ values }) => values["ignoreViolations"])),
    enableWeakerNestedSandbox: flag("enableWeakerNestedSandbox", false),
    allowNestedUserNamespaces: flag("allowNestedUserNamespaces", false),
    ...optional<string>("bwrapPath"),
    ...optional<string>("socatPath"),
    ...optional<string>("provider"),
  };
}

function effectiveValues(origin: SettingsOrigin, values: JsonObject): JsonObject {
  return filterEntries(values, (key) => sandboxKeys[key]?.owner !== "policy" || origin === "policy");
}

function mergeViolations(parts: readonly (Json | undefined)[]): Record<string, string[]> {
  const all: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const part of parts)
    for (const [command, paths] of Object.entries((part ?? {}) as Record<string, string[]>))
      all[command] = [...(all[command] ?? []), ...paths];
  return all;
}

function isTightening(key: string, value: Json): boolean {
  if (key.startsWith("credentials.")) return true;
  const tightens = sandboxKeys[key]?.tightens;
  return tightens === "any" || tightens === value;
}

/** The keys that need trust in the folder. */
export function sandboxKeysNeedingTrust(values: JsonObject): string[] {
  return Object.keys(filterEntries(values, (key, value) => !isTightening(key, value)));
}

/** What counts of a project's keys: those that tighten; with trust, all but programs, proxies and what undoes the sandbox. */
export function projectSandbox(values: JsonObject, isTrusted: boolean): { values: JsonObject; refusedKeys: string[] } {
  if (!isTrusted) return { values: filterEntries(values, isTightening), refusedKeys: [] };
  const isOwned = (key: string): boolean => sandboxKeys[key]?.owner !== undefined;
  const refusedKeys = Object.keys(values).filter(isOwned);
  return {
    values: filterEntries(values, (key) => !isOwned(key)),
    refusedKeys: refusedKeys.map((key) => `sandbox.${key}`),
  };
}

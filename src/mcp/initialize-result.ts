/**
 * Repairs a server's initialize result to match the protocol. Some languages write an empty table as a list and a missing one as null,
 * and hand-written servers leave fields out. The client would reject the result, and the server would be missing.
 */
import { isRecord } from "../lib/is-record.ts";

/** The first version in general use: a server that names no version supports no more than this. */
const oldestVersion = "2024-11-05";
const capabilityFlags = ["listChanged", "subscribe"];

/** Returns the same object if it is not an initialize result, or has no mistake. */
export function repairInitializeResult(result: Record<string, unknown>): Record<string, unknown> {
  const isInitializeResult = "protocolVersion" in result || "serverInfo" in result;
  // The result of a later protocol version lists the supported versions.
  if (!isInitializeResult || "supportedVersions" in result || isValidInitializeResult(result)) return result;
  const { protocolVersion, serverInfo, capabilities, instructions, ...rest } = result;
  return {
    ...rest,
    protocolVersion: isVersion(protocolVersion) ? protocolVersion : oldestVersion,
    serverInfo: repairServerInfo(serverInfo),
    capabilities: isRecord(capabilities) ? repairCapabilities(capabilities) : {},
    ...(typeof instructions === "string" ? { instructions } : {}),
  };
}

function isVersion(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d$/u.test(value);
}

function isValidInitializeResult({
  protocolVersion,
  serverInfo,
  capabilities,
  instructions,
}: Record<string, unknown>): boolean {
  if (!isVersion(protocolVersion) || !isRecord(serverInfo) || !isRecord(capabilities)) return false;
  const { name, version, ...more } = serverInfo;
  if (typeof name !== "string" || typeof version !== "string") return false;
  if (Object.values(more).some((value) => value === null)) return false;
  const hasValidInstructions = instructions === undefined || typeof instructions === "string";
  return hasValidInstructions && Object.entries(capabilities).every(([key, value]) => isCapability(key, value));
}

function isCapability(key: string, value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (key === "experimental" || key === "extensions") return Object.values(value).every(isRecord);
  return capabilityFlags.every((flag) => value[flag] === undefined || typeof value[flag] === "boolean");
}

function repairServerInfo(value: unknown): object {
  const { name, version, title } = isRecord(value) ? value : {};
  const plain = (value: unknown): string =>
    typeof value === "string" || typeof value === "number" ? String(value) : "unknown";
  return { name: plain(name), version: plain(version), ...(typeof title === "string" ? { title } : {}) };
}

export function repairCapabilities(capabilities: Record<string, unknown>): Record<string, unknown> {
  const there = Object.entries(capabilities).filter(
    ([, value]) => value !== null && value !== undefined && value !== false,
  );
  return Object.fromEntries(
    there.map(([key, value]) => {
      if (isCapability(key, value)) return [key, value];
      // `[]` and `true` mean that the capability is there.
      if (!isRecord(value)) return [key, {}];
      const isPlain = ([name, each]: [string, unknown]): boolean =>
        key === "experimental" || key === "extensions"
          ? isRecord(each)
          : !capabilityFlags.includes(name) || typeof each === "boolean";
      return [key, Object.fromEntries(Object.entries(value).filter(isPlain))];
    }),
  );
}

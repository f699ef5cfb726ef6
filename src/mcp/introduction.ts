/**
 * How a server introduces itself, as the protocol has it. Languages write an empty table as a list and none as null, and what is
 * written by hand lacks what nobody asked for: for any of that the client takes none of it, and the server would not be there.
 */
import { isRecord } from "../lib/is-record.ts";

/** The first one that was in general use: whoever names none has no more than it. */
const plainVersion = "2024-11-05";
const flags = ["listChanged", "subscribe"];

/** The same one where it is none, or nothing is wrong with it. */
export function introductionMended(result: Record<string, unknown>): Record<string, unknown> {
  const isOne = "protocolVersion" in result || "serverInfo" in result;
  // That of a later protocol says which versions there are.
  if (!isOne || "supportedVersions" in result || isRight(result)) return result;
  const { protocolVersion, serverInfo, capabilities, instructions, ...rest } = result;
  return {
    ...rest,
    protocolVersion: isVersion(protocolVersion) ? protocolVersion : plainVersion,
    serverInfo: infoOf(serverInfo),
    capabilities: isRecord(capabilities) ? capabilitiesOf(capabilities) : {},
    ...(typeof instructions === "string" ? { instructions } : {}),
  };
}

function isVersion(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d$/u.test(value);
}

function isRight({ protocolVersion, serverInfo, capabilities, instructions }: Record<string, unknown>): boolean {
  if (!isVersion(protocolVersion) || !isRecord(serverInfo) || !isRecord(capabilities)) return false;
  const { name, version, ...more } = serverInfo;
  if (typeof name !== "string" || typeof version !== "string") return false;
  if (Object.values(more).some((value) => value === null)) return false;
  const isWordless = instructions === undefined || typeof instructions === "string";
  return isWordless && Object.entries(capabilities).every(([key, value]) => isCapability(key, value));
}

function isCapability(key: string, value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (key === "experimental" || key === "extensions") return Object.values(value).every(isRecord);
  return flags.every((flag) => value[flag] === undefined || typeof value[flag] === "boolean");
}

function infoOf(value: unknown): object {
  const { name, version, title } = isRecord(value) ? value : {};
  const plain = (given: unknown): string =>
    typeof given === "string" || typeof given === "number" ? String(given) : "unknown";
  return { name: plain(name), version: plain(version), ...(typeof title === "string" ? { title } : {}) };
}

function capabilitiesOf(given: Record<string, unknown>): Record<string, unknown> {
  const there = Object.entries(given).filter(([, value]) => value !== null && value !== undefined && value !== false);
  return Object.fromEntries(
    there.map(([key, value]) => {
      if (isCapability(key, value)) return [key, value];
      // `[]` and `true` say that it is there.
      if (!isRecord(value)) return [key, {}];
      const isPlain = ([name, each]: [string, unknown]): boolean =>
        key === "experimental" || key === "extensions"
          ? isRecord(each)
          : !flags.includes(name) || typeof each === "boolean";
      return [key, Object.fromEntries(Object.entries(value).filter(isPlain))];
    }),
  );
}

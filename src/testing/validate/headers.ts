/** Headers: the key, the protocol version, the format of the beta list. */
import type { Report, ValidationOptions } from "./report.ts";

/** The version that removed sampling parameters. Its other refusals are documented where they are checked. */
const latestVersion = "2026-10-21";
const versions = ["2023-01-01", "2023-06-01", latestVersion];

export function checkHeaders(headers: Record<string, string>, options: ValidationOptions, report: Report): void {
  const hasKey = (headers["x-api-key"] ?? "") !== "" || /^bearer \S/i.test(headers["authorization"] ?? "");
  if (options.requireKey !== false && !hasKey) {
    report.addStatus(401, "authentication_error", "x-api-key header is required");
  }
  const version = headers["anthropic-version"];
  if (options.endpoint === "compatible") return;
  if (version === undefined || version === "") report.add("anthropic-version", "header is required");
  else if (!versions.includes(version)) {
    report.add("anthropic-version", `"${version}" is not a valid version`);
  }
  for (const beta of betasOf(headers)) {
    if (!/^[a-z0-9][a-z0-9-]*-\d{4}-\d{2}-\d{2}$/.test(beta)) {
      report.add(
        "",
        `Unexpected value(s) \`${beta}\` for the \`anthropic-beta\` header. Please consult our documentation at docs.claude.com or try again without the header.`,
      );
    }
  }
}

/** Whether the rules of the latest version apply: the official SDKs request it. */
export function isLatest(headers: Record<string, string>): boolean {
  return headers["anthropic-version"] === latestVersion;
}

export function betasOf(headers: Record<string, string>): Set<string> {
  const list = headers["anthropic-beta"] ?? "";
  return new Set(
    list
      .split(",")
      .map((beta) => beta.trim())
      .filter((beta) => beta !== ""),
  );
}

/** Header names in lower case. Repeated headers are joined by commas, as HTTP specifies. */
export function normaliseHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name.toLowerCase()] = Array.isArray(value) ? value.join(",") : value;
  }
  return result;
}

/** Request headers: version, credentials, betas, and the user's own, which win. */

export interface HeaderOptions {
  apiKey?: string;
  authToken?: string;
  customHeaders: Readonly<Record<string, string>>;
  /** `authorization` that came with the base URL. */
  authorization?: string;
  /** Version of this program, for `user-agent`. */
  version: string;
  /** The calling client: a comment in `user-agent`, limited to characters that a header can carry. */
  client?: string | undefined;
}

/** Lower-case names. Headers that vary from call to call are added by `withBetas`. */
export function baseHeaders({
  apiKey,
  authToken,
  customHeaders,
  authorization,
  version,
  client,
}: HeaderOptions): Record<string, string> {
  const headers: Record<string, string> = {
    accept: "text/event-stream, application/json",
    // A compressed stream arrives in larger chunks and costs more to read than it saves.
    "accept-encoding": "identity",
    "content-type": "application/json",
    "anthropic-version": "2023-06-01",
    "user-agent": client === undefined ? `pawl/${version}` : `pawl/${version} (${client})`,
  };
  if (authorization !== undefined) headers["authorization"] = authorization;
  if (apiKey !== undefined) headers["x-api-key"] = apiKey;
  if (authToken !== undefined) headers["authorization"] = `Bearer ${authToken}`;
  for (const [name, value] of Object.entries(customHeaders)) headers[name.toLowerCase()] = value;
  return headers;
}

/** Adds each beta name once, in order, to those of the user's own header. */
export function withBetas(headers: Record<string, string>, betas: readonly string[]): Record<string, string> {
  if (betas.length === 0) return headers;
  const own = headers["anthropic-beta"]?.split(",") ?? [];
  const names = [...new Set([...own, ...betas].map((name) => name.trim()).filter((name) => name !== ""))];
  return names.length === 0 ? headers : { ...headers, "anthropic-beta": names.join(",") };
}

/** Reads `ANTHROPIC_CUSTOM_HEADERS`: one `Name: value` per line. Malformed lines are named in `problems`, without their values. */
export function readCustomHeaders(text: string | undefined): { headers: Record<string, string>; problems: string[] } {
  const headers: Record<string, string> = {};
  const problems: string[] = [];
  for (const [index, line] of (text ?? "").split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*:(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      problems.push(`line ${index + 1} of ANTHROPIC_CUSTOM_HEADERS is not "Name: value"`);
    else headers[name.toLowerCase()] = value.trim();
  }
  return { headers, problems };
}

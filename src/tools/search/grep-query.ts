/** The input of a Grep call, parsed once. */
import type { ToolInput } from "../../protocol/tool.ts";
import type { OutputMode } from "./hits.ts";

export interface GrepQuery {
  pattern: string;
  mode: OutputMode;
  glob?: string | undefined;
  type?: string;
  before: number;
  after: number;
  lineNumbers: boolean;
  ignoreCase: boolean;
  onlyMatching: boolean;
  multiline: boolean;
  /** Infinity: no limit. */
  limit: number;
  offset: number;
}

/** Returns the glob relative to the searched folder, as ripgrep expects. The glob may be written as an absolute path or start with `./`. */
export function globRelativeToFolder(glob: string, directory: string): string {
  const [, not = "", named = ""] = /^(!?)(.*)$/su.exec(glob) ?? [];
  const path = named.replace(/^(?:\.\/+)+(?=.)/u, "/");
  const isWithin = path.startsWith(`${directory}/`);
  return not + (isWithin ? path.slice(directory.length) : path);
}

const defaultLimit = 250;
const mostContext = 1000;

function numberOrDefault(value: unknown, fallback: number): number {
  return typeof value === "number" && value >= 0 ? Math.floor(value) : fallback;
}

export function readQuery(input: ToolInput): GrepQuery {
  const context = numberOrDefault(input["-C"] ?? input["context"], 0);
  const limit = numberOrDefault(input["head_limit"], defaultLimit);
  const query: GrepQuery = {
    pattern: String(input["pattern"]),
    mode: (input["output_mode"] as OutputMode | undefined) ?? "files_with_matches",
    before: Math.min(numberOrDefault(input["-B"], context), mostContext),
    after: Math.min(numberOrDefault(input["-A"], context), mostContext),
    lineNumbers: input["-n"] !== false,
    ignoreCase: input["-i"] === true,
    onlyMatching: input["-o"] === true,
    multiline: input["multiline"] === true,
    limit: limit === 0 ? Infinity : limit,
    offset: numberOrDefault(input["offset"], 0),
  };
  if (typeof input["glob"] === "string" && input["glob"] !== "") query.glob = input["glob"];
  if (typeof input["type"] === "string" && input["type"] !== "") query.type = input["type"];
  return query;
}

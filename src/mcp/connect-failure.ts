/** Why a server is not there, as one sentence for people. */
import { SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";
import { oneLine } from "../lib/sanitize.ts";
import type { Server } from "./server.ts";

export interface ConnectFailure {
  status: "failed" | "needs-auth";
  why: string;
}

export function connectFailure(error: unknown, server: Server, lastErrors: string, limitMs: number): ConnectFailure {
  if (error instanceof UnauthorizedError || (error instanceof SdkHttpError && error.status === 401))
    return { status: "needs-auth", why: `it wants you to log in: pawl mcp login ${server.name}` };
  const said = lastErrors === "" ? "" : ` It said: ${oneLine(lastErrors.slice(-400), 300)}`;
  return { status: "failed", why: `${reasonOf(error, server, limitMs)}.${said}` };
}

function reasonOf(error: unknown, server: Server, limitMs: number): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (server.type === "stdio" && (code === "ENOENT" || code === "EACCES"))
    return `its command ${oneLine(server.command, 100)} ${code === "ENOENT" ? "was not found" : "may not be run"}`;
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return `it did not answer within ${Math.round(limitMs / 1_000)} s`;
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) return "it ended before it answered";
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return oneLine(`${message ?? String(error)}${cause}`, 300).replace(/\.$/u, "");
}

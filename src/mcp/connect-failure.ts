/** Why a server is not available, as one sentence for people. */
import {
  InsufficientScopeError,
  OAuthError,
  ProtocolError,
  RegistrationRejectedError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { isFolder } from "../lib/path-status.ts";
import { errorCode, isError } from "../lib/error-text.ts";
import { formatDuration } from "../lib/format-figures.ts";
import { isRecord } from "../lib/is-record.ts";
import { tryParseJson } from "../lib/try-parse-json.ts";
import { isConnectFailure, ProxyUnreachable, TunnelRefused } from "../lib/proxy-errors.ts";
import { oneLine } from "../lib/sanitize.ts";
import { shellWord } from "../lib/shell-quote.ts";
import { reasonOf as systemReason } from "../lib/system-reason.ts";
import { hideServerSecrets } from "./server-secrets.ts";
import { bodyWords, causesOf, httpFailure, httpStatusOf, isInvalidJson } from "./http-failure.ts";
import { NotRenewed } from "./oauth.ts";
import { NoEndpoint } from "./other-kind.ts";
import { wantedRestMs } from "./server-rest.ts";
import type { Server } from "./server.ts";
import type { OpenTransport } from "./transport.ts";
import { connectionLostText } from "./stream-messages.ts";

export interface ConnectFailure {
  status: "failed" | "needs-auth";
  why: string;
  /** The problem lies with a remote server that may be available again in a while. */
  isTemporary: boolean;
  /** How long the server wants to be left alone, ms; absent if it does not say. */
  restMs?: number;
}

/** A WebSocket was requested, and the server answered with something else. */
export class WebSocketRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    const isLogin = status === 401 || status === 403;
    const what = isLogin ? "it refuses access" : "it does not answer as a WebSocket";
    super(`${what} (status ${status})${isLogin ? `: a key goes into its "headers"` : ""}`);
    this.status = status;
  }
}

/** Characters of the server's last output; its end says the most. */
const maxOutputShown = 400;

export function connectFailure(error: unknown, server: Server, lastWords: string, limitMs: number): ConnectFailure {
  if (isUnauthorized(error) || error instanceof InsufficientScopeError)
    return {
      status: "needs-auth",
      why: `${hasHeadersHelper(server) ? "it refuses what its headersHelper prints, or " : "it "}wants you to log in: pawl mcp login ${shellWord(server.name)}`,
      isTemporary: false,
    };
  const outputText =
    lastWords === ""
      ? ""
      : ` It said: ${oneLine(hideServerSecrets(lastWords, server).slice(-maxOutputShown), maxOutputShown)}`;
  const isTemporary =
    (server.type === "http" || server.type === "sse" || server.type === "ws") && isTemporaryFailure(error);
  const restMs = wantedRestMs(error);
  const restText = restMs === undefined ? "" : `; it asks to wait ${formatDuration(restMs)} before the next try`;
  return {
    status: "failed",
    why: `${hideServerSecrets(`${reasonOf(error, server, limitMs)}${restText}`, server)}.${outputText}`,
    isTemporary,
    ...(restMs === undefined ? {} : { restMs }),
  };
}

function isTemporaryFailure(error: unknown): boolean {
  if (error instanceof NotRenewed || networkReason(error) !== undefined) return true;
  if (error instanceof NoEndpoint) return error.isSlow;
  const status = error instanceof WebSocketRefused ? error.status : httpStatusOf(error);
  if (status !== undefined) return status === 429 || status >= 500;
  const temporaryCodes: readonly string[] = [SdkErrorCode.RequestTimeout, SdkErrorCode.ConnectionClosed];
  return error instanceof SdkError && temporaryCodes.includes(error.code);
}

function reasonOf(error: unknown, server: Server, limitMs: number): string {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (server.type === "stdio" && syscall?.startsWith("spawn") === true && !isFolder(server.startsIn))
    return `the folder ${oneLine(server.startsIn, 200)} in which it should start does not exist, or is not a folder`;
  if (server.type === "stdio" && (code === "ENOENT" || code === "EACCES"))
    // EACCES also comes for a name that no PATH folder has, if one of the folders cannot be searched.
    return `its command ${oneLine(server.command, 100)} was not found${code === "ENOENT" ? "" : ", or may not be run"}${commandAdvice(server.command)}`;
  if (server.type === "stdio" && syscall?.startsWith("spawn") === true)
    return `its command ${oneLine(server.command, 100)} could not be started: ${systemReason(error)}`;
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return `it did not answer within ${formatDuration(limitMs)}`;
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) return "it ended before it answered";
  const network = isServerError(error) ? undefined : (networkReason(error) ?? unreachableReason(error));
  if (network !== undefined) return network;
  if (message?.includes("does not support dynamic client registration"))
    return `its login server does not register clients automatically: ${registrationAdvice}`;
  if (error instanceof RegistrationRejectedError) return registrationRefusal(error);
  if (error instanceof OAuthError) return loginRefusal(error);
  const refused = httpFailure(error, server.type);
  if (refused !== undefined) return refused;
  if (isInvalidJson(error)) return "its answer is not valid JSON";
  const odd = firstSchemaIssue(error);
  if (odd !== undefined) return `its answer cannot be used (${odd})`;
  const cause = isError(error) && isError(error.cause) ? ` (${error.cause.message})` : "";
  return oneLine(`${message ?? String(error)}${cause}`, 300).replace(/\.$/u, "");
}

/** No shell reads the command. */
function commandAdvice(command: string): string {
  if (command.startsWith("~")) return ": ~ is not replaced there, so write ${HOME}";
  return /\s/u.test(command) ? ': "command" is the program alone, its arguments belong into "args"' : "";
}

/** If the server sent a page instead of an OAuth error, the message contains the whole page. */
function loginRefusal({ code, message }: OAuthError): string {
  const [, status] = /^HTTP (\d+): Invalid OAuth error response/u.exec(message) ?? [];
  if (status !== undefined) return `its login server answers with status ${status}, and does not say why`;
  const messageText = message === "" || message === code ? "" : `: ${oneLine(message, 200).replace(/\.$/u, "")}`;
  return `its login server refuses that (${oneLine(code, 100)})${messageText}`;
}

const registrationAdvice = "register one there, and set its id as oauth.clientId in the server's configuration";

/** Also for a server that says nothing about its login: then it is asked to register a client itself, and knows no such path. */
function registrationRefusal({ status, body }: RegistrationRejectedError): string {
  const words = bodyWords(body);
  const said = words === "" ? "" : `: ${words}`;
  return `its login server registers no client automatically (status ${status}${said}): ${registrationAdvice}`;
}

/** The first mistake in an answer that does not match its schema. */
function firstSchemaIssue(error: unknown): string | undefined {
  if (!isError(error)) return undefined;
  const issues = "issues" in error ? error.issues : issuesAtEnd(error.message);
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined;
  if (!isRecord(first) || typeof first["message"] !== "string") return undefined;
  const path = Array.isArray(first["path"]) ? first["path"].join(".") : "";
  return oneLine(path === "" ? first["message"] : `${path}: ${first["message"]}`, 200);
}

/** Parses the schema library's list of issues at the end of a message. */
function issuesAtEnd(text: string): unknown {
  const at = text.search(/\[\s*\{/u);
  return at < 0 ? undefined : tryParseJson(text.slice(at));
}

function networkReason(error: unknown): string | undefined {
  const proxy = Array.from(causesOf(error)).find((each) => each instanceof ProxyUnreachable);
  for (const { code, message } of causesOf(error) as Iterable<NodeJS.ErrnoException>) {
    const codeAndMessage = `${code ?? ""} ${message}`;
    if (codeAndMessage.includes("ECONNREFUSED"))
      return proxy === undefined ? "nobody answers at its address" : unreachableProxy(proxy, "nobody answers there");
    if (/\b(?:ENOTFOUND|EAI_AGAIN)\b/u.test(codeAndMessage))
      return proxy === undefined
        ? "the name of its host is not known"
        : unreachableProxy(proxy, "its name is not known");
  }
  return undefined;
}

/** Why the server cannot be spoken to at all, from the innermost cause. */
function unreachableReason(error: unknown): string | undefined {
  const [last, ...outer] = Array.from(causesOf(error)).toReversed() as NodeJS.ErrnoException[];
  if (last === undefined || ![last, ...outer].some(({ message }) => message === "fetch failed")) return undefined;
  const { message } = last;
  const code = errorCode(last) ?? "";
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return `its certificate is not valid now (${code}): this machine's clock may be wrong, or the certificate has to be renewed`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `its certificate is for another name (${code}): the address has to use a name that the certificate lists`;
  if (/CERT|SELF_SIGNED|LEAF_SIGNATURE/u.test(code))
    return `its certificate is not trusted here (${code}): NODE_EXTRA_CA_CERTS can name a file with further trusted certificates`;
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER") return "it does not speak https: its address may begin with http://";
  const reason = oneLine(code === "" ? message : code, 100);
  const proxy = outer.find((each) => each instanceof ProxyUnreachable);
  return proxy === undefined ? `it cannot be reached (${reason})` : unreachableProxy(proxy, reason);
}

/** The server itself may be all right. */
function unreachableProxy({ message }: ProxyUnreachable, reason: string): string {
  return `${message} to it cannot be reached (${reason}): check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY`;
}

/** A call that failed in transit, or whose answer was lost: the reason as a clause. `wasSent`: the server may have received it. */
export function describeLostCall(error: unknown): { why: string; wasSent: boolean } | undefined {
  const all = Array.from(causesOf(error)) as NodeJS.ErrnoException[];
  const last = all.at(-1);
  if (last?.message.includes(connectionLostText) === true) return { why: "", wasSent: true };
  if (
    isServerError(error) ||
    last === undefined ||
    !all.some(({ message }) => message === "fetch failed" || message === "terminated")
  )
    return undefined;
  const code = errorCode(last) ?? "";
  const isUnsent =
    isConnectFailure(last) ||
    all.some((each) => each instanceof ProxyUnreachable || each instanceof TunnelRefused) ||
    /CERT|SELF_SIGNED|LEAF_SIGNATURE|WRONG_VERSION|CONNECT_TIMEOUT/u.test(code);
  if (!isUnsent) return { why: code, wasSent: true };
  return { why: networkReason(error) ?? unreachableReason(error) ?? code, wasSent: false };
}

/** The error comes from the server itself, which may report in the same words that it could not reach another one. */
function isServerError(error: unknown): boolean {
  return error instanceof ProtocolError;
}

export function isUnauthorized(error: unknown): boolean {
  return error instanceof UnauthorizedError || httpStatusOf(error) === 401;
}

/** What servers with sessions answer for an unknown session: with status 404 by the protocol, with 200 by some servers. */
const unknownSessionCode = -32_001;

/** 404 by the protocol. Some send 410; many send 400 with words about a session or, after a restart, about themselves. */
function isUnknownSession(error: unknown): boolean {
  if (!(error instanceof SdkHttpError) && !(error instanceof ProtocolError)) return false;
  const mentionsSession = /\bsession\b|\bserver not initialized\b/iu.test(error.message);
  if (error instanceof ProtocolError) return error.code === unknownSessionCode && mentionsSession;
  return error.status === 404 || error.status === 410 || (error.status === 400 && mentionsSession);
}

/** Why reconnecting once may help, for the log; undefined if it would not. A token that a helper printed may have expired. */
export function reconnectReason(error: unknown, server: Server, open: OpenTransport): string | undefined {
  if (open.hasSession() && isUnknownSession(error)) return "has forgotten its session";
  const isRefused = isUnauthorized(error) || httpStatusOf(error) === 403;
  if (!isRefused || open.finishLogin !== undefined || !hasHeadersHelper(server)) return undefined;
  return "refuses the headers that its headersHelper printed";
}

function hasHeadersHelper(server: Server): boolean {
  return "headersHelper" in server && server.headersHelper !== undefined;
}

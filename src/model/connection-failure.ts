/** Explains errors of the connection itself by their codes. */
import { isLastingRefusal, isConnectFailure, ProxyUnreachable, TunnelRefused } from "../lib/proxy-errors.ts";
import { errorText } from "../lib/error-text.ts";
import type { ModelFailure } from "../protocol/model.ts";
import { plainText } from "./error-body.ts";
import { localFailure, type FailureContext } from "./failure.ts";

interface Explanation {
  what: string;
  advice: string;
  /** Retrying would fail in the same way. */
  permanent?: true;
}

const nameNotFound: Explanation = {
  what: "cannot be found: its name does not resolve",
  advice: "Check the network and ANTHROPIC_BASE_URL.",
};
const unreachable: Explanation = {
  what: "cannot be reached",
  advice: "Check the network, and HTTPS_PROXY if one is needed.",
};
const connectionReset: Explanation = { what: "closed the connection", advice: "" };
const untrustedCertificate: Explanation = {
  what: "has a certificate that is not trusted",
  advice:
    "If your company runs its own certificate authority, point NODE_EXTRA_CA_CERTS at its certificate, or set NODE_USE_SYSTEM_CA=1 if the system trusts it.",
  permanent: true,
};
const outsideValidity = {
  advice: "Check this machine's clock. If it is right, the server's operator has to fix the certificate.",
  permanent: true,
} as const;
const refusedHandshake: Explanation = {
  what: "refuses a secure connection of this kind",
  advice:
    "It may only speak other versions of TLS, or require a client certificate (CLAUDE_CODE_CLIENT_CERT, CLAUDE_CODE_CLIENT_KEY).",
  permanent: true,
};
const clientCertificateRequired: Explanation = {
  what: "requires a client certificate, and was shown none that it accepts",
  advice: "Set CLAUDE_CODE_CLIENT_CERT and CLAUDE_CODE_CLIENT_KEY to the files of a certificate and its key.",
  permanent: true,
};
const wrongProtocol: Explanation = {
  what: "does not speak the protocol of its address",
  advice: "Check whether ANTHROPIC_BASE_URL (or the proxy's address) needs http:// or https://.",
  permanent: true,
};
/** The same error from a server that has spoken the protocol before. */
const brokenProtocol: Explanation = { what: "broke the rules of its protocol", advice: "" };

const tooManyFiles: Explanation = {
  what: "could not be asked: too many files and connections are open",
  advice: "Raise the limit (ulimit -n), or close what else is running.",
};

const explanations: Record<string, Explanation> = {
  ENOTFOUND: nameNotFound,
  EAI_AGAIN: nameNotFound,
  ECONNRESET: connectionReset,
  ECONNABORTED: connectionReset,
  EPIPE: connectionReset,
  ERR_STREAM_PREMATURE_CLOSE: connectionReset,
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EHOSTDOWN: unreachable,
  ENETDOWN: unreachable,
  EMFILE: tooManyFiles,
  ENFILE: tooManyFiles,
  CERT_HAS_EXPIRED: { what: "has a certificate that has expired", ...outsideValidity },
  CERT_NOT_YET_VALID: { what: "has a certificate that is not valid yet", ...outsideValidity },
  DEPTH_ZERO_SELF_SIGNED_CERT: untrustedCertificate,
  SELF_SIGNED_CERT_IN_CHAIN: untrustedCertificate,
  UNABLE_TO_GET_ISSUER_CERT: untrustedCertificate,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrustedCertificate,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrustedCertificate,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    what: "has a certificate for another name",
    advice:
      "The address has to use a name that the certificate lists; otherwise another server may be answering there.",
    permanent: true,
  },
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: clientCertificateRequired,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: clientCertificateRequired,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: clientCertificateRequired,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: refusedHandshake,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: refusedHandshake,
  EPROTO: wrongProtocol,
  ERR_SSL_WRONG_VERSION_NUMBER: wrongProtocol,
  HPE_INVALID_CONSTANT: wrongProtocol,
  ERR_INVALID_CHAR: {
    what: "was not asked: a header holds a character that cannot be sent",
    advice: "Look for line breaks or letters outside ASCII in the key and in ANTHROPIC_CUSTOM_HEADERS.",
    permanent: true,
  },
  ERR_INVALID_HTTP_TOKEN: {
    what: "was not asked: a header's name cannot be sent",
    advice: "Check ANTHROPIC_CUSTOM_HEADERS.",
    permanent: true,
  },
};

/** Thrown by a misconfigured transport. Its message is a clause for people. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** @param error what the transport, or the body it returned, threw. */
export function failureFromException(error: unknown, context: FailureContext, requestId?: string): ModelFailure {
  const detail = errorText(error);
  if (error instanceof ConfigurationError || isLastingRefusal(error))
    return misconfiguredFailure(`was not asked: ${plainText(detail)}`, context);
  if (error instanceof ProxyUnreachable) return proxyFailure(error, context);
  const code = codeOf(error);
  if (code === "" && isDefect(error))
    return {
      kind: "internal",
      recovery: "none",
      message: `pawl failed while it talked to ${context.endpoint}: ${plainText(detail)}. Please report this.`,
    };
  const { what, advice, permanent } = explainCode(code, context, detail);
  const whatWithCode = code === "" ? `${what}: ${plainText(detail)}` : `${what} (${code})`;
  const more = { advice, detail, ...(requestId === undefined ? {} : { requestId }) };
  if (permanent === true) return misconfiguredFailure(whatWithCode, context, more);
  const failure = localFailure("connection", "retry", whatWithCode, context, more);
  return neverSentCodes.has(code) || isConnectFailure(error) || error instanceof TunnelRefused
    ? markNeverSent(failure, code, context)
    : failure;
}

function misconfiguredFailure(
  what: string,
  context: FailureContext,
  details: { advice?: string; requestId?: string; detail?: string } = {},
): ModelFailure {
  return { ...localFailure("not_configured", "none", what, context, details), neverSent: true };
}

/** An address that has answered before is not wrong: the network is down for a while, or the server is restarting. */
function markNeverSent(failure: ModelFailure, code: string, { hasAnswered }: FailureContext): ModelFailure {
  const isMaybeWrong = hasAnswered !== true && wrongAddressCodes.has(code);
  return isMaybeWrong ? { ...failure, neverSent: true } : { ...failure, neverSent: true, mayPass: true };
}

/** Explains a problem with the proxy itself, so that nobody looks for it at the endpoint. */
function proxyFailure(error: ProxyUnreachable, context: FailureContext): ModelFailure {
  const code = codeOf(error);
  const detail = errorText(error.cause);
  const { what, advice, permanent } = explainCode(code, { ...context, loopback: false }, detail);
  const more = { advice: permanent === true ? advice : "Check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY.", detail };
  const description = `was not asked: ${error.message} ${what} (${code})`;
  if (permanent === true) return misconfiguredFailure(description, context, more);
  return markNeverSent(localFailure("connection", "retry", description, context, more), code, context);
}

/** Codes after which no part of the request can have reached a server, wherever the error occurred. */
const neverSentCodes: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EMFILE", "ENFILE"]);
/** Codes that a wrong address produces. */
const wrongAddressCodes: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND"]);

function explainCode(code: string, context: FailureContext, detail: string): Explanation {
  // A TLS alert shows that the other side speaks TLS, so the protocol is not wrong.
  if (code === "EPROTO" && /\balert\b/u.test(detail)) return refusedHandshake;
  if (code === "ECONNREFUSED") {
    return context.loopback
      ? { what: "refuses connections: nothing listens there", advice: "Start the server, or check ANTHROPIC_BASE_URL." }
      : { what: "refuses connections", advice: "Check ANTHROPIC_BASE_URL, and HTTPS_PROXY if one is set." };
  }
  if (explanations[code] === wrongProtocol && context.hasAnswered === true) return brokenProtocol;
  return explanations[code] ?? { what: "could not be talked to", advice: "" };
}

/** The error comes from a mistake in this program rather than from the connection. */
function isDefect(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError ||
    error instanceof SyntaxError
  );
}

/** The error's code. If several addresses were tried and each failed, the code of the first. */
function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  if ("errors" in error && Array.isArray(error.errors)) return codeOf(error.errors[0]);
  return "cause" in error ? codeOf(error.cause) : "";
}

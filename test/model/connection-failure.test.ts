// Connections that never came to be, and those that cannot be of use.
import { expect, test } from "vitest";
import { TunnelRefused, UnusableProxy } from "../../src/lib/proxy-errors.ts";
import { ConfigurationError, failureFromException } from "../../src/model/connection-failure.ts";
import type { FailureContext } from "../../src/model/failure.ts";

const context: FailureContext = {
  endpoint: "https://api.test",
  model: "claude-sonnet-5-5",
  loopback: false,
  credentials: ["ANTHROPIC_API_KEY"],
  secrets: [],
  now: () => 0,
};

const unconnected = (code: string) => Object.assign(new Error(`connect ${code}`), { code, syscall: "connect" });

test.each<[string, Error, object]>([
  [
    "a name that cannot be resolved at the moment",
    Object.assign(new Error("x"), { code: "EAI_AGAIN" }),
    { mayPass: true },
  ],
  ["an unreachable network", unconnected("ENETUNREACH"), { mayPass: true }],
  ["addresses that do not answer", new AggregateError([unconnected("ETIMEDOUT")]), { mayPass: true }],
  ["a proxy that is temporarily unavailable", new TunnelRefused(new URL("http://proxy.test"), 503), { mayPass: true }],
  ["an unknown host name", Object.assign(new Error("x"), { code: "ENOTFOUND" }), {}],
])("%s: the failure is marked as never sent and may be retried", (_what, error, more) => {
  const { kind, recovery, neverSent, mayPass } = failureFromException(error, context);
  expect({ kind, recovery, neverSent, mayPass }).toEqual({
    kind: "connection",
    recovery: "retry",
    neverSent: true,
    mayPass: undefined,
    ...more,
  });
});

// Seen: a laptop that changed networks in the middle of a run gave up after seven seconds, as for a wrong address.
test.each<[string, Error]>([
  ["a name that no longer resolves", Object.assign(new Error("x"), { code: "ENOTFOUND" })],
  ["a server that is restarting", unconnected("ECONNREFUSED")],
])("%s: after an earlier answer, the address is not taken for wrong", (_what, error) => {
  const failure = failureFromException(error, { ...context, hasAnswered: true });
  expect(failure).toMatchObject({ recovery: "retry", neverSent: true, mayPass: true });
});

// Seen: a proxy that wanted a password used up what a session may cost.
test.each<[string, Error]>([
  ["a proxy that demands a password", new TunnelRefused(new URL("http://proxy.test"), 407)],
  ["a proxy variable that is not a URL", new UnusableProxy("HTTPS_PROXY is not a URL")],
  ["an invalid client certificate", new ConfigurationError("its certificate cannot be read")],
])("%s: the failure is final and marked as never sent", (_what, error) => {
  expect(failureFromException(error, context)).toMatchObject({
    kind: "not_configured",
    recovery: "none",
    neverSent: true,
  });
});

test.each([null, undefined, "gone", new Error("x", { cause: null }), new AggregateError([])])(
  "an error without a code or message (%s) is still a failure with a message",
  (error) => {
    expect(failureFromException(error, context)).toMatchObject({
      kind: expect.any(String),
      message: expect.any(String),
    });
  },
);

test("an error on an established connection is not marked as never sent", () => {
  const late = Object.assign(new Error("read ETIMEDOUT"), { code: "ETIMEDOUT", syscall: "read" });
  expect(failureFromException(late, context)).not.toHaveProperty("neverSent");
});

test.each([
  ["CERT_HAS_EXPIRED", "certificate has expired", /has a certificate that has expired .*Check this machine's clock/u],
  ["CERT_NOT_YET_VALID", "x", /has a certificate that is not valid yet .*Check this machine's clock/u],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "x", /has a certificate for another name .*a name that the certificate lists/u],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "x", /has a certificate that is not trusted .*NODE_EXTRA_CA_CERTS/u],
  [
    "EPROTO",
    "write EPROTO 4:error:0A00042E:SSL routines:ssl3_read_bytes:tlsv1 alert protocol version",
    /refuses a secure connection of this kind .*TLS.*CLAUDE_CODE_CLIENT_CERT/u,
  ],
  ["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", "x", /refuses a secure connection of this kind/u],
  [
    "EPROTO",
    "write EPROTO 4:error:0A00010B:SSL routines::wrong version number",
    /whether .* needs http:\/\/ or https/u,
  ],
])("%s (%s) gets the advice that helps", (code, words, told) => {
  const failure = failureFromException(Object.assign(new Error(words), { code }), context);
  expect(failure).toMatchObject({ kind: "not_configured", recovery: "none", neverSent: true });
  expect(failure.message).toMatch(told);
  if (!code.includes("SELF_SIGNED")) expect(failure.message).not.toContain("NODE_EXTRA_CA_CERTS");
});

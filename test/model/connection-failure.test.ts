// Connections that never came to be, and those that cannot be of use.
import { expect, test } from "vitest";
import { TunnelRefused } from "../../src/lib/proxy-errors.ts";
import { failureFromException } from "../../src/model/connection-failure.ts";
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
  ["a name that cannot be looked up for now", Object.assign(new Error("x"), { code: "EAI_AGAIN" }), { mayPass: true }],
  ["a network that is gone", unconnected("ENETUNREACH"), { mayPass: true }],
  ["addresses that do not answer", new AggregateError([unconnected("ETIMEDOUT")]), { mayPass: true }],
  ["a proxy that refuses for now", new TunnelRefused(new URL("http://proxy.test"), 503), { mayPass: true }],
  ["a name that nobody has", Object.assign(new Error("x"), { code: "ENOTFOUND" }), {}],
])("%s: nothing was sent, and nothing is on the bill", (_what, error, more) => {
  const { kind, recovery, neverSent, mayPass } = failureFromException(error, context);
  expect({ kind, recovery, neverSent, mayPass }).toEqual({
    kind: "connection",
    recovery: "retry",
    neverSent: true,
    mayPass: undefined,
    ...more,
  });
});

test("what was connected before it broke may have been heard", () => {
  const late = Object.assign(new Error("read ETIMEDOUT"), { code: "ETIMEDOUT", syscall: "read" });
  expect(failureFromException(late, context)).not.toHaveProperty("neverSent");
});

/** The network of one confined command: a connection to a proxy of its own, which asks, remembers and reports what was refused. */
import { errorText } from "../../lib/error-text.ts";
import type { Environment } from "../../lib/environment.ts";
import type { PermissionDecision } from "../../protocol/permission.ts";
import type { SandboxCall } from "../../protocol/sandbox.ts";
import type { SandboxSettings } from "../../settings/sandbox.ts";
import type { HostQuestion, RulesInForce } from "../permission-options.ts";
import { allowsSomeHost, hostRuleBehavior } from "./host-rules.ts";
import { httpPort, socksPort, type PortBridge } from "./bubblewrap.ts";
import { isAddressOrLocal, judgeHost } from "./hosts.ts";
import type { HostAnswer, Proxy } from "./proxy.ts";
import type { RefusedHost } from "./violations.ts";

export interface HostPolicy {
  settings: SandboxSettings["network"];
  /** The permission rules as they are now. */
  rules: () => RulesInForce;
  /** The user's environment. */
  environment: Environment;
  /** Default: the system's name resolution. */
  resolve?: (host: string) => Promise<string[]>;
  askAboutHost?: (question: HostQuestion, signal: AbortSignal) => Promise<PermissionDecision>;
}

export interface Network {
  portBridges: PortBridge[];
  refusedHosts(): RefusedHost[];
  environment(variables: Record<string, string>): Record<string, string>;
  close(): void;
}

/** The most refusals that are reported: a command may retry endlessly. */
const maxRefusals = 50;

/** `path`: the path of the socket files to create, without their suffix. */
export async function openNetwork(
  policy: HostPolicy,
  path: string,
  hasBridge: boolean,
  call: SandboxCall,
): Promise<Network> {
  const { httpProxyPort, socksProxyPort, allowedDomains, strictAllowlist } = policy.settings;
  const mayAsk = policy.askAboutHost !== undefined && !strictAllowlist;
  const hasProxies = httpProxyPort !== undefined || socksProxyPort !== undefined;
  const isOpen = hasProxies || allowedDomains.length > 0 || mayAsk || allowsSomeHost(policy.rules());
  const refusals: RefusedHost[] = [];
  if (!hasBridge || !isOpen)
    return { portBridges: [], refusedHosts: () => refusals, environment: () => ({}), close: () => {} };
  const { startProxy, startRelay } = await import("./proxy.ts");
  const over = new AbortController();
  const judge = createHostJudge(policy, call, over.signal);
  const proxies: Proxy[] = [];
  const portBridges: PortBridge[] = [{ port: httpPort, socket: `${path}.http` }];
  const onRefused = (host: string, port: number, why: string): void => {
    if (refusals.length < maxRefusals) refusals.push({ host, port, why });
  };
  proxies.push(
    httpProxyPort === undefined
      ? await startProxy({
          path: `${path}.http`,
          judge,
          onRefused,
          environment: policy.environment,
          ...(policy.resolve === undefined ? {} : { resolve: policy.resolve }),
        })
      : await startRelay(`${path}.http`, httpProxyPort),
  );
  if (socksProxyPort !== undefined) {
    proxies.push(await startRelay(`${path}.socks`, socksProxyPort));
    portBridges.push({ port: socksPort, socket: `${path}.socks` });
  }
  return {
    portBridges,
    refusedHosts: () => refusals,
    environment: (variables) => proxyEnvironment(variables, policy.settings, socksProxyPort !== undefined),
    close() {
      over.abort();
      for (const proxy of proxies) proxy.close();
    },
  };
}

/** Asks at most once for each host and command, however many connections are opened meanwhile. */
export function createHostJudge(
  policy: HostPolicy,
  { input, toolUseId, cwd }: SandboxCall,
  signal: AbortSignal,
): (host: string, port: number) => Promise<HostAnswer> {
  const openQuestions = new Map<string, Promise<HostAnswer>>();
  return async (host, port) => {
    const known = judgeWithoutAsking(host, policy);
    if (known !== "unknown") return known;
    const { askAboutHost, settings } = policy;
    if (askAboutHost === undefined || settings.strictAllowlist) return refuseHost("it is not among the allowed hosts");
    const question = { host, port, command: input.command, toolUseId, cwd };
    const answer = openQuestions.get(host) ?? askAboutHost(question, signal).then(toHostAnswer, refuseWithoutAnswer);
    openQuestions.set(host, answer);
    return await answer;
  };
}

function refuseHost(why: string): HostAnswer {
  return { verdict: "refused", why };
}

function toHostAnswer(decision: PermissionDecision): HostAnswer {
  return decision.behavior === "allow" ? { verdict: "pattern" } : refuseHost(decision.message);
}

function refuseWithoutAnswer(error: unknown): HostAnswer {
  return refuseHost(`nobody could be asked (${errorText(error)})`);
}

function judgeWithoutAsking(host: string, { settings, rules }: HostPolicy): HostAnswer | "unknown" {
  const verdict = judgeHost(host, { allowed: settings.allowedDomains, denied: settings.deniedDomains });
  const ruled = hostRuleBehavior(host, rules());
  if (ruled === "deny") return refuseHost("a permission rule denies it");
  if (verdict === "denied")
    return refuseHost(
      isAddressOrLocal(host)
        ? "addresses and names of this machine or its network are reached only where sandbox.network.allowedDomains lists them"
        : "sandbox.network.deniedDomains lists it",
    );
  if (ruled === "ask") return "unknown";
  if (verdict !== "unknown") return { verdict };
  return ruled === "allow" && !settings.allowManagedDomainsOnly ? { verdict: "pattern" } : "unknown";
}

function proxyEnvironment(
  variables: Record<string, string>,
  { allowedDomains }: HostPolicy["settings"],
  hasSocks: boolean,
): Record<string, string> {
  const proxy = `http://127.0.0.1:${httpPort}`;
  // The inner loopback device is the command's own, unless the user lists the outer one.
  const direct = ["localhost", "127.0.0.1", "::1", "[::1]"].filter((name) => !allowedDomains.includes(name)).join(",");
  const socks = `socks5h://127.0.0.1:${socksPort}`;
  const ssh = `ssh -o ProxyCommand='socat - PROXY:127.0.0.1:%h:%p,proxyport=${httpPort}'`;
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: "1",
    GIT_SSH_COMMAND: variables["GIT_SSH_COMMAND"] ?? ssh,
    ...(hasSocks ? { ALL_PROXY: socks, all_proxy: socks } : null),
  };
}

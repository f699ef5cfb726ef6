/** Where requests go: the base URL with its path prefix, and what an error message may show of it. */
import { basicCredentials } from "../../lib/basic-credentials.ts";
import { isThisMachine } from "../../lib/hosts.ts";

export interface Endpoint {
  /** Absolute URL of an API path such as `/v1/messages`. */
  url(path: string): string;
  /** For people: no credentials, no query. */
  label: string;
  loopback: boolean;
  /** `authorization` from `user:password@` in the base URL. */
  authorization?: string;
  /** Why nothing can be sent there, as a clause for people. */
  problem?: string;
}

export const defaultBaseUrl = "https://api.anthropic.com";

/** @param baseUrl the part before `/v1/messages`; may have a path, a trailing slash, a query and credentials. */
export function readEndpoint(baseUrl: string): Endpoint {
  const base = URL.parse(baseUrl.trim());
  if (base === null) return unusableEndpoint("ANTHROPIC_BASE_URL is not a URL such as https://api.anthropic.com");
  if (base.protocol !== "http:" && base.protocol !== "https:") {
    return unusableEndpoint(`ANTHROPIC_BASE_URL must begin with http:// or https://, not ${base.protocol}`);
  }
  const { origin, search } = base;
  const prefix = base.pathname.replace(/\/+$/, "");
  return {
    url: (path) => `${origin}${prefix}${path}${search}`,
    label: `${origin}${prefix}`,
    loopback: isThisMachine(base.hostname),
    ...(base.username === "" && base.password === "" ? {} : { authorization: basicCredentials(base) }),
  };
}

function unusableEndpoint(problem: string): Endpoint {
  return { url: (path) => `invalid:${path}`, label: "The model", loopback: false, problem };
}

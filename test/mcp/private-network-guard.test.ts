// A server of the web leads nobody into this machine or its network.
import { expect, test } from "vitest";
import { publicNetworkFetch } from "../../src/mcp/private-network-guard.ts";

/** What was asked for, by a server at `url` that answers by `answers`: a status, or a place to go on at. */
function asking(url: string, answers: Record<string, string | number> = {}, oauth = {}) {
  const asked: [url: string, init: RequestInit | undefined][] = [];
  const fetch = publicNetworkFetch({ url, oauth }, async (input: string | URL, init?: RequestInit) => {
    asked.push([String(input), init]);
    const answer = answers[String(input)] ?? 200;
    return typeof answer === "number"
      ? new Response("{}", { status: answer })
      : new Response(null, { status: Number(answer.slice(0, 3)), headers: { location: answer.slice(4) } });
  });
  return { fetch, asked };
}

const inward = [
  "http://127.0.0.1:8080/x",
  "http://localhost/x",
  "http://[::1]/x",
  "http://169.254.169.254/latest/meta-data",
  "http://10.0.0.7/x",
  "http://192.168.1.1/x",
  "http://[::ffff:10.0.0.1]/x",
  "http://2130706433/x",
];

test.each(inward)("does not request %s if a server on the web names it or redirects to it", async (address) => {
  const { fetch, asked } = asking("https://mcp.example/mcp", { "https://mcp.example/mcp": `307 ${address}` });
  await expect(fetch(address)).rejects.toThrow("inside this machine's network");
  expect(asked).toEqual([]);
  await expect(fetch("https://mcp.example/mcp", { method: "POST", body: "{}" })).rejects.toThrow(
    new URL(address).origin,
  );
  expect(asked.map(([url]) => url)).toEqual(["https://mcp.example/mcp"]);
});

test.each([
  "http://127.0.0.1:3000/mcp",
  "http://localhost/mcp",
  "http://10.0.0.3/mcp",
  "http://tools:8080/mcp",
  "http://nas.local/mcp",
  "http://host.docker.internal:3000/mcp",
  "https://mcp.corp.lan./mcp",
])("requests private addresses if the server itself is at %s", async (url) => {
  const { fetch, asked } = asking(url);
  for (const address of inward) await fetch(address);
  expect(asked).toHaveLength(inward.length);
});

test("does not treat a public name or address as private", async () => {
  for (const url of [
    "https://internal.example/mcp",
    "https://local.example/mcp",
    "http://203.0.113.9/mcp",
    "http://[2606:4700::1]/mcp",
  ]) {
    const { fetch } = asking(url);
    await expect(fetch("http://10.0.0.7/x"), url).rejects.toThrow("inside this machine's network");
  }
});

test("says how to permit a private address", async () => {
  const { fetch } = asking("https://mcp.example/mcp");
  await expect(fetch("http://10.0.0.7/.well-known/oauth-authorization-server")).rejects.toThrow(
    "if that is intended, name the address in its configuration: as url, or for the login as oauth.authServerMetadataUrl",
  );
});

test("requests private addresses if the configured login server is private", async () => {
  const oauth = { authServerMetadataUrl: "http://localhost:9/login.json" };
  const { fetch } = asking("https://mcp.example/mcp", {}, oauth);
  expect((await fetch("http://localhost:9/token")).status).toBe(200);
});

test("follows other redirects like fetch, without credentials for another origin", async () => {
  const { fetch, asked } = asking("https://mcp.example/mcp", {
    "https://mcp.example/mcp": "307 /mcp/",
    "https://mcp.example/mcp/": "308 https://other.example/mcp",
    "https://mcp.example/form": "303 /done",
    "https://mcp.example/round": "302 /round",
  });
  const headers = { authorization: "Bearer t", "content-type": "application/json" };
  await fetch("https://mcp.example/mcp", { method: "POST", body: "{}", headers });
  expect(
    asked.map(([url, init]) => [url, init?.method, init?.body, new Headers(init?.headers).get("authorization")]),
  ).toEqual([
    ["https://mcp.example/mcp", "POST", "{}", "Bearer t"],
    ["https://mcp.example/mcp/", "POST", "{}", "Bearer t"],
    ["https://other.example/mcp", "POST", "{}", null],
  ]);
  asked.length = 0;
  await fetch("https://mcp.example/form", { method: "POST", body: "{}", headers });
  expect(asked.at(-1)).toMatchObject(["https://mcp.example/done", { method: "GET", body: undefined }]);
  await expect(fetch("https://mcp.example/round")).rejects.toThrow("more than 20 times");
});

test.each([
  [301, "POST", "GET"],
  [302, "POST", "GET"],
  [303, "POST", "GET"],
  [303, "PUT", "GET"],
  [303, "HEAD", "HEAD"],
  [302, "PUT", "PUT"],
  [307, "POST", "POST"],
  [308, "POST", "POST"],
])(
  "after a redirect with status %i, %s becomes %s, and another origin gets no credentials",
  async (status, method, after) => {
    const { fetch, asked } = asking("https://mcp.example/mcp", {
      "https://mcp.example/mcp": `${status} https://other.example/x`,
    });
    const secret = { authorization: "a", cookie: "b", "proxy-authorization": "c" };
    const headers = { ...secret, "content-type": "text/plain", accept: "d" };
    await fetch("https://mcp.example/mcp", { method, headers, ...(method === "HEAD" ? {} : { body: "x" }) });
    const [url, init] = asked.at(-1) ?? [];
    expect([url, init?.method]).toEqual(["https://other.example/x", after]);
    const sent = new Headers(init?.headers);
    for (const name of Object.keys(secret)) expect(sent.has(name), name).toBe(false);
    expect(sent.get("accept")).toBe("d");
    expect(sent.has("content-type")).toBe(after === method);
  },
);

test("follows no redirect if the caller wants to handle it, and at most twenty otherwise", async () => {
  const round = { "https://mcp.example/mcp": "307 https://mcp.example/mcp" };
  for (const redirect of ["manual", "error"] as const) {
    const { fetch, asked } = asking("https://mcp.example/mcp", round);
    expect((await fetch("https://mcp.example/mcp", { redirect })).status).toBe(307);
    expect(asked).toHaveLength(1);
  }
  const { fetch, asked } = asking("https://mcp.example/mcp", round);
  await expect(fetch("https://mcp.example/mcp")).rejects.toThrow("more than 20 times");
  expect(asked).toHaveLength(21);
});

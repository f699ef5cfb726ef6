// What a page, a name or a redirect may make WebFetch reach: nothing of this machine or its network, unless a rule names it.
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { addressKind } from "../../src/lib/address-kind.ts";
import { readPageUrl } from "../../src/tools/web/page-url.ts";
import { openReading, servePages } from "../tools/web-server.ts";

const plain = { "content-type": "text/plain" };
const nobody = { isNamedHost: () => false };

describe("WebFetch refuses a private address", () => {
  test.each([
    "127.0.0.1",
    "169.254.169.254",
    "10.1.2.3",
    "192.168.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "fe80::1",
    "fd00:ec2::254",
    "64:ff9b::7f00:1",
    "::ffff:0:127.0.0.1",
    "0.0.0.0",
  ])("that a name resolves to: %s", async (address) => {
    expect(addressKind(address)).not.toBe("public");
    const family = address.includes(":") ? (6 as const) : (4 as const);
    const resolve = async () => [
      { address: "93.184.216.34", family: 4 as const },
      { address, family },
    ];
    const { call, pages } = openReading({ ...nobody, resolve });
    const { content, isError } = await call("WebFetch", { url: "https://site.example/", prompt: "?" });
    expect([isError, content]).toEqual([true, expect.stringContaining(`site.example leads to ${address}`)]);
    expect(pages).toEqual([]);
  });

  test.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::1]/",
    "http://[::ffff:7f00:1]/",
    "http://169.254.169.254/latest/meta-data/",
  ])("that is written in the URL: %s", async (url) => {
    const { content, isError } = await openReading(nobody).call("WebFetch", { url, prompt: "?" });
    expect([isError, content]).toEqual([true, expect.stringContaining("this machine or link-local")]);
  });

  test("of this machine behind a public name, even if a rule names the host", async () => {
    const web = { isNamedHost: () => true };
    const { content } = await openReading(web).call("WebFetch", { url: "https://site.example/", prompt: "?" });
    expect(content).toBe("site.example leads to 127.0.0.1, which is this machine or link-local.");
  });

  test("if the name resolves differently when connecting, because it connects to the checked address", async () => {
    const server = await servePages((_, response) => response.writeHead(200, plain).end("secret"));
    const { requestPage } = await import("../../src/tools/web/page-request.ts");
    const asked = {
      url: new URL(`http://site.example:${server.port}/`),
      addresses: [{ address: "127.0.0.1", family: 4 as const }],
      proxy: undefined,
      isNamed: false,
      cookies: new Map<string, string>(),
      mostBytes: 100,
      signal: new AbortController().signal,
    };
    await expect(requestPage(asked)).rejects.toThrow("site.example leads to 127.0.0.1");
    expect(server.asked).toEqual([]);
  });

  test("after a redirect, because it checks every step", async () => {
    let looks = 0;
    const server = await servePages((_, response) => response.writeHead(302, { location: "/next" }).end());
    const isNamedHost = (): boolean => server.asked.length === 0;
    const resolve = async () => {
      looks += 1;
      return [{ address: "127.0.0.1", family: 4 as const }];
    };
    const { call } = openReading({ isNamedHost, resolve });
    const { content } = await call("WebFetch", { url: `http://localhost:${server.port}/`, prompt: "?" });
    expect(content).toContain("localhost leads to 127.0.0.1");
    expect([server.asked, looks]).toEqual([["/"], 2]);
  });
});

test.each([
  ["file:///etc/passwd", "not by file:"],
  ["ftp://a.example/", "not by ftp:"],
  ["https://user:secret@a.example/", "user name or password"],
  ["nonsense", "not the address of a page"],
  [`https://a.example/${"x".repeat(3_000)}`, "longer than"],
])("WebFetch refuses %s", (url, why) => {
  expect(() => readPageUrl(url, () => true)).toThrow(why);
});

test("WebFetch uses https for all hosts except a local one that a rule names", () => {
  expect(readPageUrl("http://a.example./x#y", () => true).href).toBe("https://a.example/x");
  expect(readPageUrl("http://localhost:80/", () => true).href).toBe("http://localhost/");
  expect(readPageUrl("http://localhost/", () => false).href).toBe("https://localhost/");
});

test("WebFetch stops reading a page that never ends or that is a compression bomb", async () => {
  const bomb = gzipSync(Buffer.alloc(20 << 20, "a"), { level: 9 });
  const server = await servePages(({ url }, response) => {
    if (url === "/bomb") return void response.writeHead(200, { ...plain, "content-encoding": "gzip" }).end(bomb);
    response.writeHead(200, plain);
    const more = (): void => {
      while (!response.destroyed && response.write("b".repeat(65_536)));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  });
  const { call, pages } = openReading({ limits: { bytes: 90_000 } });
  for (const path of ["/bomb", "/endless"])
    expect((await call("WebFetch", { url: server.url + path, prompt: "?" })).content).toContain("its end is missing");
  expect(pages.map(({ text }) => text.length)).toEqual([90_000, 90_000]);
});

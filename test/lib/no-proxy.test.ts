// Which hosts are reached without the proxy.
import { expect, test } from "vitest";
import { bypassesProxy } from "../../src/lib/no-proxy.ts";

test.each<[string | undefined, string, boolean]>([
  [undefined, "http://a.example.com", false],
  ["", "http://localhost", false],
  ["*", "http://a.example.com", true],
  ["example.com", "http://example.com", true],
  ["example.com", "http://a.b.example.com", true],
  [".example.com", "https://a.example.com", true],
  ["*.example.com", "https://a.example.com", true],
  [".example.com", "https://example.com", true],
  ["example.com", "http://notexample.com", false],
  ["EXAMPLE.com", "http://a.Example.COM.", true],
  ["a.com, b.com  c.com", "http://c.com", true],
  ["example.com:8080", "http://example.com:8080", true],
  ["example.com:8080", "http://example.com", false],
  ["example.com:443", "https://example.com", true],
  ["localhost", "http://localhost:1234", true],
  ["localhost", "http://127.0.0.1", false],
  ["127.0.0.1", "http://127.0.0.1:1", true],
  ["127.0.0.0/8", "http://127.8.9.1", true],
  ["10.0.0.0/8,192.168.0.0/16", "http://192.168.4.4", true],
  ["10.0.0.0/8", "http://11.0.0.1", false],
  ["10.0.0.0/99", "http://10.0.0.1", false],
  ["10.0.0.0/8", "http://a10.0.0.0.example", false],
  ["::1", "http://[::1]:80", true],
  ["[::1]:80", "http://[::1]", true],
  ["fd00::/8", "http://[fd12::1]", true],
  ["fd00::/8", "http://10.0.0.1", false],
  [",, ,", "http://a.com", false],
  [".", "http://a.com", false],
])("NO_PROXY=%s, %s: %s", (list, url, expected) => {
  expect(bypassesProxy(list, new URL(url))).toBe(expected);
});

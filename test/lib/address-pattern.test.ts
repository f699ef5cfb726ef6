import { describe, expect, test } from "vitest";
import { allowsAddress, matchesStars } from "../../src/lib/address-pattern.ts";

describe("an address pattern", () => {
  test.each([
    ["https://example.com/*", "https://example.com/a"],
    ["https://example.com/*", "https://example.com/"],
    ["https://*.example.com/a", "https://x.example.com/a"],
    ["https://*.example.com/*", "https://x.y.example.com/a/b?c=d"],
    ["https://example.com:*/*", "https://example.com:8443/a"],
    ["https://example.com*", "https://example.com/a?b"],
    ["https://example.com", "https://example.com"],
    ["*://example.com/a", "http://example.com/a"],
    ["*example.com/a", "https://any.test/example.com/a"],
    ["*", "https://any.test/"],
  ])("%s allows %s", (pattern, url) => {
    expect(allowsAddress(pattern, url)).toBe(true);
  });

  test.each([
    ["https://example.com/*", "https://example.com.evil.org/a"],
    ["https://example.com/*", "http://example.com/a"],
    ["https://example.com", "https://example.com/a"],
    ["https://*.example.com/a", "https://evil.org/x.example.com/a"],
    ["https://*.example.com/a", "https://evil.org?x.example.com/a"],
    ["https://*.example.com/a", "https://evil.org#x.example.com/a"],
    ["https://*.example.com/a", String.raw`https://evil.org\x.example.com/a`],
    ["https://example.com:*/a", "https://example.com:x@evil.org/a"],
    ["https://example.com*", "https://example.com:x@evil.org/a"],
    ["https://*/a", "https://evil.org/b"],
  ])("%s does not allow %s", (pattern, url) => {
    expect(allowsAddress(pattern, url)).toBe(false);
  });
});

test("matchesStars lets a star match any text, and the pieces between stars do not overlap", () => {
  expect(matchesStars("https://*.example.com/a", "https://evil.org/x.example.com/a")).toBe(true);
  expect(matchesStars("a*b*c", "abxbc")).toBe(true);
  expect(matchesStars("ab*ba", "aba")).toBe(false);
  expect(matchesStars("a*", "ba")).toBe(false);
  expect(matchesStars("*a", "ab")).toBe(false);
});

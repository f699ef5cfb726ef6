/** Reads the attributes of HTML tags. */

const longestLink = 500;

export function isHidden(attributes: Record<string, string>): boolean {
  if ("hidden" in attributes || attributes["aria-hidden"] === "true") return true;
  return /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/iu.test(attributes["style"] ?? "");
}

export function leadingInteger(text: string | undefined): number | undefined {
  const digits = /^\s*(-?\d{1,9})/u.exec(text ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function isVoidElement(name: string): boolean {
  return /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/u.test(name);
}

/** The picture is not fetched, and its address is not passed on. */
export function pictureText({ alt = "" }: Record<string, string>): string {
  const text = alt.replaceAll(/\s+/gu, " ").trim();
  return text === "" ? "" : `[picture: ${text}]`;
}

/** The base address of a page. The caller keeps the first valid one. */
export function baseUrlOf({ href = "" }: Record<string, string>, page: URL): URL | undefined {
  const target = linkTarget(href, page);
  return target === undefined ? undefined : new URL(target);
}

/** Where a meta refresh leads; undefined for a page that reloads itself, as pages with news do. */
export function refreshTarget(attributes: Record<string, string>, page: URL, base = page): string | undefined {
  if (attributes["http-equiv"]?.trim().toLowerCase() !== "refresh") return undefined;
  const to = /^[\s\d.]*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/iu.exec(attributes["content"] ?? "")?.[1];
  const target = to === undefined ? undefined : linkTarget(to.trim(), base);
  return target === page.href ? undefined : target;
}

export function linkTarget(href: string, base: URL): string | undefined {
  if (href === "" || href.startsWith("#") || !URL.canParse(href, base.href)) return undefined;
  const url = new URL(href, base);
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  return url.href.length > longestLink ? undefined : url.href.replaceAll(")", "%29");
}

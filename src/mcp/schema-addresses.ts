/**
 * References by the addresses and anchors that a schema gives its parts (`$id`, `$anchor`), rewritten as paths within the schema:
 * what is sent keeps neither. A reference to an address that no part has stays as it is.
 */
import { isObject, type Json, type JsonObject } from "../lib/json.ts";

interface SchemaResource {
  address: string;
  /** The path within the schema: empty for the whole. */
  path: string;
}

/** Relative addresses need something that they are relative to. */
const unnamed = "schema:///";
/** Deeper parts are not sent. */
const maxDepth = 60;
/** Their values are data, and no schemas. */
const dataKeywords: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);

/** Returns the schema itself if its parts have no addresses. */
export function withPathReferences(schema: JsonObject): JsonObject {
  const paths = new Map<string, string>();
  const whole = { address: unnamed, path: "" };
  noteAddresses(schema, "", whole, paths, 0);
  if (paths.size === 0) return schema;
  if (!paths.has(unnamed)) paths.set(unnamed, "");
  return rewritten(schema, "", whole, paths, 0) as JsonObject;
}

function noteAddresses(value: Json, path: string, outer: SchemaResource, paths: Map<string, string>, depth: number) {
  if (typeof value !== "object" || value === null || depth > maxDepth) return;
  const resource = resourceAt(value, path, outer);
  if (resource !== outer && !paths.has(resource.address)) paths.set(resource.address, path);
  const { $id, $anchor } = isObject(value) ? value : {};
  const anchor = typeof $id === "string" && $id.startsWith("#") ? $id.slice(1) : $anchor;
  if (typeof anchor === "string" && anchor !== "") paths.set(`${resource.address}#${anchor}`, path);
  for (const [key, below] of Object.entries(value) as [string, Json][])
    if (!dataKeywords.has(key)) noteAddresses(below, `${path}/${escaped(key)}`, resource, paths, depth + 1);
}

function rewritten(
  value: Json,
  path: string,
  outer: SchemaResource,
  paths: ReadonlyMap<string, string>,
  depth: number,
): Json {
  if (typeof value !== "object" || value === null || depth > maxDepth) return value;
  const resource = resourceAt(value, path, outer);
  const below = (key: string, item: Json): Json =>
    dataKeywords.has(key) ? item : rewritten(item, `${path}/${escaped(key)}`, resource, paths, depth + 1);
  if (Array.isArray(value)) return value.map((item, at) => below(String(at), item));
  const entries = Object.entries(value).map(([key, item]): [string, Json] => [
    key,
    key === "$ref" && typeof item === "string" ? pathReference(item, resource, paths) : below(key, item),
  ]);
  return Object.fromEntries(entries);
}

function resourceAt(value: Json, path: string, outer: SchemaResource): SchemaResource {
  const { $id } = isObject(value) ? value : {};
  if (typeof $id !== "string" || $id.startsWith("#")) return outer;
  const address = URL.parse($id, outer.address)?.href.replace(/#.*$/u, "");
  return address === undefined ? outer : { address, path };
}

function pathReference(reference: string, { address }: SchemaResource, paths: ReadonlyMap<string, string>): string {
  const [, document = "", fragment = ""] = /^([^#]*)#?(.*)$/u.exec(URL.parse(reference, address)?.href ?? "") ?? [];
  const path = paths.get(document);
  if (fragment === "" || fragment.startsWith("/")) return path === undefined ? reference : `#${path}${fragment}`;
  const anchored = paths.get(`${document}#${fragment}`);
  return anchored === undefined ? reference : `#${anchored}`;
}

/** A key as a step of a path. */
function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1")).replaceAll("%24", "$");
}

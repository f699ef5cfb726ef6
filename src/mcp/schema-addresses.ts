/**
 * References by the addresses and anchors that a schema gives its parts (`$id`, `$anchor`), rewritten as paths within the schema:
 * what is sent keeps neither. A reference to an address that no part has stays as it is.
 */
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import { schemaTables } from "./schema-references.ts";

interface SchemaResource {
  address: string;
  /** The path within the schema: empty for the whole. */
  path: string;
}

/** A value within the schema. */
interface Place {
  path: string;
  /** The resource that it belongs to, or that contains the one it begins. */
  outer: SchemaResource;
  depth: number;
  /** Its keys are names of schemas, and no keywords. */
  isTable: boolean;
}

/** Relative addresses need something that they are relative to. */
const unnamed = "schema:///";
/** Deeper parts are not sent. */
const maxDepth = 60;
/** Objects and lists. A server of this process may use the same ones in many places. */
const maxParts = 100_000;
/** A longer reference is not sent. */
const maxReference = 1_024;
/** Their values are data, and no schemas. */
const dataKeywords: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);

/** Returns the schema itself if its parts have no addresses; undefined if it has too many parts to be sent. */
export function withPathReferences(schema: JsonObject): JsonObject | undefined {
  const whole: Place = { path: "", outer: { address: unnamed, path: "" }, depth: 0, isTable: false };
  const paths = new AddressPaths();
  paths.note(schema, whole);
  if (paths.isTooLarge) return undefined;
  if (paths.isEmpty) return schema;
  return rewritten(schema, whole, paths) as JsonObject;
}

class AddressPaths {
  readonly #paths = new Map<string, string>();
  #partsLeft = maxParts;

  get isEmpty(): boolean {
    return this.#paths.size === 0;
  }

  get isTooLarge(): boolean {
    return this.#partsLeft < 0;
  }

  /** Notes the addresses and anchors of the value and its parts. */
  note(value: Json, place: Place): void {
    if (typeof value !== "object" || value === null || place.depth > maxDepth) return;
    this.#partsLeft -= 1;
    if (this.isTooLarge) return;
    const resource = resourceAt(value, place);
    if (resource !== place.outer && !this.#paths.has(resource.address)) this.#paths.set(resource.address, place.path);
    const { $id, $anchor } = isObject(value) && !place.isTable ? value : {};
    const anchor = typeof $id === "string" && $id.startsWith("#") ? $id.slice(1) : $anchor;
    if (typeof anchor === "string" && anchor !== "") this.#paths.set(`${resource.address}#${anchor}`, place.path);
    for (const [key, below] of Object.entries(value) as [string, Json][])
      if (isSchemaKey(key, place)) this.note(below, placeBelow(key, resource, place));
  }

  /** The path to an address or anchor, if a part has it. */
  find(address: string): string | undefined {
    return this.#paths.get(address) ?? (address === unnamed ? "" : undefined);
  }
}

function rewritten(value: Json, place: Place, paths: AddressPaths): Json {
  if (typeof value !== "object" || value === null || place.depth > maxDepth) return value;
  const resource = resourceAt(value, place);
  const below = (key: string, item: Json): Json => {
    if (!isSchemaKey(key, place)) return item;
    if (key === "$ref" && typeof item === "string" && !place.isTable) return pathReference(item, resource, paths);
    return rewritten(item, placeBelow(key, resource, place), paths);
  };
  if (Array.isArray(value)) return value.map((item, at) => below(String(at), item));
  return Object.fromEntries(Object.entries(value).map(([key, item]): [string, Json] => [key, below(key, item)]));
}

function isSchemaKey(key: string, { isTable }: Place): boolean {
  return isTable || !dataKeywords.has(key);
}

function placeBelow(key: string, outer: SchemaResource, { path, depth, isTable }: Place): Place {
  return {
    path: `${path}/${escaped(key)}`,
    outer,
    depth: depth + 1,
    isTable: !isTable && schemaTables.has(key),
  };
}

function resourceAt(value: Json, { path, outer, isTable }: Place): SchemaResource {
  const { $id } = isObject(value) && !isTable ? value : {};
  if (typeof $id !== "string" || $id.startsWith("#")) return outer;
  const address = URL.parse($id, outer.address)?.href.replace(/#.*$/u, "");
  return address === undefined ? outer : { address, path };
}

function pathReference(reference: string, { address }: SchemaResource, paths: AddressPaths): string {
  const [, document = "", fragment = ""] = /^([^#]*)#?(.*)$/u.exec(URL.parse(reference, address)?.href ?? "") ?? [];
  const isPath = fragment === "" || fragment.startsWith("/");
  const path = paths.find(isPath ? document : `${document}#${fragment}`);
  if (path === undefined || path.length > maxReference) return reference;
  return isPath ? `#${path}${fragment}` : `#${path}`;
}

/** A key as a step of a path. No path leads through a key that is not well-formed. */
function escaped(key: string): string {
  const step = key.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1");
  return encodeURIComponent(step).replaceAll("%24", "$");
}

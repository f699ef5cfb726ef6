/** Reads the values of a server's configuration, checks their types, and fills in the environment. */
import { addressForDisplay } from "../lib/basic-credentials.ts";
import type { Environment } from "../lib/environment.ts";
import { isThisMachine } from "../lib/hosts.ts";
import { isObject, type Json } from "../lib/json.ts";
import { expand } from "./expand.ts";

/** Keeps the first problem. */
export class ConfigValues {
  problem: string | undefined;
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  text(key: string, value: Json | undefined): string {
    if (typeof value !== "string") {
      if (value !== undefined) this.problem ??= `"${key}" should be a text`;
      return "";
    }
    if (value.includes("\0")) this.problem ??= `"${key}" holds a NUL`;
    const filled = expand(value, this.#env);
    if (filled.ok) return filled.text;
    this.problem ??= `"${key}" needs ${missingVariableText(filled.missing)}`;
    return "";
  }

  port(key: string, value: Json): number {
    const port = typeof value === "number" ? value : Number(this.text(key, value) || Number.NaN);
    if (!(Number.isInteger(port) && port >= 1 && port <= 65_535))
      this.problem ??= `"${key}" should be a port, from 1 to 65535`;
    return port;
  }

  /** Whatever is read at this address decides where tokens and secrets go. */
  secureAddress(key: string, value: Json): string {
    const address = this.text(key, value);
    const url = URL.parse(address);
    const isSecure = url?.protocol === "https:" || (url?.protocol === "http:" && isThisMachine(url.hostname));
    if (!isSecure || addressForDisplay(address) !== address)
      this.problem ??= `"${key}" should be an address that begins with https://`;
    return address;
  }

  texts(key: string, value: Json | undefined): string[] {
    if (value === undefined) return [];
    if (Array.isArray(value)) return value.map((item, at) => this.text(`${key}[${at}]`, item));
    this.problem ??= `"${key}" should be a list of texts`;
    return [];
  }

  table(key: string, value: Json | undefined): Record<string, string> {
    const table = Object.create(null) as Record<string, string>;
    if (value === undefined) return table;
    if (!isObject(value)) this.problem ??= `"${key}" should be an object of texts`;
    for (const [name, item] of isObject(value) ? Object.entries(value) : []) {
      const isPlain = typeof item === "number" || typeof item === "boolean";
      table[name] = this.text(`${key}.${name}`, isPlain ? String(item) : item);
    }
    return table;
  }
}

function missingVariableText(name: string): string {
  if (/^CLAUDE_PLUGIN_(?:ROOT|DATA)$/u.test(name))
    return `the environment variable ${name}, which only servers of plugins have; --plugin-dir loads a folder as a plugin`;
  const option = /^CLAUDE_PLUGIN_OPTION_(\w+)$/u.exec(name)?.[1];
  return option === undefined
    ? `the environment variable ${name}, which is not set; a default is written \${${name}:-value}`
    : `the plugin's option ${option.toLowerCase()}, which pluginConfigs in your own settings do not set`;
}

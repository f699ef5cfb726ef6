/**
 * Remembers servers that did not answer the protocol-version question but worked otherwise: waiting for the answer would take most
 * of every start. Kept for a while by address, in a file of the user's.
 */
import { dirname } from "node:path";
import { replaceFileSync } from "../lib/atomic-write.ts";
import { errorText } from "../lib/error-text.ts";
import { tryParseRecord } from "../lib/try-parse-json.ts";
import { makeFolders } from "../lib/make-folders.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import type { McpConnectionStatus } from "../protocol/mcp.ts";
import type { Server } from "./server.ts";
import { hexDigest } from "./hex-digest.ts";

const maxServers = 500;
const maxBytes = 256 * 1024;
/** How long an entry is kept, ms: the server may be newer after that. */
const retentionMs = 7 * 24 * 60 * 60 * 1_000;

interface SilentServersOptions {
  path: string;
  /** ms since 1970. */
  now: () => number;
  debug: (line: string) => void;
}

export class SilentServers {
  readonly #options: SilentServersOptions;
  readonly #notedUrls = new Set<string>();
  #stored: Map<string, number> | undefined;

  constructor(options: SilentServersOptions) {
    this.#options = options;
  }

  has(url: string): boolean {
    this.#stored ??= this.#read();
    return this.#stored.has(keyOf(url));
  }

  /** The server did not answer; the outcome of the attempt is not known yet. */
  note(url: string): void {
    this.#notedUrls.add(url);
  }

  /** Reports the outcome of an attempt. If a server known to be silent fails, it is asked again next time. */
  noteAttempt({ server, status }: { server: Server; status: McpConnectionStatus }): void {
    if (server.type !== "http") return;
    const { url } = server;
    const wasSilent = this.#notedUrls.delete(url);
    if (status !== "connected" && this.has(url)) this.forget(url);
    if (status === "connected" && wasSilent) this.#change(url, (stored, key) => stored.set(key, this.#options.now()));
  }

  /** The server may be newer by now. */
  forget(url: string): void {
    this.#change(url, () => undefined);
  }

  #change(url: string, change: (stored: Map<string, number>, key: string) => void): void {
    // Another session may have written meanwhile.
    const stored = (this.#stored = this.#read());
    stored.delete(keyOf(url));
    change(stored, keyOf(url));
    this.#write(stored);
  }

  #read(): Map<string, number> {
    const read = readRegularFile(this.#options.path, maxBytes);
    const entries = Object.entries((read.ok ? tryParseRecord(read.text) : undefined) ?? {});
    const least = this.#options.now() - retentionMs;
    return new Map(entries.flatMap(([key, at]) => (typeof at === "number" && at > least ? [[key, at]] : [])));
  }

  #write(stored: ReadonlyMap<string, number>): void {
    const { path, debug } = this.#options;
    const text = JSON.stringify(Object.fromEntries([...stored].slice(-maxServers)));
    try {
      makeFolders(dirname(path), 0o700);
      replaceFileSync(path, `${text}\n`);
    } catch (error) {
      debug(`mcp servers that are silent cannot be kept: ${errorText(error)}`);
    }
  }
}

/** A hash, because an address may contain a key. */
function keyOf(url: string): string {
  return hexDigest(url, 32);
}

/** What logging in to servers left: clients and tokens in one file of the user's own, each bound to the address it was given for. */
import { createHash } from "node:crypto";
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { writeFileAtomically } from "../lib/atomic-write.ts";
import { lockLimitMs, withFileLock } from "../lib/file-lock.ts";
import { recordIn } from "../lib/json-in.ts";
import { makeFolders } from "../lib/make-folders.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import { dirname } from "node:path";

export interface StoredAuth {
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
  discovery?: OAuthDiscoveryState;
  /** Where a configuration had the login server looked for when `discovery` was found; absent: where the server itself says. */
  metadataUrl?: string;
  /** The client was registered with it. */
  redirectUrl?: string;
  /** Given by hand, for the client that a configuration names, and for the login server that is found by the same `metadataUrl`. */
  secret?: { clientId: string; value: string; metadataUrl?: string };
  /** What calls were refused for want of, with blanks between: the next login asks for it. */
  scope?: string;
}

export interface Forgotten {
  hadLogin: boolean;
  /** It is gone, too. */
  hadSecret: boolean;
}

const maxBytes = 4 * 1024 * 1024;
/** Longer than a login server may think about a renewal, ms. */
const renewalLimitMs = 30_000;

export class AuthStore {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Read anew each time: another session may have got new tokens. */
  get(name: string, url: string): StoredAuth {
    return this.#all()[keyOf(name, url)] ?? {};
  }

  /** One write at a time, of all sessions: each begins with what the one before left. */
  async change(name: string, url: string, change: (auth: StoredAuth) => void): Promise<void> {
    makeFolders(dirname(this.#path), 0o700);
    await this.#write((all) => {
      const auth = { ...all[keyOf(name, url)] };
      change(auth);
      all[keyOf(name, url)] = auth;
    });
  }

  /**
   * Takes out what is kept under this name, for whatever address, and with `keepsSecret` all but secrets given by hand. Whoever renews a
   * login meanwhile is waited for, and would write it anew otherwise. Answers what there was.
   */
  async forget(name: string, keepsSecret: boolean): Promise<Forgotten> {
    const forgotten = { hadLogin: false, hadSecret: false };
    for (const key of Object.keys(this.#all()).filter((each) => nameOf(each) === name))
      await this.#renewing(key, () =>
        this.#write((all) => {
          const { tokens, secret } = all[key] ?? {};
          forgotten.hadLogin ||= tokens !== undefined;
          forgotten.hadSecret ||= secret !== undefined && !keepsSecret;
          if (secret !== undefined && keepsSecret) all[key] = { secret };
          else delete all[key];
        }),
      );
    return forgotten;
  }

  /** One renewal of a login at a time, of all sessions: what renews it is good for one time. */
  renewing<T>(name: string, url: string, work: () => Promise<T>): Promise<T> {
    return this.#renewing(keyOf(name, url), work);
  }

  #renewing<T>(key: string, work: () => Promise<T>): Promise<T> {
    return withFileLock(`${this.#path}.${hashOf(key)}.lock`, renewalLimitMs, work);
  }

  #write(change: (all: Record<string, StoredAuth>) => void): Promise<void> {
    return withFileLock(`${this.#path}.lock`, lockLimitMs, async () => {
      const all = this.#all();
      change(all);
      await writeFileAtomically(this.#path, Buffer.from(`${JSON.stringify(all)}\n`), { mode: 0o600, flush: true });
    });
  }

  #all(): Record<string, StoredAuth> {
    const read = readRegularFile(this.#path, maxBytes);
    // A torn file costs a login.
    return read.ok ? ((recordIn(read.text) ?? {}) as Record<string, StoredAuth>) : {};
  }
}

function keyOf(name: string, url: string): string {
  return `${name}|${hashOf(url)}`;
}

function nameOf(key: string): string {
  return key.slice(0, key.lastIndexOf("|"));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

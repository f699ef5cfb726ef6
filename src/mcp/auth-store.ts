/** What logins to servers left: clients and tokens in one file of the user's, each bound to the address it was given for. */
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { writeFileAtomically } from "../lib/atomic-write.ts";
import { lockLimitMs, withFileLock } from "../lib/file-lock.ts";
import { tryParseRecord } from "../lib/try-parse-json.ts";
import { makeFolders } from "../lib/make-folders.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import { dirname } from "node:path";
import { hexDigest } from "./hex-digest.ts";

export interface StoredAuth {
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
  discovery?: OAuthDiscoveryState;
  /** The configured metadata address with which `discovery` was found; absent: the server's own was used. */
  metadataUrl?: string;
  /** The redirect URL the client was registered with. */
  redirectUrl?: string;
  /** Entered by hand, for the configured client, and for the login server found through the same `metadataUrl`. */
  secret?: { clientId: string; value: string; metadataUrl?: string };
  /** Scopes, separated by spaces, that calls were refused for lack of: the next login asks for them. */
  scope?: string;
}

export interface ForgottenAuth {
  hadLogin: boolean;
  /** The secret was removed, too. */
  hadSecret: boolean;
}

const maxBytes = 4 * 1024 * 1024;
/** Longer than a login server may take for a renewal, ms. */
const renewalLimitMs = 30_000;

export class AuthStore {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Read again each time: another session may have got new tokens. */
  get(name: string, url: string): StoredAuth {
    return this.#readAll()[keyOf(name, url)] ?? {};
  }

  /** One write at a time across all sessions: each starts from what the previous one left. */
  async change(name: string, url: string, change: (auth: StoredAuth) => void): Promise<void> {
    makeFolders(dirname(this.#path), 0o700);
    await this.#write((entries) => {
      const auth = { ...entries[keyOf(name, url)] };
      change(auth);
      entries[keyOf(name, url)] = auth;
    });
  }

  /**
   * Removes everything kept under this name, for any address; with `keepsSecret`, secrets entered by hand stay. Waits for a renewal
   * in progress, which would otherwise write the login again. Returns what there was.
   */
  async forget(name: string, keepsSecret: boolean): Promise<ForgottenAuth> {
    const forgotten = { hadLogin: false, hadSecret: false };
    for (const key of Object.keys(this.#readAll()).filter((each) => nameOf(each) === name))
      await this.#withKeyRenewalLock(key, () =>
        this.#write((entries) => {
          const { tokens, secret } = entries[key] ?? {};
          forgotten.hadLogin ||= tokens !== undefined;
          forgotten.hadSecret ||= secret !== undefined && !keepsSecret;
          if (secret !== undefined && keepsSecret) entries[key] = { secret };
          else delete entries[key];
        }),
      );
    return forgotten;
  }

  /** One renewal of a login at a time across all sessions: a refresh token may only be used once. */
  withRenewalLock<T>(name: string, url: string, work: () => Promise<T>): Promise<T> {
    return this.#withKeyRenewalLock(keyOf(name, url), work);
  }

  #withKeyRenewalLock<T>(key: string, work: () => Promise<T>): Promise<T> {
    return withFileLock(`${this.#path}.${hexDigest(key, 16)}.lock`, renewalLimitMs, work);
  }

  #write(change: (entries: Record<string, StoredAuth>) => void): Promise<void> {
    return withFileLock(`${this.#path}.lock`, lockLimitMs, async () => {
      const entries = this.#readAll();
      change(entries);
      await writeFileAtomically(this.#path, Buffer.from(`${JSON.stringify(entries)}\n`), { mode: 0o600, flush: true });
    });
  }

  #readAll(): Record<string, StoredAuth> {
    const read = readRegularFile(this.#path, maxBytes);
    // If the file is torn, the user has to log in again.
    return read.ok ? ((tryParseRecord(read.text) ?? {}) as Record<string, StoredAuth>) : {};
  }
}

function keyOf(name: string, url: string): string {
  return `${name}|${hexDigest(url, 16)}`;
}

function nameOf(key: string): string {
  return key.slice(0, key.lastIndexOf("|"));
}

/** What logging in to servers left: clients and tokens in one file of the user's own, each bound to the address it was given for. */
import { createHash } from "node:crypto";
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { writeFileAtomically } from "../lib/atomic-write.ts";
import { recordIn } from "../lib/json-in.ts";
import { makeFolders } from "../lib/make-folders.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import { dirname } from "node:path";

export interface StoredAuth {
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
  discovery?: OAuthDiscoveryState;
  /** The client was registered with it. */
  redirectUrl?: string;
}

const maxBytes = 4 * 1024 * 1024;

export class AuthStore {
  readonly #path: string;
  /** One write at a time: each begins with what the one before left. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Read anew each time: another session may have got new tokens. */
  get(name: string, url: string): StoredAuth {
    return this.#all()[keyOf(name, url)] ?? {};
  }

  async change(name: string, url: string, change: (auth: StoredAuth) => void): Promise<void> {
    const written = this.#last.then(async () => {
      const all = this.#all();
      const auth = { ...all[keyOf(name, url)] };
      change(auth);
      all[keyOf(name, url)] = auth;
      makeFolders(dirname(this.#path), 0o700);
      await writeFileAtomically(this.#path, Buffer.from(`${JSON.stringify(all)}\n`), { mode: 0o600 });
    });
    this.#last = written.catch(() => undefined);
    await written;
  }

  #all(): Record<string, StoredAuth> {
    const read = readRegularFile(this.#path, maxBytes);
    // A torn file costs a login.
    return read.ok ? ((recordIn(read.text) ?? {}) as Record<string, StoredAuth>) : {};
  }
}

function keyOf(name: string, url: string): string {
  return `${name}|${createHash("sha256").update(url).digest("hex").slice(0, 16)}`;
}

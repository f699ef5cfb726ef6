/** One server over the life of a session: connected, lost, connected again; its listings, and calls to it. */
import { errorText } from "../lib/error-text.ts";
import { UnauthorizedError, type Client } from "@modelcontextprotocol/client";
import { untilAbort } from "../lib/until-abort.ts";
import type { McpConnectionStatus } from "../protocol/mcp.ts";
import { connectFailure, isRefusedLogin, staleBy } from "./connect-failure.ts";
import { lastWords } from "./given-secrets.ts";
import { Inventory } from "./inventory.ts";
import { introductionOf, newClient } from "./new-client.ts";
import { openTransport } from "./open-transport.ts";
import type { Server } from "./server.ts";
import { TimeLimit } from "./time-limit.ts";
import { Uses } from "./uses.ts";
import type { OpenTransport } from "./way.ts";
import type { McpWorld } from "./world.ts";

/** Maximum number of attempts to restore a lost connection, and the first wait between them, ms. */
const maxAttempts = 5;
const firstDelayMs = 1_000;
/** A server may require another permission, and ask for a second login. */
const maxLogins = 2;
/** A connection that held for this long resets the count of attempts, ms. */
const steadyMs = 60_000;
/** The least time between attempts when a call retries a server that was given up, ms. */
const retryMs = 10_000;

export class Connection {
  server: Server;
  readonly inventory: Inventory;
  status: McpConnectionStatus = "pending";
  /** One sentence, if the server is not connected. */
  error: string | undefined;
  serverInfo: { name: string; version: string } | undefined;
  instructions = "";
  readonly #world: McpWorld;
  #client: Client | undefined;
  #open: OpenTransport | undefined;
  #connecting: Promise<void> | undefined;
  #attempts = 0;
  #logins = 0;
  #connectedAt = 0;
  #triedAt = -Infinity;
  #wasThere = false;
  #stopTimer: (() => void) | undefined;
  /** The time limit of the latest attempt. */
  #limit: TimeLimit | undefined;
  readonly #uses = new Uses<Client>();
  /** Connections that are being closed. Closing the session waits for them. */
  readonly #endings = new Set<Promise<unknown>>();
  #isClosed = false;
  /** No connection should be attempted. */
  isOff = false;
  /** How often the server was switched on or off. */
  #changes = 0;

  constructor(server: Server, world: McpWorld) {
    this.server = server;
    this.#world = world;
    this.inventory = new Inventory(server, world);
  }

  get client(): Client | undefined {
    return this.status === "connected" ? this.#client : undefined;
  }

  /** Never rejects: the result is in `status`. Only one attempt runs at a time. */
  connect(): Promise<void> {
    this.#stopTimer?.();
    if (this.isOff || this.status === "connected") return Promise.resolve();
    this.#connecting ??= this.#attempt().finally(() => {
      this.#connecting = undefined;
      this.#world.onAttempt?.(this, this.#world.clock.elapsed() - this.#triedAt);
    });
    return this.#connecting;
  }

  async reconnect(): Promise<void> {
    if (!(await this.#letGo()) || this.#isClosed) return;
    this.isOff = false;
    this.#attempts = 0;
    this.#wasThere = false;
    this.status = "pending";
    await this.connect();
  }

  /** Replaces the server under the same name. */
  async replace(server: Server): Promise<void> {
    this.server = server;
    await this.reconnect();
  }

  /** @param why one sentence, if the server is not simply switched off. */
  async disable(why?: string): Promise<void> {
    if (await this.#letGo()) [this.status, this.error] = ["disabled", why];
  }

  /**
   * Returns the result of `work` with the connected client; throws if it is not connected in time. If the server has forgotten
   * the session or refuses old headers, reconnects and calls `work` again: the refused call had no effect.
   */
  async use<T>(signal: AbortSignal, work: (client: Client) => Promise<T>, isAnew = false): Promise<T> {
    const client = await this.#ready(signal);
    const open = this.#open;
    try {
      return await this.#uses.during(client, work(client));
    } catch (error) {
      const stale = isAnew || open === undefined ? undefined : staleBy(error, this.server, open);
      if (open !== undefined && stale !== undefined) {
        if (this.#client === client) this.#beginAnew(client, open, stale);
        return await this.use(signal, work, true);
      }
      if (isRefusedLogin(error) && open?.finishLogin === undefined) throw await this.#loggedOut(client, error);
      throw error;
    }
  }

  async #ready(signal: AbortSignal): Promise<Client> {
    if (this.status === "pending" || this.#mayTryAgain()) await untilAbort(this.connect(), signal);
    const { client } = this;
    if (client !== undefined) return client;
    throw this.#unusable(this.error ?? (this.status === "disabled" ? "it is switched off" : "it is not connected"));
  }

  #unusable(why: string): Error {
    return new Error(`The MCP server ${this.server.name} cannot be used: ${why}`);
  }

  /** The server was connected once and may be available again, for example after a longer outage or a login elsewhere. */
  #mayTryAgain(): boolean {
    const isGone = this.status === "failed" || this.status === "needs-auth";
    return isGone && this.#wasThere && this.#world.clock.elapsed() - this.#triedAt >= retryMs;
  }

  /** Replaces the client. Other requests that the old one sent may still be answered. */
  #beginAnew(client: Client, open: OpenTransport, why: string): void {
    this.#world.debug(`mcp ${JSON.stringify(this.server.name)} ${why}; it is started again`);
    this.#client = undefined;
    this.#open = undefined;
    this.status = "pending";
    client.onclose = undefined as never;
    this.#keep(this.#uses.idle(client).then(() => open.close(true)));
  }

  async #loggedOut(client: Client, error: unknown): Promise<Error> {
    const { status, why } = connectFailure(error, this.server, "", 0);
    if (this.#client === client) {
      this.status = status;
      this.error = why;
      await this.#drop();
    }
    return this.#unusable(why);
  }

  /** Completes a login that a call began; the call can then be repeated. Returns false if nobody can be asked. */
  async finishLogin(): Promise<boolean> {
    if (this.#open?.finishLogin === undefined) return false;
    await this.#open.finishLogin();
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#uses.end();
    await this.#letGo();
    [this.status, this.error] = ["disabled", "the session was closed"];
    await Promise.all(this.#endings);
  }

  /** Ends the connection, even one being made. Returns false if another change was requested meanwhile, which takes precedence. */
  async #letGo(): Promise<boolean> {
    const change = (this.#changes += 1);
    this.isOff = true;
    this.#stopTimer?.();
    this.#limit?.end(new Error("it is no longer wanted"));
    await this.#drop();
    await this.#connecting;
    await this.#drop();
    return change === this.#changes;
  }

  killNow(): void {
    this.#limit?.end(new Error("it is no longer wanted"));
    this.#open?.killNow();
  }

  async #attempt(): Promise<void> {
    const { connectMs } = this.#world;
    this.status = "pending";
    const limit = (this.#limit = new TimeLimit(this.#world.clock, connectMs));
    const { signal } = limit;
    let open: OpenTransport | undefined;
    try {
      this.#triedAt = this.#world.clock.elapsed();
      open = await openTransport(this.server, this.#world, (why) => this.#wayLost(open, why), signal);
      if (this.isOff) return await open.close();
      this.#open = open;
      const client = await this.#connectedClient(open, signal);
      if (client === undefined) return await this.#attempt();
      const isStale = await this.inventory.look(client, { signal, timeout: connectMs });
      this.#connected(client);
      if (isStale) this.#noteListChange(client);
    } catch (error) {
      const why: unknown = signal.aborted ? signal.reason : error;
      const failure = connectFailure(why, this.server, open?.lastErrors() ?? "", connectMs);
      this.status = failure.status;
      this.error = failure.why;
      this.#world.debug(`mcp ${JSON.stringify(this.server.name)} ${failure.status}: ${failure.why}`);
      await this.#drop();
      if (failure.status === "failed" && (this.#wasThere || failure.mayPass)) this.#later();
    } finally {
      limit.stop();
    }
  }

  /** Undefined if another attempt is needed: the user has just logged in, or the server should be asked for its protocol version. */
  async #connectedClient(open: OpenTransport, signal: AbortSignal): Promise<Client | undefined> {
    const client = newClient(this.server, this.#world, open.mayNegotiate, {
      toolsOrPrompts: () => this.#noteListChange(client),
      resources: () => this.inventory.noteResources(),
    });
    client.onclose = () => this.#lost(client);
    try {
      // A transport that only opens has no time limit of its own.
      await untilAbort(client.connect(open.transport, { timeout: this.#world.connectMs, signal }), signal);
      return client;
    } catch (error) {
      const isNewer = open.isNewer?.(error) === true;
      if (!isNewer && !(error instanceof UnauthorizedError && this.#logins < maxLogins && (await this.finishLogin())))
        throw error;
      if (!isNewer) this.#logins += 1;
      await this.#drop();
      return undefined;
    }
  }

  #connected(client: Client): void {
    this.#client = client;
    this.inventory.changeClient();
    ({ serverInfo: this.serverInfo, instructions: this.instructions } = introductionOf(client));
    this.status = "connected";
    this.error = undefined;
    this.#wasThere = true;
    this.#connectedAt = this.#world.clock.elapsed();
  }

  #noteListChange(client: Client): void {
    if (this.#client !== client) return this.inventory.noteChange(client);
    // If another client has listed meanwhile, its listing counts.
    const look = async (): Promise<void> => (this.#client === client ? this.inventory.lookAgain(client) : undefined);
    this.inventory.changes.note(look, (looking) => this.#keep(looking));
  }

  /** Runs work that nobody awaits where it began. Errors go to the log, and closing the session waits for it. */
  #keep(work: Promise<unknown>): void {
    const kept: Promise<unknown> = work
      .catch((error: unknown) => this.#world.debug(`mcp ${JSON.stringify(this.server.name)} ${errorText(error)}`))
      .finally(() => this.#endings.delete(kept));
    this.#endings.add(kept);
  }

  /** A lost transport. The client's own close event does not tell: an HTTP transport whose stream has ended is still open. */
  #wayLost(open: OpenTransport | undefined, why: string): void {
    if (open === undefined || this.#open !== open) return;
    if (this.#client === undefined) this.#keep(open.close());
    else this.#lost(this.#client, why);
  }

  #lost(client: Client, why = "its connection was lost"): void {
    if (this.#client !== client || this.status !== "connected") return;
    const said = this.#open?.lastErrors() ?? "";
    this.#keep(this.#drop());
    if (this.#world.clock.elapsed() - this.#connectedAt >= steadyMs) this.#attempts = 0;
    this.error = `${why}${lastWords(said, this.server)}`;
    this.status = "failed";
    this.#later();
  }

  /** Tries again after a while, unless it was tried too often. A server that was never connected is not reported as pending. */
  #later(): void {
    if (this.isOff || this.#attempts >= maxAttempts) return;
    if (this.#wasThere) this.status = "pending";
    const delay = firstDelayMs * 2 ** this.#attempts * (0.75 + this.#world.random() / 2);
    this.#stopTimer?.();
    this.#stopTimer = this.#world.clock.timer(delay, () => {
      this.#attempts += 1;
      this.#keep(this.connect());
    });
  }

  /** Lets go of the connection, if there is one. */
  async #drop(): Promise<void> {
    const [client, open] = [this.#client, this.#open];
    this.#client = undefined;
    this.#open = undefined;
    if (client !== undefined) client.onclose = undefined as never;
    // The transport's owner closes it first: a client would close it without notifying the server.
    await Promise.allSettled([open?.close()]);
    await Promise.allSettled([client?.close()]);
  }
}

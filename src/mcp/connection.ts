/** One server over the life of a session: connected, lost, connected again; its listings, and calls to it. */
import { errorText } from "../lib/error-text.ts";
import { UnauthorizedError, type Client } from "@modelcontextprotocol/client";
import { PendingWork } from "../lib/pending-work.ts";
import { rejectOnAbort } from "../lib/reject-on-abort.ts";
import type { McpConnectionStatus } from "../protocol/mcp.ts";
import { connectFailure, isUnauthorized, reconnectReason } from "./connect-failure.ts";
import { lastOutputText } from "./server-secrets.ts";
import { Inventory } from "./inventory.ts";
import { introductionOf, createClient } from "./new-client.ts";
import { openTransport } from "./open-transport.ts";
import type { Server } from "./server.ts";
import { callAfterRests, createRestingRequest, maxRestMs } from "./server-rest.ts";
import { TimeLimit } from "./time-limit.ts";
import { InFlightRequests } from "./in-flight-requests.ts";
import { ReconnectSchedule } from "./reconnect-schedule.ts";
import type { OpenTransport } from "./transport.ts";
import type { McpWorld } from "./world.ts";

/** A server may require another permission, and ask for a second login. */
const maxLogins = 2;
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
  #logins = 0;
  #triedAt = -Infinity;
  #wasConnected = false;
  readonly #schedule: ReconnectSchedule;
  /** The time limit of the latest attempt. */
  #limit: TimeLimit | undefined;
  readonly #inFlight = new InFlightRequests<Client>();
  /** Work that nobody awaits where it began, such as closing a connection. Closing the session waits for it. */
  readonly #pendingWork = new PendingWork();
  #isClosed = false;
  /** No connection should be attempted. */
  isOff = false;
  /** How often the server was switched on or off. */
  #switchCount = 0;
  readonly #log = (text: string): void => this.#world.debug(`mcp ${JSON.stringify(this.server.name)} ${text}`);

  constructor(server: Server, world: McpWorld) {
    this.server = server;
    this.#world = world;
    this.#schedule = new ReconnectSchedule(world);
    this.inventory = new Inventory(server, world);
  }

  get client(): Client | undefined {
    return this.status === "connected" ? this.#client : undefined;
  }

  /** Never rejects: the result is in `status`. Only one attempt runs at a time. */
  connect(): Promise<void> {
    this.#schedule.cancel();
    if (this.isOff || this.status === "connected") return Promise.resolve();
    this.#connecting ??= this.#attempt().finally(() => {
      this.#connecting = undefined;
      this.#world.onAttempt?.(this, this.#world.clock.elapsed() - this.#triedAt);
    });
    return this.#connecting;
  }

  async reconnect(): Promise<void> {
    if (!(await this.#switchOff()) || this.#isClosed) return;
    this.isOff = false;
    this.#schedule.resetCount();
    [this.status, this.#wasConnected] = ["pending", false];
    await this.connect();
  }

  /** Replaces the server under the same name. */
  async replace(server: Server): Promise<void> {
    this.server = server;
    await this.reconnect();
  }

  /** @param why one sentence, if the server is not simply switched off. */
  async disable(why?: string): Promise<void> {
    if (await this.#switchOff()) [this.status, this.error] = ["disabled", why];
  }

  /**
   * Returns the result of `work` with the connected client; throws if it is not connected in time. If the server wants the call later, or
   * has forgotten the session or refuses old headers, calls `work` again, after a new connection: the refused call had no effect.
   */
  use<T>(signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> {
    const call = () => this.#use(signal, work);
    return callAfterRests(call, this.#world, signal, this.#log);
  }

  async #use<T>(signal: AbortSignal, work: (client: Client) => Promise<T>, isRetry = false): Promise<T> {
    const client = await this.#readyClient(signal);
    const open = this.#open;
    try {
      return await this.#inFlight.track(client, work(client));
    } catch (error) {
      const stale = isRetry || open === undefined ? undefined : reconnectReason(error, this.server, open);
      if (open !== undefined && stale !== undefined) {
        if (this.#client === client) this.#replaceClient(client, open, stale);
        return await this.#use(signal, work, true);
      }
      if (isUnauthorized(error) && open?.finishLogin === undefined) throw await this.#handleRefusedLogin(client, error);
      throw error;
    }
  }

  async #readyClient(signal: AbortSignal): Promise<Client> {
    if (this.status === "pending" || this.#mayRetry()) await rejectOnAbort(this.connect(), signal);
    const { client } = this;
    if (client !== undefined) return client;
    const why = this.status === "disabled" ? "it is switched off" : "it is not connected";
    throw this.#unusableError(this.error ?? why);
  }

  #unusableError(why: string): Error {
    return new Error(`The MCP server ${this.server.name} cannot be used: ${why}`);
  }

  /** The server was connected once and may be available again, for example after a longer outage or a login elsewhere. */
  #mayRetry(): boolean {
    const isGone = this.status === "failed" || this.status === "needs-auth";
    return isGone && this.#wasConnected && this.#world.clock.elapsed() - this.#triedAt >= retryMs;
  }

  /** Replaces the client. Other requests that the old one sent may still be answered. */
  #replaceClient(client: Client, open: OpenTransport, why: string): void {
    this.#log(`${why}; it is started again`);
    this.#client = undefined;
    this.#open = undefined;
    this.status = "pending";
    client.onclose = undefined as never;
    this.#trackDetached(this.#inFlight.whenIdle(client).then(() => open.close(true)));
  }

  async #handleRefusedLogin(client: Client, error: unknown): Promise<Error> {
    const { status, why } = connectFailure(error, this.server, "", 0);
    if (this.#client === client) {
      [this.status, this.error] = [status, why];
      await this.#dropConnection();
    }
    return this.#unusableError(why);
  }

  /** Completes a login that a call began; the call can then be repeated. Returns false if nobody can be asked. */
  async finishLogin(): Promise<boolean> {
    if (this.#open?.finishLogin === undefined) return false;
    await this.#open.finishLogin();
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#inFlight.stopWaiting();
    await this.#switchOff();
    [this.status, this.error] = ["disabled", "the session was closed"];
    await this.#pendingWork.settled();
  }

  /** Ends the connection, even one being made. Returns false if another change was requested meanwhile, which takes precedence. */
  async #switchOff(): Promise<boolean> {
    const change = (this.#switchCount += 1);
    this.isOff = true;
    this.#schedule.cancel();
    this.#limit?.end(new Error("it is no longer wanted"));
    await this.#dropConnection();
    await this.#connecting;
    await this.#dropConnection();
    return change === this.#switchCount;
  }

  killNow(): void {
    this.#limit?.end(new Error("it is no longer wanted"));
    this.#open?.killNow();
  }

  async #attempt(): Promise<void> {
    const { connectMs } = this.#world;
    // Nobody waits for a server that was never connected: until it is, what counts is why it failed.
    if (this.status !== "failed" || this.#wasConnected) this.status = "pending";
    const limit = (this.#limit = new TimeLimit(this.#world.clock, connectMs));
    const { signal } = limit;
    const askWithRests = createRestingRequest(this.#world, this.#log);
    let open: OpenTransport | undefined;
    try {
      this.#triedAt = this.#world.clock.elapsed();
      open = await openTransport(this.server, this.#world, (why) => this.#onTransportLost(open, why), signal);
      if (this.isOff) return await open.close();
      this.#open = open;
      const client = await this.#connectClient(open, signal);
      if (client === undefined) return await this.#attempt();
      const limits = { signal, timeout: connectMs, acceptsPart: true, askWithRests };
      const isStale = await this.inventory.refresh(client, limits);
      this.#onConnected(client);
      if (isStale) this.#noteListChange(client);
    } catch (error) {
      const why: unknown = signal.aborted ? signal.reason : error;
      const reason = open?.explainFailure === undefined ? why : open.explainFailure(why);
      const failure = connectFailure(reason, this.server, open?.lastWords() ?? "", connectMs);
      [this.status, this.error] = [failure.status, failure.why];
      this.#log(`${failure.status}: ${failure.why}`);
      await this.#dropConnection();
      if (failure.status === "failed" && (this.#wasConnected || failure.isTemporary))
        this.#scheduleRetry(failure.restMs);
    } finally {
      limit.stop();
    }
  }

  /** Undefined if another attempt is needed: the user has just logged in, or the server should be asked for its protocol version. */
  async #connectClient(open: OpenTransport, signal: AbortSignal): Promise<Client | undefined> {
    const client = createClient(this.server, this.#world, open.mayNegotiate, {
      toolsOrPrompts: () => this.#noteListChange(client),
      resources: () => this.inventory.noteResourceChange(),
    });
    client.onclose = () => this.#onClientLost(client);
    try {
      // A transport that only opens has no time limit of its own.
      await rejectOnAbort(client.connect(open.transport, { timeout: this.#world.connectMs, signal }), signal);
      return client;
    } catch (error) {
      const needsNegotiation = open.needsNegotiation?.(error) === true;
      if (
        !needsNegotiation &&
        !(error instanceof UnauthorizedError && this.#logins < maxLogins && (await this.finishLogin()))
      )
        throw error;
      if (!needsNegotiation) this.#logins += 1;
      await this.#dropConnection();
      return undefined;
    }
  }

  #onConnected(client: Client): void {
    this.#client = client;
    this.inventory.resetChanges();
    ({ serverInfo: this.serverInfo, instructions: this.instructions } = introductionOf(client));
    [this.status, this.error] = ["connected", undefined];
    this.#wasConnected = true;
    this.#schedule.noteConnected();
  }

  #noteListChange(client: Client): void {
    if (this.#client !== client) return this.inventory.noteChange(client);
    // If another client has listed meanwhile, its listing counts.
    const look = async (): Promise<void> =>
      this.#client === client ? this.inventory.refreshAfterChange(client) : undefined;
    this.inventory.changes.noteChange(look, (looking) => this.#trackDetached(looking));
  }

  /** Runs work that nobody awaits where it began. Errors go to the log, and closing the session waits for it. */
  #trackDetached(work: Promise<unknown>): void {
    this.#pendingWork.add(work.catch((error: unknown) => this.#log(errorText(error))));
  }

  /** A lost transport. The client's own close event does not tell: an HTTP transport whose stream has ended is still open. */
  #onTransportLost(open: OpenTransport | undefined, why: string): void {
    if (open === undefined || this.#open !== open) return;
    if (this.#client === undefined) this.#trackDetached(open.close());
    else this.#onClientLost(this.#client, why);
  }

  #onClientLost(client: Client, why = this.#open?.howItEnded?.() ?? "its connection was lost"): void {
    if (this.#client !== client || this.status !== "connected") return;
    this.error = `${why}${lastOutputText(this.#open?.lastWords() ?? "", this.server)}`;
    this.#trackDetached(this.#dropConnection());
    this.#schedule.noteLost();
    this.status = "failed";
    this.#scheduleRetry();
  }

  /** Tries again after a while, unless it was tried too often. A server that is gone for longer than a request waits counts as failed. */
  #scheduleRetry(leastMs = 0): void {
    if (this.isOff || this.#schedule.isUsedUp) return;
    if (this.#wasConnected && leastMs <= maxRestMs) this.status = "pending";
    this.#schedule.start(() => this.#trackDetached(this.connect()), leastMs);
  }

  /** Lets go of the connection, if there is one. */
  async #dropConnection(): Promise<void> {
    const [client, open] = [this.#client, this.#open];
    this.#client = undefined;
    this.#open = undefined;
    if (client !== undefined) client.onclose = undefined as never;
    // The transport's owner closes it first: a client would close it without notifying the server.
    await Promise.allSettled([open?.close()]);
    await Promise.allSettled([client?.close()]);
  }
}

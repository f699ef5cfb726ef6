/** One server over the life of a session: connected, lost, connected again; what it lists, and calls of it. */
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

/** Attempts to get a lost connection back, and waits between them, ms. */
const maxAttempts = 5;
const firstDelayMs = 1_000;
/** A server may want a further permission, and ask once more. */
const maxLogins = 2;
/** A connection that held for this long starts the count anew, ms. */
const steadyMs = 60_000;
/** Between a server's being given up and a call's trying it again, ms. */
const retryMs = 10_000;

export class Connection {
  server: Server;
  readonly inventory: Inventory;
  status: McpConnectionStatus = "pending";
  /** One sentence, where it is not connected. */
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
  /** Of the latest attempt. */
  #limit: TimeLimit | undefined;
  readonly #uses = new Uses<Client>();
  /** Ends that are under way: whoever closes the session waits for them. */
  readonly #endings = new Set<Promise<unknown>>();
  #isClosed = false;
  /** Nobody is to look for it. */
  isOff = false;
  /** How often it was switched on or off. */
  #changes = 0;

  constructor(server: Server, world: McpWorld) {
    this.server = server;
    this.#world = world;
    this.inventory = new Inventory(server, world);
  }

  get client(): Client | undefined {
    return this.status === "connected" ? this.#client : undefined;
  }

  /** Never rejects: what came of it is in `status`. One attempt at a time. */
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

  /** The same name, served by another one. */
  async replace(server: Server): Promise<void> {
    this.server = server;
    await this.reconnect();
  }

  /** `why`: one sentence, where it is not simply switched off. */
  async disable(why?: string): Promise<void> {
    if (await this.#letGo()) [this.status, this.error] = ["disabled", why];
  }

  /**
   * What `work` has of the client, once it is connected; throws where it is not and does not become so in time. Where the server has
   * forgotten who asks, or no longer takes their headers, it is told anew and asked again: what was refused for that has had no effect.
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

  /** It was there once, and may be there again: a server that was away for longer, one that was logged in to elsewhere. */
  #mayTryAgain(): boolean {
    const isGone = this.status === "failed" || this.status === "needs-auth";
    return isGone && this.#wasThere && this.#world.clock.elapsed() - this.#triedAt >= retryMs;
  }

  /** What else it was asked may be answered still. */
  #beginAnew(client: Client, open: OpenTransport, why: string): void {
    this.#world.debug(`mcp ${JSON.stringify(this.server.name)} ${why}; it is begun anew`);
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

  /** Ends a login that a call began; the call can then be made again. False where nobody can be asked. */
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

  /** What is coming to be ends with its way. False where somebody has asked for something else meanwhile, which counts then. */
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

  /** Undefined where it is to be tried again: a person had to log in first, and has, or it is to be asked how new it is. */
  async #connectedClient(open: OpenTransport, signal: AbortSignal): Promise<Client | undefined> {
    const client = newClient(this.server, this.#world, open.mayNegotiate, {
      toolsOrPrompts: () => this.#noteListChange(client),
      resources: () => this.inventory.noteResources(),
    });
    client.onclose = () => this.#lost(client);
    try {
      // A way that only opens has no end of its own.
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
    // What another one has listed meanwhile counts.
    const look = async (): Promise<void> => (this.#client === client ? this.inventory.lookAgain(client) : undefined);
    this.inventory.changes.note(look, (looking) => this.#keep(looking));
  }

  /** Nobody awaits it where it began; what comes of it is told in the log. */
  #keep(work: Promise<unknown>): void {
    const kept: Promise<unknown> = work
      .catch((error: unknown) => this.#world.debug(`mcp ${JSON.stringify(this.server.name)} ${errorText(error)}`))
      .finally(() => this.#endings.delete(kept));
    this.#endings.add(kept);
  }

  /** Its end says nothing: a way over HTTP whose stream has ended is open still. */
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

  /** Once more after a while, unless it was tried too often. One that was never there is not waited for. */
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
    // Closed by whoever opened it: a client would say nothing to the server first.
    await Promise.allSettled([open?.close()]);
    await Promise.allSettled([client?.close()]);
  }
}

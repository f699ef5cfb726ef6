/** One server over the life of a session: connected, lost, connected again; what it lists, and calls of it. */
import { Client, UnauthorizedError, type ElicitResult } from "@modelcontextprotocol/client";
import type { McpConnectionStatus } from "../protocol/mcp.ts";
import { connectFailure } from "./connect-failure.ts";
import { cleanText } from "./definition.ts";
import { answerElicitation } from "./elicit.ts";
import { Inventory } from "./inventory.ts";
import { openTransport, type OpenTransport } from "./open-transport.ts";
import type { Server } from "./server.ts";
import type { McpWorld } from "./world.ts";

/** Attempts to get a lost connection back, and waits between them, ms. */
const maxAttempts = 5;
const firstDelayMs = 1_000;
/** A server may want a further permission, and ask once more. */
const maxLogins = 2;
/** A connection that held for this long starts the count anew, ms. */
const steadyMs = 60_000;

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
  #stopTimer: (() => void) | undefined;
  /** Ends that are under way: whoever closes the session waits for them. */
  readonly #endings = new Set<Promise<unknown>>();
  #isClosed = false;

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
    if (this.#isClosed || this.status === "connected") return Promise.resolve();
    this.#connecting ??= this.#attempt().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** Anew, whatever was before. */
  async reconnect(): Promise<void> {
    await this.#connecting;
    await this.#drop();
    this.#attempts = 0;
    this.status = "pending";
    await this.connect();
  }

  /** The same name, served by another one. */
  async replace(server: Server): Promise<void> {
    await this.#connecting;
    this.server = server;
    await this.reconnect();
  }

  /** `why`: one sentence, where it is not simply switched off. */
  async disable(why?: string): Promise<void> {
    this.#stopTimer?.();
    await this.#connecting;
    this.status = "disabled";
    this.error = why;
    await this.#drop();
  }

  /** The client, once it is connected; throws where it is not and does not become so in time. */
  async ready(signal: AbortSignal): Promise<Client> {
    if (this.status === "pending") await untilAbort(this.connect(), signal);
    const { client } = this;
    if (client !== undefined) return client;
    const why = this.error ?? (this.status === "disabled" ? "it is switched off" : "it is not connected");
    throw new Error(`The MCP server ${this.server.name} cannot be used: ${why}`);
  }

  /** Ends a login that a call began; the call can then be made again. False where nobody can be asked. */
  async finishLogin(): Promise<boolean> {
    if (this.#open?.finishLogin === undefined) return false;
    await this.#open.finishLogin();
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer?.();
    await this.#drop();
    await this.#connecting;
    await this.#drop();
    await Promise.all(this.#endings);
  }

  killNow(): void {
    this.#open?.killNow();
  }

  async #attempt(): Promise<void> {
    const { connectMs } = this.#world;
    this.status = "pending";
    const ended = new AbortController();
    const stop = this.#world.clock.timer(connectMs, () =>
      ended.abort(new Error(`it took longer than ${connectMs / 1_000} s`)),
    );
    let open: OpenTransport | undefined;
    try {
      open = await openTransport(this.server, this.#world);
      if (this.#isClosed) return await open.close();
      this.#open = open;
      const client = await this.#connectedClient(open, ended.signal);
      if (client === undefined) return await this.#attempt();
      await this.inventory.refresh(client, { signal: ended.signal, timeout: connectMs });
      this.#connected(client);
    } catch (error) {
      const failure = connectFailure(
        ended.signal.aborted ? ended.signal.reason : error,
        this.server,
        open?.lastErrors() ?? "",
        connectMs,
      );
      this.status = failure.status;
      this.error = failure.why;
      this.#world.debug(`mcp ${JSON.stringify(this.server.name)} ${failure.status}: ${failure.why}`);
      await this.#drop();
    } finally {
      stop();
    }
  }

  /** Undefined where a person had to log in first, and has. */
  async #connectedClient(open: OpenTransport, signal: AbortSignal): Promise<Client | undefined> {
    const client = this.#newClient(open.mayNegotiate);
    try {
      await client.connect(open.transport, { timeout: this.#world.connectMs, signal });
      return client;
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || open.finishLogin === undefined || this.#logins >= maxLogins)
        throw error;
      this.#logins += 1;
      await open.finishLogin();
      await this.#drop();
      return undefined;
    }
  }

  #newClient(mayNegotiate: boolean): Client {
    const { version, elicit, cwd } = this.#world;
    const changed = { autoRefresh: false, debounceMs: 200, onChanged: (): void => this.#listChanged() };
    const client = new Client(
      { name: "pawl", version },
      {
        capabilities: { roots: {}, elicitation: { form: { applyDefaults: true }, url: {} } },
        listChanged: { tools: changed, prompts: changed },
        jsonSchemaValidator: {
          getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
        },
        ...(mayNegotiate ? { versionNegotiation: { mode: "auto" as const } } : {}),
      },
    );
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: `file://${encodeURI(cwd)}` }] }));
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
      const answer = await answerElicitation(this.server.name, params, elicit, mcpReq.signal);
      return answer as ElicitResult;
    });
    client.onerror = (error) =>
      this.#world.debug(`mcp ${JSON.stringify(this.server.name)} ${cleanText(error.message, 500)}`);
    client.onclose = () => this.#lost(client);
    return client;
  }

  #connected(client: Client): void {
    this.#client = client;
    const info = client.getServerVersion();
    this.serverInfo =
      info === undefined ? undefined : { name: cleanText(info.name, 100), version: cleanText(info.version, 50) };
    this.instructions = cleanText(client.getInstructions() ?? "", 2_048);
    this.status = "connected";
    this.error = undefined;
    this.#connectedAt = this.#world.clock.elapsed();
  }

  #listChanged(): void {
    const { client } = this;
    if (client === undefined) return;
    const timeout = this.#world.connectMs;
    this.#keep(this.inventory.refresh(client, { signal: AbortSignal.timeout(timeout), timeout }));
  }

  /** Nobody awaits it where it began; what comes of it is told in the log. */
  #keep(work: Promise<unknown>): void {
    const kept: Promise<unknown> = work
      .catch((error: unknown) => this.#world.debug(`mcp ${JSON.stringify(this.server.name)} ${String(error)}`))
      .finally(() => this.#endings.delete(kept));
    this.#endings.add(kept);
  }

  #lost(client: Client): void {
    if (this.#client !== client || this.status !== "connected") return;
    const said = this.#open?.lastErrors() ?? "";
    this.#keep(this.#drop());
    const held = this.#world.clock.elapsed() - this.#connectedAt;
    if (held >= steadyMs) this.#attempts = 0;
    this.error = `its connection was lost${said === "" ? "" : `; it said: ${cleanText(said.slice(-300), 300)}`}`;
    if (this.#isClosed || this.#attempts >= maxAttempts) {
      this.status = "failed";
      return;
    }
    this.status = "pending";
    this.#later();
  }

  #later(): void {
    const { clock } = this.#world;
    const delay = firstDelayMs * 2 ** this.#attempts * (0.75 + this.#world.random() / 2);
    this.#attempts += 1;
    this.#stopTimer = clock.timer(delay, () => this.#keep(this.#again()));
  }

  async #again(): Promise<void> {
    await this.connect();
    if (this.status !== "failed" || this.#isClosed || this.#attempts >= maxAttempts) return;
    this.status = "pending";
    this.#later();
  }

  /** Lets go of the connection, if there is one. */
  async #drop(): Promise<void> {
    const [client, open] = [this.#client, this.#open];
    this.#client = undefined;
    this.#open = undefined;
    if (client !== undefined) client.onclose = undefined as never;
    await Promise.allSettled([client?.close(), open?.close()]);
  }
}

/** Rejects with the reason where the signal aborts first. */
export function untilAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new Error("it was cancelled"));
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort);
    const done = (): void => signal.removeEventListener("abort", onAbort);
    work.then(
      (value) => {
        done();
        resolve(value);
      },
      (error: unknown) => {
        done();
        reject(error as Error);
      },
    );
  });
}

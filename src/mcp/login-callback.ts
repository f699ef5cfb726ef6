/** The address on this machine to which the browser returns at the end of a login. */
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterMs } from "../lib/after-ms.ts";
import { errorText } from "../lib/error-text.ts";
import { oneLine } from "../lib/sanitize.ts";
import { systemCode } from "../lib/system-reason.ts";
import { UsageError } from "../lib/usage-error.ts";

const loginMs = 5 * 60_000;
const page = (text: string): string => `<!doctype html><title>pawl</title><p>${text}`;
const answerPage = page("pawl has the answer. You may close this window.");
const strangerPage = page(
  "This belongs to another login, perhaps an earlier one. Open the address that pawl showed last.",
);

/** The login server refused the login. `reason` is its error code, `described` its explanation for people. */
export class LoginRefused extends Error {
  readonly reason: string;

  constructor(reason: string, described: string) {
    super(`the login was refused (${oneLine(reason, 100)})${described === "" ? "" : `: ${oneLine(described, 180)}`}`);
    this.reason = reason;
  }
}

export class LoginCallbackServer {
  readonly #server: HttpServer;
  readonly #answers: URLSearchParams[] = [];
  #wake = (): void => {};
  /** The state of the request whose answer is awaited. */
  #awaitedState: string | undefined;

  constructor() {
    this.#server = createServer((request, response) => {
      // Any program on this machine may send requests, even with invalid URLs.
      const { pathname, searchParams } = URL.parse(request.url ?? "/", "http://127.0.0.1") ?? {};
      const isAnswer = pathname === "/callback" && (searchParams?.has("code") || searchParams?.has("error"));
      if (isAnswer !== true || searchParams === undefined)
        return void response.writeHead(404, { "content-type": "text/html" }).end();
      const isStranger = this.#awaitedState !== undefined && searchParams.get("state") !== this.#awaitedState;
      response.writeHead(isStranger ? 400 : 200, { "content-type": "text/html" });
      response.end(isStranger ? strangerPage : answerPage);
      this.#answers.push(searchParams);
      this.#wake();
    });
  }

  /** Listens on the port used before if it is free, or else on any free port. */
  async open(port: number, host: string): Promise<string> {
    const failed = await this.#tryListen(port);
    if (failed !== undefined && (await this.#tryListen(0)) !== undefined)
      throw new Error("no port of this machine is free for the answer");
    return this.#address(host);
  }

  /** Listens on this port only: a client registered by hand can only return to it. */
  async openAt(port: number, host: string): Promise<string> {
    const failed = await this.#tryListen(port);
    if (failed === undefined) return this.#address(host);
    const code = systemCode(failed) ?? errorText(failed);
    const why = code === "EADDRINUSE" ? "is in use by another program" : `cannot be used (${code})`;
    throw new UsageError(
      `The port ${port} of this machine, which oauth.callbackPort of its configuration names for the answer, ${why}: free it, or name another one there and where the client is registered.`,
    );
  }

  #address(host: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://${host}:${port}/callback`;
  }

  /** Returns the error if it cannot listen. */
  #tryListen(port: number): Promise<Error | undefined> {
    return new Promise((resolve) => {
      this.#server.once("error", resolve);
      this.#server.listen(port, "127.0.0.1", () => {
        this.#server.off("error", resolve);
        resolve(undefined);
      });
    });
  }

  /** The answer to the request with this state; answers with another state are ignored. */
  async waitForAnswer(state: string): Promise<URLSearchParams> {
    let isLate = false;
    this.#awaitedState = state;
    const cancel = afterMs(loginMs, () => {
      isLate = true;
      this.#wake();
    });
    try {
      for (;;) {
        const answer = this.#answers.shift();
        if (answer?.get("state") === state) {
          const refused = answer.get("error");
          if (refused !== null) throw new LoginRefused(refused, answer.get("error_description") ?? "");
          return answer;
        }
        if (isLate) throw new Error(`nobody logged in within ${loginMs / 60_000} minutes`);
        if (this.#answers.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      cancel();
      this.#awaitedState = undefined;
    }
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => void this.#server.close(() => resolve()));
  }
}

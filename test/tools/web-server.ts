// Pages on loopback: what a server of the web may send, and a session that asks for it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { WebDependencies } from "../../src/tools/dependencies.ts";
import { openToolBox, type ToolBox } from "./support.ts";

export interface PageServer {
  /** `http://127.0.0.1:<port>`; the same port answers at `localhost`. */
  url: string;
  port: number;
  asked: string[];
}

export async function servePages(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<PageServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, asked };
}

export interface Reading extends ToolBox {
  /** What the reader was given. */
  pages: { url: string; text: string; prompt: string }[];
}

/** A rule names this machine, unless `web` says otherwise; the reader repeats the page. */
export function openReading(web: Partial<WebDependencies> = {}, environment: Record<string, string> = {}): Reading {
  const pages: Reading["pages"] = [];
  const reader = {
    read: async (page: Reading["pages"][number]) => {
      pages.push(page);
      return page.text;
    },
  };
  const isNamedHost = (host: string): boolean => host === "127.0.0.1" || host === "localhost";
  const resolve = async () => [{ address: "127.0.0.1", family: 4 as const }];
  return { ...openToolBox({ environment, web: { reader, isNamedHost, resolve, ...web } }), pages };
}

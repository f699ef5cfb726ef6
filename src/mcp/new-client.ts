/** What this client declares about itself, and what servers may ask of it. */
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { Client, type ElicitResult } from "@modelcontextprotocol/client";
import { questionsOf } from "./call-questions.ts";
import { cleanText } from "./clean-text.ts";
import { answerElicitation } from "./elicit.ts";
import type { Server } from "./server.ts";
import type { McpWorld } from "./world.ts";

/** Called when a server announces that its lists changed, perhaps several times in a row. */
export interface ListChangeHandlers {
  toolsOrPrompts(): void;
  resources(): void;
}

export function createClient(
  { name }: Server,
  world: McpWorld,
  mayNegotiate: boolean,
  handlers: ListChangeHandlers,
): Client {
  const { version, elicit, cwd } = world;
  const listChangeOptions = (debounceMs: number, onChanged: () => void) => ({
    autoRefresh: false,
    debounceMs,
    onChanged,
  });
  const lists = listChangeOptions(0, () => handlers.toolsOrPrompts());
  const client = new Client(
    { name: "pawl", version },
    {
      capabilities: { roots: {}, elicitation: { form: { applyDefaults: true }, url: {} } },
      listChanged: { tools: lists, prompts: lists, resources: listChangeOptions(200, () => handlers.resources()) },
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
      ...(mayNegotiate ? { versionNegotiation: { mode: "auto" as const } } : {}),
    },
  );
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }] }));
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
    const ask = (signal: AbortSignal) => answerElicitation(name, params, elicit, signal);
    return (await questionsOf(client).ask(mcpReq.signal, ask)) as ElicitResult;
  });
  client.setNotificationHandler("notifications/elicitation/complete", ({ params: { elicitationId } }) =>
    world.onElicited?.({ serverName: name, elicitationId }),
  );
  client.setNotificationHandler("notifications/message", ({ params: { level, data } }) => {
    world.debug(
      `mcp ${JSON.stringify(name)} ${level}: ${cleanText(typeof data === "string" ? data : JSON.stringify(data), 500)}`,
    );
  });
  client.onerror = (error) => world.debug(`mcp ${JSON.stringify(name)} ${cleanText(error.message, 500)}`);
  return client;
}

/** What a server says about itself. */
export function introductionOf(client: Client) {
  const info = client.getServerVersion();
  const serverInfo =
    info === undefined ? undefined : { name: cleanText(info.name, 100), version: cleanText(info.version, 50) };
  return { serverInfo, instructions: cleanText(client.getInstructions() ?? "", 2_048) };
}

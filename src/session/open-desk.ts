/** The session's desk, as the session itself keeps it. */
import type { ContextUsage } from "../protocol/context-usage.ts";
import type { SDKAccountInfo, SDKMcpServerStatus, SDKModelInfo } from "../protocol/sdk-control.ts";
import { sessionContextUsage, type SessionRooms } from "./context-usage.ts";
import { given } from "./credentials.ts";
import type { SessionDesk } from "./desk.ts";
import type { Joined } from "./joined.ts";

/** Names that mean another model from time to time. */
const aliases = ["default", "opus", "sonnet", "haiku", "fable"];

type DeskParts = SessionRooms & Pick<Joined, "conversation">;

export class OpenDesk implements SessionDesk {
  readonly #parts: DeskParts;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  models(): SDKModelInfo[] {
    const { models, around } = this.#parts;
    const { catalog } = models;
    const ids = catalog.ids().filter((id) => catalog.info(id).status !== "legacy");
    const told = aliases.map((name) => ({ value: name, id: catalog.resolveModel(name, around.env) }));
    return [...told, ...ids.map((id) => ({ value: id, id }))].map(({ value, id }) => {
      const { efforts, thinking, fastPrices, contextWindow } = catalog.info(id);
      return {
        value,
        resolvedModel: id,
        displayName: value === id ? id : `${value} (${id})`,
        description: `${Math.round(contextWindow / 1000)}k tokens of context`,
        ...(efforts.length === 0 ? {} : { supportsEffort: true, supportedEffortLevels: [...efforts] }),
        ...(thinking.startsWith("adaptive") ? { supportsAdaptiveThinking: true } : {}),
        ...(fastPrices === undefined ? {} : { supportsFastMode: true }),
      };
    });
  }

  account(): SDKAccountInfo {
    const { env, settings } = this.#parts.around;
    const names = ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"] as const;
    const name = names.find((each) => given(env[each]) !== undefined);
    const source = name ?? (settings.apiKeyHelper === undefined ? undefined : "apiKeyHelper");
    return { ...(source === undefined ? {} : { apiKeySource: source }), apiProvider: "firstParty" };
  }

  contextUsage(): ContextUsage {
    return sessionContextUsage(this.#parts, this.#parts.conversation.messages);
  }

  mcpServers(): SDKMcpServerStatus[] {
    return [];
  }
}

/** What a session is, as a host is told at its beginning. */
import type { SDKInitialization } from "../protocol/sdk-control.ts";
import type { QueryEngine } from "./engine.ts";

export function initializationOf(engine: Pick<QueryEngine, "desk" | "supportedCommands">): SDKInitialization {
  const { desk } = engine;
  return {
    commands: engine.supportedCommands(),
    agents: desk.agents(),
    output_style: "default",
    available_output_styles: ["default"],
    models: desk.models(),
    account: desk.account(),
  };
}

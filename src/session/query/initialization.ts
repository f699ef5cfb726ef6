/** What a session is, as a host is told at its beginning. */
import type { SDKInitialization } from "../../protocol/sdk-control.ts";
import type { QueryEngine } from "../engine.ts";

/** `styles`: those there are. */
export function initializationOf(
  engine: Pick<QueryEngine, "desk" | "supportedCommands">,
  styles: string[],
): SDKInitialization {
  const { desk } = engine;
  return {
    commands: engine.supportedCommands(),
    agents: desk.agents(),
    output_style: desk.outputStyle,
    available_output_styles: styles,
    models: desk.models(),
    account: desk.account(),
  };
}

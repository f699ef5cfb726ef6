/** The description of a session that a host receives when the session starts. */
import type { SDKInitialization } from "../../protocol/sdk-control.ts";
import type { QueryEngine } from "../engine.ts";

/** `styles`: the available output styles. */
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

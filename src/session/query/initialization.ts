/** What a session is, as a host is told at its beginning. */
import { builtInStyles } from "../../knowledge/output-styles.ts";
import type { SDKInitialization } from "../../protocol/sdk-control.ts";
import type { QueryEngine } from "../engine.ts";

export function initializationOf(engine: Pick<QueryEngine, "desk" | "supportedCommands">): SDKInitialization {
  const { desk } = engine;
  return {
    commands: engine.supportedCommands(),
    agents: desk.agents(),
    output_style: desk.outputStyle,
    available_output_styles: [...new Set(["default", desk.outputStyle, ...builtInStyles.map(({ name }) => name)])],
    models: desk.models(),
    account: desk.account(),
  };
}

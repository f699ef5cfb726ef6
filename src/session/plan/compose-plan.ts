/** Plan mode of a session, and its tools if they are wanted. */
import type { Tool } from "../../protocol/tool.ts";
import type { Message } from "../../protocol/message.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import type { ToolDependencies } from "../../tools/dependencies.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Conversation } from "../store/conversation.ts";
import type { Facts } from "../store/facts.ts";
import type { Store } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { PlanFiles } from "./plan-files.ts";
import { PlanMode } from "./plan-mode.ts";
import { planToolNames } from "../tools/session-tool-names.ts";
import type { ToolsView } from "../tools/tools-port.ts";
import { createPlanTools } from "./plan-tools.ts";

export interface PlanParts {
  mode: PlanMode;
  tools: Tool[];
  attach(joined: PlanPlaces): void;
}

interface PlanPlaces {
  permissions: Permissions;
  facts: Facts;
  conversation: Pick<Conversation, "messages">;
  view: Pick<ToolsView, "names">;
  store: Store;
  tools: { shared: Pick<ToolDependencies, "spillDirectory"> };
}

export function composePlan(
  { tools: wanted, planModeInstructions }: EngineOptions,
  { settings, cwd, home, notice }: Surroundings,
): PlanParts {
  const mode = new PlanMode(planModeInstructions);
  let files: PlanFiles | undefined;
  const filesOf = (): PlanFiles => {
    if (files === undefined) throw new Error("The session is not ready.");
    return files;
  };
  const offeredNames = wanted === undefined ? planToolNames : planToolNames.filter((name) => wanted.includes(name));
  const tools =
    offeredNames.length === 0 ? [] : createPlanTools(mode, filesOf).filter(({ name }) => offeredNames.includes(name));
  return {
    mode,
    tools,
    attach({ permissions, facts, conversation, view, store, tools: parts }) {
      const messages = (): readonly Message[] => conversation.messages;
      mode.attach({ permissions, facts, messages, hasTool: (name) => view.names().includes(name) });
      const own = { plansDirectory: settings.plansDirectory, ownFolder: parts.shared.spillDirectory };
      const { sessionId, transcript } = store;
      files = new PlanFiles({ ...own, cwd, home, sessionId, transcriptPath: transcript?.path, notice });
    },
  };
}

/** One session's rooms, joined: what `join.ts` makes and `session.ts` works with. */
import type { Attachment } from "../protocol/message.ts";
import type { Effort, SystemBlock } from "../protocol/model.ts";
import type { OwnedHooks } from "../hooks/run.ts";
import type { LoopLimits, LoopPorts } from "../loop/ports.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { CommandReader } from "./commands/run-command.ts";
import type { Conversation } from "./conversation.ts";
import type { FirstMessageOptions } from "./first-message.ts";
import type { StartSource } from "./intake.ts";
import type { Ledger } from "./ledger.ts";
import type { ModelParts } from "./model-parts.ts";
import type { EngineOptions } from "./options.ts";
import type { Restart } from "./parts.ts";
import type { InputQueue } from "./queue.ts";
import type { CountedContext } from "./savings.ts";
import type { Snips } from "./snips.ts";
import type { Store } from "./store.ts";
import type { Surroundings } from "./surroundings.ts";
import type { ToolParts } from "./tool-parts.ts";
import type { ToolsView } from "./tools-port.ts";

export interface Joined {
  options: EngineOptions;
  around: Surroundings;
  context: CountedContext;
  commandOf: CommandReader;
  endedTasks: () => Attachment[];
  store: Store;
  models: ModelParts;
  ledger: Ledger;
  tools: ToolParts;
  view: ToolsView;
  permissions: Permissions;
  conversation: Conversation;
  queue: InputQueue;
  hooks: OwnedHooks;
  checkpoints: Checkpoints;
  snips: Snips;
  ports: LoopPorts;
  limits: Partial<LoopLimits>;
  selected: { current: string; effort?: Effort };
  system: SystemBlock[];
  first: FirstMessageOptions;
  restart: Restart;
  source: StartSource;
}

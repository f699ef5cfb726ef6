/** The overflow defences of a session, given what they share with the main request and what they put back after a compaction. */
import { readFileSync, statSync } from "node:fs";
import { contextPolicy, createContext, type Collapses, type SessionContext, type Spill } from "../context/index.ts";
import { createNormalizer } from "../loop/normalize.ts";
import type { LoopPorts } from "../loop/ports.ts";
import type { AttachmentMessage } from "../protocol/message.ts";
import type { Effort, SystemBlock } from "../protocol/model.ts";
import { hashBytes } from "../tools/text-file.ts";
import { composeHistory } from "./history.ts";
import type { Machine } from "./machine.ts";
import type { ModelParts } from "./model-parts.ts";
import type { Snips } from "./snips.ts";
import type { Store } from "./store.ts";
import type { Surroundings } from "./surroundings.ts";
import type { ToolParts } from "./tool-parts.ts";

export interface ContextPartsOptions {
  around: Surroundings;
  models: ModelParts;
  ports: Omit<LoopPorts, "context">;
  system: SystemBlock[];
  selected: { current: string; effort?: Effort };
  tools: ToolParts;
  store: Store;
  snips: Snips;
  collapses: Collapses;
}

const reattachedFiles = 5;
const maxReattachedBytes = 64 * 1024;

export function composeContext(parts: ContextPartsOptions): SessionContext {
  const { around, models, ports, system, selected, tools, store } = parts;
  return createContext({
    model: ports.model,
    requestBase: () => ({
      model: selected.current,
      system,
      tools: ports.tools.definitions(),
      thinking: models.thinking,
      effort: selected.effort,
      sessionId: store.sessionId,
    }),
    toApi(messages, { model, openEnd }) {
      const { id, maxImages, compaction } = model;
      const thinking = models.thinking.type !== "disabled" || model.thinking === "adaptive_always";
      return createNormalizer()(messages, { model: id, thinking, maxImages, compaction, openEnd });
    },
    budget: ports.budget,
    clock: ports.clock,
    ids: ports.ids,
    spill: lazySpill(tools, around.machine),
    hooks: ports.hooks,
    reattach: async () => reattached(parts),
    policy: contextPolicy(around.settings, around.env),
    history: composeHistory(parts),
    collapse: parts.collapses,
  });
}

/** The folder is made with the first result that needs it. */
function lazySpill(tools: ToolParts, { spills }: Machine): Spill {
  const made = (): Spill => spills.open(tools.shared.spillDirectory());
  return {
    get directory() {
      return made().directory;
    },
    write: (name, content) => made().write(name, content),
  };
}

/** The todo list and the files last read: the summary cannot stand for either. */
function reattached({ tools, ports }: ContextPartsOptions): AttachmentMessage[] {
  const { readState, todos } = tools.shared;
  readState.clear();
  const attachments: AttachmentMessage[] = [];
  const attach = (name: string, text: string): void => {
    const attachment = { kind: "reminder" as const, name, text };
    attachments.push({ type: "attachment", uuid: ports.ids.uuid(), timestamp: ports.clock.timestamp(), attachment });
  };
  const list = todos.get();
  if (list.length > 0)
    attach(
      "todos",
      `The todo list, as it is now:\n${list.map((todo) => `- [${todo.status}] ${todo.content}`).join("\n")}`,
    );
  for (const path of readState.recent(reattachedFiles)) {
    const text = textAsRead(path, readState.get(path)?.hash);
    if (text !== undefined) attach("file", `${path}, as it was read before the conversation was compacted:\n${text}`);
  }
  return attachments;
}

/** Only what the model has been shown: another file may stand there by now, which nobody was asked about. */
function textAsRead(path: string, hash: string | undefined): string | undefined {
  try {
    const status = statSync(path);
    if (hash === undefined || !status.isFile() || status.size > maxReattachedBytes) return undefined;
    const bytes = readFileSync(path);
    return hashBytes(bytes) === hash && !bytes.includes(0) ? bytes.toString() : undefined;
  } catch {
    // Gone or unreadable by now: the summary says what was known of it.
    return undefined;
  }
}

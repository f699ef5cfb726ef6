/** The context management of a session, with what it shares with the main request and what it restores after a compaction. */
import {
  contextPolicy,
  createContext,
  policyProblems,
  type ContextPolicy,
  type SessionContext,
  type Spill,
} from "../../context/index.ts";
import { createNormalizer } from "../../loop/normalize.ts";
import { sentThinking } from "../../loop/sent-thinking.ts";
import type { LoopPorts } from "../../loop/ports.ts";
import { composeHistory } from "../context/history.ts";
import { modelSettingsOf } from "./loop-config.ts";
import type { Machine } from "../surroundings/machine.ts";
import { composeMedia } from "../context/media-parts.ts";
import type { Joined } from "../joined.ts";
import type { Reattach } from "../context/reattach.ts";
import type { ToolParts } from "../tools/tool-parts.ts";
import { composeWindows } from "../context/windows.ts";

export interface ContextPartsOptions extends Pick<
  Joined,
  "around" | "collapses" | "models" | "selected" | "snips" | "store" | "openingTexts" | "tools"
> {
  ports: Omit<LoopPorts, "context" | "turnEnd">;
  reattach: Reattach;
}

export function composeContext(parts: ContextPartsOptions): SessionContext {
  const { around, models, ports, openingTexts, selected, tools, store } = parts;
  for (const problem of policyProblems(around.settings, around.env)) around.notice(problem);
  const spill = lazySpill(tools, around.machine);
  const fitMedia = composeMedia({ info: () => models.catalog.info(selected.current), spill, around });
  tools.shared.fitMedia = fitMedia;
  return createContext({
    model: ports.model,
    requestBase: (name) => ({
      model: name,
      system: openingTexts.system,
      tools: ports.tools.definitions(),
      ...modelSettingsOf(parts, name),
      speed: models.wishes.speed,
      sessionId: store.sessionId,
    }),
    toApi(messages, { model, openEnd, isMissed = false }) {
      const { id, maxImages, compaction } = model;
      const thoughts = sentThinking(models.thinkingOf(id, selected.effort), model, isMissed);
      return createNormalizer()(messages, { model: id, ...thoughts, maxImages, compaction, openEnd });
    },
    budget: ports.budget,
    clock: ports.clock,
    ids: ports.ids,
    spill,
    hooks: ports.hooks,
    sessionTitle: () => (store.transcript?.currentFacts() ?? store.restored).title,
    reattach: async (kept) => parts.reattach.items(kept),
    policy: withLongSummaryLimit(contextPolicy(around.settings, around.env), models),
    ...composeWindows(store, around),
    history: composeHistory(parts),
    collapse: parts.collapses,
    fitMedia,
  });
}

/** A summary reads the whole conversation, so a server that is allowed more time gets it here too. */
function withLongSummaryLimit(policy: ContextPolicy, { longestSilenceMs = 0 }: Joined["models"]): ContextPolicy {
  return { ...policy, summaryTimeLimitMs: Math.max(policy.summaryTimeLimitMs, longestSilenceMs) };
}

/** The folder is created with the first result that needs it. */
function lazySpill(tools: ToolParts, { spills }: Machine): Spill {
  return {
    write: (name, content, extension) => spills.open(tools.shared.spillDirectory()).write(name, content, extension),
  };
}

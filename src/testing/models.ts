/**
 * What each model accepts and how it behaves, from the public model and thinking pages (read 2026-11).
 * A model that is not in the table is unknown: the Anthropic-like server answers 404, the compatible one accepts it.
 */
export type EffortLevel = "low" | "medium" | "high" | "xhigh" | "max";

export interface ThinkingTraits {
  adaptive: boolean;
  enabled: boolean;
  /** `modest-effort`: turning thinking off is allowed only at effort high or below. */
  disabled: boolean | "modest-effort";
  betweenTools: boolean;
  /** Whether a request without a `thinking` field thinks. */
  defaultOn: boolean;
  defaultDisplay: "omitted" | "summarized";
}

export interface ModelTraits {
  contextWindow: number;
  maxOutput: number;
  thinking: ThinkingTraits;
  /** Empty: the model does not support `output_config.effort`. */
  efforts: readonly EffortLevel[];
  defaultEffort: EffortLevel;
  /** Rejects temperature, top_p and top_k other than the defaults. */
  fixedSampling: boolean;
  /** Accepts a conversation that ends with an assistant message. */
  prefill: boolean;
  forcedToolChoice: boolean;
  /** Accepts `role: "system"` inside `messages`. */
  systemRole: boolean;
  /** Thinking blocks are bound to their exact prefix. */
  preservedThinking: boolean;
  /** Thinking of earlier turns stays in the prompt (and is billed). */
  keepsPriorThinking: boolean;
  /** Shortest cacheable prefix in tokens. */
  cacheMinimum: number;
  /** Long edge in pixels above which images are scaled down, and the token cap that goes with it. */
  imageEdge: number;
  imageTokenCap: number;
  taskBudget: boolean;
  /** Writes signed summaries on request, and accepts them back. */
  compaction: boolean;
  fastMode: "yes" | "ignored" | "no";
  /** Other models whose thinking it may read. Blocks of any other model are dropped without an error. */
  readsThinkingOf: readonly string[];
}

const allEfforts: readonly EffortLevel[] = ["low", "medium", "high", "xhigh", "max"];
const effortsWithoutXhigh: readonly EffortLevel[] = ["low", "medium", "high", "max"];

const adaptiveOnly: ThinkingTraits = {
  adaptive: true,
  enabled: false,
  disabled: false,
  betweenTools: false,
  defaultOn: true,
  defaultDisplay: "omitted",
};
const manualOnly: ThinkingTraits = {
  adaptive: false,
  enabled: true,
  disabled: true,
  betweenTools: false,
  defaultOn: false,
  defaultDisplay: "summarized",
};

const currentTraits: ModelTraits = {
  contextWindow: 1_000_000,
  maxOutput: 128_000,
  thinking: adaptiveOnly,
  efforts: allEfforts,
  defaultEffort: "high",
  fixedSampling: true,
  prefill: false,
  forcedToolChoice: true,
  systemRole: true,
  preservedThinking: false,
  keepsPriorThinking: true,
  cacheMinimum: 512,
  imageEdge: 2576,
  imageTokenCap: 4784,
  taskBudget: true,
  compaction: true,
  fastMode: "no",
  readsThinkingOf: [],
};

/** The preserved-thinking family. Its shortest cacheable prefix is not published; 1,024 is an assumption. */
const boundThinkingTraits: ModelTraits = {
  ...currentTraits,
  preservedThinking: true,
  forcedToolChoice: false,
  cacheMinimum: 1024,
};

const claude46Traits: ModelTraits = {
  ...currentTraits,
  thinking: { ...adaptiveOnly, enabled: true, disabled: true, defaultOn: false, defaultDisplay: "summarized" },
  efforts: effortsWithoutXhigh,
  fixedSampling: false,
  systemRole: false,
  cacheMinimum: 4096,
  imageEdge: 1568,
  imageTokenCap: 1568,
  taskBudget: false,
  fastMode: "ignored",
};

const claude45Traits: ModelTraits = {
  ...claude46Traits,
  contextWindow: 200_000,
  maxOutput: 64_000,
  thinking: manualOnly,
  efforts: [],
  prefill: true,
  keepsPriorThinking: false,
  compaction: false,
  fastMode: "no",
};

const toggleableThinking = { ...adaptiveOnly, disabled: true } satisfies ThinkingTraits;

const builtInTraits: Record<string, ModelTraits> = {
  "claude-fable-5-2": { ...boundThinkingTraits, readsThinkingOf: ["claude-mythos-5-2"] },
  "claude-mythos-5-2": { ...boundThinkingTraits, readsThinkingOf: ["claude-fable-5-2"] },
  "claude-opus-5-5": { ...boundThinkingTraits, defaultEffort: "medium", fastMode: "yes" },
  "claude-sonnet-5-5": { ...boundThinkingTraits, thinking: { ...adaptiveOnly, betweenTools: true } },
  "claude-haiku-5-5": {
    ...boundThinkingTraits,
    thinking: toggleableThinking,
    defaultEffort: "medium",
    fixedSampling: false,
    forcedToolChoice: true,
  },
  "claude-fable-5-1": {
    ...boundThinkingTraits,
    cacheMinimum: 512,
    readsThinkingOf: ["claude-opus-5", "claude-opus-5-5"],
  },
  "claude-mythos-5-1": { ...boundThinkingTraits, cacheMinimum: 512, readsThinkingOf: ["claude-fable-5-1"] },
  "claude-fable-5": currentTraits,
  "claude-mythos-5": currentTraits,
  "claude-opus-5": { ...currentTraits, thinking: { ...adaptiveOnly, disabled: "modest-effort" }, fastMode: "yes" },
  "claude-opus-4-8": {
    ...currentTraits,
    thinking: { ...toggleableThinking, defaultOn: false },
    cacheMinimum: 1024,
    fastMode: "yes",
  },
  "claude-opus-4-7": {
    ...currentTraits,
    thinking: { ...toggleableThinking, defaultOn: false },
    cacheMinimum: 2048,
    systemRole: false,
  },
  "claude-sonnet-5": {
    ...currentTraits,
    thinking: toggleableThinking,
    cacheMinimum: 1024,
    systemRole: false,
    taskBudget: false,
  },
  "claude-opus-4-6": claude46Traits,
  "claude-sonnet-4-6": { ...claude46Traits, cacheMinimum: 1024 },
  "claude-opus-4-5": { ...claude45Traits, efforts: ["low", "medium", "high"], keepsPriorThinking: true },
  "claude-sonnet-4-5": { ...claude45Traits, cacheMinimum: 1024 },
  "claude-haiku-4-5": claude45Traits,
};

/** Traits for a model that a compatible endpoint serves: everything is allowed, nothing is bound. */
export const permissiveTraits: ModelTraits = {
  ...claude45Traits,
  thinking: { ...manualOnly, adaptive: true, betweenTools: true },
  efforts: allEfforts,
  systemRole: true,
  taskBudget: true,
  fastMode: "ignored",
  maxOutput: 128_000,
};

/** `claude-opus-4-5-20251101` and `claude-opus-4-5-latest` name the same model as `claude-opus-4-5`. */
export function canonicalModel(id: string): string {
  return id.replace(/\[1m\]$/, "").replace(/-(\d{8}|latest)$/, "");
}

export interface ModelTable {
  find(id: string): ModelTraits | undefined;
  list(): string[];
}

/** @param overrides traits by id, merged over the built-in ones; an id that is not built in starts from the permissive traits. */
export function modelTable(overrides: Record<string, Partial<ModelTraits>> = {}): ModelTable {
  const merged: Record<string, ModelTraits> = { ...builtInTraits };
  for (const [id, change] of Object.entries(overrides)) {
    merged[id] = { ...(builtInTraits[canonicalModel(id)] ?? permissiveTraits), ...change };
  }
  return {
    find: (id) => (Object.hasOwn(merged, id) ? merged[id] : traitsById(merged, canonicalModel(id))),
    list: () => Object.keys(merged),
  };
}

function traitsById(table: Record<string, ModelTraits>, id: string): ModelTraits | undefined {
  return Object.hasOwn(table, id) ? table[id] : undefined;
}

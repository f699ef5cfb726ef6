/** The shared state of one scripted model's endpoints. */
import type { PromptCache } from "../billing/cache.ts";
import type { PriceList } from "../billing/prices.ts";
import type { ModelTable } from "../models.ts";
import type { ReplySelector } from "../script/select.ts";
import type { Script } from "../script/types.ts";
import type { ValidationState } from "../validate/index.ts";
import type { BodyReader } from "../wire/body-reader.ts";
import type { Ids } from "./ids.ts";
import type { FaultDice } from "./random-faults.ts";
import type { RequestProblem, ScriptedModelOptions } from "./types.ts";

export interface Workings {
  script: Script;
  options: ScriptedModelOptions;
  isCompatible: boolean;
  table: ModelTable;
  prices: PriceList;
  cache: PromptCache;
  state: ValidationState;
  selector: ReplySelector;
  dice: FaultDice | undefined;
  ids: Ids;
  reader: BodyReader;
  bytesPerToken: number;
  now: () => number;
  sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
  /** `/v1/messages` calls so far, overall and by conversation. */
  calls: number;
  conversationCalls: Map<string, number>;
  scriptProblems: RequestProblem[];
}

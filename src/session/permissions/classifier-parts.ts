/** Assembles the classifier of the mode `auto`. It is loaded with the first call it judges. */
import type { Classify } from "../../permissions/permission-options.ts";
import type { Message } from "../../protocol/message.ts";
import type { BudgetPort } from "../../protocol/money.ts";
import type { StartedAgent } from "../agents/started-agent.ts";
import type { ModelParts } from "../model/model-parts.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Store } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export interface ClassifierInputs {
  models: ModelParts;
  ledger: BudgetPort;
  conversation: { readonly messages: readonly Message[] };
}

export interface ClassifierRooms {
  options: EngineOptions;
  around: Surroundings;
  store: Store;
  agentRun?: StartedAgent | undefined;
}

export function createClassifier({ models, ledger, conversation }: ClassifierInputs, rooms: ClassifierRooms): Classify {
  const { options, around, store, agentRun } = rooms;
  let modelIds: string[] | undefined;
  return async (call, signal) => {
    const { classify } = await import("./classifier.ts");
    // Another agent wrote the prompt of an agent, and others write the prompts of verbatim sessions: neither is the user's word.
    const { messages } = agentRun?.root.conversation ?? conversation;
    const userMessages = (agentRun?.root.options ?? options).verbatimPrompts === true ? [] : messages;
    modelIds ??= [models.smallModel(), models.id];
    // A guard does not think less because the work is meant to be cheap.
    const effortOf = (model: string) => models.effortOf(model, undefined);
    const paying = { model: models.model, budget: ledger, modelIds, effortOf };
    return await classify(
      { ...paying, sessionId: store.sessionId, ids: around.ids, messages: userMessages },
      call,
      signal,
    );
  };
}

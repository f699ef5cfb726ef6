/** Sets up the job of a session that runs as one: where it writes its state, and which model judges it. */
import { resolve } from "node:path";
import type { LoopPorts } from "../../loop/ports.ts";
import type { ModelParts } from "../model/model-parts.ts";
import type { EngineOptions } from "../options/options.ts";
import { questionEffort, type QuestionEffortParts } from "../model/question-effort.ts";
import { SmallModel } from "../model/small-model.ts";
import type { Store } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { Job, jobInstruction, jobTokens } from "./job.ts";
import { JobFile } from "./job-file.ts";

export interface JobRooms extends Pick<LoopPorts, "model" | "budget">, Pick<QuestionEffortParts, "selected"> {
  options: EngineOptions;
  around: Surroundings;
  models: ModelParts;
  store: Store;
}

export function composeJob(rooms: JobRooms, folder: string): Job {
  const { options, around, models, store, model, budget } = rooms;
  const { cwd, clock, notice } = around;
  const { sessionId } = store;
  const file = new JobFile({ folder: resolve(cwd, folder), sessionId, cwd, clock, notice });
  const modelId = models.smallModel();
  const about = { model, budget, modelId, effortOf: questionEffort(rooms), sessionId, debug: options.debug };
  const small = new SmallModel({ ...about, name: "job", instruction: jobInstruction, maxTokens: jobTokens });
  return new Job({ file, clock, ask: (digest, turn, signal) => small.ask(digest, turn, signal) });
}

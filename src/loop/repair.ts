/**
 * Repairs the history after the API refused part of it: the part is left out or sent in another form, once per kind, and the changed
 * request is made again. This is not a retry of the same request.
 */
import type { QueryEvent } from "../protocol/event.ts";
import type { Message } from "../protocol/message.ts";
import type { ModelFailure, RequestField } from "../protocol/model.ts";
import { hasWithheldThinking } from "../protocol/thinking.ts";
import type { Steps } from "../lib/steps.ts";
import { leftOutNoticeName, refusedKinds } from "../protocol/left-out-kinds.ts";
import { warning, type LoopNoticeName } from "./drafts.ts";
import { mint, recordAndYield, type Run } from "./run.ts";
import { sentThinking } from "./sent-thinking.ts";
import type { Sampling } from "./sampling.ts";

interface Repair {
  name: LoopNoticeName;
  /** The text of the notice, for people. */
  text: string;
  /** The records that made the change, to be appended in this order. */
  records: readonly Message[];
  /** The conversation including those records. */
  messages: readonly Message[];
  /** Data of the notice, besides the server's own words. */
  data?: Record<string, unknown>;
}

/** Repairs the conversation in `sampling`. Returns false if there is nothing to repair. A record that cannot be written ends the run. */
export function* repairHistory(run: Run, sampling: Sampling, failure: ModelFailure): Steps<QueryEvent, boolean> {
  const repair = chooseRepair(run, sampling, failure);
  if (repair === undefined) return false;
  yield* recordAndYield(run, repair.records);
  if (run.fault !== null) return true;
  const data = { detail: failure.detail ?? failure.message, ...repair.data };
  const notices = yield* recordAndYield(run, [warning(repair.name, repair.text, data)]);
  sampling.messages = [...repair.messages, ...notices];
  return true;
}

function chooseRepair(run: Run, sampling: Sampling, failure: ModelFailure): Repair | undefined {
  const { recovery, thinkingMissed, thinkingUnknown, isOfTurn } = failure;
  if (recovery === "summary") return withPlainSummary(run, sampling);
  if (recovery === "block") return withoutBlocks(sampling, failure);
  if (recovery === "field") return withoutField(sampling, failure);
  if (thinkingUnknown === true) return withoutAnyThinking(run, sampling);
  if (thinkingMissed !== true) return withoutEarlierThinking(run, sampling);
  return (
    (isOfTurn === true ? undefined : withUnsignedThinking(run, sampling)) ?? withoutThinking(run, sampling, isOfTurn)
  );
}

function withoutEarlierThinking(run: Run, { messages }: Sampling): Repair {
  const mark = mint(run, { type: "thinking_stripped", reason: "rejected" });
  return {
    name: "thinking_repaired",
    text: "The API refused earlier thinking blocks; they are left out from now on, and the request was made again.",
    records: [mark],
    messages: [...messages, mark],
  };
}

/** The server would refuse the model's next thinking too. */
function withoutAnyThinking(run: Run, sampling: Sampling): Repair {
  return {
    ...withoutEarlierThinking(run, sampling),
    name: leftOutNoticeName,
    text: "The server takes no thinking back; it is left out from now on, and the request was made again.",
    data: { types: ["thinking"], model: sampling.model },
  };
}

/** A gateway may have a different model answer under the name of one that signs its thinking. */
function withUnsignedThinking(run: Run, { messages, model }: Sampling): Repair | undefined {
  const sent = sentThinking(run.config.thinking, run.ports.model.info(model), run.memory.unsigned.has(model));
  if ((sent.thinking && sent.unsignedThinking === true) || !hasWithheldThinking(messages, model)) return undefined;
  run.memory.unsigned.add(model);
  return {
    name: "thinking_repaired",
    text: "The server expects its unsigned thinking back; it is sent back from now on, and the request was made again.",
    records: [],
    messages,
  };
}

/** Missing thinking cannot be made up, but a server that is asked not to think misses none. */
function withoutThinking(run: Run, { messages, model }: Sampling, isOfTurn = false): Repair | undefined {
  const unthinking = isOfTurn ? run.unthinkingThisRun : run.memory.unthinking;
  if (unthinking.has(model) || run.config.thinking.type === "disabled") return undefined;
  unthinking.add(model);
  return {
    name: "thinking_repaired",
    text: isOfTurn
      ? "The server requires thinking before calls that were made without it; thinking is off until the next prompt, and the request was made again."
      : "The server misses thinking that is no longer in this conversation; thinking is off from now on, and the request was made again.",
    records: [],
    messages,
  };
}

/** Each refusal leaves fewer kinds, so this comes to an end. */
function withoutBlocks({ messages }: Sampling, failure: ModelFailure): Repair | undefined {
  const types = refusedKinds(messages, failure);
  if (types.length === 0) return undefined;
  return {
    name: leftOutNoticeName,
    text: `The server does not take back blocks of type ${types.join(", ")}; they are left out from now on, and the request was made again.`,
    records: [],
    messages,
    data: { types },
  };
}

const leftOutFieldTexts: Record<RequestField, string> = {
  cache_control: "the field cache_control (prompt caching); it is left out",
  "cache_control.ttl": "the lifetime of cached prompts (cache_control.ttl); it is left out",
  thinking: "the field thinking; it is left out",
  "thinking.adaptive": "adaptive thinking; the model is to think within a budget",
  "thinking.enabled": "a budget for thinking; the model is to think as it sees fit",
  "thinking.display": "how thinking is to be shown (thinking.display); it is left out",
  output_config: "the field output_config (effort); it is left out",
  "output_config.effort": "an effort (output_config.effort); it is left out",
  "output_config.task_budget": "a budget for the task (output_config.task_budget); it is left out",
  tool_use: "fields that another server gave its calls; they are left out",
  "tool_use.id": "ids that another server gave its calls; they are sent in another form",
};

/** The model port remembers to leave the field out. */
function withoutField({ messages }: Sampling, { field }: ModelFailure): Repair | undefined {
  if (field === undefined) return undefined;
  return {
    name: "field_left_out",
    text: `The server does not take ${leftOutFieldTexts[field]} from now on, and the request was made again.`,
    records: [],
    messages,
  };
}

/** Replaces a signed summary by its text. */
function withPlainSummary({ ports }: Run, { messages, model }: Sampling): Repair | undefined {
  const plain = ports.context.plainSummary?.(messages, ports.model.info(model));
  if (plain === undefined) return undefined;
  return {
    name: "summary_repaired",
    text: "The API refused the summary it had signed; it is sent as plain text from now on, and the request was made again.",
    ...plain,
  };
}

// The ten laws of the loop. Each judges a finished run and describes what is wrong; an empty list means that the law holds.
import { continueCap, defaultLimits } from "../../../src/loop/ports.ts";
import { errorText } from "../../../src/lib/error-text.ts";
import { createNormalizer } from "../../../src/loop/normalize.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { leftoverFaults, requestsFaults } from "../../loop/support/after.ts";
import {
  callsOf,
  fold,
  jsonOf,
  pairingFaults,
  plainFaults,
  prefixFaults,
  requestFaults,
} from "../../loop/support/checks.ts";
import { noticeNames, ofType, resultsOf, transitions, userMessage } from "../../loop/support/harness.ts";
import type { LawRun } from "./law-run.ts";

type Law = (run: LawRun) => string[];

function faultName(run: LawRun): string {
  return run.injection.kind === "fault" ? (run.world.faulted?.name ?? "") : "";
}

function isHung(run: LawRun): boolean {
  return run.injection.kind === "fault" && run.injection.fault === "hang";
}

const effects = new Set([
  "model.stream",
  "tool.call",
  "tool.validateInput",
  "permission.decide",
  "hooks.run",
  "budget.admit",
  "context.fit",
  "context.drain",
  "context.compact",
  "summary.summarize",
  "queue.take",
]);

function normalizedOf(messages: readonly Message[], model: string, paused: boolean) {
  return createNormalizer()(messages, { model, thinking: true, maxImages: 100, paused }).messages;
}

const everyCallHasOneResult: Law = (run) => {
  const faults = run.transcriptFailed ? [] : pairingFaults(fold(run.transcript.records));
  if (run.isAbandoned || run.thrown !== null) return faults;
  const dropped = new Set(ofType(run.events, "tombstone").flatMap((event) => event.targets));
  const shown = ofType(run.events, "assistant").filter((message) => !dropped.has(message.uuid));
  const results = resultsOf(run.events).map((result) => result.id);
  for (const { id } of callsOf(shown)) {
    const count = results.filter((result) => result === id).length;
    if (count !== 1) faults.push(`${id} was shown with ${count} results`);
  }
  return faults;
};

const recordedBeforeAnythingCanFail: Law = (run) => {
  const faults = run.transcript.records[0]?.uuid === "prompt-1" ? [] : ["the prompt is not the first record"];
  const paused = run.model.requests.map((request) => request.messages.at(-1)?.role === "assistant");
  run.model.requests.forEach((request, at) => {
    const records = fold(run.transcript.records.slice(0, run.model.recordsAt[at]));
    const expected = normalizedOf(records, request.model, paused[at] === true);
    if (JSON.stringify(expected) !== jsonOf(request.messages))
      faults.push(`request ${at} is not what the records of its moment say`);
  });
  const order = run.world.calls.map((call) => `${call.name} ${call.about ?? ""}`);
  for (const { toolUseId } of run.tools.records)
    if (!order.slice(0, order.indexOf(`tool.call ${toolUseId}`)).includes(`transcript.append use:${toolUseId}`))
      faults.push(`${toolUseId} ran before its block was recorded`);
  return faults;
};

const oneTerminal: Law = (run) => {
  if (run.thrown !== null) return [`thrown: ${errorText(run.thrown)}`];
  if (run.isAbandoned) return run.terminal === null ? [] : ["a terminal for a consumer that walked away"];
  const spans = run.trace.spans.map((span) => span.attributes["reason"]);
  if (run.terminal === null) return ["no terminal"];
  // A trace that failed has no record of the span.
  if (faultName(run) === "trace.spanEnd") return [];
  return spans.length === 1 && spans[0] === run.terminal.reason ? [] : [`the span ended ${spans.join(", ")}`];
};

const everyAgainIsCounted: Law = (run) => {
  const faults: string[] = [];
  const limits = { ...defaultLimits, maxTurns: run.scenario.maxTurns };
  const made = transitions(run.events);
  const turns = made.filter((transition) => transition.reason === "next_turn").length;
  if (turns > limits.maxTurns - 1) faults.push(`${turns} turns after the first`);
  let inARow = 0;
  for (const { reason } of made) {
    inARow = reason === "next_turn" ? 0 : inARow + 1;
    if (run.scenario.tokenBudget === null && inARow > continueCap(limits)) faults.push(`${inARow} continues in a row`);
  }
  const count = (reason: string): number => made.filter((transition) => transition.reason === reason).length;
  if (count("reactive_compact_retry") > turns + 1) faults.push("more reactive compactions than turns");
  if (run.isAbandoned || run.thrown !== null) return faults;
  const starts = ofType(run.events, "stream_request_start").length;
  if (starts > made.length + 1) faults.push(`${starts} requests for ${made.length} continues`);
  const again =
    ofType(run.events, "api_retry").length +
    noticeNames(run.events).filter((name) =>
      ["model_fallback", "thinking_repaired", "blocks_left_out", "field_left_out"].includes(name),
    ).length +
    ofType(run.events, "response_end").filter((end) => end.stopReason === "pause_turn").length;
  if (run.model.requested > starts + again)
    faults.push(`${run.model.requested} calls for ${starts} requests and ${again} agains`);
  return faults;
};

const recoveryIsJudgedByProgress: Law = (run) => {
  const progress = (kind: "drain" | "compact"): number =>
    run.context.results.filter(
      ({ kind: made, result }) => made === kind && result.kind === "shrunk" && result.afterTokens < result.beforeTokens,
    ).length;
  const made = transitions(run.events).map((transition) => transition.reason);
  const faults: string[] = [];
  const drained = made.filter((reason) => reason === "collapse_drain_retry").length;
  const compacted = made.filter((reason) => reason === "reactive_compact_retry").length;
  if (drained > progress("drain")) faults.push("a drain that saved nothing was a recovery");
  if (compacted > progress("compact")) faults.push("a compaction that saved nothing was a recovery");
  made.forEach((reason, at) => {
    if (reason === "collapse_drain_retry" && made[at - 1] === reason) faults.push("two drains in a row");
  });
  return faults;
};

const nothingStartsAfterACancel: Law = (run) => {
  const { callsAtCancel } = run.world;
  if (callsAtCancel === null) return [];
  const late = run.world.calls.slice(callsAtCancel).filter((call) => effects.has(call.name));
  const faults = late
    // The call during which the cancel came had begun before it.
    .filter((call) => !(run.injection.kind === "cancel_in_call" && call.at === run.injection.at))
    .map((call) => `${call.name} was begun after the cancel`);
  const mayRun = faultName(run) === "tool.call" && isHung(run) ? 1 : 0;
  if (run.tools.running > mayRun) faults.push(`${run.tools.running} tools still run`);
  return faults;
};

/** A consumer that leaves when its run has ended has interrupted nothing. */
function leftAtTheEnd({ injection, counted }: LawRun): boolean {
  if (injection.kind !== "cancel" || counted === null) return true;
  const later = counted.events.slice(injection.at + 1);
  return !later.some((event) => event.type === "stream_request_start" || event.type === "response_end");
}

const theModelSeesTheInterruption: Law = (run) => {
  const { cause } = run.cancel;
  const marks = run.transcript.records.filter((record) => record.type === "user" && record.origin === "interruption");
  const isAborted = run.terminal === null || run.terminal.reason.startsWith("aborted_");
  const expected = cause !== null && cause !== "interrupt" && isAborted ? 1 : 0;
  if (run.transcriptFailed || run.thrown !== null) return [];
  if (marks.length !== expected && !(run.isAbandoned && marks.length === 0 && leftAtTheEnd(run)))
    return [`${marks.length} interruption marks, ${expected} expected`];
  const early = run.early.filter((message) => message.type === "user" && message.origin === "interruption");
  if (early.length > 0) return ["the mark was shown before it was recorded"];
  if (marks.length === 0) return [];
  const next = [...fold(run.transcript.records), userMessage("And now?", "next")];
  return JSON.stringify(normalizedOf(next, "model-a", false)).includes("interrupted")
    ? []
    : ["the model does not see the mark"];
};

const named: Record<string, string> = {
  "permission.decide": "permission",
  "hooks.run": "hook",
  "tool.validateInput": "hook",
  "context.fit": "compaction",
  "context.drain": "compaction",
  "context.compact": "compaction",
  "budget.admit": "retry",
};

const everyWaitHasALimitAndAName: Law = (run) => {
  // The virtual clock already detects a wait without a limit, so only the name is judged here.
  const on = isHung(run) ? named[faultName(run)] : undefined;
  if (on === undefined) return [];
  // A wait that ends before it becomes long needs no name.
  const signal = run.world.faulted?.signal;
  if (run.cancel.cause !== null || (signal?.aborted === true && signal.reason !== "timeout")) return [];
  const waited = ofType(run.events, "waiting").some((event) => event.on === on && event.limitMs > 0);
  return waited ? [] : [`nobody was told that ${faultName(run)} is awaited`];
};

const nothingOutlivesTheRun: Law = (run) => {
  const excused: RegExp[] = [];
  const name = faultName(run);
  if (isHung(run) && name.startsWith("model.")) excused.push(/^model streams/);
  if (isHung(run) && name.startsWith("context.")) excused.push(/^generators of the context/);
  if (name === "budget.settle") excused.push(/^tickets/);
  if (name.startsWith("trace.")) excused.push(/^spans/);
  return leftoverFaults(run).filter((fault) => !excused.some((pattern) => pattern.test(fault)));
};

/** The faults of a resume after these records. `next`: the same after one more record, by its JSON. */
interface Prefix {
  faults: string[];
  next: Map<string, Prefix>;
}

/** Runs that differ only in where they failed begin with the same records, so a resume after those is judged once. */
const noRecord: Prefix = { faults: [], next: new Map() };

const anyPrefixOfTheTranscriptIsGood: Law = (run) => {
  const faults = run.transcript.duplicates === 0 ? [] : ["a record was written twice"];
  const { records } = run.transcript;
  let before = noRecord;
  records.forEach((record, at) => {
    const line = JSON.stringify(record);
    const prefix = before.next.get(line) ?? { faults: resumeFaults(records.slice(0, at + 1)), next: new Map() };
    before.next.set(line, prefix);
    faults.push(...prefix.faults.map((fault) => `after a crash at record ${at + 1}: ${fault}`));
    before = prefix;
  });
  return faults;
};

function resumeFaults(records: readonly Message[]): string[] {
  const resumed = [...fold(records), userMessage("Go on.", "resumed")];
  return requestFaults(createNormalizer()(resumed, { model: "model-a", thinking: true, maxImages: 100 }));
}

/** In the order and the words of the house's rules. */
const laws = {
  "1 every tool_use has exactly one tool_result": everyCallHasOneResult,
  "2 the prompt, and all a request is made of, is recorded before anything can fail": recordedBeforeAnythingCanFail,
  "3 exactly one terminal value": oneTerminal,
  "4 every again is counted against every limit": everyAgainIsCounted,
  "5 recovery is judged by progress": recoveryIsJudgedByProgress,
  "6 after a cancel nothing new starts, and what runs is awaited or killed": nothingStartsAfterACancel,
  "7 the model can see it was interrupted, and the mark is durable before the event": theModelSeesTheInterruption,
  "8 nothing outside is awaited without a limit and a visible name": everyWaitHasALimitAndAName,
  "9 nothing a run owns outlives it": nothingOutlivesTheRun,
  "10 whole records, each once, and a reader that takes any prefix of them": anyPrefixOfTheTranscriptIsGood,
};

/** §13.3: what crosses a port or is recorded is plain JSON. */
const plainJson: Law = (run) => {
  const plain = new Set<object>();
  return [
    ...run.transcript.records.flatMap((record, at) => plainFaults(record, `record ${at}`, plain)),
    ...run.events.flatMap((event, at) => plainFaults(event, `event ${at}`, plain)),
    ...run.model.requests.flatMap((request) => plainFaults(request, request.key, plain)),
    ...run.context.inputs.flatMap(({ kind, input }) => plainFaults(input, kind, plain)),
    ...run.hooks.inputs.flatMap((input) => plainFaults(input, input.hook_event_name, plain)),
    ...run.permission.requests.flatMap((request) => plainFaults(request, request.key, plain)),
    ...plainFaults(run.terminal, "terminal", plain),
  ];
};

/** I5: unless a layer rewrote history and said so, thinking was stripped, or the model changed. */
const stablePrefix: Law = (run) => {
  const { requests, recordsAt } = run.model;
  return requests.slice(1).flatMap((later, at) => {
    const earlier = requests[at]!;
    const between = run.transcript.records.slice(recordsAt[at], recordsAt[at + 1]);
    const isRewritten = between.some(
      (record) => record.type === "compact_boundary" || record.type === "thinking_stripped",
    );
    return isRewritten || earlier.model !== later.model ? [] : prefixFaults(earlier, later);
  });
};

const queuedInputIsSettled: Law = (run) => {
  if (faultName(run).startsWith("queue.")) return [];
  const taken = ofRecords(run).map(({ sourceUuid }) => sourceUuid);
  const settled = run.queue.settled.flatMap(({ uuids, outcome }) => uuids.map((uuid) => ({ uuid, outcome })));
  const faults: string[] = [];
  for (const uuid of taken)
    if (settled.filter((entry) => entry.uuid === uuid).length !== 1) faults.push(`${uuid} was not settled once`);
  for (const { uuid, outcome } of settled) {
    const wasSent = run.model.requests.some((request) => jsonOf(request.messages).includes(`queued ${uuid.slice(1)}`));
    // A summary stands for what it replaced.
    const isSummarised = run.transcript.records.some((record) => record.type === "compact_boundary");
    if (outcome === "completed" && !wasSent && !isSummarised) faults.push(`${uuid} is completed and was never sent`);
  }
  return faults;
};

function ofRecords(run: LawRun): { sourceUuid: string }[] {
  return run.transcript.records.flatMap((record) =>
    record.type === "attachment" && record.attachment.kind === "queued_command" ? [record.attachment] : [],
  );
}

/** §13.2: keys name positions, and no position twice. */
const stableKeys: Law = (run) => {
  const faults: string[] = [];
  let last = 0;
  for (const { key } of run.model.requests) {
    const position = /^t(\d+)\.model$/.exec(key);
    if (position === null || Number(position[1]) < last) faults.push(`the key ${key}`);
    else last = Number(position[1]);
  }
  const calls = run.tools.records.map((record) => record.key);
  for (const key of calls) if (!/^t\d+\.tool\.\d+$/.test(key)) faults.push(`the key ${key}`);
  if (new Set(calls).size !== calls.length) faults.push("two calls with one key");
  return faults;
};

export const allLaws: Record<string, Law> = {
  ...laws,
  "plain JSON crosses every port": plainJson,
  "stable keys": stableKeys,
  "requests are valid": requestsFaults,
  "requests begin with the one before": stablePrefix,
  "queued input is answered or given back, once": queuedInputIsSettled,
};

export function faultsOf(run: LawRun): string[] {
  return Object.entries(allLaws).flatMap(([name, law]) => law(run).map((fault) => `law ${name}: ${fault}`));
}

/** Describes a failure: the faults, where the run was disturbed, its events, and the scenario to repeat. */
export function story(run: LawRun, faults: readonly string[]): string {
  const events = run.events.map((event) => event.type).join(" ");
  const where = `${JSON.stringify(run.injection)} ${run.world.faulted?.name ?? ""}`;
  return [...faults, where, events, JSON.stringify(run.scenario)].join("\n");
}

// What must hold after every run, whatever happened in it. Tests call `expectSound`; the laws use the parts.
import { getEventListeners } from "node:events";
import { expect } from "vitest";
import type { Message } from "../../../src/protocol/message.ts";
import { fold, jsonOf, pairingFaults, requestFaults } from "./checks.ts";
import type { Ran } from "./harness.ts";
import { wireFaults } from "./wire.ts";

/** Nothing a run owns outlives it. */
export function leftoverFaults(ran: Ran): string[] {
  const faults: string[] = [];
  const check = (what: string, count: number): void => {
    if (count !== 0) faults.push(`${what}: ${count}`);
  };
  check("timers left", ran.clock.pending);
  check("listeners left on the cancellation", ran.cancel.listeners);
  check("model streams left open", ran.model.open);
  check("generators of the context left open", ran.context.open);
  check("tickets not settled", ran.budget.open.size);
  check("tickets settled twice", ran.budget.wrong);
  check("spans left open", ran.trace.open);
  for (const { toolUseId, signal } of ran.tools.records)
    check(`listeners left on the signal of ${toolUseId}`, getEventListeners(signal, "abort").length);
  return faults;
}

/** What the consumer is shown of the conversation was on record before, except what a failed transcript could not hold. */
function durabilityFaults(ran: Ran): string[] {
  return ran.early.flatMap((message) => {
    if (message.type === "notice") return [];
    const isItsOwnEpitaph = message.type === "assistant" && message.apiError !== undefined;
    const isResult = message.type === "user" && message.content.some((block) => block.type === "tool_result");
    return ran.transcriptFailed && (isItsOwnEpitaph || isResult)
      ? []
      : [`a ${message.type} was shown before it was recorded`];
  });
}

function terminalFaults(ran: Ran, isAbandoned = false): string[] {
  if (isAbandoned) return ran.terminal === null ? [] : ["a terminal for a consumer that walked away"];
  return ran.terminal === null ? ["no terminal"] : [];
}

export function transcriptFaults(ran: Ran): string[] {
  const messages: Message[] = fold(ran.transcript.records);
  const faults = ran.transcript.duplicates === 0 ? [] : [`${ran.transcript.duplicates} records written twice`];
  for (const message of messages)
    if (message.type === "user" && message.content.length === 0)
      faults.push(`the message ${message.uuid} says nothing`);
  return ran.transcriptFailed ? faults : [...faults, ...pairingFaults(messages)];
}

/** Runs that differ in where they were struck make the same requests: each is judged once. */
const judged = new Map<string, string[]>();

/** By two judges: the page's invariants, and the validator of the scripted server. */
export function requestsFaults(ran: Ran): string[] {
  return ran.model.requests.flatMap((request) => {
    const { messages, ...others } = request;
    const key = `${JSON.stringify(others)} ${jsonOf(messages)}`;
    let faults = judged.get(key);
    if (faults === undefined) {
      faults = [...requestFaults(request, request.messages.at(-1)?.role === "assistant"), ...wireFaults(request)];
      judged.set(key, faults);
    }
    return faults;
  });
}

export function expectSound(ran: Ran, isAbandoned = false): void {
  expect(terminalFaults(ran, isAbandoned)).toEqual([]);
  expect(transcriptFaults(ran)).toEqual([]);
  expect(requestsFaults(ran)).toEqual([]);
  expect(durabilityFaults(ran)).toEqual([]);
  expect(leftoverFaults(ran)).toEqual([]);
  expect(ran.model.remainingReplies).toBe(0);
}

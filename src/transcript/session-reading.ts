/** The state of a session while its file is read line by line. */
import type { Message, SnipReplay } from "../protocol/index.ts";
import type { SessionFacts, Snapshot } from "./record.ts";
import { createReadReport } from "./read-report.ts";
import { UnbookedAnswers } from "./unbooked-answers.ts";

export interface SessionReading {
  snipReplay: SnipReplay | undefined;
  messages: Message[];
  seenUuids: Set<string>;
  startedCalls: Set<string>;
  unbooked: UnbookedAnswers;
  snapshot: Snapshot;
  facts: SessionFacts | undefined;
  sessionId: string;
  leafUuid: string | null;
  nextSeq: number;
  /** Uuids of messages before which something was lost. */
  afterLoss: Set<string>;
  unappliedSnips: number;
  promptsAwaitingHooks: string[];
  isCutOff: boolean | undefined;
  report: ReturnType<typeof createReadReport>;
}

export function createReading(snipReplay: SnipReplay | undefined): SessionReading {
  return {
    snipReplay,
    messages: [],
    seenUuids: new Set(),
    startedCalls: new Set(),
    unbooked: new UnbookedAnswers(),
    snapshot: {},
    facts: undefined,
    sessionId: "",
    leafUuid: null,
    nextSeq: 0,
    afterLoss: new Set(),
    unappliedSnips: 0,
    promptsAwaitingHooks: [],
    isCutOff: undefined,
    report: createReadReport(),
  };
}

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
  /** Changes to the `readFileState` of the snapshot that were recorded later, in order. */
  readFileChanges: unknown[];
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
    readFileChanges: [],
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

export function finishedSnapshot({ snapshot, readFileChanges }: SessionReading): Snapshot {
  const { readFileState } = snapshot;
  if (readFileChanges.length === 0) return snapshot;
  return {
    ...snapshot,
    readFileState: [...(Array.isArray(readFileState) ? (readFileState as unknown[]) : []), ...readFileChanges],
  };
}

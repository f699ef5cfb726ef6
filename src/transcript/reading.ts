/** The state of a session while its file is read line by line. */
import type { Message, SnipReplay } from "../protocol/index.ts";
import type { SessionFacts, Snapshot } from "./record.ts";
import { createReport } from "./report.ts";
import { Unbooked } from "./unbooked.ts";

export interface Reading {
  snipReplay: SnipReplay | undefined;
  messages: Message[];
  seen: Set<string>;
  started: Set<string>;
  unbooked: Unbooked;
  snapshot: Snapshot;
  facts: SessionFacts | undefined;
  sessionId: string;
  leafUuid: string | null;
  nextSeq: number;
  /** Uuids of messages before which something was lost. */
  afterLoss: Set<string>;
  unappliedSnips: number;
  unasked: string[];
  isCutOff: boolean | undefined;
  report: ReturnType<typeof createReport>;
}

export function createReading(snipReplay: SnipReplay | undefined): Reading {
  return {
    snipReplay,
    messages: [],
    seen: new Set(),
    started: new Set(),
    unbooked: new Unbooked(),
    snapshot: {},
    facts: undefined,
    sessionId: "",
    leafUuid: null,
    nextSeq: 0,
    afterLoss: new Set(),
    unappliedSnips: 0,
    unasked: [],
    isCutOff: undefined,
    report: createReport(),
  };
}

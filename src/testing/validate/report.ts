/**
 * The validator: says whether the real API would take a request, and with which words it would refuse it. Texts are the
 * documented or publicly reported ones; where only the rule is documented the wording is ours.
 */
import type { ModelTable, ModelTraits } from "../models.ts";
import type { FactsMemo } from "../wire/facts.ts";

export interface Violation {
  status: number;
  /** The API's `error.type`. */
  type: string;
  /** The whole text as the API would send it, the path included. */
  message: string;
  /** The API's `error.details.error_code`, where it gives one. */
  code?: string;
}

export interface ValidationOptions {
  /** `compatible`: another vendor's endpoint that speaks the same protocol; model rules and signatures are not checked. */
  endpoint?: "anthropic" | "compatible";
  /**
   * Refuse consecutive messages of one role (default true). The real API merges them; an agent that promises
   * alternation is better told.
   */
  strictAlternation?: boolean;
  /** Whether a key is asked for. Default true. */
  requireKey?: boolean;
  /**
   * Refuse thinking blocks whose prefix has changed, on the models that bind them. Default true, as for accounts made
   * from 2026-08-31 on; the 5.2 models enforce it in any case.
   */
  enforceBinding?: boolean;
  /** `light`: headers, shapes, pairing and thinking only. Default `full`. */
  depth?: "full" | "light";
  models?: ModelTable;
  /** Which endpoint's rules: `count_tokens` needs no `max_tokens`. Default `messages`. */
  operation?: "messages" | "count_tokens";
}

/** What a server remembers between requests. Without it each request is judged alone. */
export interface ValidationState {
  memo: FactsMemo;
  localChecks: WeakMap<object, LocalFinding[]>;
  /** Types of blocks that replies have contained beyond the documented ones: their echo is legal. */
  knownBlockTypes: Set<string>;
  /** Prefix digests after a `pause_turn` reply: such a conversation may be sent back as it is. */
  pausedPrefixes: Set<string>;
  /** For each call made: the response it came in, and how many thinking blocks stood before it there. */
  thinkingBefore: Map<string, { response: string; count: number }>;
}

export function createValidationState(): ValidationState {
  return {
    memo: new WeakMap(),
    localChecks: new WeakMap(),
    knownBlockTypes: new Set(),
    pausedPrefixes: new Set(),
    thinkingBefore: new Map(),
  };
}

/** A finding that depends on one message alone; its path starts inside that message. */
export interface LocalFinding {
  path: string;
  message: string;
}

export class Report {
  readonly violations: Violation[] = [];

  /** A 400. An empty path gives the bare text. */
  add(path: string, message: string): void {
    const text = path === "" ? message : `${path}: ${message}`;
    this.violations.push({ status: 400, type: "invalid_request_error", message: text });
  }

  /** A 400 with a code. */
  addCode(code: string, path: string, message: string): void {
    this.violations.push({ status: 400, type: "invalid_request_error", message: `${path}: ${message}`, code });
  }

  addStatus(status: number, type: string, message: string): void {
    this.violations.push({ status, type, message });
  }
}

/** What every check is given. */
export interface CheckContext {
  report: Report;
  betas: ReadonlySet<string>;
  /** Asked for by the protocol's latest version, which refuses more. */
  isLatest: boolean;
  traits: ModelTraits;
  options: ValidationOptions;
  state: ValidationState | undefined;
}

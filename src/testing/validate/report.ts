/**
 * The validator: tells whether the real API would accept a request, and in which words it would refuse it. The texts are documented
 * or publicly reported; where only the rule is documented, the wording is ours.
 */
import type { ModelTable, ModelTraits } from "../models.ts";
import type { FactsMemo } from "../wire/facts.ts";

export interface Violation {
  status: number;
  /** The API's `error.type`. */
  type: string;
  /** The whole text as the API would send it, including the path. */
  message: string;
  /** The API's `error.details.error_code`, if there is one. */
  code?: string;
}

export interface ValidationOptions {
  /** `compatible`: another vendor's endpoint for the same protocol; model rules and signatures are not checked. */
  endpoint?: "anthropic" | "compatible";
  /**
   * Refuse consecutive messages of one role (default true). The real API merges them, but an agent that promises alternation should
   * learn of a mistake.
   */
  strictAlternation?: boolean;
  /** Whether a key is required. Default true. */
  requireKey?: boolean;
  /**
   * Refuse thinking blocks whose prefix has changed, on the models that bind them. Default true, as for accounts created since
   * 2026-08-31; the 5.2 models always enforce it.
   */
  enforceBinding?: boolean;
  /** `light`: headers, shapes, pairing and thinking only. Default `full`. */
  depth?: "full" | "light";
  models?: ModelTable;
  /** Which endpoint's rules apply: `count_tokens` needs no `max_tokens`. Default `messages`. */
  operation?: "messages" | "count_tokens";
}

/** What a server remembers between requests. Without it, each request is validated alone. */
export interface ValidationState {
  memo: FactsMemo;
  localChecks: WeakMap<object, LocalFinding[]>;
  /** Block types that replies contained beyond the documented ones: sending them back is legal. */
  knownBlockTypes: Set<string>;
  /** Prefix digests after a `pause_turn` reply: such a conversation may be sent back unchanged. */
  pausedPrefixes: Set<string>;
  /** For each tool call made: the response that contained it, and the number of thinking blocks before it in that response. */
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

/** A finding that depends on a single message. Its path starts inside that message. */
export interface LocalFinding {
  path: string;
  message: string;
}

export class Report {
  readonly violations: Violation[] = [];

  /** Adds a 400. With an empty path, the message has no prefix. */
  add(path: string, message: string): void {
    const text = path === "" ? message : `${path}: ${message}`;
    this.violations.push({ status: 400, type: "invalid_request_error", message: text });
  }

  /** Adds a 400 with an error code. */
  addCode(code: string, path: string, message: string): void {
    this.violations.push({ status: 400, type: "invalid_request_error", message: `${path}: ${message}`, code });
  }

  addStatus(status: number, type: string, message: string): void {
    this.violations.push({ status, type, message });
  }
}

/** The arguments of every check. */
export interface CheckContext {
  report: Report;
  betas: ReadonlySet<string>;
  /** The request asks for the protocol's latest version, which refuses more. */
  isLatest: boolean;
  traits: ModelTraits;
  options: ValidationOptions;
  state: ValidationState | undefined;
}

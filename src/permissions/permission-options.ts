/** What a session's permissions are made of, and what they offer. */
import type {
  AskPermission,
  PermissionDecision,
  PermissionMode,
  PermissionPort,
  PermissionQuestion,
  PermissionRequest,
  PermissionSubject,
  PermissionUpdate,
} from "../protocol/permission.ts";
import type { Confinement, SandboxInput } from "../protocol/sandbox.ts";
import type { HookPermissionAnswer } from "../protocol/hook.ts";
import type { Above, SharedPermissions } from "./above.ts";
import type { Law, OutsideBlocks } from "./judging/law.ts";
import type { SteeringFile } from "./paths/steering-files.ts";
import type { PathReader } from "./paths/path-forms.ts";
import type { DescribedRule, Grants, Rule, RuleBehavior, RuleProblem, WrittenRules } from "./rules/rule.ts";
import type { Explanation } from "./judging/verdict.ts";

/** What of the law a session may lay down: without it, what stands there as the default. */
type OwnLaw = Partial<
  Pick<Law, "toolConcern" | "needsPerson" | "isAnswered" | "linked" | "gitDoubt" | "brought" | "searched" | "limits">
>;

export interface PermissionOptions extends OwnLaw {
  mode: PermissionMode;
  /** Of an agent: what holds for whoever started it holds for it, too, as it is at each call. */
  above?: Above | undefined;
  rules: WrittenRules;
  /** The session's working directory, absolute. What a rule without an anchor starts from. */
  cwd: string;
  /** What the user's shell calls that folder (`PWD`): the way to it may lead over a link. Passed over where it leads elsewhere. */
  cwdName?: string | undefined;
  additionalDirectories?: readonly string[];
  /** Absolute. Where the session spills large results: may be read, not written. */
  readOnlyDirectories?: readonly string[];
  home: string;
  /** Absent: what would be asked is denied. */
  ask?: AskPermission | undefined;
  /** May answer in a person's stead what an allow rule could; null: it does not. */
  beforeAsking?: (question: PermissionQuestion, signal: AbortSignal) => Promise<HookPermissionAnswer | null>;
  /** Keeps changes that were answered in a person's stead, where they name a file. Must not throw. */
  keep?: (updates: readonly PermissionUpdate[]) => Promise<void>;
  /** What would be asked is refused, whoever could be asked. */
  deniesInsteadOfAsking?: () => boolean;
  /** What settings close off outside of the working directories. */
  outside?: () => OutsideBlocks;
  /** False: what anybody answers for good, or a skill brings along, becomes no allow rule. Default: it does. */
  takesAllowRules?: () => boolean;
  /** Why a mode cannot be had; undefined where it can. */
  modeRefusal?: (mode: PermissionMode) => string | undefined;
  /** Told of each change. Must not throw. */
  onMode?: ((from: PermissionMode, to: PermissionMode) => void) | undefined;
  /** Judges calls in the mode `auto`. Absent: they are asked about. Must not throw. */
  classify?: Classify;
  /** Told of a call that it blocked; true: the model may try it again. Must not throw. */
  onBlocked?: (request: PermissionRequest, reason: string, signal: AbortSignal) => Promise<boolean>;
  /** How long one question waits, ms. Default 24 h. */
  askLimitMs?: number;
  /** Denials say that nobody can be asked, and name the flag that would allow the call. */
  headless?: boolean;
  /** What a call with another input would do. Without it, an answer that changes the input is refused. */
  subjectsOf?: (toolName: string, input: Record<string, unknown>, cwd: string) => PermissionSubject[];
  /** How a command would run; undefined where there is no sandbox. */
  confinementOf?: (input: SandboxInput) => Confinement | undefined;
  clock: QuestionClock;
  /** Looks where paths lead. Default: this disk. */
  reader?: PathReader;
  /** Single files that the session takes its orders from, or starts by itself. Default: there are none. */
  steering?: () => readonly SteeringFile[];
}

export type RulesInForce = Readonly<Record<RuleBehavior, readonly Rule[]>>;

/** A host that a confined command wants to reach, and nothing of the sandbox's own settings speaks of. */
export interface HostQuestion {
  /** As URLs have it. */
  host: string;
  port: number;
  command: string;
  toolUseId: string;
  cwd: string;
}

export interface Permissions extends PermissionPort, SharedPermissions {
  /** What would be decided of a call before anybody is asked, and why. */
  explain(
    toolName: string,
    input: Record<string, unknown>,
    isReadOnly: boolean,
    hook?: Pick<PermissionRequest, "hookDecision">,
  ): Promise<Explanation>;
  /** Throws `UsageError` where settings rule the mode out. */
  setMode(mode: PermissionMode): void;
  /** Adds to the session's rules, the allow rules by default; false, and nothing added, where the rule cannot be read. */
  addSessionRule(rule: string, behavior?: RuleBehavior): boolean;
  /** Rules for a while, such as those of a skill for the user turn it is used in. */
  readonly grants: Grants;
  /** Absolute. */
  addDirectory(folder: string): void;
  /** Rules, mode or folders of this session. The problems of rules that cannot be read; of `error`, nothing should go on. */
  update(change: PermissionUpdate): RuleProblem[];
  /** What would be odd about rules, were they given. */
  problemsOf(rules: WrittenRules): RuleProblem[];
  /** Other rules and folders of files and flags. What the session itself added stays. */
  replaceRules(rules: WrittenRules, additionalDirectories: readonly string[]): void;
  /** Of other rules, what forbids more and permits less. */
  narrowRules(rules: WrittenRules): void;
  describeRules(): DescribedRule[];
  /** Absolute: where it works, the current folder first. */
  folders(): string[];
  /** Which of the tools are refused whatever they are called with: they are not to be offered to the model. */
  removedTools(names: readonly string[]): string[];
  /** Whether a rule, as text, speaks of a call; true as well where that cannot be told. For hooks that run for some calls only. */
  concerns(rule: string, toolName: string, input: Record<string, unknown>, cwd: string): Promise<boolean>;
  /** As they are now. */
  rules(): RulesInForce;
  /** Asks a person whether a host may be reached; a yes for good becomes a rule of the session. */
  askAboutHost(question: HostQuestion, signal: AbortSignal): Promise<PermissionDecision>;
  /** A deny rule forbids reading it: search results in it are to be left out. Absolute. */
  isReadDenied(path: string): boolean;
  /** What was odd about the rules given. Where one has the level `error`, the session should not start. */
  readonly problems: readonly RuleProblem[];
}

export type Classified =
  | { verdict: "allow" }
  /** `reason`: one clause, for the model. */
  | { verdict: "block"; reason: string }
  /** `why`: one clause, for people. */
  | { verdict: "unclear"; why: string };
/** `why`: what the rules say about the call. Rejects once `signal` aborts, at the latest. */
export type Classify = (
  call: Pick<PermissionRequest, "toolName" | "input" | "cwd"> & { why: string },
  signal: AbortSignal,
) => Promise<Classified>;
export interface QuestionClock {
  /** Calls back once after `ms`; returns what cancels it. */
  timer(ms: number, onFire: () => void): () => void;
}

/** The options a session's permissions are created from, and the interface they offer. */
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
import type { ParentPermissions, SharedPermissions } from "./parent-permissions.ts";
import type { Law, OutsideBlocks } from "./judging/law.ts";
import type { SteeringFile } from "./paths/steering-files.ts";
import type { PathReader } from "./paths/path-forms.ts";
import type { DescribedRule, Grants, Rule, RuleBehavior, RuleProblem, WrittenRules } from "./rules/rule.ts";
import type { Explanation } from "./judging/verdict.ts";

/** The parts of the law that a session may set; each has a default (see `buildLaw`). */
type LawOptions = Partial<
  Pick<
    Law,
    | "toolConcern"
    | "needsPerson"
    | "isAnswered"
    | "linked"
    | "gitDoubt"
    | "repositoryProgram"
    | "programFolders"
    | "limits"
  >
>;

export interface PermissionOptions extends LawOptions {
  mode: PermissionMode;
  /** For a subagent: the permissions of the session or agent that started it, which also apply to the subagent as they are at each call. */
  parent?: ParentPermissions | undefined;
  rules: WrittenRules;
  /** The session's working directory, absolute. Rules without an anchor are relative to it. */
  cwd: string;
  /** What the user's shell calls that folder (`PWD`), which may reach it through a symlink. Ignored if it leads elsewhere. */
  cwdName?: string | undefined;
  additionalDirectories?: readonly string[];
  /** Absolute paths that may be read but not written, such as where the session spills large results. */
  readOnlyDirectories?: readonly string[];
  home: string;
  /** If absent, calls that would be asked about are denied. */
  ask?: AskPermission | undefined;
  /** May answer in a person's stead, as far as an allow rule could. Resolves to null if it gives no answer. */
  beforeAsking?: (question: PermissionQuestion, signal: AbortSignal) => Promise<HookPermissionAnswer | null>;
  /** Persists changes that were answered in a person's stead and name a settings file. Must not throw. */
  persist?: (updates: readonly PermissionUpdate[]) => Promise<void>;
  /** True if every question is refused instead of asked, even when somebody could be asked. */
  deniesInsteadOfAsking?: () => boolean;
  /** What settings block outside the working directories. */
  outsideBlocks?: () => OutsideBlocks;
  /** If false, neither a lasting answer nor a skill can add allow rules. Default: true. */
  takesAllowRules?: () => boolean;
  /** Why a mode is not available, or undefined if it is. */
  modeRefusal?: (mode: PermissionMode) => string | undefined;
  /** Called after each mode change. Must not throw. */
  onModeChange?: ((from: PermissionMode, to: PermissionMode) => void) | undefined;
  /** Judges calls in the mode `auto`. If absent, those calls are asked about. Must not throw. */
  classify?: Classify;
  /** Called with each call that `classify` blocked. Resolves to true if the model may try it again. Must not throw. */
  onBlocked?: (request: PermissionRequest, reason: string, signal: AbortSignal) => Promise<boolean>;
  /** How long one question waits for an answer, in ms. Default 24 h. */
  askLimitMs?: number;
  /** Denials say that nobody can be asked, and name the flag that would allow the call. */
  headless?: boolean;
  /** What a call with a changed input would act on. Without it, an answer that changes the input is refused. */
  subjectsOf?: (toolName: string, input: Record<string, unknown>, cwd: string) => PermissionSubject[];
  /** How a command would be confined; undefined if there is no sandbox. */
  confinementOf?: (input: SandboxInput) => Confinement | undefined;
  clock: QuestionClock;
  /** Resolves where paths lead. Default: the local disk. */
  reader?: PathReader;
  /** Single files that the session takes instructions from, or starts by itself. Default: none. */
  steering?: () => readonly SteeringFile[];
}

export type RulesInForce = Readonly<Record<RuleBehavior, readonly Rule[]>>;

/** A host that a confined command wants to reach and that no sandbox setting mentions. */
export interface HostQuestion {
  /** The host as written in URLs. */
  host: string;
  port: number;
  command: string;
  toolUseId: string;
  cwd: string;
}

export interface Permissions extends PermissionPort, SharedPermissions {
  /** Returns what would be decided about a call before anybody is asked, and why. */
  explain(
    toolName: string,
    input: Record<string, unknown>,
    isReadOnly: boolean,
    hook?: Pick<PermissionRequest, "hookDecision">,
  ): Promise<Explanation>;
  /** Throws `UsageError` if settings rule the mode out. */
  setMode(mode: PermissionMode): void;
  /** Adds a rule to the session's rules (by default an allow rule). Returns false, and adds nothing, if the rule cannot be read. */
  addSessionRule(rule: string, behavior?: RuleBehavior): boolean;
  /** Temporary rules, such as those of a skill for the user turn it is used in. */
  readonly grants: Grants;
  /** Takes an absolute path. */
  addDirectory(folder: string): void;
  /** Changes the session's rules, mode or folders. Returns problems of unreadable rules; after one of level `error`, stop. */
  update(change: PermissionUpdate): RuleProblem[];
  /** Returns the problems that these rules would have. */
  problemsOf(rules: WrittenRules): RuleProblem[];
  /** Replaces the rules and folders of files and flags. What the session itself added stays. */
  replaceRules(rules: WrittenRules, additionalDirectories: readonly string[]): void;
  /** Takes from new rules only what forbids more or permits less. */
  narrowRules(rules: WrittenRules): void;
  describeRules(): DescribedRule[];
  /** The working directories as absolute paths, the current one first. */
  folders(): string[];
  /** The tools that are refused whatever their input is, and so should not be offered to the model. */
  removedTools(names: readonly string[]): string[];
  /** Whether a rule, given as text, matches a call; true also if that cannot be decided. For hooks that run for some calls only. */
  ruleConcernsCall(rule: string, toolName: string, input: Record<string, unknown>, cwd: string): Promise<boolean>;
  /** The rules as they are now. */
  rules(): RulesInForce;
  /** Asks a person whether a host may be reached; a lasting yes becomes a rule of the session. */
  askAboutHost(question: HostQuestion, signal: AbortSignal): Promise<PermissionDecision>;
  /** Whether a deny rule forbids reading the path (absolute). Such paths are left out of search results. */
  isReadDenied(path: string): boolean;
  /** Problems of the rules given. If one has the level `error`, the session should not start. */
  readonly problems: readonly RuleProblem[];
}

export type Classification =
  | { verdict: "allow" }
  /** `reason`: one clause, for the model. */
  | { verdict: "block"; reason: string }
  /** `why`: one clause, for people. */
  | { verdict: "unclear"; why: string };
/** `why`: what the rules say about the call. Rejects once `signal` aborts, at the latest. */
export type Classify = (
  call: Pick<PermissionRequest, "toolName" | "input" | "cwd"> & { why: string },
  signal: AbortSignal,
) => Promise<Classification>;
export interface QuestionClock {
  /** Calls `onFire` once after `ms`; returns a function that cancels it. */
  timer(ms: number, onFire: () => void): () => void;
}

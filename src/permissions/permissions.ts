/**
 * Decides which tool calls are allowed, from modes and rules, and asks about what they leave open. A call that cannot be understood is
 * asked about, and a call that cannot be asked about is refused. Start at `judging/evaluate.ts`, which holds the order of judgement.
 */
import type {
  PermissionDecision,
  PermissionMode,
  PermissionRequest,
  PermissionUpdate,
} from "../protocol/permission.ts";
import type { Confinement } from "../protocol/sandbox.ts";
import { parentRules } from "./parent-permissions.ts";
import { askAutoModeJudge, askPerson, type AskContext } from "./ask-person.ts";
import { AutoMode } from "./auto-mode.ts";
import { denyFailedCheck, deniedText, denyUnanswered } from "./denial-text.ts";
import { UsageError } from "../lib/usage-error.ts";
import { loadedJudge, loadJudge } from "./load-judge.ts";
import { OpenQuestions } from "./open-questions.ts";
import { diskPaths, type PathReader } from "./paths/path-forms.ts";
import type { AnswerContext } from "./take-answer.ts";
import {
  parseRule,
  type RuleBehavior,
  type RuleProblem,
  type WrittenRules,
  type Grants,
  type DescribedRule,
} from "./rules/rule.ts";
import { RuleBook } from "./rule-book.ts";
import { stricterMode } from "./judging/strictness.ts";
import { explainVerdict, pickJudgedPaths, type Explanation, type Judgement } from "./judging/verdict.ts";
import { otherFolderName, WorkingFolders } from "./paths/working-folders.ts";
import { hostRequest, sandboxInput } from "./sandbox-requests.ts";
import type { HostQuestion, PermissionOptions, Permissions, RulesInForce } from "./permission-options.ts";

export { sessionSource } from "./rule-book.ts";
export type { Explanation, PermissionOptions, Permissions };

export function createPermissions(options: PermissionOptions): Permissions {
  return new RuledPermissions(options);
}

class RuledPermissions implements Permissions {
  readonly problems: RuleProblem[];
  readonly #options: PermissionOptions;
  readonly #reader: PathReader;
  readonly #ruleBook: RuleBook;
  readonly workingFolders: WorkingFolders;
  readonly openQuestions: OpenQuestions;
  #mode: PermissionMode;
  /** Created when the first call is put to the judge of the mode `auto`. */
  #autoMode: AutoMode | undefined;

  constructor(options: PermissionOptions) {
    this.#options = options;
    this.#mode = options.mode;
    this.#reader = options.reader ?? diskPaths;
    const { parent } = options;
    this.openQuestions = new OpenQuestions(parent?.permissions.openQuestions);
    const places = { cwd: options.cwd, cwdName: otherFolderName(options), home: options.home, reader: this.#reader };
    this.#ruleBook = new RuleBook(places, parent === undefined ? undefined : parentRules(parent));
    const folders = parent?.sharesFolders === true ? parent.permissions.workingFolders : undefined;
    this.workingFolders = new WorkingFolders(this.#reader, folders);
    this.workingFolders.add(options.cwd, false, places.cwdName);
    this.workingFolders.configure(options.additionalDirectories ?? []);
    for (const folder of options.readOnlyDirectories ?? []) this.workingFolders.add(folder, true);
    this.problems = this.#ruleBook.replace(options.rules);
  }

  problemsOf(rules: WrittenRules): RuleProblem[] {
    return this.#ruleBook.problemsOf(rules);
  }

  replaceRules(rules: WrittenRules, additionalDirectories: readonly string[]): void {
    this.#ruleBook.replace(rules);
    this.workingFolders.configure(additionalDirectories);
    this.openQuestions.notifyChange();
  }

  narrowRules(rules: WrittenRules): void {
    this.#ruleBook.narrow(rules);
    this.openQuestions.notifyChange();
  }

  getMode(): PermissionMode {
    return stricterMode(this.#mode, this.#options.parent?.permissions.getMode());
  }

  setMode(mode: PermissionMode): void {
    const refusal = this.#options.modeRefusal?.(mode);
    if (refusal !== undefined) throw new UsageError(refusal);
    const before = this.#mode;
    this.#mode = mode;
    this.#options.onModeChange?.(before, mode);
    this.openQuestions.notifyChange();
  }

  addSessionRule(rule: string, behavior: RuleBehavior = "allow"): boolean {
    if (behavior === "allow" && !this.#takesAllowRules()) return false;
    const isAdded = this.#ruleBook.addForSession(rule, behavior);
    if (isAdded) this.openQuestions.notifyChange();
    return isAdded;
  }

  addLastingRule(rule: string): boolean {
    const { parent } = this.#options;
    return parent?.shares(rule) === true ? parent.permissions.addLastingRule(rule) : this.addSessionRule(rule);
  }

  applyUpdate(change: PermissionUpdate): RuleProblem[] {
    const { parent } = this.#options;
    return parent?.shares(change) === true ? parent.permissions.applyUpdate(change) : this.update(change);
  }

  writtenRules(version?: number): WrittenRules {
    return this.#ruleBook.writtenRules(version);
  }

  ruleVersion(): number {
    return this.#ruleBook.version;
  }

  get grants(): Grants {
    const book = this.#ruleBook;
    const changing = <Result>(change: () => Result): Result => {
      const result = change();
      this.openQuestions.notifyChange();
      return result;
    };
    return {
      grant: (behavior, rules) =>
        behavior === "allow" && !this.#takesAllowRules() ? [] : changing(() => book.grant(behavior, rules)),
      withdraw: (rules) => changing(() => book.withdraw(rules)),
      endGrants: () => changing(() => book.endGrants()),
    };
  }

  #takesAllowRules(): boolean {
    return this.#options.takesAllowRules?.() ?? true;
  }

  addDirectory(folder: string): void {
    this.workingFolders.add(folder);
    this.openQuestions.notifyChange();
  }

  update(change: PermissionUpdate): RuleProblem[] {
    let problems: RuleProblem[] = [];
    if (change.type === "setMode") this.setMode(change.mode);
    else if (!("behavior" in change)) this.workingFolders.change(change, this.#options.cwd);
    else if (this.#acceptsChange(change)) problems = this.#ruleBook.change(change);
    if (change.type !== "setMode") this.openQuestions.notifyChange();
    return problems;
  }

  #acceptsChange({ type, behavior }: Extract<PermissionUpdate, { behavior: string }>): boolean {
    return behavior !== "allow" || type === "removeRules" || this.#takesAllowRules();
  }

  folders(): string[] {
    return this.workingFolders.writtenPaths();
  }

  describeRules(): DescribedRule[] {
    return this.#ruleBook.describe();
  }

  removedTools(names: readonly string[]): string[] {
    return this.#ruleBook.refusedTools(names);
  }

  async explain(...[tool, input, isReadOnly, hook]: Parameters<Permissions["explain"]>): Promise<Explanation> {
    const request = { ...this.#hypotheticalRequest(tool, input, isReadOnly, this.#options.cwd), ...hook };
    const verdict = await this.#evaluate(request);
    const isRefused = verdict.behavior === "ask" && this.#silencedBy() !== undefined;
    return explainVerdict(verdict, isRefused, this.#confinementOf(request)?.kind);
  }

  async ruleConcernsCall(
    written: string,
    toolName: string,
    input: Record<string, unknown>,
    cwd: string,
  ): Promise<boolean> {
    const { home, cwd: root } = this.#options;
    const source = { rule: written, source: "a hook's condition" };
    // By convention, `src/**` in a hook's condition means this working directory only.
    const { rule } = parseRule(source, "ask", { cwd: root, home, reader: this.#reader, pinsFolders: true });
    if (rule === null) return true;
    const request = this.#hypotheticalRequest(toolName, input, false, cwd);
    const { meetsRequest } = await loadJudge();
    return meetsRequest(rule, request, home, this.#reader);
  }

  #hypotheticalRequest(
    toolName: string,
    input: Record<string, unknown>,
    isReadOnly: boolean,
    cwd: string,
  ): PermissionRequest {
    const subjects = this.#options.subjectsOf?.(toolName, input, cwd) ?? [{ kind: "tool" as const }];
    return { toolName, toolUseId: "", input, subjects, isReadOnly, cwd, key: "" };
  }

  isReadDenied(path: string): boolean {
    return this.#ruleBook.forbidsReading(path, this.#reader);
  }

  #confinementOf(request: PermissionRequest): Confinement | undefined {
    const { confinementOf } = this.#options;
    const input = confinementOf === undefined ? undefined : sandboxInput(request);
    return input === undefined ? undefined : confinementOf?.(input);
  }

  #silencedBy(): string | undefined {
    if (this.getMode() === "dontAsk") return "the mode dontAsk";
    return this.#options.deniesInsteadOfAsking?.() === true ? "the setting denyInsteadOfPrompting" : undefined;
  }

  rules(): RulesInForce {
    return this.#ruleBook.rules;
  }

  async askAboutHost(question: HostQuestion, signal: AbortSignal): Promise<PermissionDecision> {
    const { request, verdict } = hostRequest(question);
    if (signal.aborted) return denyUnanswered(request, "the command is over");
    // Nobody is watching in this mode: settings alone decide what a confined command may reach.
    if (this.getMode() === "bypassPermissions") return denyUnanswered(request, "no rule or setting lists it");
    return await askPerson(this.#askContext, request, verdict, signal, false);
  }

  get #answerContext(): AnswerContext {
    const { subjectsOf, persist } = this.#options;
    return {
      subjectsOf,
      persist,
      evaluate: (request) => this.#evaluate(request),
      addLastingRule: (rule) => this.addLastingRule(rule),
      update: (change) => this.applyUpdate(change),
    };
  }

  decide(request: PermissionRequest, signal: AbortSignal): PermissionDecision | Promise<PermissionDecision> {
    if (signal.aborted) return denyUnanswered(request, "the run was cancelled");
    try {
      const toDecision = (verdict: Judgement) => this.#decisionFor(request, verdict, signal);
      const verdict = this.#evaluate(request);
      const decision = verdict instanceof Promise ? verdict.then(toDecision) : toDecision(verdict);
      return decision instanceof Promise ? decision.catch(denyFailedCheck) : decision;
    } catch (error) {
      return denyFailedCheck(error);
    }
  }

  #evaluate(request: PermissionRequest): Judgement | Promise<Judgement> {
    const judge = loadedJudge();
    if (judge === undefined) return loadJudge().then(() => this.#evaluate(request));
    return judge.judgeCall(request, this.#options, {
      mode: this.getMode(),
      ...this.#ruleBook.rules,
      folders: this.workingFolders,
      reader: this.#reader,
      confinement: this.#confinementOf(request),
    });
  }

  #decisionFor(
    request: PermissionRequest,
    verdict: Judgement,
    signal: AbortSignal,
  ): PermissionDecision | Promise<PermissionDecision> {
    switch (verdict.behavior) {
      case "allow":
        return { behavior: "allow", reason: verdict.reason, ...pickJudgedPaths(verdict) };
      case "deny":
        return { behavior: "deny", message: deniedText(request, verdict), reason: verdict.reason };
      case "ask":
        if (this.getMode() !== "auto" || verdict.isFirm || this.#silencedBy() !== undefined)
          return askPerson(this.#askContext, request, verdict, signal, true);
        this.#autoMode ??= new AutoMode(this.#options);
        return askAutoModeJudge(this.#askContext, this.#autoMode, request, verdict, signal);
      default:
        return verdict satisfies never;
    }
  }

  get #askContext(): AskContext {
    return {
      options: this.#options,
      openQuestions: this.openQuestions,
      answerContext: this.#answerContext,
      reader: this.#reader,
      mode: () => this.getMode(),
      silencedBy: () => this.#silencedBy(),
      takesAllowRules: () => this.#takesAllowRules(),
      decisionFor: (...found) => this.#decisionFor(...found),
    };
  }
}

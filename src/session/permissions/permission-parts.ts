/** Combines the rules of flags and settings with the session's folders into its permissions. */
import { copyJson } from "../../protocol/copy-json.ts";
import type { PermissionOptions } from "../../permissions/permission-options.ts";
import { createPermissions, type Permissions } from "../../permissions/permissions.ts";
import type { WrittenRules } from "../../permissions/rules/rule.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { HookPermissionAnswer } from "../../protocol/hook.ts";
import type {
  AskPermission,
  PermissionAnswer,
  PermissionMode,
  PermissionQuestion,
  PermissionSubject,
  PermissionUpdate,
} from "../../protocol/permission.ts";
import type { Tool } from "../../protocol/tool.ts";
import { charsetLocale, isAsciiSafeLocale } from "../../lib/locale-charset.ts";
import { repositoryPrograms, findRepositoryTop } from "../../lib/repository-programs.ts";
import { runsInOldBash } from "../../tools/shell/configured-shell.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { StartedAgent } from "../agents/started-agent.ts";
import type { Settings } from "../../settings/settings.ts";
import { guardTools } from "./guard-tools.ts";
import { guardUnreadableRules } from "./guarded-rules.ts";
import { miscasedRuleTexts } from "../../permissions/rules/miscased-rules.ts";
import { stricterMode } from "../../permissions/judging/strictness.ts";
import { locksOf, modeRefusal } from "../settings/settings-locks.ts";
import { createClassifier, type ClassifierInputs } from "./classifier-parts.ts";
import { autoMemoryOf } from "../memory/auto-memory.ts";
import type { HookOccasions } from "../hooks/hook-occasions.ts";
import type { EngineOptions } from "../options/options.ts";
import { withAnswerTimeout } from "./answer-timeout.ts";
import { linkedPlacesOf } from "./linked.ts";
import { orphanToAnswer, type OrphanedCall } from "./orphan.ts";
import type { PlanMode } from "../plan/plan-mode.ts";
import type { SandboxParts } from "./sandbox-parts.ts";
import { askThroughTool } from "./prompt-tool.ts";
import type { Store } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { steeringOf } from "./steering.ts";
import { sharedProjectFolders } from "../worktrees/shared-folders.ts";
import { parentPermissions } from "../agents/parent-permissions.ts";
import type { ToolParts } from "../tools/tool-parts.ts";

export interface PermissionPartsOptions {
  options: EngineOptions;
  around: Surroundings;
  store: Store;
  tools: ToolParts;
  occasions: HookOccasions;
  sandbox?: SandboxParts | undefined;
  /** For an agent: its permissions are never laxer than its parent's. */
  agentRun?: StartedAgent | undefined;
  /** The agent type of the main thread. */
  leader?: NamedAgent | undefined;
  /** What the mode `auto` needs to judge calls; absent if no model is available. */
  judge?: ClassifierInputs;
  /** Absent: plans cannot be presented in this session. */
  plan?: PlanMode | undefined;
  /** Filled in later: MCP servers are composed after the permissions, whose rules decide which of their tools are offered. */
  concerns?: Concerns;
}

/** Looks up why only a person may allow a tool; answered by the part that knows, once it exists. */
export interface Concerns {
  personOnlyReason?: (tool: string, source: string | null) => string | undefined;
  /** Also finds tools of MCP servers. */
  findTool?: (name: string) => Tool | undefined;
}

export interface PermissionParts {
  permissions: Permissions;
  orphan: OrphanedCall | null;
}

const noRules: WrittenRules = { allow: [], deny: [], ask: [] };

export function composePermissions(parts: PermissionPartsOptions): PermissionParts {
  const { options, around, store, tools, occasions, sandbox, concerns, agentRun, judge, plan } = parts;
  const orphan = orphanToAnswer(store, options);
  const findTool = (name: string): Tool | undefined => tools.tools.find((tool) => tool.name === name);
  const { settings, cwd, home, clock, machine } = around;
  const host = createHostAsk(parts, (name) => agentRun?.root.view.find(name) ?? concerns?.findTool?.(name));
  const spills = definedPaths([store.spillDirectory ?? tools.temporaryFolder(), ...store.spilledBefore]);
  const shared = sharedProjectFolders(cwd, settings.worktree?.symlinkDirectories ?? []);
  const mode = initialMode(options, around);
  const parent = agentRun === undefined ? undefined : parentPermissions(agentRun, around);
  const written = parent === undefined ? writtenRules(options, settings) : noRules;
  const steering = steeringOf(options, around, occasions);
  const permissionOptions: PermissionOptions = {
    // An agent has the mode of its definition, or else its parent's.
    mode: agentRun === undefined ? mode : (agentRun.definition.permissionMode ?? "bypassPermissions"),
    parent,
    rules: written,
    cwd,
    cwdName: around.env["PWD"],
    additionalDirectories: parent?.sharesFolders === true ? [] : addedFolders(options, settings),
    readOnlyDirectories: definedPaths([
      ...spills,
      sandbox?.temporary,
      autoMemoryOf(around, options)?.folder,
      ...shared,
    ]),
    home,
    ask: host,
    beforeAsking: async (question, signal) => {
      const seen = withHookFields({ ...question, ...plan?.questionFields(question) }, findTool(question.toolName));
      return filterModeUpdates(await passInterruptUp(occasions.answerQuestion(seen, signal), agentRun), mode);
    },
    persist: (updates) => keepUpdates(updates, options, around),
    headless: options.headless,
    ...lockedChoices(around),
    onModeChange: (from, to) => {
      plan?.modeChanged(from, to);
      around.telemetry?.modeChanged(from, to);
    },
    ...(judge === undefined ? {} : { classify: createClassifier(judge, parts) }),
    onBlocked: (request, reason, signal) => occasions.permissionDenied(request, reason, signal),
    ...(sandbox === undefined ? {} : { confinementOf: (input) => sandbox.sandbox.confinementOf(input) }),
    clock,
    ...toolAnswers(findTool, concerns),
    linked: linkedPlacesOf(agentRun?.root.around ?? around),
    steering,
    ...shellOf(around),
    reader: machine.paths,
  };
  // A getter in the literal would turn each session's options into a hash table, six times as large.
  if (orphan !== null) Object.defineProperty(permissionOptions, "ask", { get: () => orphan.ask ?? host });
  const permissions = createPermissions(permissionOptions);
  guardTools(tools.shared, permissions, options);
  sandbox?.join({ permissions, spills, steering });
  const { rules, fatal, warnings } = guardUnreadableRules(written, permissions.problems, settings);
  for (const { text } of fatal) throw new UsageError(text);
  const miscased = miscasedRuleTexts(written.allow, (name) => findTool(name) !== undefined);
  for (const text of [...warnings, ...miscased]) around.notice(text);
  if (rules !== written) permissions.replaceRules(rules, addedFolders(options, settings));
  return { permissions, orphan };
}

/** What the settings lock. The locks are looked up for each answer, because settings are read again while the session runs. */
function lockedChoices(around: Surroundings) {
  const { settings } = around;
  const locks = () => around.live?.locks ?? locksOf(settings);
  return {
    deniesInsteadOfAsking: () => locks().deniesInsteadOfAsking,
    outsideBlocks: () => locks().outside,
    takesAllowRules: () => settings.allowManagedPermissionRulesOnly !== true,
    modeRefusal: (wanted) => modeRefusal(wanted, locks()),
  } satisfies Partial<PermissionOptions>;
}

/** What is known of the session's tools and of their calls. */
function toolAnswers(findTool: (name: string) => Tool | undefined, concerns: Concerns | undefined) {
  return {
    subjectsOf: (name, input, folder): PermissionSubject[] =>
      findTool(name)?.permissionSubjects?.(input, folder) ?? [{ kind: "tool" }],
    toolConcern: (name, source) => concerns?.personOnlyReason?.(name, source),
    needsPerson: (name) => findTool(name)?.requiresUserInteraction === true,
    isAnswered: (name, input) => findTool(name)?.isAnswered?.(input) ?? true,
  } satisfies Partial<PermissionOptions>;
}

/** How shells here find programs and read characters. */
function shellOf({
  env,
  cwd,
  home,
}: Surroundings): Pick<PermissionOptions, "repositoryProgram" | "programFolders" | "limits"> {
  const limits = { isMisread: !isAsciiSafeLocale(charsetLocale(env)), isOld: runsInOldBash(env, process.platform) };
  const { programFor, searchedFolders } = repositoryPrograms(env, () => findRepositoryTop(cwd, home));
  return { repositoryProgram: programFor, programFolders: searchedFolders, limits };
}

/** Undefined if nobody can be asked. */
function createHostAsk(
  { options, around, store, occasions, agentRun, plan }: PermissionPartsOptions,
  toolNamed: (name: string) => Tool | undefined,
): AskPermission | undefined {
  const { permissionPromptToolName: prompter } = options;
  const ask = options.ask ?? (prompter === undefined ? null : askThroughTool(prompter, store.sessionId, toolNamed));
  if (ask === null) return undefined;
  const asking = withAnswerTimeout(ask, around.settings, around.clock);
  return (question, signal) => {
    occasions.notifyPermissionQuestion(question);
    // A copy, so that the host's changes to the input of a question do not reach the conversation.
    const mcpServer = toolNamed(question.toolName)?.mcpServer;
    const server = mcpServer === undefined ? {} : { mcpServer };
    return passInterruptUp(
      asking({ ...copyJson(question), ...server, ...plan?.questionFields(question) }, signal),
      agentRun,
    );
  };
}

/** For an agent: tells its parent, which waits for it, that the turn is to end. */
async function passInterruptUp<T extends HookPermissionAnswer | PermissionAnswer | null>(
  answering: Promise<T>,
  agentRun: StartedAgent | undefined,
): Promise<T> {
  const answer = await answering;
  if (answer?.behavior === "deny" && answer.interrupt === true) agentRun?.onInterrupt?.();
  return answer;
}

/** Adds the fields of the input that a tool supplies for hooks. */
function withHookFields(question: PermissionQuestion, tool: Tool | undefined): PermissionQuestion {
  const { input, cwd } = question;
  return tool?.observableInput === undefined ? question : { ...question, input: tool.observableInput(input, cwd) };
}

function definedPaths(paths: readonly (string | null | undefined)[]): string[] {
  return [...new Set(paths.filter((path) => typeof path === "string" && path !== ""))] as string[];
}

async function keepUpdates(
  updates: readonly PermissionUpdate[],
  options: EngineOptions,
  around: Surroundings,
): Promise<void> {
  const { keepPermissions } = await import("./keep-permissions.ts");
  const now = (): string => around.clock.timestamp();
  await keepPermissions(updates, { options, places: around, now, session: around.live?.trust });
}

/** Throws `UsageError` if an option requests a mode that cannot be used. */
function initialMode({ permissionMode }: EngineOptions, { settings, notice }: Surroundings): PermissionMode {
  // The mode recorded in a transcript grants nothing: a resumed session starts in the mode it is given now.
  const mode = permissionMode ?? settings.permissions.defaultMode ?? "default";
  const refusal = modeRefusal(mode, settings.permissions);
  if (refusal === undefined) return mode;
  if (permissionMode !== undefined) throw new UsageError(refusal);
  notice(`${refusal} The session begins in the mode default.`);
  return "default";
}

/** The rules of flags and settings together. */
export function writtenRules(
  options: EngineOptions,
  { permissions, allowManagedPermissionRulesOnly: isManagedOnly }: Settings,
): WrittenRules {
  const flagged = (rules: readonly string[] | undefined, source: string) =>
    (rules ?? []).map((rule) => ({ rule, source }));
  return {
    allow: [...permissions.allow, ...flagged(isManagedOnly === true ? [] : options.allowedTools, "--allowed-tools")],
    deny: [...permissions.deny, ...flagged(options.disallowedTools, "--disallowed-tools")],
    ask: permissions.ask,
  };
}

export function addedFolders(options: EngineOptions, { permissions }: Settings): string[] {
  return [...(options.addDirs ?? []), ...permissions.additionalDirectories];
}

/** Filters a hook's answer: only a person may choose a mode in which nobody is asked, unless the session began in that mode. */
function filterModeUpdates(answer: HookPermissionAnswer | null, began: PermissionMode): HookPermissionAnswer | null {
  if (answer?.behavior !== "allow" || answer.updates === undefined) return answer;
  const updates = answer.updates.filter((change) => change.type !== "setMode" || mayHookEnter(change.mode, began));
  return { ...answer, updates };
}

function mayHookEnter(mode: PermissionMode, began: PermissionMode): boolean {
  return (mode !== "bypassPermissions" && mode !== "auto") || stricterMode(mode, began) === mode;
}

/** Events outside of turns that a session reports to hooks, and questions that hooks may answer in a person's place. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { HookEnvironment } from "./hook-environment.ts";
import type { HookDefinitions } from "./extra-hooks.ts";
import type { OwnedHooks } from "../../hooks/run.ts";
import { oneLine } from "../../lib/sanitize.ts";
import { asFireAndForget } from "../../lib/fire-and-forget.ts";
import { rejectOnAbort } from "../../lib/reject-on-abort.ts";
import type { MemoryFile } from "../../knowledge/memory-files.ts";
import type { Skill } from "../../knowledge/skill.ts";
import { describeRequest } from "../../permissions/denial-text.ts";
import type { HookInput, HookPermissionAnswer } from "../../protocol/hook.ts";
import type {
  AnswerElicitation,
  McpElicitation,
  McpElicitationAnswer,
  McpElicitationDone,
} from "../../protocol/mcp.ts";
import type { Attachment } from "../../protocol/message.ts";
import type { PermissionQuestion, PermissionRequest } from "../../protocol/permission.ts";
import { readQuestions, questionTool } from "../../tools/questions.ts";
import { WatchedFiles } from "./watched-files.ts";

/** The `memory_type` of each scope, by convention. */
export const memoryTypes = { policy: "Managed", user: "User", project: "Project", local: "Local" } as const;

/** A command in the text of a skill. */
export interface ShellLine {
  command: string;
  skill: Pick<Skill, "name" | "source">;
  /** Who started the text: a person or a host, the model, or something else. */
  startedBy: "user" | "claude" | "other";
  /** Identifies the call. */
  key: string;
}

/** A bound on memory, for a server that never reports completion. */
const maxAwaitedElicitations = 1_000;

/** Does nothing until hooks are attached: permissions are created before them. */
export class HookOccasions {
  /** Variables that hooks set for commands; set once a hook may write some. */
  environment?: HookEnvironment;
  /** UUID of the user prompt being answered, or answered last; for an agent, of the one that started it. Undefined before the first. */
  promptId: string | undefined;
  /** Hooks from outside the settings; more may be added while the session runs. */
  extraHooks: readonly HookDefinitions[] = [];
  #hooks: OwnedHooks | undefined;
  #notice: (text: string) => void = () => undefined;
  /** Running hooks that may set variables for commands. */
  readonly #environmentHooks = new Set<Promise<void>>();
  /** Elicitations to be completed elsewhere, by server and id. */
  readonly #awaitedElicitations = new Set<string>();
  /** Set once a hook asks for FileChanged. */
  #watchedFiles: WatchedFiles | undefined;

  constructor(promptId?: string) {
    this.promptId = promptId;
  }

  /** `cwd`: the folder that relative file names refer to. Absolute. */
  attach(hooks: OwnedHooks, cwd: string, notice: (text: string) => void): void {
    this.#hooks = hooks;
    this.#notice = notice;
    this.noteWatchedFiles(cwd);
  }

  /** Notes the files that hooks name: changes from now on are reported. */
  noteWatchedFiles(cwd: string): void {
    const hooks = this.#hooks;
    if (hooks?.has("FileChanged") !== true) return;
    this.#watchedFiles ??= new WatchedFiles(cwd);
    this.#watchedFiles.note(hooks.watchedNames());
  }

  /** Null if the hooks leave the question to the person or program that is asked. */
  async answerQuestion(question: PermissionQuestion, signal: AbortSignal): Promise<HookPermissionAnswer | null> {
    const hooks = this.#hooks;
    if (hooks?.has("PermissionRequest") !== true) return null;
    const { toolName, input } = question;
    const { suggestedUpdates } = await import("../convention/host-question.ts");
    const permission_suggestions = suggestedUpdates(question);
    const suggestions = permission_suggestions.length === 0 ? {} : { permission_suggestions };
    const event = {
      hook_event_name: "PermissionRequest" as const,
      tool_name: toolName,
      tool_input: input,
      ...suggestions,
    };
    const { preventContinuation: stops, permissionAnswer } = await hooks.run(event, signal);
    // Stopping everything outranks the decision.
    return stops === undefined ? (permissionAnswer ?? null) : { behavior: "deny", stops };
  }

  /** Called when the judge of mode `auto` has blocked a call. Returns true if the model may try it again. */
  async permissionDenied(request: PermissionRequest, reason: string, signal: AbortSignal): Promise<boolean> {
    const hooks = this.#hooks;
    if (hooks?.has("PermissionDenied") !== true) return false;
    const { toolName: tool_name, input: tool_input, toolUseId: tool_use_id } = request;
    const event = { hook_event_name: "PermissionDenied" as const, tool_name, tool_input, tool_use_id, reason };
    return (await hooks.run(event, signal)).retry === true;
  }

  /** Called when a shell line of a skill is about to run. Returns why it must not run, or undefined. */
  async shellLineRefusal(
    { command, skill, startedBy, key }: ShellLine,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const hooks = this.#hooks;
    if (hooks?.has("PreSkillShellCommand") !== true) return undefined;
    const call = { tool_name: "Bash", tool_input: { command }, tool_use_id: key };
    const about = { command_name: skill.name, command_source: skill.source, invoked_by: startedBy };
    const { permission, updatedInput, blocking, preventContinuation, notices } = await hooks.run(
      { hook_event_name: "PreSkillShellCommand", ...call, ...about },
      signal,
    );
    for (const { text } of notices) this.#notice(text);
    // Nobody can be asked and nothing deferred here, and a changed command would not be what the text says: all of these refuse the line.
    const isAllowed = permission === undefined || permission.behavior === "allow";
    const why = isAllowed ? blocking[0] : (permission.reason ?? "a PreSkillShellCommand hook refused it");
    return why ?? preventContinuation ?? (updatedInput === undefined ? undefined : "a hook would change it");
  }

  /** Called when a person is being asked. */
  notifyPermissionQuestion(question: PermissionQuestion): void {
    if (this.#hooks?.has("Notification") !== true) return;
    const what =
      question.toolName === questionTool
        ? `pawl asks you: ${readQuestions(question.input)
            .map((each) => oneLine(each.question, 200))
            .join(" ")}`
        : `pawl needs your permission for ${describeRequest(question)}`;
    this.#notify(what, "permission_prompt");
  }

  /** A server's question: hooks may answer it in a person's place, and have the last word on the person's answer. */
  async answerElicitation(
    request: McpElicitation,
    ask: AnswerElicitation | undefined,
    signal: AbortSignal,
  ): Promise<McpElicitationAnswer> {
    const { serverName: mcp_server_name, mode, elicitationId } = request;
    const about = { mcp_server_name, mode, ...(elicitationId === undefined ? {} : { elicitation_id: elicitationId }) };
    if (elicitationId !== undefined && this.#awaitedElicitations.size < maxAwaitedElicitations)
      this.#awaitedElicitations.add(JSON.stringify([mcp_server_name, elicitationId]));
    const early = await this.#runElicitationHooks(
      {
        hook_event_name: "Elicitation",
        ...about,
        message: request.message,
        ...withoutUndefined({ url: request.url, requested_schema: request.requestedSchema }),
      },
      request,
      signal,
    );
    const answer = early ?? (await this.#askPerson(request, ask, signal));
    const content = answer.action === "accept" ? { content: answer.content } : {};
    const event = { hook_event_name: "ElicitationResult", ...about, action: answer.action, ...content } as const;
    return (await this.#runElicitationHooks(event, request, signal)) ?? answer;
  }

  /** Reports only completions of requests that somebody was asked about. */
  elicitationDone(completed: McpElicitationDone, tell: ((completed: McpElicitationDone) => void) | undefined): void {
    if (!this.#awaitedElicitations.delete(JSON.stringify([completed.serverName, completed.elicitationId]))) return;
    this.#notify(`The MCP server ${completed.serverName} has what it asked of you`, "elicitation_complete");
    asFireAndForget(tell ?? (() => undefined))(completed);
  }

  async #askPerson(
    request: McpElicitation,
    ask: AnswerElicitation | undefined,
    signal: AbortSignal,
  ): Promise<McpElicitationAnswer> {
    if (ask === undefined) return { action: "decline" };
    this.#notify(
      `The MCP server ${request.serverName} asks you something`,
      request.mode === "url" ? "elicitation_url_dialog" : "elicitation_dialog",
    );
    const answer = await ask(request, signal);
    this.#notify(`The MCP server ${request.serverName} has your answer: ${answer.action}`, "elicitation_response");
    return answer;
  }

  /** Undefined if the hooks leave the answer as it is. */
  async #runElicitationHooks(
    event: HookInput,
    request: McpElicitation,
    signal: AbortSignal,
  ): Promise<McpElicitationAnswer | undefined> {
    const name = event.hook_event_name;
    if (this.#hooks?.has(name) !== true) return undefined;
    const { blocking, elicitation } = await this.#hooks.run(event, signal);
    if (blocking.length > 0) return { action: "decline" };
    if (elicitation?.action !== "accept") return elicitation as McpElicitationAnswer | undefined;
    if (request.mode === "url") return { action: "accept" };
    const { elicitationMisfit } = await import("./elicitation-fit.ts");
    const wrong = elicitationMisfit(elicitation.content, request);
    if (wrong === undefined) return elicitation as McpElicitationAnswer;
    const isLast = name === "ElicitationResult";
    const instead = isLast ? "the request is declined" : "the answer is ignored";
    this.#notice(
      `${name}: the answer of a hook does not fit what ${request.serverName} asks for (${oneLine(wrong, 200)}); ${instead}.`,
    );
    // The hook meant to replace the given answer, so that answer is not sent either.
    return isLast ? { action: "decline" } : undefined;
  }

  #notify(message: string, notification_type: string): void {
    if (this.#hooks?.has("Notification") !== true) return;
    this.#hooks.runDetached({ hook_event_name: "Notification", message, notification_type });
  }

  /** Output of hooks that nobody waited for: for the model, at the next border. */
  takeLateOutput(): Attachment[] {
    const hooks = this.#hooks;
    if (hooks === undefined) return [];
    if (this.#watchedFiles !== undefined) this.#runFileChangedHooks(hooks, this.#watchedFiles);
    return hooks.takeLateOutput().map((text) => ({ kind: "hook_context", event: "async", text }));
  }

  #runFileChangedHooks(hooks: OwnedHooks, files: WatchedFiles): void {
    for (const { path, event } of files.takeChanges(hooks.watchedNames()))
      this.#runEnvironmentHooks(hooks, { hook_event_name: "FileChanged", file_path: path, event });
  }

  /** Called when nobody has typed since a turn ended. */
  notifyIdle(): void {
    this.#notify("pawl is waiting for your input", "idle_prompt");
  }

  agentEnded(description: string): void {
    this.#notify(`The agent that works on "${oneLine(description, 80)}" has ended`, "agent_completed");
  }

  cwdChanged(from: string, to: string): void {
    if (this.#hooks?.has("CwdChanged") !== true) return;
    this.#runEnvironmentHooks(this.#hooks, { hook_event_name: "CwdChanged", old_cwd: from, new_cwd: to });
  }

  /** The conversation continues meanwhile; a command that starts before these hooks have ended waits for their variables. */
  #runEnvironmentHooks(hooks: OwnedHooks, input: HookInput): void {
    const work = hooks.runInBackground(input).finally(() => this.#environmentHooks.delete(work));
    this.#environmentHooks.add(work);
  }

  /** Variables that hooks set for a command that starts now. Rejects if the signal aborts before the hooks have ended. */
  async variables(signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    if (this.#environmentHooks.size > 0) await rejectOnAbort(Promise.all(this.#environmentHooks), signal);
    return (await this.environment?.variables()) ?? {};
  }

  /** `source`: what added the folder. */
  directoryAdded(directory: string, source: string): void {
    if (this.#hooks?.has("DirectoryAdded") !== true) return;
    this.#hooks.runDetached({ hook_event_name: "DirectoryAdded", directory, source });
  }

  instructionsLoaded(
    files: readonly MemoryFile[],
    why: Pick<HookInput, "load_reason" | "globs" | "trigger_file_path">,
  ): void {
    if (this.#hooks?.has("InstructionsLoaded") !== true) return;
    for (const { path, scope, parent } of files) {
      const imported = parent === undefined ? {} : { load_reason: "include", parent_file_path: parent };
      const about = { file_path: path, memory_type: memoryTypes[scope], ...why, ...imported };
      this.#hooks.runDetached({ hook_event_name: "InstructionsLoaded", ...about });
    }
  }
}

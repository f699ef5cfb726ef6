/** Observes tool calls: the decision about each, and its outcome. The wrapped ports return what they returned before. */
import type { LoopPorts } from "../../loop/ports.ts";
import { contentText } from "../../protocol/block-text.ts";
import type { HookAnswer, HookInput, HookPort } from "../../protocol/hook.ts";
import type { PermissionDecision, PermissionPort, PermissionRequest } from "../../protocol/permission.ts";
import type { Tool, ToolInput, ToolResult } from "../../protocol/tool.ts";
import type { Attributes, SpanContext } from "../../telemetry/record.ts";
import type { OpenSpan } from "../../telemetry/telemetry.ts";
import type { Actor } from "./actor.ts";
import {
  decisionSource,
  editedLines,
  countGitWork,
  inputText,
  isFileEdit,
  languageOf,
  parametersOf,
  toolName,
} from "./call-facts.ts";
import type { TelemetryReporter } from "./telemetry-reporter.ts";

interface OpenCall {
  span: OpenSpan | undefined;
  source: string | undefined;
}

/** Calls that were decided but never made are dropped, oldest first. */
const maxOpenCalls = 1_000;

export class CallWatch {
  readonly #watch: TelemetryReporter;
  readonly #open = new Map<string, OpenCall>();

  constructor(watch: TelemetryReporter) {
    this.#watch = watch;
  }

  /** Returns the span of a running call. */
  contextOf(toolUseId: string): SpanContext | undefined {
    return this.#open.get(toolUseId)?.span?.context;
  }

  endOpenCalls(): void {
    for (const { span } of this.#open.values()) span?.end({ success: false }, true);
    this.#open.clear();
  }

  watchPorts(ports: LoopPorts, actor: Actor): LoopPorts {
    const { tools, permission, hooks } = ports;
    // Per actor, since agents may share a tool.
    const watched = new WeakMap<Tool, Tool>();
    const find = (name: string): Tool | undefined => {
      const tool = tools.find(name);
      if (tool === undefined) return undefined;
      const known = watched.get(tool);
      if (known !== undefined) return known;
      const watchedTool = this.#watchTool(tool, actor);
      watched.set(tool, watchedTool);
      return watchedTool;
    };
    const own = {
      definitions: () => tools.definitions(),
      validate: tools.validate.bind(tools),
      ...(tools.meant === undefined ? {} : { meant: tools.meant.bind(tools) }),
      ...(tools.passedOver === undefined ? {} : { passedOver: tools.passedOver.bind(tools) }),
      ...(tools.insteadOf === undefined ? {} : { insteadOf: tools.insteadOf.bind(tools) }),
      cwd: () => tools.cwd(),
      find,
    };
    return {
      ...ports,
      tools: own,
      permission: this.#watchPermission(permission, actor),
      hooks: this.#watchHooks(hooks, actor),
    };
  }

  /** A call that a hook refuses is not decided anywhere else. */
  #watchHooks(port: HookPort, actor: Actor): HookPort {
    return {
      has: (event) => port.has(event),
      limitMs: (event) => port.limitMs?.(event),
      runDetached: (input) => port.runDetached(input),
      run: async (input, signal) => {
        const answer = await port.run(input, signal);
        if (input.hook_event_name === "PreToolUse")
          this.#watch.guarded(() => this.#reportHookAnswer(input, answer, actor));
        return answer;
      },
    };
  }

  #reportHookAnswer(
    { tool_name: toolName = "", tool_use_id: toolUseId = "", tool_input: input = {} }: HookInput,
    answer: HookAnswer,
    actor: Actor,
  ): void {
    const { permission, blocking, preventContinuation: why } = answer;
    if (permission?.behavior !== "deny" && blocking.length === 0 && why === undefined) return;
    const denial = { behavior: "deny", message: "", reason: { type: "hook", text: "" } } as const;
    this.#begin(toolUseId, toolName, actor);
    this.#reportDecision({ toolName, toolUseId, input }, denial, 0, actor);
  }

  #watchPermission(port: PermissionPort, actor: Actor): PermissionPort {
    return {
      decide: (request, signal) => {
        const from = this.#watch.elapsed();
        this.#watch.guarded(() => this.#begin(request.toolUseId, request.toolName, actor));
        const decided = port.decide(request, signal);
        const done = (decision: PermissionDecision): PermissionDecision => {
          this.#watch.guarded(() => this.#reportDecision(request, decision, this.#watch.elapsed() - from, actor));
          return decision;
        };
        return decided instanceof Promise ? decided.then(done) : done(decided);
      },
    };
  }

  #begin(toolUseId: string, name: string, actor: Actor): OpenCall {
    const known = this.#open.get(toolUseId);
    if (known !== undefined) return known;
    const { telemetry } = this.#watch;
    const about = { "span.type": "tool", tool_name: this.#nameOf(name), tool_use_id: toolUseId };
    const span = telemetry.hasTraces
      ? telemetry.span("tool", actor.context, { ...this.#watch.common(actor), ...about })
      : undefined;
    const openCall: OpenCall = { span, source: undefined };
    this.#open.set(toolUseId, openCall);
    const [oldest] = this.#open.keys();
    if (this.#open.size > maxOpenCalls && oldest !== undefined) this.#open.delete(oldest);
    return openCall;
  }

  #nameOf(name: string): string {
    return toolName(name, this.#watch.telemetry.plan.content.toolDetails);
  }

  #reportDecision(
    { toolName: name, toolUseId, input }: Pick<PermissionRequest, "toolName" | "toolUseId" | "input">,
    decision: PermissionDecision,
    ms: number,
    actor: Actor,
  ): void {
    const watch = this.#watch;
    const isAllowed = decision.behavior === "allow";
    const source = decisionSource(decision);
    const call = this.#open.get(toolUseId);
    const attributes = { decision: isAllowed ? "accept" : "reject", source };
    watch.event("tool_decision", { tool_name: this.#nameOf(name), tool_use_id: toolUseId, ...attributes }, actor);
    if (isFileEdit(name))
      watch.count("code_edit_tool.decision", 1, { tool_name: name, ...attributes, language: languageOf(input) });
    if (source.startsWith("user")) this.#reportWait(call, ms, attributes, actor);
    if (call === undefined) return;
    call.source = source;
    if (isAllowed) return;
    call.span?.end({ success: false, decision: "reject" });
    this.#open.delete(toolUseId);
  }

  /** Records that a person was asked. */
  #reportWait(call: OpenCall | undefined, ms: number, attributes: Attributes, actor: Actor): void {
    if (actor.run !== undefined) actor.run.waitedMs += ms;
    const { telemetry } = this.#watch;
    if (call?.span === undefined) return;
    const about = { ...this.#watch.common(actor), "span.type": "tool.blocked_on_user", ...attributes };
    telemetry.span("tool.blocked_on_user", call.span.context, about, ms).end({ duration_ms: Math.round(ms) });
  }

  #watchTool(tool: Tool, actor: Actor): Tool {
    return {
      ...tool,
      call: (input, context, onProgress) => {
        const handlers = this.#beginExecution(tool, input, context.toolUseId, actor);
        const working = tool.call(input, context, onProgress);
        return handlers === undefined ? working : working.then(...handlers);
      },
    };
  }

  /** Returns the handlers for the end of the call. */
  #beginExecution(tool: Tool, input: ToolInput, toolUseId: string, actor: Actor): EndHandlers | undefined {
    let ends: EndHandlers | undefined;
    this.#watch.guarded(() => {
      const call = this.#begin(toolUseId, tool.name, actor);
      if (actor.run !== undefined) actor.run.calls += 1;
      const { telemetry } = this.#watch;
      const about = { ...this.#watch.common(actor), "span.type": "tool.execution", tool_name: this.#nameOf(tool.name) };
      const span = call.span === undefined ? undefined : telemetry.span("tool.execution", call.span.context, about);
      const begunCall = { tool, input, toolUseId, actor, call, span, startedAt: this.#watch.elapsed() };
      const over = (result: ToolResult | undefined): void =>
        this.#watch.guarded(() => this.#reportEnd(begunCall, result));
      ends = [
        (result) => {
          over(result);
          return result;
        },
        (error) => {
          over(undefined);
          throw error;
        },
      ];
    });
    return ends;
  }

  #reportEnd(
    { tool, input, toolUseId, actor, call, span, startedAt }: BegunCall,
    result: ToolResult | undefined,
  ): void {
    const watch = this.#watch;
    const { toolDetails, toolContent } = watch.telemetry.plan.content;
    const success = result !== undefined && result.isError !== true;
    const duration_ms = Math.round(watch.elapsed() - startedAt);
    const text = contentText(result?.content ?? "");
    const failed = success ? {} : { error_type: result === undefined ? "exception" : "tool_error" };
    const attributes = { success, duration_ms, ...failed };
    watch.event(
      "tool_result",
      {
        tool_name: this.#nameOf(tool.name),
        tool_use_id: toolUseId,
        ...attributes,
        success: String(success),
        error: success || !toolDetails ? undefined : text,
        decision_type: call.source === undefined ? undefined : "accept",
        decision_source: call.source,
        tool_input_size_bytes: Buffer.byteLength(JSON.stringify(input)),
        tool_result_size_bytes: Buffer.byteLength(text),
        ...(toolDetails ? { tool_parameters: parametersOf(tool.name, input), tool_input: inputText(input) } : {}),
      },
      actor,
    );
    span?.end(
      { ...attributes, ...(toolContent ? { tool_input: JSON.stringify(input), tool_output: text } : {}) },
      !success,
    );
    call.span?.end({ duration_ms, success }, !success);
    this.#open.delete(toolUseId);
    if (success) this.#countWork(tool.name, input, result);
  }

  #countWork(name: string, input: ToolInput, result: ToolResult): void {
    const lines = isFileEdit(name) ? editedLines(result.output) : { added: 0, removed: 0 };
    for (const [type, number] of Object.entries(lines)) this.#watch.count("lines_of_code.count", number, { type });
    const { commits, pullRequests } = name === "Bash" ? countGitWork(input) : { commits: 0, pullRequests: 0 };
    this.#watch.count("commit.count", commits, {});
    this.#watch.count("pull_request.count", pullRequests, {});
  }
}

type EndHandlers = [onEnd: (result: ToolResult) => ToolResult, onError: (error: unknown) => never];

interface BegunCall {
  tool: Tool;
  input: ToolInput;
  toolUseId: string;
  actor: Actor;
  call: OpenCall;
  span: OpenSpan | undefined;
  startedAt: number;
}

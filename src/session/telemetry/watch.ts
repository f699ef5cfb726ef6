/**
 * Turns what a session does into the counters, events and spans of the convention. Each part of the session reports through a port it has
 * anyway; telemetry returns nothing to it, and a failure in here is a line in the debug file.
 */
import { yesOrNo } from "../../lib/yes-or-no.ts";
import type { Environment } from "../../lib/environment.ts";
import type { StartedHook, HookRecord } from "../../hooks/runner.ts";
import type { ClockPort, LoopPorts } from "../../loop/ports.ts";
import type { Catalog } from "../../model/catalog.ts";
import type { ModelPort } from "../../protocol/model.ts";
import type { Failure } from "../../protocol/stop.ts";
import type { PermissionMode } from "../../protocol/permission.ts";
import type { Attributes, SpanContext } from "../../telemetry/record.ts";
import type { OpenSpan, Telemetry } from "../../telemetry/telemetry.ts";
import type { RecordWatch } from "../store/conversation.ts";
import type { CacheMiss } from "../../model/cache-watch.ts";
import type { EngineOptions } from "../options/options.ts";
import type { TelemetryPort, WatchedAgent, WatchedSession } from "../surroundings/telemetry-port.ts";
import { Actor } from "./actor.ts";
import { SideEventWatch } from "./side-events.ts";
import { querySourceOf, watchModel } from "./model-watch.ts";
import { recordWatch } from "./record-watch.ts";
import { CallWatch } from "./call-watch.ts";
import type { TelemetryReporter } from "./telemetry-reporter.ts";
import { formatTraceparent } from "./traceparent.ts";

export interface WatchOptions {
  clock: Pick<ClockPort, "now" | "elapsed">;
  env: Environment;
  /** The trace that this session belongs to. */
  inherited: SpanContext | undefined;
  entrypoint: string;
  version: string;
}

export class SessionWatch implements TelemetryPort, TelemetryReporter {
  readonly telemetry: Telemetry;
  readonly #options: WatchOptions;
  readonly #main = new Actor(undefined, undefined);
  readonly #agents = new Map<string, Actor>();
  /** Running tool calls, which are also the parents of the agents they started. */
  readonly calls: CallWatch;
  readonly sideEvents: SideEventWatch;
  readonly #hooks = new Map<string, OpenSpan>();
  #sessionId = "";
  promptId: string | undefined;

  constructor(telemetry: Telemetry, options: WatchOptions) {
    this.telemetry = telemetry;
    this.#options = options;
    this.#main.parent = options.inherited;
    this.calls = new CallWatch(this);
    const { toolDetails } = telemetry.plan.content;
    this.sideEvents = new SideEventWatch((name, attributes) => this.event(name, attributes), toolDetails);
  }

  get elapsed(): () => number {
    return () => this.#options.clock.elapsed();
  }

  reportStart(sessionId: string, { resume, continue: goesOn }: Pick<EngineOptions, "resume" | "continue">): void {
    this.#sessionId = sessionId;
    const start_type = goesOn === true ? "continue" : resume === undefined ? "fresh" : "resume";
    this.count("session.count", 1, { start_type });
  }

  /** Returns the actor of an agent, or of the session itself. */
  ensureActor(agent: WatchedAgent | undefined): Actor {
    if (agent === undefined) return this.#main;
    const known = this.#agents.get(agent.id);
    if (known !== undefined) return known;
    const actor = new Actor({ id: agent.id, type: agent.definition.name }, this.calls.contextOf(agent.toolUseId));
    this.#agents.set(agent.id, actor);
    return actor;
  }

  actorById(agentId: string | undefined): Actor {
    return agentId === undefined ? this.#main : (this.#agents.get(agentId) ?? this.#main);
  }

  modelFor<M extends ModelPort>(model: M, catalog: Catalog, agent?: WatchedAgent): M {
    return watchModel(model, { watch: this, catalog, actor: this.ensureActor(agent) });
  }

  recordsFor(agent: WatchedAgent | undefined): RecordWatch {
    return recordWatch(this, this.ensureActor(agent));
  }

  portsFor(ports: LoopPorts, { options, tools, knowledge }: WatchedSession): LoopPorts {
    const { shared } = tools;
    const agentId = options.subagent?.agentId;
    if (agentId === undefined) this.sideEvents.plugins(knowledge.plugins);
    if (this.telemetry.hasTraces && this.#propagates()) shared.traceVariables = (id) => this.#variables(id, agentId);
    return this.calls.watchPorts(ports, this.actorById(agentId));
  }

  /** Whether commands inherit the trace: yes, unless switched off. */
  #propagates(): boolean {
    return yesOrNo(this.#options.env["CLAUDE_CODE_PROPAGATE_TRACEPARENT"]) !== false;
  }

  #variables(toolUseId: string, agentId: string | undefined): Record<string, string> {
    const context = this.calls.contextOf(toolUseId) ?? this.actorById(agentId).context;
    return context === undefined ? {} : { TRACEPARENT: formatTraceparent(context) };
  }

  modeChanged = (from: PermissionMode, to: PermissionMode): void => {
    if (from !== to) this.event("permission_mode_changed", { from_mode: from, to_mode: to });
  };

  hookBegan({ id, event, name }: StartedHook, agentId: string | undefined): void {
    this.guarded(() => {
      const actor = this.actorById(agentId);
      const about = { hook_event: event, hook_name: this.#hookName(event, name), num_hooks: 1 };
      this.event("hook_execution_start", about, actor);
      if (this.telemetry.hasTraces)
        this.#hooks.set(
          id,
          this.telemetry.span("hook", actor.context, { ...this.common(actor), "span.type": "hook", ...about }),
        );
    });
  }

  hookEnded({ id, event, name, outcome, decision, durationMs }: HookRecord, agentId: string | undefined): void {
    this.guarded(() => {
      const isBlock = ["deny", "block", "stop"].includes(decision);
      const isError = outcome === "error" || outcome === "timeout";
      const figures = {
        num_success: outcome === "success" && !isBlock ? 1 : 0,
        num_blocking: isBlock ? 1 : 0,
        num_non_blocking_error: isError && !isBlock ? 1 : 0,
        num_cancelled: outcome === "cancelled" ? 1 : 0,
        total_duration_ms: Math.round(durationMs),
      };
      const about = { hook_event: event, hook_name: this.#hookName(event, name), num_hooks: 1, ...figures };
      this.event("hook_execution_complete", about, this.actorById(agentId));
      this.#hooks.get(id)?.end(figures, isError);
      this.#hooks.delete(id);
    });
  }

  reportCacheMiss({ reason, expected, read, idleMs, request }: CacheMiss, agentId: string | undefined): void {
    const figures = { expected_tokens: expected, cache_read_tokens: read, missed_tokens: expected - read };
    const about = { reason, model: request.model, query_source: querySourceOf(request), ...figures };
    this.event("cache_miss", { ...about, idle_ms: Math.round(idleMs) }, this.actorById(agentId));
  }

  /** A command line may contain anything. */
  #hookName(event: string, name: string): string {
    return this.telemetry.plan.content.toolDetails ? `${event}:${name}` : event;
  }

  count(name: Parameters<Telemetry["count"]>[0], value: number, attributes: Attributes): void {
    const { plan } = this.telemetry;
    const own: Attributes = {
      ...plan.repeatedAttributes,
      "session.id": plan.metricAttributes.sessionId ? this.#sessionId : undefined,
      "app.version": this.#ifIncluded("version", this.#options.version),
      "app.entrypoint": this.#ifIncluded("entrypoint", this.#options.entrypoint),
      "terminal.type": this.#terminal,
    };
    this.guarded(() => this.telemetry.count(name, value, { ...own, ...attributes }));
  }

  event(name: string, attributes: Attributes, actor: Actor = this.#main): void {
    this.guarded(() => this.telemetry.log(name, { ...this.common(actor), ...attributes }, actor.context));
  }

  common({ agent }: Actor): Attributes {
    const { plan } = this.telemetry;
    return {
      ...plan.repeatedAttributes,
      "session.id": this.#sessionId,
      "app.version": this.#ifIncluded("version", this.#options.version),
      "app.entrypoint": this.#ifIncluded("entrypoint", this.#options.entrypoint),
      "terminal.type": this.#terminal,
      "prompt.id": this.promptId,
      "agent.id": agent?.id,
      "agent.name": plan.content.toolDetails ? agent?.type : undefined,
    };
  }

  #ifIncluded(what: "version" | "entrypoint", value: string): string | undefined {
    return this.telemetry.plan.metricAttributes[what] ? value : undefined;
  }

  get #terminal(): string | undefined {
    const { TERM_PROGRAM: program, TERM: term } = this.#options.env;
    return [program, term].find((name) => name !== undefined && name !== "");
  }

  errorOf({ kind, message }: Failure): string {
    return this.telemetry.plan.content.prompts ? message : kind;
  }

  /** Keeps a defect in here from affecting the session. */
  guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.telemetry.noteFailure(error);
    }
  }

  /** Limited by the plan. */
  async close(): Promise<void> {
    this.guarded(() => {
      for (const actor of [this.#main, ...this.#agents.values()]) actor.endInteraction();
      this.calls.endOpenCalls();
    });
    await this.telemetry.close();
  }
}

// Tools that behave, and tools that do not. Each call is written down: when it started, when it ended, what it was told.
import type { Tool, ToolContext, ToolDefinition, ToolInput, ToolResult } from "../../../src/protocol/tool.ts";
import type { ToolsPort } from "../../../src/loop/ports.ts";
import { never, type VirtualClock } from "./virtual-clock.ts";
import { untilAborted } from "./model.ts";
import type { World } from "./world.ts";

export interface ToolRecord {
  name: string;
  key: string;
  toolUseId: string;
  input: ToolInput;
  startedAt: number;
  endedAt: number | null;
  /** What the call's signal said when the call ended. */
  abortedBy: unknown;
  signal: AbortSignal;
}

type Body = (input: ToolInput, context: ToolContext, clock: VirtualClock) => Promise<ToolResult>;

export interface ToolSpec extends Partial<Omit<Tool, "call" | "validateInput">> {
  body?: Body;
  validateInput?: Tool["validateInput"];
  /** Progress texts sent before the body runs. */
  progress?: readonly string[];
}

const ok: Body = async (input) => ({ content: `ok ${JSON.stringify(input)}`, output: { done: true } });

async function sleeping(input: ToolInput, context: ToolContext, clock: VirtualClock): Promise<ToolResult> {
  const ms = typeof input["ms"] === "number" ? input["ms"] : 1_000;
  await clock.sleep(ms, context.signal);
  return context.signal.aborted ? { content: "stopped half way", isError: true } : { content: `slept ${ms}` };
}

/** The kit. `Read`, `Slow` and the broken ones run side by side; `Write`, `Bash` and `SlowWrite` alone. */
export const standardTools: Record<string, ToolSpec> = {
  Read: { isConcurrencySafe: () => true, isReadOnly: () => true },
  Write: { replay: "never" },
  Slow: { isConcurrencySafe: () => true, body: sleeping },
  SlowWrite: { body: sleeping },
  /** Waits for the given time, even after an abort. */
  Deaf: { isConcurrencySafe: () => true, body: () => never() },
  Hang: {
    isConcurrencySafe: () => true,
    body: async (_input, context) => {
      await untilAborted(context.signal);
      return { content: "ended by its signal", isError: true };
    },
  },
  Fail: { isConcurrencySafe: () => true, body: async () => ({ content: "it failed", isError: true }) },
  Throw: {
    isConcurrencySafe: () => true,
    body: async () => {
      throw new Error("the tool threw");
    },
  },
  /** A shell command: its failure ends its siblings. */
  FailShell: {
    isConcurrencySafe: () => true,
    failureCancelsSiblings: true,
    body: async (input, context, clock) => {
      await clock.sleep(typeof input["ms"] === "number" ? input["ms"] : 50, context.signal);
      return { content: "exit 1", isError: true };
    },
  },
  /** A submit-interrupt waits for it. */
  Block: { isConcurrencySafe: () => true, interruptBehavior: "block", body: sleeping },
  BlockWrite: { interruptBehavior: "block", body: sleeping },
  Progress: { isConcurrencySafe: () => true, progress: ["one ", "two ", "three"], body: sleeping },
  Check: {
    validateInput: async (input) => (input["bad"] === true ? { ok: false, message: "It is bad." } : { ok: true }),
  },
  Strict: { inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] } },
};

export class FakeTools implements ToolsPort {
  readonly records: ToolRecord[] = [];
  readonly #world: World;
  readonly #clock: VirtualClock;
  readonly #tools = new Map<string, Tool>();
  readonly #definitions: ToolDefinition[];

  constructor(world: World, clock: VirtualClock, specs: Record<string, ToolSpec>) {
    this.#world = world;
    this.#clock = clock;
    for (const [name, spec] of Object.entries(specs)) this.#tools.set(name, this.#make(name, spec));
    this.#definitions = [...this.#tools.values()]
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  }

  definitions(): readonly ToolDefinition[] {
    return this.#world.call("tools.definitions", {}, () => this.#definitions);
  }

  find(name: string): Tool | undefined {
    return this.#world.call(
      "tools.find",
      {},
      () => this.#tools.get(name) ?? [...this.#tools.values()].find((tool) => tool.aliases?.includes(name) === true),
      () => undefined,
    );
  }

  validate(schema: Tool["inputSchema"], input: ToolInput): { ok: true } | { ok: false; message: string } {
    return this.#world.call(
      "tools.validate",
      {},
      () => {
        const missing = (schema.required ?? []).find((name) => !(name in input));
        return missing === undefined ? { ok: true as const } : { ok: false as const, message: `${missing} is missing` };
      },
      () => ({ ok: false as const, message: "injected" }),
    );
  }

  cwd(): string {
    return this.#world.call("tools.cwd", {}, () => "/work-folder");
  }

  /** Calls of the tool proper that were made and have not ended. */
  get running(): number {
    return this.records.filter((record) => record.endedAt === null).length;
  }

  #make(name: string, spec: ToolSpec): Tool {
    const { body = ok, progress = [], validateInput, ...rest } = spec;
    const tool: Tool = {
      name,
      description: `The tool ${name}.`,
      inputSchema: { type: "object" },
      isConcurrencySafe: () => false,
      isReadOnly: () => false,
      replay: "safe",
      maxResultSizeChars: 50_000,
      ...rest,
      call: (input, context, onProgress) =>
        this.#world.callAsync(
          "tool.call",
          { key: context.key, about: context.toolUseId },
          async () => {
            const record = this.#start(name, input, context);
            try {
              for (const text of progress) {
                onProgress({ toolUseId: context.toolUseId, toolName: name, text });
                await this.#clock.sleep(1, context.signal);
              }
              return await body(input, context, this.#clock);
            } finally {
              record.endedAt = this.#clock.now();
              record.abortedBy = context.signal.aborted ? context.signal.reason : null;
            }
          },
          () => ({ content: "injected failure", isError: true }),
        ),
    };
    if (validateInput !== undefined)
      tool.validateInput = (input, context) =>
        this.#world.callAsync(
          "tool.validateInput",
          { key: context.key, signal: context.signal },
          async () => await validateInput.call(tool, input, context),
          () => ({ ok: false, message: "injected" }),
        );
    return tool;
  }

  #start(name: string, input: ToolInput, context: ToolContext): ToolRecord {
    const record: ToolRecord = {
      name,
      key: context.key,
      toolUseId: context.toolUseId,
      input,
      startedAt: this.#clock.now(),
      endedAt: null,
      abortedBy: null,
      signal: context.signal,
    };
    this.records.push(record);
    return record;
  }
}

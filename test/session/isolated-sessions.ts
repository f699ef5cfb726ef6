/** Sessions with a mark each, in everything they are given; whatever comes of one may hold its own mark alone. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { createEngine, createSdkMcpServer, tool, type EngineOptions, type QueryEngine } from "../../src/index.ts";
import type { Part, Reply } from "../../src/testing/index.ts";
import { layGround, scripted, type Ground } from "./support.ts";

const kinds = ["read", "write", "bash", "tool", "mcp", "denied", "asked", "todo", "agent"] as const;
type Kind = (typeof kinds)[number];

export interface IsolatedPlan {
  turns: Kind[][][];
  /** Interrupted once so many messages have come; disposed in the middle where `leaves`. */
  stop: { at: number; leaves: boolean } | null;
  persists: boolean;
  hops: number;
}

export const isolatedPlan: fc.Arbitrary<IsolatedPlan> = fc.record({
  turns: fc.array(
    fc.array(fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
    { minLength: 1, maxLength: 2 },
  ),
  stop: fc.option(fc.record({ at: fc.integer({ min: 1, max: 12 }), leaves: fc.boolean() }), { freq: 3 }),
  persists: fc.boolean(),
  hops: fc.integer({ min: 0, max: 3 }),
});

const markOf = (index: number): string => `mark${index}of`;
const anyMark = /mark(\d+)of/gu;

/** Marks of others in this text. */
function strangers(text: string, index: number): string[] {
  return [...text.matchAll(anyMark)].flatMap(([mark, own]) => (own === String(index) ? [] : [mark]));
}

function callOf(kind: Kind, mark: string, step: number): Part {
  switch (kind) {
    case "read":
      return { tool: "Read", input: { file_path: "known.txt" } };
    case "write":
      return { tool: "Write", input: { file_path: `made-${step}.txt`, content: `made by ${mark}` } };
    case "bash":
      return { tool: "Bash", input: { command: `echo "$OWN $FROM_SETTINGS"; pwd >> ran.txt` } };
    case "tool":
      return { tool: "own", input: { mark } };
    case "mcp":
      return { tool: "mcp__own__say", input: { mark } };
    case "denied":
      return { tool: "Read", input: { file_path: `secret-${mark}.txt` } };
    case "asked":
      return { tool: "Bash", input: { command: `touch asked-${mark}` } };
    case "todo":
      return { tool: "TodoWrite", input: { todos: [{ content: mark, status: "pending", activeForm: mark }] } };
    case "agent":
      return { tool: "Agent", input: { description: mark, prompt: `Work for ${mark}.` } };
    default:
      return kind satisfies never;
  }
}

/** What is asked of the model while an agent of the session asks it goes to the same steps: any of them will do. */
function stepsOf({ turns }: IsolatedPlan, mark: string): Reply[] {
  const calling = turns.flatMap((steps) => [
    ...steps.map((calls, at): Reply => ({
      content: [`${mark} ${at}`, ...calls.map((kind) => callOf(kind, mark, at))],
    })),
    { content: [`${mark} has an answer.`] },
  ]);
  return calling;
}

interface Isolated {
  index: number;
  engine: QueryEngine;
  /** Everything that left it, and everything that was sent for it. */
  seen: string[];
  keys: Set<string>;
  bill: () => number;
  folder: string;
  run(): Promise<void>;
}

/** All share a home, as sessions of one host do. */
async function openIsolated(ground: Ground, plan: IsolatedPlan, index: number): Promise<Isolated> {
  const mark = markOf(index);
  const folder = join(ground.work, `folder-${index}`);
  mkdirSync(folder);
  writeFileSync(join(folder, "known.txt"), `known to ${mark}\n`);
  const seen: string[] = [];
  const keys = new Set<string>();
  const note = (value: unknown): void => void seen.push(JSON.stringify(value) ?? "");
  const model = scripted({ steps: stepsOf(plan, mark), fallback: `${mark} is done.` });
  const hop = async (): Promise<void> => {
    for (let left = plan.hops; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const options: EngineOptions = {
    cwd: folder,
    home: ground.home,
    env: { ANTHROPIC_API_KEY: `key-${mark}`, PATH: process.env["PATH"], HOME: ground.home, OWN: mark },
    model: "claude-sonnet-5-5",
    headless: true,
    persistSession: plan.persists,
    appendSystemPrompt: `You work for ${mark}.`,
    settings: JSON.stringify({ env: { FROM_SETTINGS: `settings of ${mark}` } }),
    allowedTools: ["Write", "Bash(echo *)", "Bash(pwd *)", "own", "mcp__own", `Read(./known.txt)`],
    disallowedTools: [`Read(./secret-${mark}.txt)`],
    customTools: [
      tool("own", "Own.", { type: "object" }, async (input) => {
        note(input);
        await hop();
        return `said by the tool of ${mark}`;
      }),
    ],
    mcpServers: {
      own: createSdkMcpServer({
        name: "own",
        tools: [
          tool("say", `Says for ${mark}.`, { type: "object" }, async (input) => {
            note(input);
            return `said by the server of ${mark}`;
          }),
        ],
      }),
    },
    hooks: {
      PreToolUse: [
        {
          callback: async (input) => {
            note(input);
            await hop();
            return {
              hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: `the hook of ${mark}` },
            };
          },
        },
      ],
      Stop: [{ callback: async (input) => note(input) }],
    },
    ask: async (question) => {
      note(question);
      await hop();
      return { behavior: "deny", message: `${mark} does not want it.` };
    },
    debug: (line) => void seen.push(line),
    onNotice: (text) => void seen.push(text),
    async transport(exchange) {
      seen.push(Buffer.from(exchange.body).toString());
      keys.add(String(exchange.headers["x-api-key"]));
      await hop();
      return await model.handle(exchange);
    },
  };
  const engine = await createEngine(options);
  const run = async (): Promise<void> => {
    let count = 0;
    for (const [at] of plan.turns.entries()) {
      for await (const message of engine.submitMessage(`Prompt ${at} of ${mark}.`)) {
        note(message);
        count += 1;
        if (count !== plan.stop?.at) continue;
        if (plan.stop.leaves) return;
        engine.interrupt();
      }
    }
  };
  return { index, engine, seen, keys, bill: () => model.bill.totalUsd, folder, run };
}

/** Every file below, with its path. */
function filesBelow(folder: string): { path: string; text: string }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() ? [{ path, text: readFileSync(path, "utf8") }] : [];
  });
}

/** All at once in one process and one home; throws where one has anything of another. */
export async function sideBySide(plans: readonly IsolatedPlan[]): Promise<void> {
  const ground = layGround();
  const sessions = await Promise.all(plans.map((plan, index) => openIsolated(ground, plan, index)));
  try {
    await Promise.all(sessions.map((session) => session.run()));
  } finally {
    await Promise.all(sessions.map(({ engine }) => engine.dispose()));
  }
  const inHome = filesBelow(ground.home);
  for (const { index, engine, seen, keys, bill, folder } of sessions) {
    const mark = markOf(index);
    const path = engine.getTranscriptPath();
    const written = inHome.filter((file) => path !== undefined && file.path.includes(basename(path, ".jsonl")));
    expect(written.length > 0).toBe(plans[index]?.persists);
    const texts = [...seen, JSON.stringify(engine.getMessages()), ...written.map(({ text }) => text)];
    for (const { path: file, text } of filesBelow(folder)) texts.push(file, text);
    expect(texts.flatMap((text) => strangers(text, index))).toEqual([]);
    expect([...keys].filter((key) => key !== `key-${mark}`)).toEqual([]);
    if (plans[index]?.stop !== null) continue;
    expect(seen.some((text) => text.includes(`Prompt 0 of ${mark}.`))).toBe(true);
    expect(engine.getCost().totalUsd).toBeCloseTo(bill(), 9);
  }
}

// A long job of a whole session in a small window, against the server that says "prompt is too long" exactly when it would be.
import { expect } from "vitest";
import type { QueryEngine } from "../../src/index.ts";
import type { SDKMessage, SDKResultMessage } from "../../src/protocol/sdk.ts";
import type { Part, Reply, RequestView, Rule, ScriptedModel } from "../../src/testing/index.ts";
import { readSession } from "../../src/transcript/index.ts";
import { calls, impatientClock, layGround, openOn, scripted, turn, type Ground } from "./support.ts";

const smallWindow = 20_000;

/** Every layer that can be switched off, and the means of layer 4 that only some models have. */
export const layerNames = [
  "tool_result_budget",
  "snip",
  "microcompact",
  "context_collapse",
  "auto_compact",
  "signed_summaries",
  "collapse_drain",
  "reactive_compact",
  "blocking_limit",
] as const;

export const allBut = (layer: (typeof layerNames)[number]): string[] => layerNames.filter((name) => name !== layer);

export interface Job {
  turns: number;
  model?: string;
  /** Layers switched off. */
  off?: readonly string[];
  /** The window is what the server keeps to; otherwise nothing but the catalogue's figure is known. */
  told?: boolean;
  /** The model refuses to summarise. */
  noSummaries?: boolean;
  /** Lines of the longest file. */
  lines?: number;
}

export interface Ran {
  engine: QueryEngine;
  model: ScriptedModel;
  messages: SDKMessage[];
  results: SDKResultMessage[];
  /** Steps that the model took. */
  done(): number;
  job: Job;
}

const summaryRules: Rule[] = [
  { name: "signed", when: { compacts: true }, reply: { content: ["They read on. Next: the next file."] } },
  {
    name: "own",
    when: { lastUserText: "the conversation is about to be shortened" },
    reply: { content: [{ thinking: "what matters" }, "1. Request: read on. 6. Next step: the next file."] },
  },
  { name: "span", when: { lastUserText: "The work above is finished" }, reply: "Some files were read." },
];
const noSummaryRules: Rule[] = summaryRules.map((rule) => ({ ...rule, reply: { content: "", stopReason: "refusal" } }));

const promptEvery = 20;

/** What the model does in its nth turn: files of many sizes, commands, to-dos, long answers; now and then it is done for now. */
function stepOf(at: number, { work }: Ground, paths: readonly string[]): Part[] {
  const thinking: Part = { thinking: `I think of step ${at}.` };
  if (at % 50 === 49) return [thinking, { tool: "Bash", input: { command: `cat ${work}/big.txt` } }];
  if (at % 11 === 10) return [thinking, { tool: "Glob", input: { pattern: "*.txt" } }];
  if (at % 7 === 6)
    return [
      { text: "word ".repeat(400) },
      {
        tool: "TodoWrite",
        input: { todos: [{ content: `Do ${at}`, status: "in_progress", activeForm: `Doing ${at}` }] },
      },
    ];
  const read = (path: string): Part => ({ tool: "Read", input: { file_path: path } });
  const path = paths[at % paths.length]!;
  if (at % 5 === 4) return [thinking, `Step ${at}.`, read(path), read(paths[(at + 1) % paths.length]!)];
  return [thinking, `Step ${at}.`, read(path)];
}

function files(ground: Ground, lines: number): string[] {
  ground.file("big.txt", "a line of much output of a command\n".repeat(2_000));
  return Array.from({ length: 40 }, (_, at) => {
    const text = "ten words or so, one line of a text\n".repeat(Math.floor((((at * 37) % 40) / 40) * lines));
    return ground.file(`file${at}.txt`, `This is file ${at}.\n${text}`);
  });
}

export async function work(job: Job): Promise<Ran> {
  const ground = layGround();
  ground.file("CLAUDE.md", "Always be exact.");
  const paths = files(ground, job.lines ?? 150);
  let done = 0;
  let isPaused = false;
  const fallback = (request: RequestView): Reply | string => {
    isPaused = !isPaused && done > 0 && done % promptEvery === 0;
    if (done >= job.turns || isPaused) return `Done with ${done} steps.`;
    if (request.messages.length === 0) throw new Error("There is nothing to answer.");
    return { content: stepOf(done++, ground, paths) };
  };
  const model = scripted(
    { window: smallWindow, rules: job.noSummaries === true ? noSummaryRules : summaryRules, fallback },
    { enforceBinding: true },
  );
  const engine = await openOn(ground, model, {
    model: job.model ?? "claude-sonnet-5-5",
    clock: impatientClock,
    permissionMode: "bypassPermissions",
    tools: ["Read", "Bash", "Glob", "TodoWrite"],
    env: {
      PAWL_LAYERS_OFF: job.off?.join(","),
      ...(job.told === false ? {} : { CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(smallWindow) }),
    },
  });
  const messages: SDKMessage[] = [];
  const results: SDKResultMessage[] = [];
  while (results.at(-1)?.subtype !== "success" || done < job.turns) {
    const ran = await turn(engine, results.length === 0 ? "Read all files." : "Go on.");
    messages.push(...ran.messages);
    results.push(ran.result);
    if (ran.result.subtype !== "success") break;
  }
  return { engine, model, messages, results, done: () => done, job };
}

/** Notices of the job, by name. */
export const noticesOf = ({ messages }: Pick<Ran, "messages">, name: string) =>
  messages.filter(
    (message) => message.type === "system" && message.subtype === "informational" && message.tag === name,
  );

/** Requests that were refused with a 400, and how many of them at most one after another. */
export function refusals({ model }: Pick<Ran, "model">): { count: number; inRow: number } {
  let [count, row, inRow] = [0, 0, 0];
  for (const { status } of calls(model)) {
    row = status === 400 ? row + 1 : 0;
    if (status === 400) count++;
    inRow = Math.max(inRow, row);
  }
  return { count, inRow };
}

/** What holds of every job, however it ends. */
export function expectLawful(ran: Ran): void {
  const { engine, model, results, job } = ran;
  expect(model.scriptProblems).toEqual([]);
  const others = model.violations.filter(({ message }) => !message.includes("prompt is too long"));
  expect(others).toEqual([]);
  // The request that was too long, the one that recovered from it: never the same refused twice on end.
  expect(refusals(ran).inRow).toBeLessThanOrEqual(1);
  expect(calls(model).length).toBeLessThanOrEqual(2 * ran.done() + 20);
  const thrashed = noticesOf(ran, "compaction_thrashing").length;
  expect(thrashed).toBeLessThanOrEqual(1);
  const last = results.at(-1)!;
  if (last.subtype !== "success") {
    const isOff = (name: string) => job.off?.includes(name) === true;
    expect(["blocking_limit", "prompt_too_long"]).toContain(last.terminal_reason);
    expect(last.errors.join()).not.toBe("");
    if (last.terminal_reason === "blocking_limit") expect(isOff("blocking_limit")).toBe(false);
    // Without one, nothing could be compacted, or a single step has more than the window.
    if (thrashed === 0 && job.lines === undefined) expect(isOff("reactive_compact")).toBe(true);
  }
  expect(engine.getCost().totalUsd).toBeGreaterThan(model.bill.totalUsd * (1 - 1e-9));
  if (job.noSummaries !== true) expect(engine.getCost().totalUsd).toBeCloseTo(model.bill.totalUsd, 9);
  const stored = readSession(engine.getTranscriptPath()!);
  expect(stored.messages).toEqual(JSON.parse(JSON.stringify(engine.getMessages())));
}

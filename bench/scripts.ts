/** What the model says in each scenario. Both sides get the same words and the same calls; only tool names may differ. */
import { join } from "node:path";
import type { RequestView, Script, ScriptedModelOptions } from "../src/testing/index.ts";

/** Plain data: it crosses a process border. */
export interface ScriptOptions {
  /** Where the files to read are. */
  folder: string;
  /** Replies in all, the last one without a call. */
  turns: number;
}

export interface Scripted extends ScriptedModelOptions {
  script: Script;
  /** A folder in which the tool's effect shows. */
  watched?: string;
}

/** The nth of the files that `makeNotes` wrote. A new one each turn: an agent may tell the model that a file is unchanged. */
export const noteName = (turn: number): string => `note-${String(turn).padStart(3, "0")}.txt`;

/** What a tool makes in the watched folder. */
export const effectFile = "effect.txt";

/** One call a turn, then a last word. */
function loop(turns: number, call: (turn: number) => { tool: string; input: Record<string, string> }): Script {
  const reply = ({ turns: turn }: RequestView) => {
    if (turn >= turns - 1) return "That was the last one: everything has been looked at.";
    return { content: [`Step ${turn + 1} of ${turns}: on to the next part.`, call(turn)] };
  };
  return { fallback: reply };
}

export const scripts: Record<string, (options: ScriptOptions) => Scripted> = {
  reply: () => ({ script: { fallback: "Hello." } }),

  read: ({ folder, turns }) => ({
    script: loop(turns, (turn) => ({ tool: "Read", input: { file_path: join(folder, noteName(turn)) } })),
  }),

  shell: ({ turns }) => ({
    script: loop(turns, (turn) => ({ tool: "Bash", input: { command: `wc -l ${noteName(turn)}` } })),
  }),

  /** 20,000 deltas of 16 characters. A cheap token keeps the reply below every output limit. */
  deltas: ({ turns: deltas }) => ({
    script: { fallback: { content: "All work and no".padEnd(16).repeat(deltas), pace: { deltaCharacters: 16 } } },
    bytesPerToken: 100,
  }),

  effectOfBash: ({ folder }) => effect(folder, { tool: "Bash", input: { command: `touch ${effectFile}` } }),

  effectOfWrite: ({ folder }) => {
    const input = { file_path: join(folder, effectFile), content: "effect\n" };
    return effect(folder, { tool: "Write", input });
  },
};

/** After the call's block the reply goes on for a second before its next words. */
function effect(folder: string, call: { tool: string; input: Record<string, string> }): Scripted {
  const content = [call, "More words. ".repeat(20)];
  return { script: { steps: [{ content, pace: { blockDelayMs: 1000 } }, "Done."] }, watched: folder };
}

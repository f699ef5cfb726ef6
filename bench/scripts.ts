/** The model's script in each scenario. Both sides get the same text and the same calls; only tool names may differ. */
import { join } from "node:path";
import type { RequestView, Script, ScriptedModelOptions } from "../src/testing/index.ts";

/** Plain data, because it is sent to another process. */
export interface ScriptOptions {
  /** Where the files to read are. */
  folder: string;
  /** The number of replies. The last one has no call. */
  turns: number;
}

export interface Scripted extends ScriptedModelOptions {
  script: Script;
  /** The folder in which the tool's effect is watched. */
  watched?: string;
}

/** The name of the nth note. Each turn reads a new one, because an agent may report a file read before as unchanged. */
export const noteName = (turn: number): string => `note-${String(turn).padStart(3, "0")}.txt`;

/** The file that a tool creates in the watched folder. */
export const effectFile = "effect.txt";

/** Returns a script with one call per turn and a final answer. */
function loopScript(turns: number, call: (turn: number) => { tool: string; input: Record<string, string> }): Script {
  const reply = ({ turns: turn }: RequestView) => {
    if (turn >= turns - 1) return "That was the last one: everything has been looked at.";
    return { content: [`Step ${turn + 1} of ${turns}: on to the next part.`, call(turn)] };
  };
  return { fallback: reply };
}

export const scripts: Record<string, (options: ScriptOptions) => Scripted> = {
  reply: () => ({ script: { fallback: "Hello." } }),

  read: ({ folder, turns }) => ({
    script: loopScript(turns, (turn) => ({ tool: "Read", input: { file_path: join(folder, noteName(turn)) } })),
  }),

  shell: ({ turns }) => ({
    script: loopScript(turns, (turn) => ({ tool: "Bash", input: { command: `wc -l ${noteName(turn)}` } })),
  }),

  /** 20,000 deltas of 16 characters. A cheap token keeps the reply below every output limit. */
  deltas: ({ turns: deltas }) => ({
    script: { fallback: { content: "All work and no".padEnd(16).repeat(deltas), pace: { deltaCharacters: 16 } } },
    bytesPerToken: 100,
  }),

  effectOfBash: ({ folder }) => effectScript(folder, { tool: "Bash", input: { command: `touch ${effectFile}` } }),

  effectOfWrite: ({ folder }) => {
    const input = { file_path: join(folder, effectFile), content: "effect\n" };
    return effectScript(folder, { tool: "Write", input });
  },
};

/** After the call's block, the reply pauses for a second before its next text. */
function effectScript(folder: string, call: { tool: string; input: Record<string, string> }): Scripted {
  const content = [call, "More words. ".repeat(20)];
  return { script: { steps: [{ content, pace: { blockDelayMs: 1000 } }, "Done."] }, watched: folder };
}

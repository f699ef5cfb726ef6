/** A sample call, with a result, for each tool that hooks usually look at: used by `pawl hooks test`. */
import { withoutPrototype } from "../lib/without-prototype.ts";

export interface SampleCall {
  input: Record<string, unknown>;
  response: unknown;
}

const file = "/tmp/notes.txt";
const [before, after] = ["hello\n", "hello, world\n"];
const change = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-hello", "+hello, world"] };
const task = { description: "Find the tests", prompt: "Find the tests of this project.", subagent_type: "Explore" };
const agent = {
  input: task,
  response: {
    status: "completed",
    agentId: "agent-sample",
    content: [{ type: "text", text: "They are in test/." }],
    totalToolUseCount: 1,
    totalDurationMs: 12,
    totalTokens: 100,
    prompt: task.prompt,
  },
};

const calls = withoutPrototype<SampleCall>({
  Bash: {
    input: { command: "echo hello", description: "Says hello" },
    response: { stdout: "hello\n", stderr: "", interrupted: false },
  },
  Edit: {
    input: { file_path: file, old_string: "hello", new_string: "hello, world" },
    response: {
      filePath: file,
      oldString: "hello",
      newString: "hello, world",
      originalFile: before,
      structuredPatch: [change],
      userModified: false,
      replaceAll: false,
    },
  },
  Write: {
    input: { file_path: file, content: after },
    response: { type: "update", filePath: file, content: after, structuredPatch: [change], originalFile: before },
  },
  Read: {
    input: { file_path: file },
    response: { type: "text", file: { filePath: file, content: "hello", numLines: 1, startLine: 1, totalLines: 1 } },
  },
  NotebookEdit: {
    input: { notebook_path: "/tmp/notes.ipynb", new_source: "print('hello')", cell_id: "a1" },
    response: {
      new_source: "print('hello')",
      cell_id: "a1",
      cell_type: "code",
      language: "python",
      edit_mode: "replace",
      error: "",
      notebook_path: "/tmp/notes.ipynb",
    },
  },
  Glob: {
    input: { pattern: "**/*.txt" },
    response: { durationMs: 12, numFiles: 1, filenames: [file], truncated: false },
  },
  Grep: {
    input: { pattern: "hello" },
    response: { mode: "files_with_matches", numFiles: 1, filenames: [file] },
  },
  WebFetch: {
    input: { url: "https://example.com/", prompt: "What is this page about?" },
    response: {
      bytes: 1_256,
      code: 200,
      codeText: "OK",
      result: "It is an example.",
      durationMs: 12,
      url: "https://example.com/",
    },
  },
  Agent: agent,
  Task: agent,
});

/** Tools with sample calls; one MCP tool represents those of all servers. */
export const toolsWithSamples: readonly string[] = [...Object.keys(calls), "mcp__tracker__search"];

/** Returns the sample call of a tool; for an unknown tool, a call without input. */
export function sampleCall(tool: string): SampleCall {
  return calls[tool] ?? { input: {}, response: [{ type: "text", text: "hello" }] };
}

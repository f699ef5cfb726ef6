/** The task tools as the model sees them. Their implementation is loaded with the first call. */
import type { Tool, ToolInput, ToolInputSchema } from "../../protocol/tool.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { TaskToolName } from "../tools/session-tool-names.ts";

const textSchema = { type: "string" };
const idsSchema = { type: "array", items: textSchema };

const schemas: Readonly<Record<TaskToolName, { description: string; inputSchema: ToolInputSchema }>> = {
  TaskCreate: {
    description:
      "Adds a task to the list that all agents of this session share. Use it for work of three or more steps, or for several agents.",
    inputSchema: {
      type: "object",
      properties: {
        subject: { type: "string", description: "Run the tests" },
        description: textSchema,
        activeForm: { type: "string", description: "Running the tests" },
        metadata: { type: "object" },
      },
      required: ["subject", "description"],
    },
  },
  TaskGet: {
    description: "All there is to one task.",
    inputSchema: { type: "object", properties: { taskId: textSchema }, required: ["taskId"] },
  },
  TaskList: {
    description: "Every task: its status, who has it, what it waits for.",
    inputSchema: { type: "object", properties: {} },
  },
  TaskUpdate: {
    description:
      "Changes a task. in_progress takes it: do that before you begin; completed once all of it is done. What waits for other tasks cannot be taken.",
    inputSchema: {
      type: "object",
      properties: {
        taskId: textSchema,
        status: { type: "string", enum: ["pending", "in_progress", "completed", "deleted"] },
        subject: textSchema,
        description: textSchema,
        activeForm: textSchema,
        owner: { type: "string", description: "Name of an agent" },
        addBlocks: { ...idsSchema, description: "Tasks that wait for it" },
        addBlockedBy: { ...idsSchema, description: "Tasks it waits for" },
        metadata: { type: "object", description: "Merged; null removes a key" },
      },
      required: ["taskId"],
    },
  },
};

export function createTaskTool(name: TaskToolName, run: Tool["call"]): Tool {
  const onlyReads = name === "TaskGet" || name === "TaskList";
  return {
    name,
    ...schemas[name],
    replay: onlyReads ? "safe" : "never",
    maxResultSizeChars: 30_000,
    isConcurrencySafe: () => onlyReads,
    // The tools touch nothing but the session's own list.
    isReadOnly: () => true,
    describe: (input) => oneLine(`${name} ${describeInput(input)}`, 120),
    call: run,
  };
}

function describeInput({ subject, taskId, status }: ToolInput): string {
  const words = typeof taskId === "string" ? [`#${taskId}`, status] : [subject];
  return words.filter((word) => typeof word === "string" && word !== "").join(" ");
}

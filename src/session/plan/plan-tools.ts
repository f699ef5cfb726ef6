/** The tools with which the model starts to plan and gets a plan approved. A person answers both. */
import type { Tool, ToolInput, ToolInputSchema } from "../../protocol/tool.ts";
import { exitPlanMode } from "../tools/session-tool-names.ts";
import type { PlanFiles } from "./plan-files.ts";
import type { PlanMode } from "./plan-mode.ts";
import { approvedText } from "./plan-texts.ts";

const emptyInput: ToolInputSchema = { type: "object", properties: {} };
const planInputSchema: ToolInputSchema = {
  type: "object",
  properties: { plan: { type: "string", description: "All of it, as Markdown" } },
  required: ["plan"],
};

const commonFields: Pick<
  Tool,
  "requiresUserInteraction" | "replay" | "maxResultSizeChars" | "isConcurrencySafe" | "isReadOnly"
> = {
  requiresUserInteraction: true,
  replay: "safe",
  maxResultSizeChars: Infinity,
  isConcurrencySafe: () => false,
  isReadOnly: () => true,
};

export function createPlanTools(mode: PlanMode, files: () => PlanFiles): Tool[] {
  return [createEnterTool(mode), createExitTool(mode, files)];
}

function createEnterTool(mode: PlanMode): Tool {
  return {
    ...commonFields,
    name: "EnterPlanMode",
    description:
      "Asks the user to begin with a plan: for work that is large, or can be done in ways that differ in earnest. Nothing is changed until the plan is approved.",
    inputSchema: emptyInput,
    describe: () => "EnterPlanMode",
    validateInput: () => (mode.isOn ? { ok: false, message: "Plan mode is on already." } : { ok: true }),
    async call() {
      mode.enter();
      const message = "The user agrees: plan mode is on.";
      return { content: message, output: { message } };
    },
  };
}

function createExitTool(mode: PlanMode, files: () => PlanFiles): Tool {
  /** The plan as the model gave it: others may change it before it is approved. */
  let presented: { toolUseId: string; plan: string } | undefined;
  return {
    ...commonFields,
    name: exitPlanMode,
    description: "In plan mode: shows the user the finished plan and asks to begin with the work.",
    inputSchema: planInputSchema,
    // The answer may leave the plan out.
    checksOwnInput: true,
    describe: () => exitPlanMode,
    validateInput(input, { toolUseId }) {
      if (presented?.toolUseId === toolUseId) return { ok: true };
      const plan = readPlan(input);
      if (!mode.canPresentPlan)
        return { ok: false, message: "Plan mode is not on, so there is nothing to approve: go on." };
      if (plan === undefined)
        return { ok: false, message: "The plan is missing: give all of it, as Markdown, in plan." };
      presented = { toolUseId, plan };
      return { ok: true };
    },
    // Hooks read the file, so it is written before they are asked.
    observableInput(input) {
      const plan = readPlan(input);
      const planFilePath = plan === undefined ? undefined : files().save(plan);
      return planFilePath === undefined ? input : { ...input, planFilePath };
    },
    async call(input, { toolUseId }) {
      const first = presented?.toolUseId === toolUseId ? presented.plan : undefined;
      const plan = readPlan(input) ?? first ?? "";
      const isEdited = first !== undefined && plan !== first;
      const path = files().save(plan);
      const output = {
        plan,
        isAgent: false,
        ...(path === undefined ? {} : { filePath: path }),
        ...(isEdited ? { planWasEdited: true } : {}),
      };
      return { content: approvedText({ plan, isEdited, path }, mode.leave()), output };
    },
  };
}

function readPlan({ plan }: ToolInput): string | undefined {
  return typeof plan === "string" && plan.trim() !== "" ? plan : undefined;
}

/** Names of the tools that the session itself makes if they are wanted. */

export const exitPlanMode = "ExitPlanMode";
export const planToolNames: readonly string[] = ["EnterPlanMode", exitPlanMode];

export type TaskToolName = "TaskCreate" | "TaskGet" | "TaskList" | "TaskUpdate";
export const taskToolNames: readonly TaskToolName[] = ["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"];

export const sessionToolNames: readonly string[] = [
  "Agent",
  "Skill",
  "SendMessage",
  ...planToolNames,
  ...taskToolNames,
];

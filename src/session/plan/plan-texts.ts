/** What the model is told about plan mode and plans. */

const preamble =
  "Plan mode is on: the user wants a plan before anything is changed. Until it is approved change nothing: no edits, no commands that do more than look, no commits. What would is refused, and this outranks all that asks for changes.";

const planningText =
  "Find out what the plan depends on: read, search, and ask what only the user can know. Then settle on one way. A plan says what is changed and where, in which order, and how it is checked, as briefly as the work allows.";

const askWithToolText =
  "Once the plan is ready, call ExitPlanMode with all of it: the user is asked there, so do not ask in words whether it will do. What is only to be found out or explained takes no plan: answer it.";

const answerWithPlanText =
  "Once the plan is ready, give all of it as your answer and end there: nobody can approve it before. What is only to be found out or explained takes no plan: answer it.";

/** `instructions`: the host's own text on how a plan is made. `canAsk`: ExitPlanMode is available. */
export function planModeText(instructions: string | undefined, canAsk: boolean): string {
  const customText = instructions?.trim() ?? "";
  return [preamble, customText === "" ? planningText : customText, canAsk ? askWithToolText : answerWithPlanText].join(
    "\n\n",
  );
}

export const planModeEnded =
  "Plan mode is off: from here on things may be changed, as far as the permissions let them.";

export interface ApprovedPlan {
  plan: string;
  isEdited: boolean;
  path: string | undefined;
}

export function approvedText({ plan, isEdited, path }: ApprovedPlan, mode: string): string {
  const edited = isEdited ? " It was changed before that: this is what counts." : "";
  const kept = path === undefined ? "" : ` It is kept in ${path}.`;
  return `The plan is approved: do the work now. The permission mode is ${mode}.${edited}${kept}\n\nThe approved plan:\n\n${plan}`;
}

/** For use after a compaction. */
export function reattachedPlanText(plan: string, isApproved: boolean): string {
  const intro = isApproved
    ? "The plan that was approved in this session, some or all of which may be done by now:"
    : "The plan as it was presented last; it has not been approved:";
  return `${intro}\n\n${plan}`;
}

/** Merges the outputs of several hooks: deny beats defer beats ask beats allow, prevent beats block, contexts and reasons add up. */
import type { HookAnswer, HookElicitationAnswer, HookPermissionAnswer } from "../protocol/hook.ts";
import type { HookOutput } from "./output.ts";

/** Merges two permission answers. If both allow, the later one's input counts, and the updates of both. */
function mergePermissionAnswers(
  known: HookPermissionAnswer | undefined,
  later: HookPermissionAnswer,
): HookPermissionAnswer {
  if (later.behavior === "deny" || known?.behavior !== "allow") return later;
  const updates = [...(known.updates ?? []), ...(later.updates ?? [])];
  return { ...known, ...later, ...(updates.length === 0 ? {} : { updates }) };
}

const rank = { deny: 3, defer: 2, ask: 1, allow: 0 } as const;

const elicitationRank = { decline: 2, cancel: 1, accept: 0 } as const;

function isStricter(one: HookElicitationAnswer, known: HookElicitationAnswer | undefined): boolean {
  return known === undefined || elicitationRank[one.action] > elicitationRank[known.action];
}

type Permission = NonNullable<HookOutput["permission"]>;
type FinalPermission = Exclude<Permission, { behavior: "defer" }>;

/** Returns the strictest permission; of equals, the first. A deferral keeps the strictest other answer, in case it cannot be done. */
function strictestPermission(outputs: readonly HookOutput[]): Permission | undefined {
  let found: Permission | undefined;
  let strictestFinal: FinalPermission | undefined;
  for (const { permission } of outputs) {
    if (permission === undefined) continue;
    if (found === undefined || rank[permission.behavior] > rank[found.behavior]) found = permission;
    if (permission.behavior === "defer") continue;
    if (strictestFinal === undefined || rank[permission.behavior] > rank[strictestFinal.behavior])
      strictestFinal = permission;
  }
  const decided =
    strictestFinal === undefined ? undefined : { ...strictestFinal, ...inputConsent(strictestFinal, outputs) };
  if (found?.behavior !== "defer") return decided;
  return decided === undefined ? found : { ...found, otherwise: decided };
}

/** The hook that gave the input that counts must also allow the call: a hook's consent does not cover another hook's input. */
function inputConsent(
  { behavior }: FinalPermission,
  outputs: readonly HookOutput[],
): Pick<FinalPermission, "givesInput"> {
  const giver = outputs.findLast(({ updatedInput }) => updatedInput !== undefined);
  return behavior === "allow" && giver?.permission?.behavior === "allow" ? { givesInput: true } : {};
}

/** Merges in the order of the hooks; if several change the input or the output, the last one counts. */
export function mergeAnswers(outputs: readonly HookOutput[]): HookAnswer {
  const answer: HookAnswer = { blocking: [], additionalContext: [], notices: [] };
  for (const output of outputs) {
    answer.preventContinuation ??= output.preventContinuation;
    if (output.blocking !== undefined) answer.blocking.push(output.blocking);
    if (output.additionalContext !== undefined) answer.additionalContext.push(output.additionalContext);
    if (output.updatedInput !== undefined) answer.updatedInput = output.updatedInput;
    const { permissionAnswer } = output;
    if (permissionAnswer !== undefined && answer.permissionAnswer?.behavior !== "deny")
      answer.permissionAnswer = mergePermissionAnswers(answer.permissionAnswer, permissionAnswer);
    if (output.updatedToolOutput !== undefined) answer.updatedToolOutput = output.updatedToolOutput;
    const { elicitation } = output;
    if (elicitation !== undefined && isStricter(elicitation, answer.elicitation)) answer.elicitation = elicitation;
    if (output.watchPaths !== undefined) answer.watchPaths = [...(answer.watchPaths ?? []), ...output.watchPaths];
    const { sessionTitle, initialUserMessage } = output;
    if (sessionTitle !== undefined) answer.sessionTitle = sessionTitle;
    if (initialUserMessage !== undefined) answer.initialUserMessage = initialUserMessage;
    if (output.reloadSkills !== undefined) answer.reloadSkills = output.reloadSkills;
    if (output.retry !== undefined) answer.retry = output.retry;
    if (output.displayContent !== undefined) answer.displayContent = output.displayContent;
    if (output.worktreePath !== undefined) answer.worktreePath = output.worktreePath;
  }
  const permission = strictestPermission(outputs);
  if (permission !== undefined) answer.permission = permission;
  if (answer.preventContinuation !== undefined) answer.blocking = [];
  return answer;
}

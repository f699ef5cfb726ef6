// Who says what in a session with teammates.
import type { EngineOptions, QueryEngine } from "../../../src/index.ts";
import type { SDKMessage } from "../../../src/protocol/sdk.ts";
import type { Reply, RequestView, Script, ScriptedModel } from "../../../src/testing/index.ts";
import { turn } from "../support.ts";

export const on: EngineOptions = { env: { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1" } };
export type Step = (Call | string)[] | string;
export type Input = Record<string, string | boolean | string[]>;
export type Call = { tool: string; input: Input };

export const teammate = (name: string, prompt: string, more: Input = {}): Call => ({
  tool: "Agent",
  input: { description: `${name}'s work`, prompt, name, ...more },
});
export const send = (to: string, message: string): Call => ({ tool: "SendMessage", input: { to, message } });
export const update = (taskId: string, status: string): Call => ({ tool: "TaskUpdate", input: { taskId, status } });
export const create = (subject: string): Call => ({ tool: "TaskCreate", input: { subject, description: "" } });

function whoseRequest({ systemText }: RequestView): string {
  return /You are (\w+), one of a team/u.exec(systemText)?.[1] ?? "lead";
}

/** Who says what, by the number of its answers so far. */
export function cast(roles: Record<string, readonly Step[] | ((request: RequestView) => Step)>): Script {
  const reply = (request: RequestView): Reply | string => {
    const role = roles[whoseRequest(request)] ?? [];
    const step = typeof role === "function" ? role(request) : role[request.turns];
    if (step === undefined) return "Done.";
    return typeof step === "string" ? step : { content: step };
  };
  return { rules: [{ when: {}, reply }] };
}

/** As a headless run does it: goes on while there is something to tell. */
export async function untilQuiet(engine: QueryEngine, prompt: string): Promise<SDKMessage[]> {
  const all = (await turn(engine, prompt)).messages;
  for (let round = 0; engine.openAgents > 0 && round < 20; round++) {
    await engine.whenAgentsEnd();
    if (engine.openAgents > 0) all.push(...(await turn(engine, "Go on.", { isMeta: true })).messages);
  }
  return all;
}

/** All that was ever sent on behalf of one. */
export function textsTo(model: ScriptedModel, who: string): string {
  const asked = model.requests.filter(({ body }) =>
    JSON.stringify(body?.system ?? "").includes(`You are ${who}, one of`),
  );
  return JSON.stringify(asked.at(-1)?.body?.messages ?? []);
}

export const mine = (engine: QueryEngine): string => JSON.stringify(engine.getMessages());
export const count = (text: string, part: string): number => text.split(part).length - 1;

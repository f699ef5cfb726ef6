/** Implements SendMessage: before the call returns, the message is on disk and its recipient is awake. */
import { oneLine } from "../../lib/sanitize.ts";
import type { ToolContext, ToolInput, ToolProgress, ToolResult } from "../../protocol/tool.ts";
import { findAgent } from "../agents/definitions.ts";
import type { Joined } from "../joined.ts";
import type { OpenAgentSession } from "../session.ts";
import { subagentPath } from "../../transcript/index.ts";
import { failureResult } from "../../tools/failure.ts";
import { enlist, type Enlisted } from "./enlist.ts";
import type { Mail } from "./mail.ts";
import { addressOf, leadName } from "./names.ts";
import { sendMessageName } from "./send-message.ts";
import type { Team } from "./team.ts";
import { stringOrEmpty } from "../../lib/string-or-empty.ts";

const maxMessageChars = 20_000;
const maxSummaryChars = 200;

interface SendContext {
  team: Team;
  caller: Joined;
  from: string;
  open: OpenAgentSession;
  context: ToolContext;
  onProgress: (progress: ToolProgress) => void;
}

export async function sendMessage(input: ToolInput, sending: SendContext): Promise<ToolResult> {
  const { team, from } = sending;
  const [to, message, summary] = [
    stringOrEmpty(input["to"]),
    stringOrEmpty(input["message"]),
    stringOrEmpty(input["summary"]),
  ];
  if (message.trim() === "") return failureResult("`message` is empty: say what is to be told.");
  if (message.length > maxMessageChars)
    return failureResult(
      `The message has ${message.length} characters; at most ${maxMessageChars} are sent. Write it into a file.`,
    );
  const names = recipients(to, team, from);
  if (typeof names === "string") return failureResult(names);
  const spentReason = names.some((name) => name !== leadName) ? team.root.agents.spentReason : null;
  if (spentReason !== null) return failureResult(spentReason);
  const about = summary === "" ? {} : { summary: oneLine(summary, maxSummaryChars) };
  const agentId = team.post.member(from)?.agentId;
  const letter = {
    kind: "message" as const,
    from,
    text: message,
    ...about,
    ...(agentId === undefined ? {} : { agentId }),
  };
  const problem = await deliverAll(
    names.map((name) => ({ ...letter, to: name })),
    sending,
  );
  if (problem !== null) return failureResult(problem);
  return { content: `Sent to ${names.join(", ")}.`, output: { success: true, recipients: names, message } };
}

/** Sends to all recipients or to none, starting those that are not running in any process. Returns null on success. */
async function deliverAll(letters: readonly Omit<Mail, "id">[], sending: SendContext): Promise<string | null> {
  const { team, caller, context, onProgress } = sending;
  const absent = letters.map(({ to }) => to).filter((name) => team.post.member(name) !== undefined && team.claim(name));
  const enlisted: Enlisted[] = [];
  try {
    for (const name of absent) {
      const again = await reviveTeammate(name, sending);
      if ("problem" in again) return `${name} cannot be woken: ${again.problem}`;
      enlisted.push(again);
    }
    const idleIds = letters.flatMap(({ to }) => (team.live.get(to)?.isIdle() === true ? [team.live.get(to)!.id] : []));
    const refused = team.post.send(letters);
    if (refused !== null) return refused;
    for (const { begin } of enlisted.splice(0)) team.admit(begin());
    // The calls of an agent do not appear in the session's own stream.
    const idleRecipients = caller.agentRun === undefined ? idleIds : [];
    for (const id of idleRecipients)
      onProgress({ toolUseId: context.toolUseId, toolName: sendMessageName, message: team.wakeMessage(id) });
    return null;
  } finally {
    for (const { abandon } of enlisted) abandon();
    for (const name of absent) team.unclaim(name);
  }
}

/** Returns the recipients, or a text that says why there are none. */
function recipients(to: string, team: Team, from: string): string[] | string {
  const address = addressOf(to);
  const known = [leadName, ...team.post.members.map(({ name }) => name)];
  if (address.kind === "everyone") {
    const all = [leadName, ...team.live.keys()].filter((name) => name !== from);
    return all.length === 0 ? "There is nobody to write to: Agent with a `name` starts a teammate." : all;
  }
  const name = address.kind === "lead" ? leadName : address.name;
  if (name === from) return "You cannot send a message to yourself.";
  if (known.includes(name)) return [name];
  const others = known.filter((each) => each !== from);
  const there = others.length === 0 ? "Agent with a `name` starts one" : `there are ${others.join(", ")}`;
  return `There is no teammate ${JSON.stringify(to.slice(0, 40))}: ${there}.`;
}

async function reviveTeammate(
  name: string,
  { team, open, context }: SendContext,
): Promise<Enlisted | { problem: string }> {
  const { agentTypes, store, around } = team.root;
  const member = team.post.member(name);
  const definition = member === undefined ? undefined : findAgent(agentTypes, member.type);
  if (member === undefined || definition === undefined) return { problem: "there is no agent of its type any more." };
  if (store.transcript === null) return { problem: "this session keeps nothing, so its agents cannot go on." };
  if (around.machine.files.statusOf(subagentPath(store.transcript.path, member.agentId)) === undefined)
    return { problem: "nothing of it was kept. Start a new one of that name: it gets what waits." };
  const { toolUseId, signal } = context;
  const { agentId: resume, description, prompt = "" } = member;
  const call = { definition, name, description, prompt, isBackground: true, resume, toolUseId, signal };
  return await enlist(team, { ...call, show: () => {} }, open, false);
}

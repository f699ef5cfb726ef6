/** SendMessage: one agent of a session writes to another. */
import { oneLine } from "../../lib/sanitize.ts";
import type { Tool } from "../../protocol/tool.ts";

export const sendMessageName = "SendMessage";

/** `run` is loaded with the first call. */
export function createSendMessageTool(run: Tool["call"]): Tool {
  return {
    name: sendMessageName,
    description:
      "Writes to a teammate, which wakes it where it is idle. It reads the message at its next step; an answer comes as a message too, so do not wait for it in commands.",
    inputSchema: {
      type: "object",
      properties: {
        to: { type: "string", description: "A teammate's name, team-lead, or * for all" },
        message: { type: "string" },
        summary: { type: "string", description: "5 to 10 words" },
      },
      required: ["to", "message"],
    },
    replay: "never",
    maxResultSizeChars: 10_000,
    // Messages must arrive in the order in which they are sent.
    isConcurrencySafe: () => false,
    // What the message leads to is judged call by call.
    isReadOnly: () => true,
    describe: ({ to, summary }) =>
      oneLine(
        `SendMessage ${typeof to === "string" ? to : ""}${typeof summary === "string" ? `: ${summary}` : ""}`,
        120,
      ),
    call: run,
  };
}

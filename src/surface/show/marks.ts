/** The marks before messages and tool calls: signs to look at, or words for a screen reader. */

export interface Marks {
  /** Before the prompt. */
  prompt: string;
  /** The same during an answer. */
  busyPrompt: string;
  answer: string;
  call: string;
  result: string;
  failedResult: string;
  /** Before further rows of a result. */
  furtherRow: string;
  /** Before a note on a file that a prompt mentions. */
  mention: string;
  /** Before each line of a question's content. */
  bar: string;
  /** Before a line of the content that an edit removes or adds. */
  removed: string;
  added: string;
  /** In place of a tab at the start of such a line. */
  tab: string;
  /** Between the parts of one row. */
  separator: string;
  question: string;
  /** Before pawl's own messages, where colours would show their level. */
  dim: string;
  yellow: string;
  red: string;
  done: string;
  open: string;
  inProgress: string;
}

export const drawnMarks: Marks = {
  prompt: "> ",
  busyPrompt: "+ ",
  answer: "",
  call: "● ",
  result: "  └ ",
  failedResult: "  └ ",
  furtherRow: "    ",
  mention: "  └ ",
  bar: "│ ",
  removed: "- ",
  added: "+ ",
  tab: "→   ",
  separator: " · ",
  question: "",
  dim: "",
  yellow: "",
  red: "",
  done: "      ✓ ",
  open: "      ○ ",
  inProgress: "      ▸ ",
};

/** Words, which can also be searched for. */
export const spokenMarks: Marks = {
  prompt: "you: ",
  busyPrompt: "you, meanwhile: ",
  answer: "pawl: ",
  call: "tool: ",
  result: "result: ",
  failedResult: "result, failed: ",
  furtherRow: "  ",
  mention: "file: ",
  bar: "| ",
  removed: "removed: ",
  added: "added: ",
  tab: "    ",
  separator: ", ",
  question: "Permission required: ",
  dim: "note: ",
  yellow: "note: ",
  red: "error: ",
  done: "done: ",
  open: "to do: ",
  inProgress: "at work: ",
};

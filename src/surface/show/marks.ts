/** What stands in front of what is said and done: signs for the eye, or words for a screen reader. */

export interface Marks {
  /** Where a person types. */
  prompt: string;
  /** The same while an answer comes. */
  busyPrompt: string;
  answer: string;
  call: string;
  result: string;
  failedResult: string;
  /** A further row of a result. */
  further: string;
  /** What became of a file that a prompt names. */
  mention: string;
  /** What a person is asked about, a line of it. */
  bar: string;
  /** In front of a line of it that an edit takes away, or puts there. */
  taken: string;
  added: string;
  /** A tab that a line of it begins with. */
  tab: string;
  /** Between what stands in one row. */
  between: string;
  question: string;
  /** What colours say of pawl's own words. */
  yellow: string;
  red: string;
  done: string;
  open: string;
  atWork: string;
}

export const drawn: Marks = {
  prompt: "> ",
  busyPrompt: "+ ",
  answer: "",
  call: "● ",
  result: "  └ ",
  failedResult: "  └ ",
  further: "    ",
  mention: "  └ ",
  bar: "│ ",
  taken: "- ",
  added: "+ ",
  tab: "→   ",
  between: " · ",
  question: "",
  yellow: "",
  red: "",
  done: "      ✓ ",
  open: "      ○ ",
  atWork: "      ▸ ",
};

/** They can be searched for, too. */
export const spoken: Marks = {
  prompt: "you: ",
  busyPrompt: "you, meanwhile: ",
  answer: "pawl: ",
  call: "tool: ",
  result: "result: ",
  failedResult: "result, failed: ",
  further: "  ",
  mention: "file: ",
  bar: "| ",
  taken: "removed: ",
  added: "added: ",
  tab: "    ",
  between: ", ",
  question: "Permission required: ",
  yellow: "note: ",
  red: "error: ",
  done: "done: ",
  open: "to do: ",
  atWork: "at work: ",
};

/** Shows a permission question exactly as the call will run, and reads the answer. */
import { toHalfWidth } from "../../lib/half-width.ts";
import { oneLine, reveal, sanitize } from "../../lib/sanitize.ts";
import {
  ruleText,
  type PermissionAnswer,
  type PermissionQuestion,
  type PermissionReason,
} from "../../protocol/permission.ts";
import type { PatchHunk } from "../../tools/patch.ts";
import { wrapHanging } from "../show/wrap-hanging.ts";
import type { Style } from "../show/style.ts";
import type { TerminalQuestion } from "./question-queue.ts";
import { quoteBehindBar } from "./quote-bar.ts";
import { createPlanQuestion, parseRefusal } from "./plan-question.ts";
import type { TerminalSize } from "./screen.ts";

/** Limits for the lines shown of a file's new content, which can be checked and undone later. All other input is shown completely. */
const [minContentLines, maxContentLines] = [12, 40];
/** Characters from which a rule is not repeated. */
const longRuleLength = 40;
/** The rows of a question beside them. */
const otherRows = 8;
const fileTools: ReadonlySet<string> = new Set(["Write", "Edit", "NotebookEdit"]);
/** Shown when the typed text is not an answer. */
const notAnAnswerText = '  (that is not an answer; the model gets the text you write after "no")';
/** Tabs that indent code, as `reveal` writes them. */
const indentation = /^(?:<U\+0009>)+/gmu;

/** What is known about a call besides the question itself. */
export interface CallContext {
  /** Names the agent that makes the call. */
  asker?: string | undefined;
  /** The change that the call would make in its file. */
  hunks?: readonly PatchHunk[] | undefined;
  /** Called when the person has been shown all of a content that was cut. */
  onShownWhole?: () => void;
}

export function createPermissionQuestion(
  question: PermissionQuestion,
  style: Style,
  size: TerminalSize,
  about: CallContext = {},
): TerminalQuestion<PermissionAnswer> {
  const read = (text: string): PermissionAnswer | undefined => readAnswer(text, question);
  const shiftTab = mayAcceptEdits(question) ? { answer: acceptEdits, shownAnswer: "all edits (Shift+Tab)" } : undefined;
  return (
    createPlanQuestion(question, style, size) ?? {
      ...defaultQuestion(question, style, size, about),
      read,
      ...(shiftTab === undefined ? {} : { shiftTab }),
    }
  );
}

function defaultQuestion(question: PermissionQuestion, style: Style, size: TerminalSize, about: CallContext) {
  const lines = questionLines(question, style, size, about);
  const whole = questionLines(question, style, size, about, Infinity);
  const isCut = whole.join("\n") !== lines.join("\n");
  let isShownWhole = !isCut;
  const linesForOtherText = (text: string): string[] => {
    if (isCut && /^\s*s(?:how)?\s*$/iu.test(toHalfWidth(text))) {
      isShownWhole = true;
      about.onShownWhole?.();
      return whole;
    }
    return text.trim() === ""
      ? []
      : wrapHanging(notAnAnswerText, size.columns)
          .split("\n")
          .map((line) => style.dim(line));
  };
  const promptNow = (): string => answerPrompt(question, isShownWhole ? "" : ", show (in full)");
  return { lines, prompt: promptNow(), linesForOtherText, promptAgain: promptNow };
}

/** Returns how many lines of a file's new content leave the head of the question on the screen. */
export function contentLines({ rows }: TerminalSize): number {
  return Math.max(minContentLines, Math.min(maxContentLines, rows - otherRows));
}

/** Returns lines without line ends. Says so if they do not fit on the screen. */
export function questionLines(
  question: PermissionQuestion,
  style: Style,
  size: TerminalSize,
  { asker = "", hunks }: CallContext = {},
  maxLines = contentLines(size),
): string[] {
  const { toolName, input, reason, why: part } = question;
  const body =
    hunks === undefined ? inputLines(toolName, input, style, maxLines) : changeLines(input, hunks, style, maxLines);
  const shown = body.flatMap((line) => quoteBehindBar(line, style, size.columns - 5));
  const head = wrapHanging(`${style.marks.question}${oneLine(toolName, 60)} asks to run${asker}:`, size.columns).split(
    "\n",
  );
  const isTall = shown.length > size.rows - 4 && !style.isSpoken;
  const note = wrapHanging(`  (${shown.length} lines: scroll up to read all of it)`, size.columns).split("\n");
  const tall = isTall ? note.map((line) => style.yellow(line)) : [];
  const why = part === undefined ? reasonText(reason) : `${oneLine(part, 300)} (${reasonText(reason)})`;
  const reasonLines = why === "" ? [] : wrapHanging(`  why it asks: ${why}`, size.columns).split("\n");
  return [...head.map((line) => style.bold(line)), ...shown, ...tall, ...reasonLines.map((line) => style.dim(line))];
}

/** Returns the whole input of a call. `maxLines` limits the lines of a file's new content. */
export function inputLines(
  toolName: string,
  input: Record<string, unknown>,
  style: Style,
  maxLines = Infinity,
): string[] {
  const isFile = fileTools.has(toolName);
  const most = isFile ? maxLines : Infinity;
  return orderedFields(isFile ? withoutTrailingLineEnds(input) : input).flatMap(
    ([name, value]) => editLines(name, value, most, style) ?? fieldLines(name, value, most, style),
  );
}

/** Returns the lines of a change with its context, instead of the old and new texts. */
function changeLines(
  input: Record<string, unknown>,
  hunks: readonly PatchHunk[],
  style: Style,
  maxLines: number,
): string[] {
  const isShown = new Set(["old_string", "new_string", "content"]);
  const others = Object.entries(input).filter(([name, value]) => !isShown.has(name) && value !== false);
  const last = hunks.map(
    ({ oldStart, newStart, oldLines, newLines }) => Math.max(oldStart + oldLines, newStart + newLines) - 1,
  );
  const digits = String(Math.max(...last)).length;
  const lines = hunks.flatMap((hunk, at) => [...(at === 0 ? [] : [style.dim("⋮")]), ...hunkLines(hunk, digits, style)]);
  return [
    ...others.flatMap(([name, value]) => fieldLines(name, value, Infinity, style)),
    ...(isNewFile(hunks) ? cutEnd(lines, Math.max(...last), maxLines) : cutMiddle(lines, maxLines)),
  ];
}

function isNewFile([first, ...others]: readonly PatchHunk[]): boolean {
  return first?.oldStart === 0 && first.oldLines === 0 && others.length === 0;
}

/** `lines` may end with the note that there is no line end, which is not one of the file's lines. */
function cutEnd(lines: readonly string[], count: number, limit: number): readonly string[] {
  const cut = omittedCount(lines.slice(0, count), limit);
  return cut === 0 ? lines : [...lines.slice(0, limit), `<${cut} more lines of the file are not shown>`];
}

/** Keeps the beginning and the end: what takes the place of many removed lines comes last. */
function cutMiddle(lines: readonly string[], limit: number): readonly string[] {
  const cut = omittedCount(lines, limit);
  if (cut === 0) return lines;
  const note = `<${cut} more lines of the change are not shown>`;
  const head = Math.ceil(limit / 2);
  return [...lines.slice(0, head), note, ...lines.slice(lines.length - (limit - head))];
}

function hunkLines({ oldStart, newStart, lines }: PatchHunk, digits: number, style: Style): string[] {
  let [old, now] = [oldStart, newStart];
  return lines.map((line) => {
    const sign = line.charAt(0);
    const [text = ""] = revealedLines(line.slice(1), style);
    if (sign === "\\") return style.dim(`${" ".repeat(digits)}   (no line end at the end of the file)`);
    const shown = (number: number): string => `${String(number).padStart(digits)} ${sign} ${text}`;
    if (sign === "-") return style.red(shown(old++));
    if (sign === "+") return style.green(shown(now++));
    old++;
    return style.dim(shown(now++));
  });
}

/** Puts the command first and fields of several lines last. Otherwise one of their lines could look like a later field and hide it. */
function orderedFields(input: Record<string, unknown>): [string, unknown][] {
  const place = ([name, value]: [string, unknown]): number => {
    if (name === "command") return 0;
    const hasMarks = name === "old_string" || name === "new_string";
    return typeof value === "string" && value.includes("\n") && !hasMarks ? 2 : 1;
  };
  return Object.entries(input).sort((one, other) => place(one) - place(other));
}

/** Removes the line end of the last line, which starts no new line. Keeps it if an edit adds or removes only that. */
function withoutTrailingLineEnds(input: Record<string, unknown>): Record<string, unknown> {
  const ended = (name: string): Record<string, string> | undefined => {
    const text = input[name];
    return typeof text === "string" && /[^]\n$/u.test(text) ? { [name]: text.slice(0, -1) } : undefined;
  };
  const [before, after] = [ended("old_string"), ended("new_string")];
  const edit = before === undefined || after === undefined ? {} : { ...before, ...after };
  return { ...input, ...ended("content"), ...edit };
}

/** Returns the lines that an edit removes or adds. */
function editLines(name: string, value: unknown, limit: number, style: Style): string[] | undefined {
  if ((name !== "old_string" && name !== "new_string") || typeof value !== "string" || value === "") return undefined;
  const isOld = name === "old_string";
  const lines = revealedLines(value, style);
  const cut = omittedCount(lines, limit);
  const shown = (cut === 0 ? lines : lines.slice(0, limit)).map((line) =>
    isOld ? style.red(style.marks.removed + line) : style.green(style.marks.added + line),
  );
  return cut > 0 ? [...shown, `<${cut} more lines of ${name} are not shown>`] : shown;
}

function fieldLines(name: string, value: unknown, limit: number, style: Style): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const lines = revealedLines(text ?? "", style);
  if (name === "command" && typeof value === "string") return lines;
  const label = reveal(name);
  const [first = "", ...others] = lines;
  if (lines.length === 1) return [`${label}: ${first}`];
  const cut = omittedCount(lines, limit);
  if (cut === 0) return [`${label}:`, first, ...others];
  return [`${label}:`, ...lines.slice(0, limit), `<${cut} more lines of ${label} are not shown>`];
}

/** Returns how many lines are left out: never just one, because the note would take its row. */
function omittedCount(lines: readonly string[], limit: number): number {
  const cut = lines.length - limit;
  return cut > 1 ? cut : 0;
}

/** Makes all characters visible; leading tabs are shown as indentation. */
function revealedLines(text: string, { marks }: Style): string[] {
  return reveal(text)
    .replace(indentation, (tabs) => tabs.replaceAll("<U+0009>", marks.tab))
    .split("\n");
}

function reasonText(reason: PermissionReason): string {
  switch (reason.type) {
    case "rule":
      return sanitize(`the rule ${reason.rule} (${reason.source})`);
    case "mode":
      return `${reason.mode} mode`;
    case "hook":
    case "safety":
    case "workingDirectory":
    case "sandbox":
    case "classifier":
    case "unanswered":
      return oneLine(reason.text, 300);
    case "user":
      return "";
    default:
      return reason satisfies never;
  }
}

export function answerPrompt(question: PermissionQuestion, otherAnswers = ""): string {
  const { suggestedRule, suggestedRules } = question;
  const rules = suggestedRules?.map(ruleText).join(", ");
  const offered = rules ?? suggestedRule;
  const shown = offered === undefined ? undefined : (shortRuleText(offered, question) ?? offered);
  const always = shown === undefined ? "" : `, always (${reveal(shown).replaceAll("\n", "<U+000A>")})`;
  const edits = mayAcceptEdits(question) ? ", all edits (Shift+Tab)" : "";
  return `yes, no${always}${edits}${otherAnswers}? `;
}

/** Names the command or file of the question if a long rule covers nothing else, so that it need not be repeated. */
function shortRuleText(rule: string, { toolName, input, subjects }: PermissionQuestion): string | undefined {
  const content = /^\w+\((?<content>[^]*)\)$/u.exec(rule)?.groups?.["content"];
  // An asterisk without a backslash stands for anything.
  if (content === undefined || rule.length < longRuleLength || /(?<!\\)(?:\\\\)*\*/u.test(content)) return undefined;
  const plain = content.replaceAll(/\\(.)/gsu, "$1");
  if (toolName === "Bash") return plain === input["command"] ? "this command" : undefined;
  const [subject] = subjects.length === 1 ? subjects : [];
  return subject?.kind === "write" && plain === `/${subject.path}` ? "this file" : undefined;
}

/** Returns whether `acceptEdits` mode would allow the call. Not for agents: they must not change the conversation's mode. */
function mayAcceptEdits({ toolName, subjects, reason, agentId }: PermissionQuestion): boolean {
  const isEdit = fileTools.has(toolName) && subjects.length > 0 && subjects.every(({ kind }) => kind === "write");
  return isEdit && agentId === undefined && reason.type === "mode" && reason.mode === "default";
}

const acceptEdits: PermissionAnswer = {
  behavior: "allow",
  updates: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
};

/** Returns undefined if the text is not an answer, so that the question is asked again. Text after `no` is for the model. */
export function readAnswer(text: string, question: PermissionQuestion): PermissionAnswer | undefined {
  const word = toHalfWidth(text).trim();
  if (/^y(?:es)?$/iu.test(word)) return { behavior: "allow" };
  if (/^a(?:lways)?$/iu.test(word)) {
    const { suggestedRule: rule, suggestedRules: rules } = question;
    if (rules !== undefined)
      return { behavior: "allow", updates: [{ type: "addRules", rules, behavior: "allow", destination: "session" }] };
    if (rule !== undefined) return { behavior: "allow", rule };
  }
  if (mayAcceptEdits(question) && /^(?:all(?: edits)?|edits)$/iu.test(word)) return acceptEdits;
  return parseRefusal(text);
}

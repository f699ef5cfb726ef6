/** A permission question, shown so that what is read is what will run, and the answer to it. */
import { halfWidth } from "../../lib/half-width.ts";
import { oneLine, reveal, sanitize } from "../../lib/sanitize.ts";
import {
  ruleText,
  type PermissionAnswer,
  type PermissionQuestion,
  type PermissionReason,
} from "../../protocol/permission.ts";
import type { PatchHunk } from "../../tools/patch.ts";
import { hanging } from "../show/hanging.ts";
import type { Style } from "../show/style.ts";
import type { Asked } from "./asking.ts";
import { barred } from "./barred.ts";
import { planAsked, refusalIn } from "./plan-question.ts";
import type { TerminalSize } from "./screen.ts";

/** Of what a file is to hold: it can be looked at, and undone. The rest is done with the answer, and shown whole. */
const longestContent = 40;
const fileTools: ReadonlySet<string> = new Set(["Write", "Edit", "NotebookEdit"]);
/** Where words are typed that answer nothing. */
const howToSay = '  (that is no answer; what you write behind "no" is told to the model)';
/** What code is indented by, as `reveal` spells it. */
const indentation = /^(?:<U\+0009>)+/gmu;

/** What is known of a call beside the question itself. */
export interface AboutCall {
  /** Whose call it is. */
  asker?: string | undefined;
  /** What it would change in its file. */
  hunks?: readonly PatchHunk[] | undefined;
}

export function permissionAsked(
  question: PermissionQuestion,
  style: Style,
  size: TerminalSize,
  about: AboutCall = {},
): Asked<PermissionAnswer> {
  const read = (text: string): PermissionAnswer | undefined => readAnswer(text, question);
  const shiftTab = mayAcceptEdits(question) ? { answer: acceptEdits, said: "all edits (Shift+Tab)" } : undefined;
  return (
    planAsked(question, style, size) ?? {
      ...usuallyAsked(question, style, size, about),
      read,
      ...(shiftTab === undefined ? {} : { shiftTab }),
    }
  );
}

function usuallyAsked(question: PermissionQuestion, style: Style, size: TerminalSize, about: AboutCall) {
  const lines = questionLines(question, style, size, about);
  const whole = questionLines(question, style, size, about, Infinity);
  const isCut = whole.join("\n") !== lines.join("\n");
  const more = (text: string): string[] => {
    if (isCut && /^\s*s(?:how)?\s*$/iu.test(halfWidth(text))) return whole;
    return text.trim() === ""
      ? []
      : hanging(howToSay, size.columns)
          .split("\n")
          .map((line) => style.dim(line));
  };
  return { lines, prompt: choices(question, isCut ? ", show (all of it)" : ""), more };
}

/** Lines without line ends. What does not fit into the terminal at once is announced. */
export function questionLines(
  question: PermissionQuestion,
  style: Style,
  size: TerminalSize,
  { asker = "", hunks }: AboutCall = {},
  longest = longestContent,
): string[] {
  const { toolName, input, reason, why: part } = question;
  const body =
    hunks === undefined ? inputLines(toolName, input, style, longest) : changeLines(input, hunks, style, longest);
  const shown = body.flatMap((line) => barred(line, style, size.columns - 5));
  const head = hanging(`${style.marks.question}${oneLine(toolName, 60)} asks to run${asker}:`, size.columns).split(
    "\n",
  );
  const isTall = shown.length > size.rows - 4 && !style.isSpoken;
  const tall = isTall ? [style.yellow(`  (${shown.length} lines: scroll up to read all of it)`)] : [];
  const why = part === undefined ? whyText(reason) : `${oneLine(part, 300)} (${whyText(reason)})`;
  const said = why === "" ? [] : hanging(`  why it asks: ${why}`, size.columns).split("\n");
  return [...head.map((line) => style.bold(line)), ...shown, ...tall, ...said.map((line) => style.dim(line))];
}

/** All that a call is given. `longest`: lines of what a file is to hold. */
export function inputLines(
  toolName: string,
  input: Record<string, unknown>,
  style: Style,
  longest = Infinity,
): string[] {
  const isFile = fileTools.has(toolName);
  const most = isFile ? longest : Infinity;
  return inOrder(isFile ? withoutLastEnds(input) : input).flatMap(
    ([name, value]) => changed(name, value, most, style) ?? field(name, value, most, style),
  );
}

/** A change with the lines around it, in place of the texts that make it. */
function changeLines(
  input: Record<string, unknown>,
  hunks: readonly PatchHunk[],
  style: Style,
  longest: number,
): string[] {
  const isShown = new Set(["old_string", "new_string", "content"]);
  const others = Object.entries(input).filter(([name, value]) => !isShown.has(name) && value !== false);
  const lines = hunks.flatMap((hunk, at) => [...(at === 0 ? [] : [style.dim("⋮")]), ...hunkLines(hunk, style)]);
  const cut = beyond(lines, longest);
  return [
    ...others.flatMap(([name, value]) => field(name, value, Infinity, style)),
    ...(cut === 0 ? lines : [...lines.slice(0, longest), `<${cut} more lines of the change are not shown>`]),
  ];
}

function hunkLines({ oldStart, newStart, oldLines, newLines, lines }: PatchHunk, style: Style): string[] {
  const digits = String(Math.max(oldStart + oldLines, newStart + newLines)).length;
  let [old, now] = [oldStart, newStart];
  return lines.map((line) => {
    const sign = line.charAt(0);
    const [text = ""] = linesOf(line.slice(1), style);
    if (sign === "\\") return style.dim(`${" ".repeat(digits)}   (no line end at the end of the file)`);
    const shown = (number: number): string => `${String(number).padStart(digits)} ${sign} ${text}`;
    if (sign === "-") return style.red(shown(old++));
    if (sign === "+") return style.green(shown(now++));
    old++;
    return style.dim(shown(now++));
  });
}

/** What runs comes first, and what has lines of its own last: else a line of these could be taken for what stands below them, and hide it. */
function inOrder(input: Record<string, unknown>): [string, unknown][] {
  const place = ([name, value]: [string, unknown]): number => {
    if (name === "command") return 0;
    const hasMarks = name === "old_string" || name === "new_string";
    return typeof value === "string" && value.includes("\n") && !hasMarks ? 2 : 1;
  };
  return Object.entries(input).sort((one, other) => place(one) - place(other));
}

/** The end of a last line begins no further one. Of an edit that takes or gives only that, it is shown. */
function withoutLastEnds(input: Record<string, unknown>): Record<string, unknown> {
  const ended = (name: string): Record<string, string> | undefined => {
    const text = input[name];
    return typeof text === "string" && /[^]\n$/u.test(text) ? { [name]: text.slice(0, -1) } : undefined;
  };
  const [before, after] = [ended("old_string"), ended("new_string")];
  const edit = before === undefined || after === undefined ? {} : { ...before, ...after };
  return { ...input, ...ended("content"), ...edit };
}

/** What an edit takes away and what it puts there. */
function changed(name: string, value: unknown, most: number, style: Style): string[] | undefined {
  if ((name !== "old_string" && name !== "new_string") || typeof value !== "string" || value === "") return undefined;
  const isOld = name === "old_string";
  const lines = linesOf(value, style);
  const cut = beyond(lines, most);
  const shown = (cut === 0 ? lines : lines.slice(0, most)).map((line) =>
    isOld ? style.red(style.marks.taken + line) : style.green(style.marks.added + line),
  );
  return cut > 0 ? [...shown, `<${cut} more lines of ${name} are not shown>`] : shown;
}

function field(name: string, value: unknown, most: number, style: Style): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const lines = linesOf(text ?? "", style);
  if (name === "command" && typeof value === "string") return lines;
  const label = reveal(name);
  const [first = "", ...others] = lines;
  if (lines.length === 1) return [`${label}: ${first}`];
  const cut = beyond(lines, most);
  if (cut === 0) return [`${label}:`, first, ...others];
  return [`${label}:`, ...lines.slice(0, most), `<${cut} more lines of ${label} are not shown>`];
}

/** How many are left out: never one alone, in whose place that would have to be said. */
function beyond(lines: readonly string[], most: number): number {
  const cut = lines.length - most;
  return cut > 1 ? cut : 0;
}

/** Nothing of it unseen; tabs that begin a line as what they are there for. */
function linesOf(text: string, { marks }: Style): string[] {
  return reveal(text)
    .replace(indentation, (tabs) => tabs.replaceAll("<U+0009>", marks.tab))
    .split("\n");
}

function whyText(reason: PermissionReason): string {
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

export function choices(question: PermissionQuestion, more = ""): string {
  const { suggestedRule, suggestedRules } = question;
  const rules = suggestedRules?.map(ruleText).join(", ");
  const offered = rules ?? suggestedRule;
  const always = offered === undefined ? "" : `, always (${reveal(offered).replaceAll("\n", "<U+000A>")})`;
  const edits = mayAcceptEdits(question) ? ", all edits (Shift+Tab)" : "";
  return `yes, no${always}${edits}${more}? `;
}

/** It would not be asked in the mode `acceptEdits`. What an agent asks changes no mode of the conversation. */
function mayAcceptEdits({ toolName, subjects, reason, agentId }: PermissionQuestion): boolean {
  const isEdit = fileTools.has(toolName) && subjects.length > 0 && subjects.every(({ kind }) => kind === "write");
  return isEdit && agentId === undefined && reason.type === "mode" && reason.mode === "default";
}

const acceptEdits: PermissionAnswer = {
  behavior: "allow",
  updates: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
};

/** Undefined: not an answer, ask again. Words after `no` go to the model. */
export function readAnswer(text: string, question: PermissionQuestion): PermissionAnswer | undefined {
  const word = halfWidth(text).trim();
  if (/^y(?:es)?$/iu.test(word)) return { behavior: "allow" };
  if (/^a(?:lways)?$/iu.test(word)) {
    const { suggestedRule: rule, suggestedRules: rules } = question;
    if (rules !== undefined)
      return { behavior: "allow", updates: [{ type: "addRules", rules, behavior: "allow", destination: "session" }] };
    if (rule !== undefined) return { behavior: "allow", rule };
  }
  if (mayAcceptEdits(question) && /^(?:all(?: edits)?|edits)$/iu.test(word)) return acceptEdits;
  return refusalIn(text);
}

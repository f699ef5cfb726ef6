/** Shows a plan for approval: its text, the ways to start, and the way to reject it with a comment. */
import { toHalfWidth } from "../../lib/half-width.ts";
import { reveal } from "../../lib/sanitize.ts";
import type { PermissionAnswer, PermissionMode, PermissionQuestion } from "../../protocol/permission.ts";
import { wrapHanging } from "../show/wrap-hanging.ts";
import type { Style } from "../show/style.ts";
import type { TerminalQuestion } from "./question-queue.ts";
import { quoteBehindBar } from "./quote-bar.ts";
import { renderMarkdown } from "./markdown/markdown.ts";
import type { TerminalSize } from "./screen.ts";

/** Returns undefined for other questions. */
export function createPlanQuestion(
  question: PermissionQuestion,
  style: Style,
  size: TerminalSize,
): TerminalQuestion<PermissionAnswer> | undefined {
  const { toolName, input } = question;
  if (toolName === "EnterPlanMode") {
    const questionText = "The model wants to plan first and to change nothing until you approve.";
    return {
      lines: wrapHanging(questionText, size.columns)
        .split("\n")
        .map((line) => style.bold(line)),
      prompt: "yes, no? ",
      read: readYesOrNo,
    };
  }
  const { plan } = input;
  if (toolName !== "ExitPlanMode" || typeof plan !== "string") return undefined;
  const free = autoEditMode(question);
  return {
    lines: planLines(plan, free, style, size),
    prompt: "1, 2 or 3? ",
    read: (text) => readPlanAnswer(text, free),
  };
}

/** Returns the mode in which edits are not asked about: acceptEdits, or the mode before the plan if that asks even less. */
function autoEditMode({ modeAfter }: PermissionQuestion): PermissionMode {
  return modeAfter === "auto" || modeAfter === "bypassPermissions" ? modeAfter : "acceptEdits";
}

function planLines(plan: string, free: PermissionMode, style: Style, size: TerminalSize): string[] {
  // Tabs indent lists and code and hide nothing, so they are shown as blanks.
  const shownPlan = renderMarkdown(reveal(plan.trim().replaceAll("\t", "    ")), style, size.columns - 4, 4);
  const lines = shownPlan.trimEnd().split("\n");
  const shown = lines.flatMap((line) => quoteBehindBar(line, style, size.columns - 4));
  const isTall = shown.length > size.rows - 6;
  const tall = isTall ? [style.yellow(`  (${shown.length} lines: scroll up to read all of it)`)] : [];
  return [
    style.bold("The plan:"),
    ...shown,
    ...tall,
    `  1  yes, and ${autoEditText(free)}`,
    "  2  yes, ask about each edit",
    ...wrapHanging("  3  no, keep planning (the model gets the text you write after it)", size.columns).split("\n"),
  ];
}

function autoEditText(free: PermissionMode): string {
  return free === "acceptEdits" ? "accept edits" : `go on in the mode ${free}`;
}

/** A plain yes means option 2, which asks about edits. A mode that is not offered is not an answer. */
function readPlanAnswer(text: string, free: PermissionMode): PermissionAnswer | undefined {
  const answer = toHalfWidth(text).trim();
  const first = answer.toLowerCase().replace(/^(?:y(?:es)?,? )?(?:and )?(?=\S)/u, "");
  if (answer === "1" || /^(?:a(?:ccept)?(?: edits)?|edits)$/u.test(first) || first === autoEditText(free).toLowerCase())
    return approveInMode(free);
  if (/^(?:2|y(?:es)?|(?:y(?:es)?,? )?ask(?: about each edit)?)$/iu.test(answer)) return approveInMode("default");
  return parseRefusal(text.trim().replace(/^[3３](?=$|[\s,.:;，。、：；．])/u, "no"));
}

function readYesOrNo(text: string): PermissionAnswer | undefined {
  if (/^y(?:es)?$/iu.test(toHalfWidth(text).trim())) return { behavior: "allow" };
  return parseRefusal(text);
}

function approveInMode(mode: PermissionMode): PermissionAnswer {
  return { behavior: "allow", updates: [{ type: "setMode", mode, destination: "session" }] };
}

/** Reads a refusal. Text after "no" is for the model. */
export function parseRefusal(answer: string): PermissionAnswer | undefined {
  const text = answer.trim();
  const no = /^no?(?:[\s,.:;]+(?<message>[^]*))?$/iu.exec(toHalfWidth(text));
  if (no === null) return undefined;
  const message = text.slice(text.length - (no.groups?.["message"] ?? "").length).trim();
  return message === "" ? { behavior: "deny" } : { behavior: "deny", message };
}

/** Asks the model's questions one after another. A person answers with the numbers of options or in their own words. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { toHalfWidth } from "../../lib/half-width.ts";
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import type { PermissionAnswer } from "../../protocol/permission.ts";
import {
  findOptionLabel,
  readQuestions,
  type Annotation,
  type Question,
  type QuestionOption,
} from "../../tools/questions.ts";
import { wrapHanging } from "../show/wrap-hanging.ts";
import { plainStyle, type Style } from "../show/style.ts";
import { quoteBehindBar } from "./quote-bar.ts";
import type { AskQuestion } from "./elicitation.ts";
import type { TerminalSize } from "./screen.ts";

/** The most characters shown. A longer text would scroll the question off the screen. */
const maxLengths = { header: 40, question: 4_000, label: 200, description: 1_000 };
/** The most lines of a preview that are shown. */
const maxPreviewLines = 40;

interface Look {
  style: Style;
  size: TerminalSize;
}

export interface Choice {
  answer: string;
  /** Words that the person added to the choice. */
  notes?: string;
}

/** Returns undefined if the person has declined or is gone. */
export async function answerByChoice(
  input: Record<string, unknown>,
  ask: AskQuestion,
  look: Look,
): Promise<PermissionAnswer | undefined> {
  const questions = readQuestions(input);
  const answers: [string, string][] = [];
  const annotations: [string, Annotation][] = [];
  for (const [at, question] of questions.entries()) {
    const choice = await ask({
      lines: choiceLines(question, { at, of: questions.length }, look),
      prompt: choicePrompt(question),
      read: (text) => readChoice(text, question),
      isExpected: at > 0,
      isFromModel: true,
    });
    if (choice === undefined) return undefined;
    answers.push([question.question, choice.answer]);
    const preview = question.options.find(({ label }) => label === choice.answer)?.preview;
    const answerTexts = {
      ...withoutUndefined({ preview, notes: choice.notes }),
    };
    if (Object.keys(answerTexts).length > 0) annotations.push([question.question, answerTexts]);
  }
  const updatedInput = {
    ...input,
    answers: Object.fromEntries(answers),
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
  };
  return { behavior: "allow", updatedInput };
}

/** Returns lines without line ends. */
export function choiceLines(
  { question, header, options, multiSelect }: Question,
  { at, of }: { at: number; of: number },
  { style, size: { columns } }: Look,
): string[] {
  const title = oneLine(header, maxLengths.header);
  const count = of === 1 ? "" : `${at + 1} of ${of}`;
  const about = [title, count].filter((part) => part !== "").join(", ");
  const head = `${about === "" ? "" : `[${about}] `}${truncate(sanitize(question).trim(), maxLengths.question)}`;
  const several = multiSelect ? wrapHanging("  (several may be chosen)", columns).split("\n") : [];
  return [
    ...wrapHanging(head, columns)
      .split("\n")
      .map((line) => style.bold(line)),
    ...several.map((line) => style.dim(line)),
    ...options.flatMap((option, index) => optionLines(option, index, columns, style)),
  ];
}

function optionLines(
  { label, description, preview }: QuestionOption,
  at: number,
  columns: number,
  style: Style,
): string[] {
  const name = oneLine(label, maxLengths.label);
  const about = oneLine(description, maxLengths.description);
  const rows = wrapHanging(`  ${at + 1}  ${name}${about === "" || about === name ? "" : ` - ${about}`}`, columns).split(
    "\n",
  );
  return preview === undefined ? rows : [...rows, ...previewLines(preview, columns, style)];
}

function previewLines(preview: string, columns: number, style: Style): string[] {
  const lines = sanitize(preview).replaceAll("\t", "    ").replace(/\n+$/u, "").split("\n");
  const left = lines.length - maxPreviewLines;
  // A single further line takes no more room than the note that it is left out.
  const shown = left <= 1 ? lines : [...lines.slice(0, maxPreviewLines), `<${left} more lines are not shown>`];
  return shown
    .flatMap((line) => quoteBehindBar(line, style.isSpoken ? style : plainStyle, columns - 8, "     "))
    .map((line) => line.trimEnd());
}

function choicePrompt({ options: { length }, multiSelect }: Question): string {
  const several = multiSelect ? ` (as 1,${length})` : "";
  return `1-${length}${several}, or your own words: `;
}

/** Returns undefined if the text is not an answer, so that the question is asked again. */
export function readChoice(text: string, question: Question): Choice | undefined {
  // Only numbers are converted to half width; the person's own words stay as typed.
  const number = /^[\d\s,;.)]+$/u.exec(toHalfWidth(text).trim())?.[0];
  const typed = (number ?? text.trim()).replace(/^(\d)[.)]$/u, "$1");
  if (typed === "") return undefined;
  const label = findOptionLabel(text.trim(), question) ?? findOptionLabel(typed, question);
  if (label !== undefined) return { answer: label };
  return question.multiSelect ? readSeveral(typed, question) : readOne(typed, question);
}

/** One digit that is no option's number is a slip, not an answer. */
function readOne(typed: string, question: Question): Choice | undefined {
  const { options } = question;
  if (/^\d$/u.test(typed)) return choiceOf(typed, options);
  const { number = "", notes = "" } = /^(?<number>\d)[,.:;)]\s+(?<notes>[^]*\D[^]*)$/u.exec(typed)?.groups ?? {};
  const chosen = choiceOf(number, options);
  if (chosen !== undefined) return { ...chosen, notes };
  return /^\d(?:\s*[,;\s]\s*\d)+$/u.test(typed) ? undefined : { answer: typed };
}

function choiceOf(number: string, options: readonly QuestionOption[]): Choice | undefined {
  const option = options[Number(number) - 1];
  return number === "" || option === undefined ? undefined : { answer: option.label };
}

/** Reads `1,3` or `1 3`, which may be mixed with the person's own words. */
function readSeveral(typed: string, question: Question): Choice | undefined {
  const { options } = question;
  const isNumbers = /^\d(?:[\s,;]*\d)*$/u.test(typed) && /^\d$|[\s,;]/u.test(typed);
  const parts = typed.split(isNumbers ? /[\s,;]+/u : /[,;]\s*/u).filter((part) => part !== "");
  const read = parts.map((part) => {
    if (/^\d$/u.test(part)) return choiceOf(part, options)?.answer;
    return findOptionLabel(part, question) ?? part;
  });
  if (read.includes(undefined)) return undefined;
  const isMixed = parts.some((part, at) => read[at] !== part || findOptionLabel(part, question) !== undefined);
  if (!isMixed) return { answer: typed };
  const chosen = [...new Set(read as string[])];
  const labels = options.flatMap(({ label }) => (chosen.includes(label) ? [label] : []));
  return { answer: [...labels, ...chosen.filter((each) => !labels.includes(each))].join(", ") };
}

function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}

/** The model's questions to a person, and the answers. Both are untrusted data: whatever is malformed is left out. */
import { formatCount } from "../lib/format-figures.ts";
import { isRecord } from "../lib/is-record.ts";

/** The format of option previews; undefined: no previews. */
export type PreviewFormat = "markdown" | "html";

/** The name of the tool that asks questions. */
export const questionTool = "AskUserQuestion";

/** The fields that the host, a hook or the terminal adds to the call's input. */
export const answerFields = ["answers", "annotations", "response", "afkTimeoutMs"] as const;

export interface QuestionOption {
  label: string;
  description: string;
  /** What choosing this option would look like. */
  preview?: string;
}

export interface Question {
  question: string;
  /** A word or two that name the topic. */
  header: string;
  options: QuestionOption[];
  multiSelect: boolean;
}

export interface Annotation {
  /** The preview of the chosen option. */
  preview?: string;
  notes?: string;
}

export interface Answers {
  /** By the question's text: a label, several labels joined by commas, or the person's own words. */
  answers: Record<string, string>;
  /** By the question's text. */
  annotations?: Record<string, Annotation>;
  /** A reply to all questions together. */
  response?: string;
  /** The time after which waiting for an answer was given up, in ms. */
  afkTimeoutMs?: number;
  /** The texts of answers that cannot be read or that belong to no question. */
  strays: string[];
}

/** Returns the questions of an input that fits the tool's schema; malformed questions are left out. */
export function readQuestions(input: Readonly<Record<string, unknown>>): Question[] {
  const { questions } = input;
  return Array.isArray(questions) ? questions.flatMap(readQuestion) : [];
}

/** The topics of the questions, in one line. */
export function questionHeaders(input: Readonly<Record<string, unknown>>): string {
  return readQuestions(input)
    .map(({ header, question }) => header || question)
    .join(", ");
}

function readQuestion(value: unknown): Question[] {
  if (!isRecord(value)) return [];
  const { question, header, options, multiSelect } = value;
  if (typeof question !== "string") return [];
  return [
    {
      question,
      header: typeof header === "string" ? header : "",
      options: Array.isArray(options) ? options.flatMap(readOption) : [],
      multiSelect: multiSelect === true,
    },
  ];
}

function readOption(value: unknown): QuestionOption[] {
  if (!isRecord(value)) return [];
  const { label, description, preview } = value;
  if (typeof label !== "string") return [];
  return [
    {
      label,
      description: typeof description === "string" ? description : "",
      ...(typeof preview === "string" && preview.trim() !== "" ? { preview } : {}),
    },
  ];
}

export function readAnswers(input: Readonly<Record<string, unknown>>): Answers {
  const questions = readQuestions(input);
  const answers = new Map<string, string>();
  const strays: string[] = [];
  for (const [questionText, value] of Object.entries(isRecord(input["answers"]) ? input["answers"] : {})) {
    const question = findQuestion(questions, questionText);
    const text = question === undefined ? undefined : answerText(value, question);
    if (question === undefined || text === undefined) strays.push(questionText);
    else if (text !== "") answers.set(question.question, text);
  }
  const annotations = readAnnotations(input["annotations"], questions);
  const { response, afkTimeoutMs } = input;
  return {
    answers: Object.fromEntries(questions.flatMap(({ question }) => answerPair(question, answers.get(question)))),
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    ...(typeof response === "string" && response.trim() !== "" ? { response: response.trim() } : {}),
    ...(typeof afkTimeoutMs === "number" ? { afkTimeoutMs } : {}),
    strays,
  };
}

function answerPair(question: string, answer: string | undefined): [string, string][] {
  return answer === undefined ? [] : [[question, answer]];
}

/** Finds a question by its text; also accepts its header, or its text with other whitespace or case, as some hosts send. */
function findQuestion(questions: readonly Question[], questionText: string): Question | undefined {
  const exact = questions.find(({ question }) => question === questionText);
  if (exact !== undefined) return exact;
  const name = foldText(questionText);
  const near = questions.filter(({ question, header }) => foldText(question) === name || foldText(header) === name);
  return near.length === 1 ? near[0] : undefined;
}

/** Undefined if the answer cannot be read. */
function answerText(value: unknown, question: Question): string | undefined {
  const parts = Array.isArray(value) ? value.map(plainText) : [plainText(value)];
  if (parts.includes(undefined)) return undefined;
  const answers = parts.flatMap((part) =>
    part === undefined || part === "" ? [] : [findOptionLabel(part, question) ?? part],
  );
  return [...new Set(answers)].join(", ");
}

function plainText(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim();
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** Returns the matching label in the option's own spelling. */
export function findOptionLabel(text: string, { options }: Question): string | undefined {
  return (
    options.find(({ label }) => label === text)?.label ??
    options.find(({ label }) => foldText(label) === foldText(text))?.label
  );
}

function foldText(text: string): string {
  return text.trim().replaceAll(/\s+/gu, " ").toLowerCase();
}

function readAnnotations(value: unknown, questions: readonly Question[]): [string, Annotation][] {
  return Object.entries(isRecord(value) ? value : {}).flatMap(([questionText, annotation]): [string, Annotation][] => {
    const question = findQuestion(questions, questionText);
    if (question === undefined || !isRecord(annotation)) return [];
    const { preview, notes } = annotation;
    const read = {
      ...(typeof preview === "string" ? { preview } : {}),
      ...(typeof notes === "string" && notes.trim() !== "" ? { notes: notes.trim() } : {}),
    };
    return Object.keys(read).length === 0 ? [] : [[question.question, read]];
  });
}

/** Whether somebody has answered at least one question. */
export function isAnswered(input: Readonly<Record<string, unknown>>): boolean {
  const { answers, response } = readAnswers(input);
  return response !== undefined || Object.keys(answers).length > 0;
}

/** The result text for the model: what was answered, what was not, and which answers are in the person's own words. */
export function answersText(input: Readonly<Record<string, unknown>>): string {
  const questions = readQuestions(input);
  const { answers, annotations = {}, response, afkTimeoutMs, strays } = readAnswers(input);
  const answeredLines = questions.flatMap((question): string[] => {
    const answer = Object.hasOwn(answers, question.question) ? answers[question.question] : undefined;
    if (answer === undefined) return [];
    const notes = Object.hasOwn(annotations, question.question) ? annotations[question.question]?.notes : undefined;
    const own = isOptionChoice(answer, question) ? "" : " (their own words)";
    const note = notes === undefined ? "" : `, and noted: ${JSON.stringify(notes)}`;
    return [`${JSON.stringify(question.question)}: ${JSON.stringify(answer)}${own}${note}`];
  });
  const open = questions.filter(({ question }) => !Object.hasOwn(answers, question));
  const left = open.map(({ question }) => JSON.stringify(question)).join(", ");
  const also = response === undefined ? [] : [`They said: ${JSON.stringify(response)}`];
  const stray = strays.map(
    (text) => `An answer to ${JSON.stringify(text)} was left out: it cannot be read, or this was not asked.`,
  );
  if (answeredLines.length + also.length === 0) return [noAnswerText(afkTimeoutMs), ...stray].join("\n");
  const [first, ...others] = answeredLines;
  const list =
    first === undefined ? ["The user chose none of the options."] : [`The user answered ${first}`, ...others];
  const unanswered = first === undefined || open.length === 0 ? [] : [`Not answered: ${left}`];
  return [...list, ...also, ...unanswered, ...stray].join("\n");
}

function isOptionChoice(answer: string, question: Question): boolean {
  if (findOptionLabel(answer, question) !== undefined) return true;
  if (!question.multiSelect) return false;
  // Labels may contain commas themselves, so the longest matching label is removed first.
  let left = foldText(answer);
  const labels = question.options
    .map(({ label }) => foldText(label))
    .toSorted((one, other) => other.length - one.length);
  while (left !== "") {
    const label = labels.find((each) => left === each || left.startsWith(`${each},`));
    if (label === undefined) return false;
    left = left.slice(label.length + 1).trim();
  }
  return true;
}

function noAnswerText(afkTimeoutMs: number | undefined): string {
  const who =
    afkTimeoutMs === undefined
      ? "The user gave no answer."
      : `Nobody answered within ${formatCount(Math.round(afkTimeoutMs / 1000), "second")}: the user seems to be away.`;
  return `${who} Do not treat any option as chosen: go on where that is safe whatever they would answer, and tell them what you left open.`;
}

/** AskUserQuestion: multiple-choice questions to the person. The answers are added to the input and become the result. */
import { isRecord } from "../lib/is-record.ts";
import { oneLine } from "../lib/sanitize.ts";
import type { InputVerdict, Tool, ToolInput, ToolInputSchema } from "../protocol/tool.ts";
import type { ToolDependencies } from "./dependencies.ts";
import {
  answerFields,
  readAnswers,
  answersText,
  isAnswered,
  questionHeaders,
  readQuestions,
  questionTool,
  type PreviewFormat,
} from "./questions.ts";

const previewDescriptions: Readonly<Record<PreviewFormat, string>> = {
  markdown: "Where seeing it helps to choose: a sketch, code or layout, in Markdown",
  html: "Where seeing it helps to choose: an HTML fragment, without script, style and doctype",
};

const schemas = new Map<PreviewFormat | undefined, ToolInputSchema>();

/** Returns the same object for the same format, so that its validator is compiled only once. */
function schemaFor(format: PreviewFormat | undefined): ToolInputSchema {
  const known = schemas.get(format);
  if (known !== undefined) return known;
  const text = { type: "string", minLength: 1 };
  const option = {
    type: "object",
    properties: {
      label: { ...text, description: "1 to 5 words" },
      description: { type: "string" },
      ...(format === undefined ? {} : { preview: { type: "string", description: previewDescriptions[format] } }),
    },
    required: ["label", "description"],
  };
  const question = {
    type: "object",
    properties: {
      question: text,
      header: { type: "string", description: "At most 12 characters" },
      options: { type: "array", minItems: 2, maxItems: 4, items: option },
      multiSelect: { type: "boolean" },
    },
    required: ["question", "header", "options"],
  };
  const schema: ToolInputSchema = {
    type: "object",
    properties: { questions: { type: "array", minItems: 1, maxItems: 4, items: question } },
    required: ["questions"],
  };
  schemas.set(format, schema);
  return schema;
}

export function createAskUserQuestionTool({ questionPreviews: format }: ToolDependencies): Tool {
  return {
    name: questionTool,
    description:
      "Asks the user to choose, where the work depends on it and neither the task nor the project tells. They may answer in their own words: add no option for that. The one you recommend comes first.",
    inputSchema: schemaFor(format),
    requiresUserInteraction: true,
    answeredFields: answerFields,
    isAnswered,
    replay: "safe",
    maxResultSizeChars: 50_000,
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    describe: (input) => oneLine(`${questionTool} ${questionHeaders(input)}`, 120),
    validateInput: (input) => checkQuestions(input, format),
    contentOf: (output) => (isRecord(output) && Array.isArray(output["questions"]) ? answersText(output) : undefined),
    async call(input) {
      const { strays: _, ...answered } = readAnswers(input);
      return { content: answersText(input), output: { questions: input["questions"], ...answered } };
    },
  };
}

/** Checks what the schema cannot express: question texts and option labels must be unique, because answers are matched by them. */
function checkQuestions(input: ToolInput, format: PreviewFormat | undefined): InputVerdict {
  const questions = readQuestions(input);
  const twin = findRepeated(questions.map(({ question }) => question));
  if (twin !== undefined)
    return { ok: false, message: `Two questions are the same (${quoteShort(twin)}): ask each only once.` };
  for (const { question, options } of questions) {
    const label = findRepeated(options.map((option) => option.label));
    if (label !== undefined)
      return {
        ok: false,
        message: `Two options of ${quoteShort(question)} have the label ${quoteShort(label)}: give each its own label.`,
      };
    const unfit =
      format === "html" && options.find(({ preview = "" }) => /<\s*(?:!doctype|script|style)\b/iu.test(preview));
    if (unfit)
      return {
        ok: false,
        message: `The preview of ${quoteShort(unfit.label)} must be an HTML fragment without script, style or doctype.`,
      };
  }
  const { answers } = input;
  if (answers === undefined || answers === null || isRecord(answers)) return { ok: true };
  return { ok: false, message: "answers must be an object that maps the text of each question to its answer." };
}

function findRepeated(texts: readonly string[]): string | undefined {
  const names = texts.map((text) => text.trim().toLowerCase());
  const at = names.findIndex((name, index) => names.indexOf(name) !== index);
  return texts[at];
}

function quoteShort(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

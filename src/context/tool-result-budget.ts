/** Layer 0: writes an oversized result to a file before it joins the conversation; its beginning and end and the file's path stay. */
import { errorText } from "../lib/error-text.ts";
import { blockText } from "../protocol/block-text.ts";
import type { ToolResultContent } from "../protocol/index.ts";
import { headOf, tailOf } from "../lib/text-cut.ts";
import type { ResultLimits, SourceLayer } from "./layer.ts";
import { charactersForTokens } from "./result-room.ts";
import { fileBaseName, type Spill } from "./spill.ts";

/** Enough for the note with the path, and a little of the text. Shorter results are not worth a file. */
const leastPreview = 1_500;

type Part = Exclude<ToolResultContent, string>[number];

/** Bounds the text of a result; images and documents stay. Returns `content` itself if nothing is too large, or nothing would be gained. */
export const boundToolResult: SourceLayer = async (content, limits, world) => {
  const { spill, policy } = world;
  const text = blockText(content, "\n");
  if (text.length <= leastPreview) return content;
  const most = allowedCharacters(text, limits, world);
  if (text.length <= most) return content;
  const previewChars = Math.max(leastPreview, Math.min(most, policy.previewChars));
  const earlier = existingNote(text, limits);
  const note = earlier ?? (await saveAndDescribe(text, limits, spill));
  const preview = createPreview(earlier === undefined ? text : text.slice(earlier.length + 4), note, previewChars);
  if (preview.length >= text.length) return content;
  // The tool assumes that the model has seen its whole output.
  if (limits.maxChars === Infinity) world.history?.forgetShown();
  world.history?.markNotShown(limits.toolUseId);
  return typeof content === "string" ? preview : replaceText(content, preview);
};

const noteStart = (toolName: string): string => `This result of ${toolName} has `;
const noteMiddle = " characters, more than fits here. All of it is in ";

async function saveAndDescribe(text: string, { toolName, toolUseId }: ResultLimits, spill: Spill): Promise<string> {
  return await spill.write(toolUseId, text).then(
    (path) => `${noteStart(toolName)}${text.length}${noteMiddle}${path}: read the part you need, or search it.`,
    (error: unknown) =>
      `${noteStart(toolName)}${text.length} characters, more than fits here. It could not be saved (${errorText(error)}); run a narrower call for the rest.`,
  );
}

/**
 * Returns the note of a text that was bounded earlier, when the window was larger or assumed to be larger. A text that merely looks like
 * one names no file of this call.
 */
function existingNote(text: string, { toolName, toolUseId }: ResultLimits): string | undefined {
  if (!text.startsWith(`[${noteStart(toolName)}`)) return undefined;
  const [note = ""] = text.slice(1).split("]\n\n", 1);
  const [characters = "", place = ""] = note.slice(noteStart(toolName).length).split(noteMiddle);
  return /^\d+$/u.test(characters) && place.includes(`/${fileBaseName(toolUseId)}`) ? note : undefined;
}

/** Returns the characters this text may have, limited by its tool, the results beside it, and the window. */
function allowedCharacters(text: string, limits: ResultLimits, { policy, memory }: Parameters<SourceLayer>[2]): number {
  // A tool may declare that one result is larger than all results may be together; the window still has the last word.
  const together = Math.max(policy.resultCharsPerMessage, limits.maxChars);
  const most = Math.min(limits.maxChars, together - limits.usedChars);
  if (memory.resultRoom === undefined) return most;
  const { one, all } = memory.resultRoom;
  return Math.min(most, charactersForTokens(text, one), charactersForTokens(text, all) - limits.usedChars);
}

function createPreview(text: string, note: string, length: number): string {
  const wrapping = 80;
  const room = Math.max(0, length - note.length - wrapping);
  const [head, tail] = [headOf(text, Math.floor((room * 2) / 3)), tailOf(text, Math.floor(room / 3))];
  if (head === "" && tail === "") return `[${note}]`;
  const whole = Number(/ has (\d+) characters, /u.exec(note)?.[1] ?? text.length);
  const left = whole - head.length - tail.length;
  return `[${note}]\n\n${head}\n\n[… ${left} characters left out …]\n\n${tail}`;
}

/** Puts all text into one block, where the first text was; the other parts keep their order. */
function replaceText(content: Part[], text: string): Part[] {
  const at = content.findIndex((part) => part.type === "text");
  return content.flatMap((part, index): Part[] => {
    if (part.type !== "text") return [part];
    return index === at ? [{ type: "text", text }] : [];
  });
}

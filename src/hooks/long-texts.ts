/** Shortens long texts from hooks: only the beginning is kept, with the path of a file that has the whole text. */
import { formatCount } from "../lib/format-figures.ts";
import { headOf } from "../lib/text-cut.ts";
import type { HookOutput } from "./output.ts";

/** Writes a text to a file that the model may read. Returns the file's absolute path; rejects if it cannot be written. */
export type StoreText = (text: string) => Promise<string>;

const maxCharacters = 10_000;
const textFields = ["problem", "systemMessage", "preventContinuation", "blocking", "additionalContext"] as const;

/** Shortens the texts of an output. Returns the same object if nothing is long. */
export async function shortenTexts(output: HookOutput, keep: StoreText | undefined): Promise<HookOutput> {
  if (!hasLongText(output)) return output;
  const short = { ...output };
  for (const name of textFields) {
    const text = short[name];
    if (text !== undefined) short[name] = await shortenText(text, keep);
  }
  const { permission, permissionAnswer } = short;
  if (permission?.reason !== undefined)
    short.permission = { ...permission, reason: await shortenText(permission.reason, keep) };
  if (permissionAnswer?.behavior === "deny" && permissionAnswer.message !== undefined)
    short.permissionAnswer = { ...permissionAnswer, message: await shortenText(permissionAnswer.message, keep) };
  return short;
}

export function hasLongText({ permission, permissionAnswer, ...output }: HookOutput): boolean {
  const message = permissionAnswer?.behavior === "deny" ? permissionAnswer.message : undefined;
  const texts = [...textFields.map((name) => output[name]), permission?.reason, message];
  return texts.some((text) => text !== undefined && text.length > maxCharacters);
}

async function shortenText(text: string, keep: StoreText | undefined): Promise<string> {
  if (text.length <= maxCharacters) return text;
  const path = await keep?.(text).catch(() => undefined);
  const where = path === undefined ? "" : `; all of it is in ${path}`;
  return `${headOf(text, maxCharacters)}\n… [${formatCount(text.length - maxCharacters, "character")} cut${where}]`;
}

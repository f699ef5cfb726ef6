/** The model's text for an output that a hook put in place of the tool's: the same text the tool would have produced. */
import { isRecord } from "../lib/is-record.ts";
import { isStringList } from "../lib/is-string-list.ts";
import { noOutput } from "./shell/no-output.ts";
import { textForModel } from "./shell/text-for-model.ts";

export function commandContent(output: unknown): string | undefined {
  if (!isRecord(output) || typeof output["stdout"] !== "string") return undefined;
  const { stdout, stderr, returnCodeInterpretation: meaning, backgroundTaskId: task } = output;
  const outputs = [stdout, stderr].flatMap((text) => (typeof text === "string" ? [textForModel(text)] : []));
  if (typeof meaning === "string") outputs.push(`[Exit code 1: ${meaning}]`);
  if (typeof task === "string") outputs.push(`[It goes on as background task ${task}. TaskStop ends it.]`);
  const text = outputs.filter((part) => part !== "").join("\n");
  return text === "" ? noOutput : text;
}

/** For text files only: other kinds are content blocks and are passed on as such. */
export function fileContent(output: unknown): string | undefined {
  const file = isRecord(output) && output["type"] === "text" ? output["file"] : undefined;
  if (!isRecord(file) || typeof file["content"] !== "string") return undefined;
  const { content, startLine, totalLines } = file;
  const first = typeof startLine === "number" ? startLine : 1;
  const lines = content.split("\n");
  const text = lines.map((line, index) => `${first + index}\t${line}`).join("\n");
  const last = first + lines.length - 1;
  if (typeof totalLines !== "number" || last >= totalLines) return text;
  return `${text}\n[PARTIAL view: lines ${first} to ${last} of ${totalLines}.]`;
}

/** The content of Grep and Glob results: matching lines if there are any, otherwise the file names. */
export function hitsContent(output: unknown): string | undefined {
  if (!isRecord(output)) return undefined;
  const { content, filenames } = output;
  if (typeof content === "string") return content === "" ? "No matches found" : content;
  if (!isStringList(filenames)) return undefined;
  return filenames.length === 0 ? "No files found" : filenames.join("\n");
}

export function pageContent(output: unknown): string | undefined {
  return isRecord(output) && typeof output["result"] === "string" ? output["result"] : undefined;
}

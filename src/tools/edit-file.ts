/** What Edit does once it is called. */
import type { ToolContext, ToolResult } from "../protocol/tool.ts";
import { changeFile, foreseenRefusal, type FileBefore, type FileChange } from "./change-file.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { hintFor } from "./edit-hint.ts";
import { applyEdit, type EditVerdict } from "./edit-match.ts";
import { judgedPlace } from "./judged-place.ts";
import { settle, ToolError } from "./failure.ts";
import { originalForOutput, structuredPatch } from "./patch.ts";
import { showNewPath, showPath } from "./paths.ts";
import { missingFileText } from "./suggest.ts";
import { asFileText, asShownText, type TextFormat } from "./text-file.ts";

export interface EditInput {
  file_path: string;
  old_string: string;
  new_string: string;
  replace_all?: boolean;
}

interface Replaced {
  text: string;
  format: TextFormat;
  replacements: number;
}

function refusal(
  verdict: Exclude<EditVerdict, { ok: true }>,
  { text, format }: FileBefore["decoded"],
  input: EditInput,
  name: string,
): ToolError {
  switch (verdict.why) {
    case "identical":
      return new ToolError("old_string and new_string are identical: nothing would change.");
    case "no_effect":
      return new ToolError(
        `Nothing in ${name} would change: only line ends differ, and an edit keeps those of the file. Convert them with sed or dos2unix in Bash.`,
      );
    case "not_unique": {
      const more = verdict.count > verdict.lines.length ? ", …" : "";
      return new ToolError(
        `old_string occurs ${verdict.count} times in ${name} (lines ${verdict.lines.join(", ")}${more}). Give more of the text around the place to make it unique, or set replace_all.`,
      );
    }
    case "not_found": {
      const hint = oddBytesHint(text, format, input.old_string) ?? hintFor(asShownText(text, format), input.old_string);
      return new ToolError(
        `old_string was not found in ${name}; the file is as it was.${hint === "" ? " Read the place again." : hint}`,
      );
    }
    default:
      return verdict satisfies never;
  }
}

/** What the model is shown for such bytes it cannot give back, however often it reads them. */
function oddBytesHint(text: string, format: TextFormat, oldString: string): string | undefined {
  if (format.encoding !== "bytes") return undefined;
  const plain = (each: string): string => each.replaceAll("\r\n", "\n");
  // As shown, or as it would read in Latin-1.
  const isThere = [asShownText(text, format), text].some((each) => plain(each).includes(plain(oldString)));
  return isThere
    ? " It is there with bytes that are not UTF-8, which no old_string can give: change that place with sed or a script in Bash, or convert the file first (iconv -f latin1 -t utf-8, if that is what it is)."
    : undefined;
}

function replaceIn(before: FileBefore, input: EditInput, name: string): Replaced {
  const { text, format } = before.decoded;
  if (input.old_string === "") {
    if (text !== "")
      throw new ToolError(
        `${name} is not empty, and old_string is. Give the text to replace, or use Write to replace the whole file.`,
      );
    return { text: asFileText(input.new_string, format), format, replacements: 1 };
  }
  const verdict = applyEdit(text, {
    oldString: asFileText(input.old_string, format),
    newString: asFileText(input.new_string, format),
    replaceAll: input.replace_all === true,
  });
  if (!verdict.ok) throw refusal(verdict, before.decoded, input, name);
  return { text: verdict.text, format, replacements: verdict.replacements };
}

function changeOf(
  input: EditInput,
  path: string,
  context: ToolContext,
  { cwd }: ToolDependencies,
): { change: FileChange; replacements: () => number } {
  const name = showPath(path, context.cwd);
  let replacements = 0;
  const change: FileChange = {
    path,
    name,
    signal: context.signal,
    place: judgedPlace(path, context),
    needs: "read",
    async compute(before) {
      if (before === undefined && input.old_string !== "") throw new ToolError(await missingFileText(path, cwd));
      if (before === undefined) return { text: input.new_string, format: { encoding: "utf8", byteOrderMark: false } };
      const replaced = replaceIn(before, input, name);
      replacements = replaced.replacements;
      return replaced;
    },
  };
  return { change, replacements: () => replacements };
}

/** Undefined where nothing speaks against it yet. */
export async function foreseenOfEdit(
  path: string,
  input: EditInput,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<string | undefined> {
  return await foreseenRefusal(changeOf(input, path, context, dependencies).change, dependencies);
}

async function edit(
  input: EditInput,
  path: string,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<ToolResult> {
  const { change, replacements } = changeOf(input, path, context, dependencies);
  const changed = await changeFile(change, dependencies);
  const format = changed.before?.decoded.format ?? { encoding: "utf8", byteOrderMark: false };
  const oldText = asShownText(changed.before?.decoded.text ?? "", format);
  const hunks = await structuredPatch(oldText, asShownText(changed.text, format));
  const count = replacements();
  const all = input.replace_all === true ? ` ${count} ${count === 1 ? "place" : "places"} replaced.` : "";
  return {
    content:
      changed.before === undefined ? `Created ${showNewPath(path, dependencies.cwd)}.` : `Edited ${change.name}.${all}`,
    output: {
      filePath: path,
      oldString: input.old_string,
      newString: input.new_string,
      originalFile: originalForOutput(oldText),
      structuredPatch: hunks,
      userModified: false,
      replaceAll: input.replace_all === true,
    },
  };
}

/** `path` is absolute. */
export async function editFile(
  path: string,
  input: EditInput,
  context: ToolContext,
  dependencies: ToolDependencies,
): Promise<ToolResult> {
  const attempt = { action: "edit", name: showPath(path, context.cwd), signal: context.signal };
  return await settle(attempt, () => edit(input, path, context, dependencies));
}

/** The work of the Edit tool. */
import { extname } from "node:path";
import type { FileBefore } from "./change-file.ts";
import { createChangingWork } from "./changing-work.ts";
import { editHint } from "./edit-hint.ts";
import { applyEdit, type EditVerdict } from "./edit-match.ts";
import { ToolError } from "./failure.ts";
import { firstMovedCell } from "./notebook.ts";
import { originalForOutput, structuredPatch } from "./patch.ts";
import { showNewPath } from "./paths.ts";
import { missingFileText } from "./missing-file.ts";
import { toFileText, toShownText, hasNonAscii, newFileFormat, type TextFormat } from "./text-file.ts";

export interface EditInput {
  file_path: string;
  old_string: string;
  new_string: string;
  replace_all?: boolean;
}

interface ReplacedText {
  text: string;
  format: TextFormat;
  replacements: number;
}

function refusalError(
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
        `Nothing in ${name} would change: only line ends differ, and an edit keeps the file's own. Convert them with sed or dos2unix in Bash.`,
      );
    case "not_unique": {
      const more = verdict.count > verdict.lines.length ? ", …" : "";
      return new ToolError(
        `old_string occurs ${verdict.count} times in ${name} (lines ${verdict.lines.join(", ")}${more}). Give more of the text around the place to make it unique, or set replace_all.`,
      );
    }
    case "not_found": {
      const hint =
        invalidBytesHint(text, format, input.old_string) ?? editHint(toShownText(text, format), input.old_string);
      return new ToolError(
        `old_string was not found in ${name}; the file is as it was.${hint === "" ? " Read the place again." : hint}`,
      );
    }
    default:
      return verdict satisfies never;
  }
}

/** The hint for a match at bytes that are not UTF-8: the model is shown replacement characters and can never give those bytes back. */
function invalidBytesHint(text: string, format: TextFormat, oldString: string): string | undefined {
  if (format.encoding !== "bytes") return undefined;
  const plain = (each: string): string => each.replaceAll("\r\n", "\n");
  // The text as it was shown, or as it would read in Latin-1.
  const isThere = [toShownText(text, format), text].some((each) => plain(each).includes(plain(oldString)));
  return isThere
    ? " It is there, but with bytes that are not UTF-8, which old_string cannot express: change that place with sed or a script in Bash, or convert the file first (iconv -f latin1 -t utf-8, if that is its encoding)."
    : undefined;
}

/** Warns about a mix of encodings: other programs read the whole file in one encoding. */
function mixedEncodingNote({ encoding }: TextFormat, newString: string): string {
  return encoding === "bytes" && hasNonAscii(newString)
    ? " The file has bytes that are not UTF-8, but your new text is UTF-8: if the file is in another encoding, convert these characters in Bash (iconv)."
    : "";
}

function replaceText(before: FileBefore, input: EditInput, name: string): ReplacedText {
  const { text, format } = before.decoded;
  if (input.old_string === "") {
    if (text !== "")
      throw new ToolError(
        `${name} is not empty, but old_string is. Give the text to replace, or use Write to replace the whole file.`,
      );
    return { text: toFileText(input.new_string, format), format, replacements: 1 };
  }
  const verdict = applyEdit(text, {
    oldString: toFileText(input.old_string, format),
    newString: toFileText(input.new_string, format),
    replaceAll: input.replace_all === true,
  });
  if (!verdict.ok) throw refusalError(verdict, before.decoded, input, name);
  return { text: verdict.text, format, replacements: verdict.replacements };
}

/** In a notebook, returns the first cell whose position changed: the model knows cells without an id by their position. */
function movedFromAfterEdit(path: string, { decoded, movedFrom }: FileBefore, text: string): number | undefined {
  const moved = extname(path).toLowerCase() === ".ipynb" ? firstMovedCell(decoded.text, text) : undefined;
  return moved === undefined ? movedFrom : Math.min(moved, movedFrom ?? moved);
}

export const editWork = createChangingWork<EditInput>("edit", (input, { path, name }, { cwd }) => {
  let replacements = 0;
  const isAll = input.replace_all === true;
  return {
    needs: "read",
    async compute(before) {
      if (before === undefined && input.old_string !== "") throw new ToolError(await missingFileText(path, cwd));
      if (before === undefined) return { text: input.new_string, format: newFileFormat };
      const replaced = replaceText(before, input, name);
      replacements = replaced.replacements;
      return { ...replaced, movedFrom: movedFromAfterEdit(path, before, replaced.text) };
    },
    async buildResult({ before, text }) {
      const format = before?.decoded.format ?? newFileFormat;
      const oldText = toShownText(before?.decoded.text ?? "", format);
      const hunks = await structuredPatch(oldText, toShownText(text, format));
      const all = isAll ? ` ${replacements} ${replacements === 1 ? "place" : "places"} replaced.` : "";
      return {
        content:
          before === undefined
            ? `Created ${showNewPath(path, cwd)}.`
            : `Edited ${name}.${all}${mixedEncodingNote(format, input.new_string)}`,
        output: {
          filePath: path,
          oldString: input.old_string,
          newString: input.new_string,
          originalFile: originalForOutput(oldText),
          structuredPatch: hunks,
          userModified: false,
          replaceAll: isAll,
        },
      };
    },
  };
});

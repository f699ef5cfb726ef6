/** The work of the Write tool. */
import type { FileBefore } from "./change-file.ts";
import { createChangingWork } from "./changing-work.ts";
import { originalForOutput, structuredPatch } from "./patch.ts";
import { showNewPath } from "./paths.ts";
import { toShownText, hasNonAscii, newFileFormat, type DecodedText, type TextFormat } from "./text-file.ts";

export interface WriteInput {
  file_path: string;
  content: string;
}

/** Keeps the replaced file's encoding and byte order mark, and its CRLF or CR if all its lines have that and the content has none. */
export function keepFileFormat(content: string, before: DecodedText | undefined): { text: string; format: TextFormat } {
  if (before === undefined) return { text: content, format: newFileFormat };
  const { text: old, format } = before;
  // Invalid bytes cannot occur in the content, which is UTF-8.
  const { encoding, byteOrderMark, endsWithCr } = format;
  const kept: TextFormat = { encoding: encoding === "bytes" ? "utf8" : encoding, byteOrderMark };
  if (endsWithCr === true && !content.includes("\r")) kept.endsWithCr = true;
  const text = format.byteOrderMark && content.startsWith("\ufeff") ? content.slice(1) : content;
  const isCrlf = old.includes("\r\n") && !/(?<!\r)\n/.test(old) && !content.includes("\r\n");
  return { text: isCrlf ? text.replaceAll("\n", "\r\n") : text, format: kept };
}

/** Warns if the encoding changed; ASCII text is the same in most encodings. */
function encodingChangeNote({ decoded }: FileBefore, content: string): string {
  return decoded.format.encoding === "bytes" && hasNonAscii(content)
    ? " It had bytes that are not UTF-8, and is UTF-8 now: if other programs expect its old encoding, convert it in Bash (iconv)."
    : "";
}

export const writeWork = createChangingWork<WriteInput>("write", ({ content }, { path, name }, { cwd }) => ({
  needs: "read-whole",
  compute: async (before) => keepFileFormat(content, before?.decoded),
  async buildResult({ before, text }) {
    const old = before === undefined ? null : toShownText(before.decoded.text, before.decoded.format);
    return {
      content:
        before === undefined
          ? `Created ${showNewPath(path, cwd)}.`
          : `Replaced the content of ${name}.${encodingChangeNote(before, content)}`,
      output: {
        type: before === undefined ? "create" : "update",
        filePath: path,
        content,
        structuredPatch: old === null ? [] : await structuredPatch(old, text),
        originalFile: old === null ? null : originalForOutput(old),
      },
    };
  },
}));

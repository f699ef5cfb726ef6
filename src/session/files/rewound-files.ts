/** What the model is told of files that were put back: the conversation still says what was in them. */
import { quoteName } from "../../lib/quote-name.ts";
import type { Attachment } from "../../protocol/message.ts";

const mostNamed = 50;

export function rewoundFiles(paths: readonly string[]): Attachment {
  const names = paths.slice(0, mostNamed).map((path) => quoteName(path));
  if (paths.length > names.length) names.push(`and ${paths.length - names.length} more`);
  const text = `The user put these files back to an earlier state. Read them again before relying on what was said of them:\n${names.join("\n")}`;
  return { kind: "reminder", name: "files_rewound", text };
}

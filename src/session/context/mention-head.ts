/** The line before a file that a prompt names, where the model is shown it. */
import { quoteName } from "../../lib/quote-name.ts";

export function mentionHead(path: string): string {
  return `The prompt names ${quoteName(path)}. As Read shows it:\n`;
}

/** How a file begins that a prompt has named, where the model is shown it. */
import { quoteName } from "../../lib/quote-name.ts";

export function mentionHead(path: string): string {
  return `The prompt names ${quoteName(path)}. As Read shows it:\n`;
}

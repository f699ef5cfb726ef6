/** Creates the folder in which a plugin keeps its data, once it is needed. */
import { errorText } from "../../lib/error-text.ts";
import { makeFolders } from "../../lib/make-folders.ts";

export function makeDataFolder(folder: string, notice: (text: string) => void): void {
  try {
    makeFolders(folder, 0o700);
  } catch (error) {
    notice(`A plugin has no folder for its data: ${errorText(error)}.`);
  }
}

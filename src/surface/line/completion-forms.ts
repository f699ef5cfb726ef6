/** What can be completed at the prompt, and by whom. */
import { unspacedLetters, widePunctuation } from "../../lib/unspaced.ts";
import type { Engine } from "../engine-port.ts";

/** A command's name at the prompt's beginning, or an `@` with what follows it; each ends at the cursor. */
export const commandForm = /^\s*[/／](?<name>[\p{L}\p{M}\p{N}_:.-]*)(?<blank>\s*)$/u;
export const mentionForm = new RegExp(
  String.raw`(?<=^|[\s([{${unspacedLetters}${widePunctuation}])[@\uff20](?:"(?<quoted>[^"\n]*)|(?<bare>[^\s"'${"`"}]*))$`,
  "u",
);

export type CompletionEngine = Pick<Engine, "supportedCommands"> & {
  readonly desk: Pick<Engine["desk"], "completePath">;
};

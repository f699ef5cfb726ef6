/** The forms of text that can be completed at the prompt, and the part of the engine that completes them. */
import { unspacedLetters, widePunctuation } from "../../lib/unspaced.ts";
import type { Engine } from "../engine-port.ts";

/** A command's name at the beginning of the prompt, and an `@` with the text after it. Each ends at the cursor. */
export const commandPattern = /^\s*[/／](?<name>[\p{L}\p{M}\p{N}_:.-]*)(?<blank>\s*)$/u;
export const mentionPattern = new RegExp(
  String.raw`(?<=^|[\s([{${unspacedLetters}${widePunctuation}])[@\uff20](?:"(?<quoted>[^"\n]*)|(?<bare>[^\s"'${"`"}]*))$`,
  "u",
);

export type CompletionEngine = Pick<Engine, "supportedCommands"> & {
  readonly desk: Pick<Engine["desk"], "completePath">;
};

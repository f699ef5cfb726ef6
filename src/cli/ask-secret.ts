/** Reads a secret typed at the terminal, without echo. */
import type { Readable } from "node:stream";
import { UsageError } from "../lib/usage-error.ts";

type SecretInput = Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };

/** The sequences of keys that type no character, such as arrows. */
const keySequences = new RegExp(String.raw`\x1b\[[\d;]*[A-Za-z~]`, "gu");

/** Returns undefined if `input` is not a terminal. Throws `UsageError` if no secret is given: Ctrl+C, Ctrl+D or an empty line. */
export async function askSecret(
  question: string,
  input: SecretInput,
  write: (text: string) => void,
): Promise<string | undefined> {
  if (input.isTTY !== true || input.setRawMode === undefined) return undefined;
  input.setRawMode(true);
  write(question);
  let typed = "";
  try {
    for await (const chunk of input.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
      for (const key of String(chunk).replace(keySequences, "")) {
        if (key === "\r" || key === "\n") return requireSecret(typed);
        if (key === "\u0003" || key === "\u0004") return requireSecret("");
        if (key === "\u0015") typed = "";
        else if (key === "\u007F" || key === "\b") typed = Array.from(typed).slice(0, -1).join("");
        else if (key >= " ") typed += key;
      }
    }
    return requireSecret("");
  } finally {
    input.setRawMode(false);
    input.pause();
    write("\n");
  }
}

function requireSecret(secret: string): string {
  if (secret.trim() === "") throw new UsageError("No secret was given: nothing was added.");
  return secret.trim();
}

import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { askSecret } from "../../src/cli/ask-secret.ts";

class Terminal extends PassThrough {
  readonly isTTY = true;
  readonly modes: boolean[] = [];

  setRawMode(isRaw: boolean): void {
    this.modes.push(isRaw);
  }
}

async function ask(...keys: string[]): Promise<{ secret: unknown; shown: string; modes: boolean[] }> {
  const terminal = new Terminal();
  let shown = "";
  for (const key of keys) terminal.write(key);
  const secret = await askSecret("Secret: ", terminal, (text) => (shown += text)).catch(
    (error: Error) => error.message,
  );
  return { secret, shown, modes: terminal.modes };
}

describe("askSecret", () => {
  test("returns what is typed up to Enter and echoes nothing", async () => {
    const { secret, shown, modes } = await ask("s3c", "\u001B[Dxx\u007F\u007Fret", "\r");
    expect(secret).toBe("s3cret");
    expect(shown).toBe("Secret: \n");
    expect(modes).toEqual([true, false]);
  });

  test("starts over after Ctrl+U", async () => {
    expect(await ask("wrong", "\u0015", "s3cret\r")).toMatchObject({ secret: "s3cret" });
  });

  test("restores the terminal and fails if no secret is typed", async () => {
    for (const key of ["\u0003", "\u0004", "\r"]) {
      const { secret, modes } = await ask(key);
      expect(secret).toBe("No secret was given: nothing was added.");
      expect(modes).toEqual([true, false]);
    }
  });

  test("returns undefined if the input is not a terminal", async () => {
    expect(await askSecret("Secret: ", new PassThrough(), () => {})).toBeUndefined();
  });
});

/** What a conversation begins with: where it is, and what was said in it before. */
import { sanitize } from "../../lib/sanitize.ts";
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";
import { readyPrompt } from "./keyboard.ts";
import { pastLines } from "./past.ts";

export function greeting(engine: Engine, place: { version: string; cwd: string }, style: Style): string[] {
  const { version, cwd } = place;
  const head = `${style.bold(`pawl ${version}`)} · ${sanitize(engine.getModel())} · ${sanitize(cwd)} · /help`;
  return [head, ...pastLines(engine.getMessages(), style, readyPrompt)];
}

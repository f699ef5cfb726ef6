/** The first lines of a conversation: version, model, folder, and the last exchange of a resumed session. */
import { sanitize } from "../../lib/sanitize.ts";
import type { Engine } from "../engine-port.ts";
import { wrapHanging } from "../show/wrap-hanging.ts";
import type { Style } from "../show/style.ts";
import { lastExchangeLines } from "./last-exchange.ts";
import { sizeOf, type TerminalSize } from "./screen.ts";

export interface GreetingContext {
  version: string;
  cwd: string;
  output: Partial<TerminalSize>;
}

export function greetingLines(engine: Engine, { version, cwd, output }: GreetingContext, style: Style): string[] {
  const head = [style.bold(`pawl ${version}`), sanitize(engine.getModel()), sanitize(cwd), "/help"];
  const { columns } = sizeOf(output);
  const gap = style.isSpoken ? [] : [""];
  const past = lastExchangeLines(engine.getMessages(), { style, columns });
  return [wrapHanging(head.join(style.marks.separator), columns), ...gap, ...past];
}

/** The first lines of a conversation: version, model, folder, and the last exchange of a resumed session. */
import { sanitize } from "../../lib/sanitize.ts";
import type { Engine } from "../engine-port.ts";
import { hanging } from "../show/hanging.ts";
import type { Style } from "../show/style.ts";
import { pastLines } from "./past.ts";
import { sizeOf, type TerminalSize } from "./screen.ts";

export interface GreetingPlace {
  version: string;
  cwd: string;
  output: Partial<TerminalSize>;
}

export function greeting(engine: Engine, { version, cwd, output }: GreetingPlace, style: Style): string[] {
  const head = [style.bold(`pawl ${version}`), sanitize(engine.getModel()), sanitize(cwd), "/help"];
  const { columns } = sizeOf(output);
  const gap = style.isSpoken ? [] : [""];
  const past = pastLines(engine.getMessages(), { style, columns });
  return [hanging(head.join(style.marks.between), columns), ...gap, ...past];
}

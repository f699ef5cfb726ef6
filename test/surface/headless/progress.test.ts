import { expect, test } from "vitest";
import { plainStyle } from "../../../src/surface/show/style.ts";
import { createProgress } from "../../../src/surface/headless/progress.ts";
import type { SDKMessage } from "../../../src/protocol/sdk.ts";
import { assistant, fakeEngine, system, toolResult } from "../support/messages.ts";

const cost = fakeEngine(() => []).getCost;
const named = { ...plainStyle, dim: (text: string) => `dim ${text}`, red: (text: string) => `red ${text}` };
const styles = { named: { ...named, yellow: (text: string) => `yellow ${text}` }, plain: plainStyle };

function shown(style: keyof typeof styles, ...messages: SDKMessage[]): string[] {
  const lines: string[] = [];
  const show = createProgress({ write: (line) => lines.push(line), style: styles[style], width: 40, cwd: "/w", cost });
  for (const message of messages) show(message);
  return lines;
}

test("fits calls and results into the terminal's width, also those of an agent", () => {
  const long = "word ".repeat(40);
  const ofAgent = (message: SDKMessage): SDKMessage => ({ ...message, parent_tool_use_id: "a" }) as SDKMessage;
  const messages = [
    assistant({ type: "tool_use", id: "t1", name: "Bash", input: { command: long } }),
    toolResult(long, true),
  ];
  const lines = shown("plain", ...messages, ...messages.map(ofAgent));
  expect(lines.map(({ length }) => length)).toEqual([40, 40, 40, 40]);
  expect(lines[2]).toMatch(/^ +● Bash/u);
});

test("shows errors in red, warnings in yellow and the rest dimmed", () => {
  const word = (level: string): SDKMessage => system({ subtype: "informational", level, content: level });
  const lines = shown("named", toolResult("fine"), toolResult("broken", true), word("warning"), word("notice"));
  expect(lines).toEqual(["dim   └ fine", "red   └ broken", "yellow warning", "dim notice"]);
});

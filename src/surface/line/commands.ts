/** The slash commands of the plain conversation. */
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import type { Effort } from "../../protocol/model.ts";
import type { Engine } from "../engine-port.ts";
import { dollars, tokens } from "../../lib/figures.ts";

const help = `/help            this list
/clear           start over in a new session; the old one is kept
/cost            what this session has cost so far
/model [name]    the model, or another one from the next message on
/effort [level]  low, medium, high, xhigh, max, or default
/exit            leave (Ctrl+D does too)
Ctrl+C interrupts the answer; twice, or at an empty prompt, it leaves.
What is typed while an answer comes joins it at the next step.`;

const efforts: readonly Effort[] = ["low", "medium", "high", "xhigh", "max"];

/** A word with a second slash is a path, and so part of a prompt. */
export function isCommand(text: string): boolean {
  return /^\/[^\s/]*(?:\s|$)/u.test(text);
}

/** Runs one; answers true where the conversation is to end. */
export async function runCommand(text: string, engine: Engine, say: (text: string) => void): Promise<boolean> {
  const [name = "", ...rest] = text.trim().split(/\s+/u);
  const argument = rest.join(" ");
  switch (name) {
    case "/help":
      say(help);
      return false;
    case "/clear":
      await engine.clear();
      say(`A new session: ${sanitize(engine.getSessionId())}`);
      return false;
    case "/cost":
      say(costText(engine));
      return false;
    case "/model":
      say(changeModel(engine, argument));
      return false;
    case "/effort":
      say(changeEffort(engine, argument));
      return false;
    case "/exit":
    case "/quit":
      return true;
    default:
      say(`There is no command ${oneLine(name, 60)}; /help lists them.`);
      return false;
  }
}

function costText(engine: Engine): string {
  const { totalUsd, modelUsage } = engine.getCost();
  const lines = Object.entries(modelUsage).map(([model, usage]) => {
    const input = usage.inputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
    const cost = usage.costBasis === "unknown" ? "price unknown" : dollars(usage.costUSD);
    return `  ${oneLine(model, 60)}: ${tokens(input)} in (${tokens(usage.cacheReadInputTokens)} cached), ${tokens(usage.outputTokens)} out, ${cost}`;
  });
  return [`${dollars(totalUsd)} so far`, ...lines].join("\n");
}

function changeModel(engine: Engine, name: string): string {
  if (name === "") return `The model is ${sanitize(engine.getModel())}.`;
  try {
    engine.setModel(name);
  } catch (error) {
    return `The model stays ${sanitize(engine.getModel())}: ${sanitize(error instanceof Error ? error.message : String(error))}`;
  }
  return `From the next message on the model is ${sanitize(engine.getModel())}.`;
}

function changeEffort(engine: Engine, level: string): string {
  if (level === "") return `/effort needs a level: ${efforts.join(", ")}, or default.`;
  const effort = efforts.find((known) => known === level);
  if (effort === undefined && level !== "default") {
    return `"${oneLine(level, 60)}" is no effort; there are ${efforts.join(", ")}, and default.`;
  }
  engine.setEffort(effort);
  return `From the next message on the effort is ${level === "default" ? "the model's default" : level}.`;
}

import { errorText } from "../../lib/error-text.ts";
import { sanitize } from "../../lib/sanitize.ts";
import { refusal, type Command, type CommandAnswer } from "./command.ts";
import type { Session } from "../session.ts";

export const model: Command = {
  name: "model",
  argumentHint: "[name]",
  description: "the model, or another one from the next message on",
  run: (argument, desk) => changeModel(desk.session(), argument, desk.cancel.signal),
};

async function changeModel(session: Session, name: string, signal: AbortSignal): Promise<CommandAnswer> {
  const { choices, desk, joined } = session;
  const { ports, selected } = joined;
  if (name === "") return { text: `The model is ${sanitize(selected.current)}.` };
  try {
    const { switchModel } = await import("../model/model-switch.ts");
    const places = { choices, hooks: ports.hooks, contextUsage: () => desk.contextUsage() };
    const refused = await switchModel(places, { name, requested: name, source: "command" }, signal);
    if (refused !== null) return refusal(sanitize(`The model stays ${selected.current}: ${refused}`));
  } catch (error) {
    const why = errorText(error);
    return refusal(sanitize(`The model stays ${selected.current}: ${why}`));
  }
  return { text: `From the next message on the model is ${sanitize(selected.current)}.` };
}

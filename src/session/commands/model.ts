import { errorText } from "../../lib/error-text.ts";
import { sanitize } from "../../lib/sanitize.ts";
import type { SDKModelInfo } from "../../protocol/sdk-control.ts";
import { refusal, type Command, type CommandAnswer } from "./command.ts";
import type { Session } from "../session.ts";

export const model: Command = {
  name: "model",
  argumentHint: "[name]",
  description: "list the models, or switch to another from the next message on",
  run: (argument, desk) => changeModel(desk.session(), argument, desk.cancel.signal),
};

async function changeModel(session: Session, name: string, signal: AbortSignal): Promise<CommandAnswer> {
  const { choices, desk, joined } = session;
  const { ports, selected } = joined;
  if (name === "") return { text: sanitize(modelListText(selected.current, desk.models())) };
  try {
    const { switchModel } = await import("../model/model-switch.ts");
    const contextUsage = () => session.sideWork.ready().then(() => desk.contextUsage());
    const places = { choices, hooks: ports.hooks, contextUsage };
    const refused = await switchModel(places, { name, requested: name, source: "command" }, signal);
    if (refused !== null) return refusal(sanitize(`The model stays ${selected.current}: ${refused}`));
  } catch (error) {
    const why = errorText(error);
    return refusal(sanitize(`The model stays ${selected.current}: ${why}`));
  }
  // Servers have models of their own, so a name that may be mistyped is no error. What a short name stands for was not typed here.
  const isTyped = name.trim().startsWith(selected.current);
  const isUnknown = isTyped && !joined.models.catalog.info(selected.current).known;
  const unknown = isUnknown ? " It is not in the catalogue: it is used as it is." : "";
  return { text: `From the next message on the model is ${sanitize(selected.current)}.${unknown}` };
}

/** A model with a short name is listed only behind that name. */
function modelListText(current: string, models: readonly SDKModelInfo[]): string {
  const aliasedModels = new Set(
    models.flatMap(({ value, resolvedModel }) => (value === resolvedModel ? [] : resolvedModel)),
  );
  const rows = models.flatMap(({ value, resolvedModel }) => {
    if (value === resolvedModel) return aliasedModels.has(value) ? [] : `  ${value}`;
    return `  ${value.padEnd(7)}  ${resolvedModel}`;
  });
  return [`The model is ${current}.${rows.length === 0 ? "" : " There are:"}`, ...rows].join("\n");
}

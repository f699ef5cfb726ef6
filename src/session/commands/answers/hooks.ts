/** Answers /hooks: the hooks from settings. */
import { oneLine, revealLine } from "../../../lib/sanitize.ts";
import type { SDKHooksListing } from "../../../protocol/sdk-control.ts";
import type { CommandAnswer, CommandDesk } from "../command.ts";
import { settingsSourceText } from "./settings-source-text.ts";

export async function answerHooks(desk: CommandDesk): Promise<CommandAnswer> {
  const listing = await desk.session().desk.hooks();
  return { text: hooksText(listing), data: listing };
}

function hooksText({ hooks: all, policy }: SDKHooksListing): string {
  const lines = all.map((hook) => {
    const matcher = hook.matcher === "" ? "" : ` [${revealLine(hook.matcher, 80)}]`;
    const why =
      hook.disabled === true ? `: does not run, ${oneLine(hook.disabledReason ?? "it is switched off", 200)}` : "";
    return `  ${hook.event}${matcher} ${revealLine(hook.commandText, 160)}  (${hook.type}, ${settingsSourceText(hook.source)})${why}`;
  });
  const canAdd = !policy.disabledByPolicy && !policy.managedOnly;
  const none = `No hooks are configured.${canAdd ? ' "hooks" in a settings file adds some.' : ""}`;
  const head = all.length === 0 ? none : `${all.length} ${all.length === 1 ? "hook" : "hooks"}:`;
  const off = policy.disabledByPolicy ? ["An administrator's settings switch hooks off."] : [];
  const managed = policy.managedOnly ? ["Only an administrator's hooks run."] : [];
  return [head, ...lines, ...off, ...managed].join("\n");
}

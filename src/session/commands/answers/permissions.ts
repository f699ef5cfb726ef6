/** Answers /permissions: the mode, the rules and the folders. */
import { oneLine, revealLine } from "../../../lib/sanitize.ts";
import type { SDKPermissionRules } from "../../../protocol/sdk-control.ts";
import type { CommandAnswer, CommandDesk } from "../command.ts";
import { settingsSourceText } from "./settings-source-text.ts";

const behaviors = ["deny", "ask", "allow"] as const;

export async function answerPermissions(desk: CommandDesk): Promise<CommandAnswer> {
  const session = desk.session();
  const mode = session.choices.permissionMode;
  const state = await session.desk.permissionRules();
  const waits = session.joined.around.live?.isStale() === true;
  return { text: permissionsText(state, mode, waits), data: { mode, ...state } };
}

function permissionsText(
  { rules, workspaceDirectories, originalCwd, managedOnly }: SDKPermissionRules,
  mode: string,
  hasPendingSettings: boolean,
): string {
  const ruleLines = behaviors.flatMap((behavior) =>
    rules
      .filter((rule) => rule.behavior === behavior)
      .map(({ rule, source }) => `  ${behavior.padEnd(6)} ${revealLine(rule, 200)}  (${settingsSourceText(source)})`),
  );
  const ways = managedOnly ? "" : ' The answer "always" to a question adds one, and so does "permissions" in settings.';
  return [
    `The permission mode is ${mode}.`,
    ruleLines.length === 0 ? `There are no rules.${ways}` : "Rules; deny beats ask beats allow:",
    ...ruleLines,
    ...(managedOnly ? ["Only an administrator's rules count."] : []),
    ...(hasPendingSettings ? ["Settings have changed: what they permit takes effect with the next prompt."] : []),
    "Folders:",
    `  ${oneLine(originalCwd, 300)}`,
    ...workspaceDirectories.map(({ path, source }) => `  ${oneLine(path, 300)}  (${settingsSourceText(source)})`),
  ].join("\n");
}

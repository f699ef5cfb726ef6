/** The options that only agent SDKs have, or to which they give another name. `translate-options.ts` translates those with a kind. */
import type { OptionKind } from "./option-kinds.ts";
import type { EngineOptions } from "./options.ts";
import type { QueryOptions } from "./query-options.ts";

/**
 * `ignored`: it has no meaning here, as no process is started, and what it would change does not exist.
 * `not built`: this version refuses it.
 */
type ConventionRule = OptionKind | "ignored" | "not built";

const conventionRules: Readonly<
  Record<Exclude<keyof QueryOptions, keyof EngineOptions> | "projectConfigRoot", ConventionRule>
> = {
  additionalDirectories: "texts",
  agentProgressSummaries: "ignored",
  allowDangerouslySkipPermissions: "ignored",
  canUseTool: "function",
  debugFile: "text",
  executable: "ignored",
  executableArgs: "ignored",
  extraArgs: "object",
  mcpServersDelivery: "ignored",
  onUserDialog: "ignored",
  pathToClaudeCodeExecutable: "ignored",
  permissionPrompts: "text",
  perTaskStopAffordance: "ignored",
  pluginDelivery: "ignored",
  plugins: "list",
  projectConfigRoot: "not built",
  spawnClaudeCodeProcess: "ignored",
  stderr: "function",
  supportedDialogKinds: "ignored",
};

export const conventionNames: readonly string[] = Object.keys(conventionRules);

export function conventionRule(name: string): ConventionRule | undefined {
  return Object.hasOwn(conventionRules, name) ? conventionRules[name as keyof typeof conventionRules] : undefined;
}

/** Returns the kind of an option that is translated into pawl's own; undefined for any other. */
export function translatedKind(name: string): OptionKind | undefined {
  const rule = conventionRule(name);
  return rule === "ignored" || rule === "not built" ? undefined : rule;
}

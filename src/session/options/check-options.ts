/** Checks of the options, made before anything is read or written. */
import { toolNamePattern } from "../../lib/call-id.ts";
import { hookEvents } from "../../protocol/hook.ts";
import { permissionModes } from "../../protocol/permission.ts";
import { refuseIf } from "./check-arguments.ts";
import { checkParts } from "./check-parts.ts";
import { checkModelOptions } from "../model/model-wishes.ts";
import { checkOptionNames } from "./option-names.ts";
import type { EngineOptions } from "./options.ts";
import { titleOf } from "./title.ts";
import { isRecord } from "../../lib/is-record.ts";

/** The words these options accept. A misspelt word would be ignored: without a settings source, its deny rules are gone. */
const enumOptions = {
  settingSources: ["user", "project", "local"],
  durability: ["process", "power"],
  sessionStoreFlush: ["batched", "eager"],
  setup: ["init", "maintenance"],
} satisfies { [option in keyof EngineOptions]: string[] };

/** Throws `UsageError` for options from which no session can be made. */
export function checkOptions(options: EngineOptions): void {
  checkOptionNames(options, options.onNotice ?? (() => undefined));
  checkModelOptions(options);
  checkParts(options);
  const { maxTurns, maxBudgetUsd, permissionMode, customTools = [] } = options;
  refuseIf(
    maxTurns !== undefined && !(Number.isSafeInteger(maxTurns) && maxTurns > 0),
    "maxTurns must be a whole number of at least 1.",
  );
  refuseIf(
    maxBudgetUsd !== undefined && !(Number.isFinite(maxBudgetUsd) && maxBudgetUsd > 0),
    "maxBudgetUsd must be an amount of dollars above 0.",
  );
  refuseIf(
    permissionMode !== undefined && !permissionModes.includes(permissionMode),
    `There is no permission mode ${String(permissionMode)}: there are ${permissionModes.join(", ")}.`,
  );
  checkEnumOptions(options);
  refuseIf(
    options.abortController !== undefined && !(options.abortController.signal instanceof AbortSignal),
    "abortController must be an AbortController with a signal.",
  );
  refuseIf(options.cwd?.includes("\0") === true, "The option cwd must not contain a NUL byte.");
  checkSessionOptions(options);
  const { subagent, teammate } = options;
  refuseIf(
    subagent !== undefined && !(isNonEmptyText(subagent.agentId) && isNonEmptyText(subagent.agentType)),
    "subagent must have an agentId and an agentType.",
  );
  refuseIf(
    teammate !== undefined && !(isNonEmptyText(teammate.name) && typeof teammate.tasksInProgress === "function"),
    "teammate must have a name and a function tasksInProgress.",
  );
  for (const event of Object.keys(options.hooks ?? {}))
    refuseIf(
      !(hookEvents as readonly string[]).includes(event),
      `There is no hook event ${event}; the events are ${hookEvents.join(", ")}.`,
    );
  refuseIf(
    !Object.values(options.toolAliases ?? {}).every(isNonEmptyText),
    "toolAliases must map each alias to the name of a tool.",
  );
  refuseIf(typeof options.skills === "string" && options.skills !== "all", 'skills must be a list of names, or "all".');
  const { outputFormat } = options;
  refuseIf(
    outputFormat !== undefined && !(outputFormat.type === "json_schema" && isRecord(outputFormat.schema)),
    'outputFormat must be { type: "json_schema", schema }, with a JSON Schema.',
  );
  for (const { name, inputSchema } of customTools) {
    refuseIf(
      !toolNamePattern.test(name),
      `A tool's name must have 1 to 64 letters, digits, _ and -, unlike "${name.slice(0, 80)}".`,
    );
    refuseIf(!isRecord(inputSchema), `The inputSchema of the tool ${name} must be a JSON Schema object.`);
  }
}

function checkEnumOptions(options: EngineOptions): void {
  for (const [option, words] of Object.entries(enumOptions)) {
    // The type was checked before.
    const values = [options[option as keyof typeof enumOptions] ?? []].flat();
    if (values.length === 0) continue;
    const other = values.find((each) => !words.includes(each));
    refuseIf(other !== undefined, `${option} must be one of ${words.join(", ")}, not ${String(other).slice(0, 80)}.`);
  }
  const { previewFormat } = options.toolConfig?.askUserQuestion ?? {};
  refuseIf(
    previewFormat !== undefined && previewFormat !== "markdown" && previewFormat !== "html",
    "toolConfig.askUserQuestion.previewFormat must be markdown or html.",
  );
}

/** Checks the options that select or create the session. */
function checkSessionOptions(options: EngineOptions): void {
  const { sessionId, forkSession = false, orphanedPermission, loadTimeoutMs } = options;
  refuseIf(
    loadTimeoutMs !== undefined && !(loadTimeoutMs > 0),
    "loadTimeoutMs must be a number of milliseconds above 0.",
  );
  const continuesSession = options.resume !== undefined || options.continue === true;
  refuseIf(
    options.resume !== undefined && options.continue === true,
    "resume and continue each name a session: use only one.",
  );
  refuseIf(
    orphanedPermission !== undefined && !continuesSession,
    "orphanedPermission is for a resumed session: it needs resume or continue.",
  );
  refuseIf(
    options.resumeSessionAt !== undefined && !continuesSession,
    "resumeSessionAt names a message of a resumed session: it needs resume or continue.",
  );
  refuseIf(
    options.resumeDropsTurn !== undefined && options.resumeSessionAt === undefined,
    "resumeDropsTurn (--resume-drops-turn) only works together with resumeSessionAt.",
  );
  refuseIf(forkSession && !continuesSession, "forkSession copies a session: it needs continue or resume.");
  refuseIf(
    sessionId !== undefined && continuesSession && !forkSession,
    "sessionId is for a new session: with continue or resume it needs forkSession too.",
  );
  refuseIf(
    options.title !== undefined && titleOf(options.title) === "",
    "title must have at least one visible character.",
  );
}

function isNonEmptyText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

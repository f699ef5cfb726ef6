/** Flags that contradict each other, or mean nothing without another flag. */
import { UsageError } from "../lib/usage-error.ts";
import type { RunArguments } from "./run-arguments.ts";
import type { RawOptions } from "./options.ts";

/** Throws `UsageError` for the first combination that is not allowed. */
export function checkFlagCombinations(raw: RawOptions, run: RunArguments): void {
  const refuse = (condition: boolean | undefined, message: string): void => {
    if (condition) throw new UsageError(message);
  };
  const continuesSession = run.continue || run.resume !== undefined;
  refuse(run.continue && run.resume !== undefined, "--continue and --resume each name a session: use one.");
  refuse(
    run.resumeSessionAt !== undefined && !continuesSession,
    "--resume-session-at names a message of an earlier session: it needs --continue or --resume.",
  );
  refuse(run.worktree !== undefined && run.initOnly, "--init-only starts no session: leave --worktree out.");
  refuse(run.forkSession && !continuesSession, "--fork-session copies a session: it needs --continue or --resume.");
  for (const complaint of rewindComplaints(raw, run, continuesSession)) refuse(true, complaint);
  refuse(
    run.sessionId !== undefined && continuesSession && !run.forkSession,
    "--session-id is for a new session: with --continue or --resume it needs --fork-session too.",
  );
  refuse(
    run.thinking !== undefined && run.maxThinkingTokens !== undefined,
    "--thinking and --max-thinking-tokens set the same thing: use one.",
  );
  refuse(
    run.systemPrompt !== undefined && run.systemPromptFile !== undefined,
    "--system-prompt and --system-prompt-file replace the same thing: use one.",
  );
  refuse(
    run.model !== undefined && run.model === run.fallbackModel,
    "--fallback-model is the same as --model: name another one.",
  );
  for (const [flag, value] of [
    ["--output-format", raw.outputFormat],
    ["--input-format", raw.inputFormat],
    ["--include-partial-messages", raw.includePartialMessages],
    ["--include-hook-events", raw.includeHookEvents],
    ["--init", raw.init],
    ["--maintenance", raw.maintenance],
    ["--prompt-suggestions", raw.promptSuggestions],
    ["--no-session-persistence", raw.sessionPersistence ? undefined : true],
  ] as const) {
    refuse(value !== undefined && !run.print, `${flag} is for headless runs: add -p.`);
  }
  const isStreamJson = run.outputFormat === "stream-json";
  for (const [flag, isSet] of [
    ["--include-partial-messages", run.includePartialMessages],
    ["--include-hook-events", run.includeHookEvents],
    ["--prompt-suggestions", run.promptSuggestions],
    ["--replay-user-messages", run.client.replaysUserMessages],
  ] as const)
    refuse(isSet && !isStreamJson, `${flag} needs --output-format stream-json.`);
  const isDriven = run.inputFormat === "stream-json";
  refuse(run.client.asksClient && !isDriven, "--permission-prompt-tool stdio needs --input-format stream-json.");
  refuse(run.client.mirrorsSession && !isDriven, "--session-mirror needs --input-format stream-json.");
  if (!isDriven) return;
  refuse(!isStreamJson, "--input-format stream-json needs --output-format stream-json.");
  refuse(
    run.prompt !== undefined && run.prompt !== "",
    "With --input-format stream-json the prompts come on standard input: leave the argument out.",
  );
}

function rewindComplaints(raw: RawOptions, { rewind, ...run }: RunArguments, continuesSession: boolean): string[] {
  if (rewind === undefined) return raw.dryRun === true ? ["--dry-run is for --rewind-files."] : [];
  return [
    ...(continuesSession
      ? []
      : ["--rewind-files puts back files of an earlier session: it needs --continue or --resume."]),
    ...(run.prompt === undefined ? [] : ["--rewind-files takes no prompt: it does not call the model."]),
    ...(run.persistSession
      ? []
      : ["--rewind-files needs the session's transcript: leave --no-session-persistence out."]),
    ...(run.inputFormat === "text"
      ? []
      : ["With --input-format stream-json, leave --rewind-files out and send the request rewind_files."]),
  ];
}

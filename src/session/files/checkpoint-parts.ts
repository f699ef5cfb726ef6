/** Which changes are checkpointed, according to options, settings and environment, and how snapshots of everything are opened. */
import { quoteName } from "../../lib/quote-name.ts";
import type { Attachment } from "../../protocol/message.ts";
import type { Cwd } from "../../tools/cwd.ts";
import type { ToolDependencies } from "../../tools/dependencies.ts";
import { environmentFlag } from "../../tools/variables.ts";
import type { Transcript } from "../../transcript/index.ts";
import type { Checkpoints, CheckpointScope } from "./checkpoints.ts";
import type { RewindFilesOptions, RewindFilesResult } from "./rewind-types.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { TurnSnapshots } from "../trees/turn-snapshots.ts";

export function checkpointScope(
  { enableFileCheckpointing }: EngineOptions,
  { env, settings }: Pick<Surroundings, "env" | "settings">,
): CheckpointScope {
  if (enableFileCheckpointing === false || settings.fileCheckpointingEnabled === false) return "off";
  if (environmentFlag(env, "CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING", false)) return "off";
  const isAsked = environmentFlag(env, "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", false);
  return enableFileCheckpointing === true || isAsked ? "all" : "edits";
}

/** Called at the end of a turn: later changes count as somebody else's, unless work continues in the background. */
export function endCheckpointTurn(joined: CheckpointRooms): void {
  joined.checkpoints.endTurn(hasBackgroundWork(joined));
}

interface CheckpointRooms {
  checkpoints: Checkpoints;
  agents: { workingInBackground(): readonly unknown[] };
  tools: { shared: Pick<ToolDependencies, "background"> };
}

function hasBackgroundWork({ agents, tools }: CheckpointRooms): boolean {
  return (
    agents.workingInBackground().length > 0 || tools.shared.background.list().some(({ status }) => status === "running")
  );
}

/** Background work is not stopped: what it changes afterwards can be rewound again. */
export async function rewindSessionFiles(
  joined: CheckpointRooms,
  messageUuid: string,
  options: RewindFilesOptions,
): Promise<RewindFilesResult> {
  const result = await joined.checkpoints.rewind(messageUuid, options);
  if (!result.canRewind || !hasBackgroundWork(joined)) return result;
  if (options.dryRun !== true) await joined.checkpoints.reopen();
  const warning = "Commands or agents continue in the background, and may change files again.";
  return { ...result, error: result.error === undefined ? warning : `${result.error} ${warning}` };
}

export interface SnapshotParts {
  options: EngineOptions;
  around: Surroundings;
  transcript: Transcript;
  tools: { cwd: Cwd };
}

export async function openSnapshots({ options, around, transcript, tools }: SnapshotParts): Promise<TurnSnapshots> {
  const [{ Trees }, { TurnSnapshots: Snapshots }] = await Promise.all([
    import("../trees/trees.ts"),
    import("../trees/turn-snapshots.ts"),
  ]);
  const { home, pawlHome, clock, notice } = around;
  const flush = options.durability === "power";
  const trees = new Trees({ transcript, roots: () => tools.cwd.roots(), home, pawlHome, flush, clock });
  return new Snapshots({ trees, transcript, notice });
}

const maxNamedFiles = 50;

/** For the model: the conversation still holds the files' old contents. */
export function rewoundFilesReminder(paths: readonly string[]): Attachment {
  const names = paths.slice(0, maxNamedFiles).map((path) => quoteName(path));
  if (paths.length > names.length) names.push(`and ${paths.length - names.length} more`);
  const text = `The user put these files back to an earlier state. Read them again before relying on what was said of them:\n${names.join("\n")}`;
  return { kind: "reminder", name: "files_rewound", text };
}

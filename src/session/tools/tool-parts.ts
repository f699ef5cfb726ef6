/** The tools of a session, their shared state, and the record that each call leaves before it runs. */
import { refuseDuplicateTools } from "../options/check-tools.ts";
import { join } from "node:path";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { Environment } from "../../lib/environment.ts";
import type { Tool, ToolResult } from "../../protocol/tool.ts";
import type { AppendResult } from "../../protocol/record.ts";
import type { SandboxPort } from "../../protocol/sandbox.ts";
import { createCwd, type Cwd } from "../../tools/cwd.ts";
import type { ToolDependencies } from "../../tools/dependencies.ts";
import { failureResult } from "../../tools/failure.ts";
import { environmentFlag, environmentNumber } from "../../tools/variables.ts";
import type { PreviewFormat } from "../../tools/questions.ts";
import { createReadFileState } from "../../tools/read-state.ts";
import { createTools, defaultToolNames, pickTools } from "../../tools/registry.ts";
import { createBackgroundTasks } from "../../tools/shell/background.ts";
import { stoppedBeforeStartText, setWaitBeforeCommand } from "../../tools/shell/wait-before-command.ts";
import { createTodoStore } from "../../tools/todo-store.ts";
import { settledOrAborted } from "../../lib/settled-or-aborted.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { Checkpoints } from "../files/checkpoints.ts";
import { adoptTool } from "./adopt-tool.ts";
import { sessionToolNames } from "./session-tool-names.ts";
import type { SpillFolders } from "../surroundings/machine.ts";
import type { ClockPort } from "../../loop/ports.ts";

export interface ToolParts {
  tools: Tool[];
  shared: ToolDependencies;
  cwd: Cwd;
  /** The folder for long output of a session that keeps nothing; created when first needed. */
  temporaryFolder: () => string;
  /** Removes what was created for this session alone. */
  cleanUp(): void;
  /** Called for each file that was read or written. `place`: its real path; absent: not looked up. */
  onRead?: (path: string, place?: string) => void;
  /** Called for each change to a file, with the output of the call. */
  onWritten?: (output: unknown) => void;
  /** Awaited before a call may change anything; absent: nothing to wait for. */
  changes?: Pick<Checkpoints, "before" | "beforeAnything" | "expect">;
  /** Set once a call that does more than read was judged: files may have changed by the next border. */
  mayHaveActed: boolean;
  /** Names of the tools that wait themselves before they change anything, and prepare meanwhile. */
  selfWaitingTools: ReadonlySet<string>;
}

export interface ToolPartsOptions {
  cwd: string;
  roots: readonly string[];
  home: string;
  env: Environment;
  clock: ClockPort;
  /** Null: use the temporary folder. */
  spillDirectory: () => string | null;
  spills: SpillFolders;
  /** A UUID. */
  sessionKey: string;
  /** The built-in tools to offer; undefined: the default set. */
  names?: readonly string[];
  custom: readonly Tool[];
  /** Tools made by the session itself. */
  sessionTools: readonly Tool[];
  /** Absent: commands run unconfined. */
  sandbox?: SandboxPort;
  /** Whether the tools belong to an agent. */
  isForAgent?: boolean;
  /** The format of previews in questions; undefined: no previews. */
  questionPreviews?: PreviewFormat | undefined;
}

/** The time limit of a background command that an agent started, in ms. */
const agentCommandLimitMs = 3_600_000;

/** `Task` is the former name of Agent. */
const toolsMadeElsewhere: ReadonlySet<string> = new Set([...sessionToolNames, "Task"]);

export function composeTools(options: ToolPartsOptions): ToolParts {
  const spill = createSpill(options);
  const { roots } = options;
  const isFixed = environmentFlag(options.env, "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR", false);
  const cwd = createCwd(options.cwd, () => roots, options.isForAgent !== true && !isFixed);
  const shared: ToolDependencies = {
    readState: createReadFileState(undefined, (path, place) => parts.onRead?.(path, place)),
    cwd,
    todos: createTodoStore(),
    background: createBackgroundTasks({
      clock: options.clock,
      pipesAhead: options.sandbox !== undefined || Boolean(options.env["CLAUDE_CODE_SHELL_PREFIX"]),
    }),
    spillDirectory: spill.directory,
    environment: options.env,
    home: options.home,
    clock: options.clock,
    // The permissions take this over when they are made: until then, nothing may be shown.
    mayShow: () => false,
    ...(options.isForAgent === true
      ? { backgroundMs: environmentNumber(options.env, "CLAUDE_SUBAGENT_BG_SHELL_MAX_MS", agentCommandLimitMs) }
      : {}),
    ...withoutUndefined({ sandbox: options.sandbox, questionPreviews: options.questionPreviews }),
  };
  const all = createTools(shared);
  const names = options.names?.filter((name) => !toolsMadeElsewhere.has(name));
  const picked = pickTools(all, names ?? defaultToolNames);
  if (picked.unknown.length > 0) {
    const known = [...all.map((tool) => tool.name), ...sessionToolNames].join(", ");
    throw new UsageError(`There is no tool ${picked.unknown.join(", ")}: the built-in ones are ${known}.`);
  }
  const own = picked.tools.map((tool) =>
    fileNamingTools.has(tool.name) ? reportingWrites(tool, (output) => parts.onWritten?.(output)) : tool,
  );
  const tools = [...own, ...options.sessionTools, ...options.custom.map(adoptTool)];
  refuseDuplicateTools(tools);
  // A host's own tool of that name is not included.
  const selfWaitingTools = new Set(own.flatMap(({ name }) => (name === "Bash" ? [name] : [])));
  const { temporary: temporaryFolder, cleanUp } = spill;
  const parts: ToolParts = { selfWaitingTools, mayHaveActed: false, tools, shared, cwd, temporaryFolder, cleanUp };
  return parts;
}

function createSpill({
  spillDirectory,
  spills: folders,
  sessionKey,
  env,
}: Pick<ToolPartsOptions, "spillDirectory" | "spills" | "sessionKey" | "env">) {
  let folder: string | undefined;
  let isMade = false;
  const temporary = (): string => (folder ??= join(folders.temporary(env), `pawl-${sessionKey}`));
  return {
    temporary,
    directory: (): string => {
      const kept = spillDirectory();
      if (kept !== null) folders.make(kept);
      // An existing folder of this name is somebody else's and is not used.
      else if (!isMade) folders.makeNew(temporary());
      isMade ||= kept === null;
      return kept ?? temporary();
    },
    cleanUp: (): void => {
      if (isMade) folders.remove(temporary());
    },
  };
}

/** Tools that name the file they are about to change. */
const fileNamingTools: ReadonlySet<string> = new Set(["Edit", "NotebookEdit", "Write"]);

function reportingWrites(tool: Tool, onWritten: (output: unknown) => void): Tool {
  return {
    ...tool,
    async call(input, context, onProgress) {
      const result = await tool.call(input, context, onProgress);
      if (result.isError !== true) onWritten(result.output);
      return result;
    },
  };
}

/** Records the start of each call: a call recorded as started may have had an effect; one not recorded has not run. */
export function withStartRecord(
  tool: Tool,
  record: (toolUseId: string) => AppendResult,
  beforeAnything: () => Promise<void> | undefined,
  waitsItself = false,
): Tool {
  return {
    ...tool,
    call(input, context, onProgress) {
      const run = (): Promise<ToolResult> => {
        const written = record(context.toolUseId);
        if (written.ok) return tool.call(input, context, onProgress);
        return Promise.resolve(failureResult(`It did not run: ${written.failure.message}`));
      };
      const isKnown = fileNamingTools.has(tool.name) || tool.isReadOnly(input);
      if (waitsItself && !isKnown) setWaitBeforeCommand(context, beforeAnything);
      const waiting = isKnown || waitsItself ? undefined : beforeAnything();
      return waiting === undefined ? run() : unlessAborted(waiting, context.signal, run);
    },
  };
}

/** An abort does not wait for the snapshot of a large folder. */
async function unlessAborted(
  waiting: Promise<void>,
  signal: AbortSignal,
  run: () => Promise<ToolResult>,
): Promise<ToolResult> {
  await settledOrAborted(waiting, signal);
  return signal.aborted ? failureResult(stoppedBeforeStartText) : await run();
}

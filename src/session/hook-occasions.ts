/** What a session tells hooks of beside its turns, and what they may answer in a person's stead. */
import type { HookEnvironment } from "./hook-environment.ts";
import type { OwnedHooks } from "../hooks/run.ts";
import type { MemoryFile } from "../knowledge/memory-files.ts";
import { describeRequest } from "../permissions/denial-text.ts";
import type { HookInput, HookPermissionAnswer } from "../protocol/hook.ts";
import type { Attachment } from "../protocol/message.ts";
import type { PermissionQuestion } from "../protocol/permission.ts";

const memoryTypes = { policy: "Managed", user: "User", project: "Project", local: "Local" } as const;

/** Empty until the hooks are there: permissions are made before them. */
export class HookOccasions {
  /** What hooks wrote for the environment of commands; there once one may. */
  environment?: HookEnvironment;
  #hooks: OwnedHooks | undefined;

  attach(hooks: OwnedHooks): void {
    this.#hooks = hooks;
  }

  /** Null: they leave it to whoever is asked. */
  async answerQuestion(question: PermissionQuestion, signal: AbortSignal): Promise<HookPermissionAnswer | null> {
    const hooks = this.#hooks;
    if (hooks?.has("PermissionRequest") !== true) return null;
    const { toolName, input, suggestedRule } = question;
    const suggestions = suggestedRule === undefined ? {} : { permission_suggestions: [suggestedRule] };
    const event = {
      hook_event_name: "PermissionRequest" as const,
      tool_name: toolName,
      tool_input: input,
      ...suggestions,
    };
    return (await hooks.run(event, signal)).permissionAnswer ?? null;
  }

  /** A person is being asked. */
  asking(question: PermissionQuestion): void {
    if (this.#hooks?.has("Notification") !== true) return;
    const message = `pawl needs your permission for ${describeRequest(question)}`;
    this.#hooks.runDetached({ hook_event_name: "Notification", message, notification_type: "permission_prompt" });
  }

  /** What hooks said that nobody waited for: for the model, at the next border. */
  late(): Attachment[] {
    const said = this.#hooks?.takeLate() ?? [];
    return said.map((text) => ({ kind: "hook_context", event: "async", text }));
  }

  moved(from: string, to: string): void {
    if (this.#hooks?.has("CwdChanged") !== true) return;
    this.#hooks.runDetached({ hook_event_name: "CwdChanged", old_cwd: from, new_cwd: to });
  }

  instructed(files: readonly MemoryFile[], why: Pick<HookInput, "load_reason" | "globs" | "trigger_file_path">): void {
    if (this.#hooks?.has("InstructionsLoaded") !== true) return;
    for (const { path, scope, parent } of files) {
      const imported = parent === undefined ? {} : { load_reason: "include", parent_file_path: parent };
      const about = { file_path: path, memory_type: memoryTypes[scope], ...why, ...imported };
      this.#hooks.runDetached({ hook_event_name: "InstructionsLoaded", ...about });
    }
  }
}

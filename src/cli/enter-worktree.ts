/** `--worktree`: the session works in a git work tree; files that other flags name are resolved in the original folder. */
import { randomUUID } from "node:crypto";
import { notifyIfSlow } from "../lib/notify-if-slow.ts";
import type { EngineOptions } from "../session/options/options.ts";
import { flagFile, isJsonFlag } from "../settings/flag.ts";
import { withoutOtherRepository } from "../session/worktrees/no-other-repository.ts";
import { enterSessionTree, parseWorktreeRequest } from "../session/session-tree.ts";
import type { RunResources } from "./run-resources.ts";

/** Creates or enters the tree and records it in `resources`. Throws `UsageError`. */
export async function enterWorktree(
  requestedName: string | true,
  options: EngineOptions,
  resources: Pick<RunResources, "stop" | "tree">,
  say: (text: string) => void,
): Promise<EngineOptions> {
  const worktreeRequest =
    requestedName === true ? { name: `work-${randomUUID().slice(0, 8)}` } : parseWorktreeRequest(requestedName);
  return await resources.stop.runAbortable(async (signal) => {
    const { settings, mcpConfig, cwd = "", home = "" } = options;
    const resolveFlagFile = (text: string): string => (isJsonFlag(text) ? text : flagFile(text, cwd, home));
    const resolvedOptions: EngineOptions = {
      ...options,
      ...(settings === undefined ? {} : { settings: resolveFlagFile(settings) }),
      ...(mcpConfig === undefined ? {} : { mcpConfig: mcpConfig.map(resolveFlagFile) }),
    };
    const entering = enterSessionTree(worktreeRequest, { ...resolvedOptions, onNotice: say }, signal);
    const tree = await notifyIfSlow(entering, () => say("creating the work tree, which takes a while"));
    resources.tree = tree;
    say(tree.message);
    return { ...resolvedOptions, cwd: tree.cwd, env: withoutOtherRepository(options.env ?? process.env) };
  });
}

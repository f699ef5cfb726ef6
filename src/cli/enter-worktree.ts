/** `--worktree`: the session works in a git work tree; files that other flags name are resolved in the original folder. */
import { randomUUID } from "node:crypto";
import { tellIfSlow } from "../lib/tell-if-slow.ts";
import type { EngineOptions } from "../session/options/options.ts";
import { flagFile, isJsonFlag } from "../settings/flag.ts";
import { withoutOtherRepository } from "../session/worktrees/no-other-repository.ts";
import { enterSessionTree, treeWish } from "../session/worktrees/session-tree.ts";
import type { Opened } from "./opened.ts";

/** Creates or enters the tree and records it in `opened`. Throws `UsageError`. */
export async function enterWorktree(
  wish: string | true,
  options: EngineOptions,
  opened: Pick<Opened, "stop" | "tree">,
  say: (text: string) => void,
): Promise<EngineOptions> {
  const wished = wish === true ? { name: `work-${randomUUID().slice(0, 8)}` } : treeWish(wish);
  return await opened.stop.during(async (signal) => {
    const { settings, mcpConfig, cwd = "", home = "" } = options;
    const here = (text: string): string => (isJsonFlag(text) ? text : flagFile(text, cwd, home));
    const named: EngineOptions = {
      ...options,
      ...(settings === undefined ? {} : { settings: here(settings) }),
      ...(mcpConfig === undefined ? {} : { mcpConfig: mcpConfig.map(here) }),
    };
    const entering = enterSessionTree(wished, { ...named, onNotice: say }, signal);
    const tree = await tellIfSlow(entering, () => say("creating the work tree, which takes a while"));
    opened.tree = tree;
    say(tree.told);
    return { ...named, cwd: tree.cwd, env: withoutOtherRepository(options.env ?? process.env) };
  });
}

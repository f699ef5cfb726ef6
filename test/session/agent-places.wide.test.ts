// Agents in a work tree of their own: in a sandbox, and under settings that change. `test/long/agents.long.test.ts` has more.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { confined } from "../permissions/sandbox/support.ts";
import { put } from "../support/put.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "./support.ts";
import { agent, bash, git, read, repository, run } from "./worktree-support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

test("settings that change while an agent runs restrict it in its worktree from the next call on", async () => {
  const ground = repository();
  const settings = join(ground.work, ".claude/settings.json");
  put(settings, "{}");
  const forbid = (folder: string) => {
    writeFileSync(settings, JSON.stringify({ permissions: { deny: ["Read(/src/b.txt)"] } }));
    return read("src/b.txt")(folder);
  };
  const { below } = await run(ground, [read("src/b.txt"), forbid, read("a.txt")]);
  const results = JSON.stringify(below.at(-1)?.body?.messages).match(/"is_error":true/gu);
  expect(results).toHaveLength(1);
});

test.each([true, false])(
  "an agent whose worktree cannot be created is reported as failed, not as stopped (background: %s)",
  async (isBackground) => {
    // No repository.
    const { engine } = await openSession({
      steps: [{ content: [agent({ run_in_background: isBackground })] }],
      fallback: "Done.",
    });
    const first = await turn(engine, "Go.");
    await engine.whenAgentsEnd();
    const { messages } = await turn(engine, "And?");
    const told = [...first.messages, ...messages].filter(
      (each) => each.type === "system" && each.subtype === "task_notification",
    );
    // Of one that somebody waits for, nothing was told but the call's result, which says why.
    expect(told).toMatchObject(isBackground ? [{ status: "failed" }] : []);
    expect(JSON.stringify(first.messages).includes("work tree")).toBe(!isBackground);
  },
);

confined("in a sandbox its commands write its work tree, and not the one it was made from", async () => {
  const ground = repository();
  const sandbox = { enabled: true, provider: "bubblewrap", autoAllowBashIfSandboxed: true };
  // What a script does, no rule finds: the sandbox alone keeps it from there.
  ground.file("write.sh", `echo x > '${ground.work}/theirs'\n`);
  git(ground.work, "add", ".");
  git(ground.work, "commit", "-q", "-m", "a script");
  const steps = [bash("sh write.sh; touch mine; cat .git")];
  const { folder, below } = await run(ground, steps, {
    settings: JSON.stringify({ sandbox, permissions: { deny: ["Edit(.git/config)"] } }),
  });
  expect(JSON.stringify(below.at(-1)?.body?.messages)).toContain("gitdir:");
  expect(existsSync(join(folder, "mine"))).toBe(true);
  expect(existsSync(join(ground.work, "theirs"))).toBe(false);
});

test("an agent in a worktree cannot write to the original tree, even with an allowed command", async () => {
  const ground = repository();
  const { folder, below } = await run(ground, [bash(`touch ${ground.work}/theirs`), bash("touch mine")], {
    settings: JSON.stringify({ permissions: { allow: ["Bash(touch *)"] } }),
  });
  expect(JSON.stringify(below.at(-1)?.body?.messages)).toContain("Permission denied");
  expect(existsSync(join(folder, "mine"))).toBe(true);
  expect(existsSync(join(ground.work, "theirs"))).toBe(false);
});

test("every command of an agent starts in the agent's folder, as the tool's description says", async () => {
  const { folder, below } = await run(repository(), [bash("cd src && pwd"), bash("pwd")]);
  const { messages, tools } = below.at(-1)!.body!;
  const told = messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.map((each) => each["content"]),
  );
  expect(told.filter((each) => typeof each === "string")).toEqual([
    `${folder}/src\nShell cwd was reset to ${folder}`,
    folder,
  ]);
  expect(JSON.stringify(tools)).toContain("Each call begins in the project's folder");
});

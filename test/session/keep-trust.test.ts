// Trust is of a content, and an answer that is kept in the folder's settings changes it: what pawl itself wrote at the user's word
// is trusted, and nothing that changed beside it.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { openTrustDesk } from "../../src/session/permissions/project-trust.ts";
import { put } from "../support/put.ts";
import {
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  optionsFor,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const folders = { permissions: { allow: ["Bash(touch theirs)"] }, hooks: { Stop: [{ hooks: [hook()] }] } };

function hook() {
  return { type: "command", command: "sh .claude/hooks/stop.sh" };
}

/** A folder with a rule and a hook of its own. */
function repository(): Ground {
  const ground = layGround();
  put(join(ground.work, ".claude/settings.json"), folders);
  put(join(ground.work, ".claude/hooks/stop.sh"), "exit 0\n");
  return ground;
}

/** Another work tree of its repository. */
function withTree(ground: Ground): Ground {
  const git = (...words: string[]): void => {
    const who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
    execFileSync("git", [...who, ...words], { cwd: ground.work, stdio: "ignore" });
  };
  git("init");
  git("add", ".");
  git("commit", "--allow-empty", "-m", "x");
  git("worktree", "add", "../tree");
  return { ...ground, work: join(ground.work, "../tree") };
}

const trust = async (ground: Ground): Promise<void> => await openTrustDesk(optionsFor(ground, scripted({}))).add();

interface Ran {
  asked: string[];
  notices: string[];
  made: (name: string) => boolean;
}

/** Sessions that try each command once; each question is answered: always, and save it in the folder. */
async function run(
  ground: Ground,
  turns: string[][],
  options: EngineOptions & { meanwhile?: () => void } = {},
): Promise<Ran> {
  const { meanwhile, ...rest } = options;
  const asked: string[] = [];
  const notices: string[] = [];
  const steps = turns.flatMap((commands) => [
    { content: commands.map((command) => ({ tool: "Bash", input: { command } })) },
    { content: "Done." },
  ]);
  const engine = await openOn(ground, scripted({ steps }), {
    onNotice: (text) => void notices.push(text),
    ask: async ({ input }) => {
      const command = String(input["command"]);
      asked.push(command);
      meanwhile?.();
      const rules = [{ toolName: "Bash", ruleContent: command }];
      return {
        behavior: "allow",
        updates: [{ type: "addRules", rules, behavior: "allow", destination: "localSettings" }],
      };
    },
    ...rest,
  });
  for (const _ of turns) await turn(engine, "Go.");
  await engine.dispose();
  return { asked, notices, made: (name) => existsSync(join(ground.work, name)) };
}

test("a folder stays trusted when an answer adds rules to its settings", async () => {
  const ground = repository();
  await trust(ground);
  const first = await run(ground, [["touch mine"], ["touch mine", "touch theirs"]]);
  expect(first.asked).toEqual(["touch mine"]);
  const second = await run(ground, [["touch mine", "touch theirs"]]);
  expect(second).toMatchObject({ asked: [], notices: [] });
});

test("a folder without settings is trusted with the rules that an answer adds", async () => {
  const ground = layGround();
  await run(ground, [["touch mine"]]);
  expect(await run(ground, [["touch mine"]])).toMatchObject({ asked: [], notices: [] });
});

// Seen: what was kept in the repository counted in none of its other work trees, and no trust reached them.
test("an answer saved in one worktree and its trust also apply in the other worktrees", async () => {
  for (const ground of [repository(), layGround()]) {
    const tree = withTree(ground);
    if (existsSync(join(ground.work, ".claude"))) await trust(ground);
    expect((await run(tree, [["touch mine"]])).asked).toEqual(["touch mine"]);
    for (const each of [ground, tree])
      expect(await run(each, [["touch mine"]])).toMatchObject({ asked: [], notices: [] });
  }
});

// Seen: it was kept, and said to hold for this session only.
test("an answer is saved in a folder that the main worktree does not have", async () => {
  const tree = withTree(layGround());
  put(join(tree.work, "own/a.ts"), "a");
  const own = { ...tree, work: join(tree.work, "own") };
  expect(await run(own, [["touch mine"]])).toMatchObject({ asked: ["touch mine"], notices: [] });
  expect(await run(own, [["touch mine"]])).toMatchObject({ asked: [], notices: [] });
});

test("an untrusted folder does not become trusted by an answer", async () => {
  const ground = repository();
  const first = await run(ground, [["touch mine"], ["touch theirs"]]);
  expect(first.asked).toEqual(["touch mine", "touch theirs"]);
  const { asked, notices } = await run(repository(), [["touch theirs"]]);
  expect(asked).toEqual(["touch theirs"]);
  expect(notices.join("\n")).toContain("This folder is not trusted");
  expect((await run(ground, [["touch others"]])).notices.join("\n")).toContain("This folder is not trusted");
});

test.each([
  ["a hook's script", ".claude/hooks/stop.sh", "touch owned\n"],
  ["its settings", ".claude/settings.json", JSON.stringify({ permissions: { allow: ["Bash"] } })],
  ["another script", ".claude/hooks/more.sh", "touch owned\n"],
])("%s that changes at the same moment ends the folder's trust", async (_, name, content) => {
  const ground = repository();
  await trust(ground);
  await run(ground, [["touch mine"]], { meanwhile: () => put(join(ground.work, name), content) });
  const { asked, notices } = await run(ground, [["touch theirs"]]);
  expect(asked).toEqual(["touch theirs"]);
  expect(notices.join("\n")).toContain("This folder is not trusted");
});

test("trust for one run lasts for that run and is not saved", async () => {
  const ground = repository();
  const first = await run(ground, [["touch mine"], ["touch theirs"]], { trust: true });
  expect(first.asked).toEqual(["touch mine"]);
  expect(first.notices.join("\n")).not.toContain("not trusted");
  expect(existsSync(join(ground.pawlHome, "trust.json"))).toBe(false);
  expect((await run(ground, [["touch theirs"]])).asked).toEqual(["touch theirs"]);
});

test("trusting is refused for a folder without settings, or with settings that only deny", async () => {
  const ground = layGround();
  await expect(trust(ground)).rejects.toThrow("has no settings of its own that need trust");
  put(join(ground.work, ".claude/settings.json"), { permissions: { deny: ["Read"] } });
  await expect(trust(ground)).rejects.toThrow("has no settings of its own that need trust");
  expect(existsSync(join(ground.pawlHome, "trust.json"))).toBe(false);
});

test("trusting is refused for a folder with too much in its hook folders to check", async () => {
  const ground = repository();
  for (let file = 0; file < 501; file++) put(join(ground.work, `.claude/hooks/${file}.sh`), "exit 0\n");
  await expect(trust(ground)).rejects.toThrow("cannot be trusted as a whole");
  expect(existsSync(join(ground.pawlHome, "trust.json"))).toBe(false);
});

test("trust is saved only for the folder and its content", async () => {
  const ground = repository();
  await trust(ground);
  await run(ground, [["touch mine"]]);
  const { folders: listed } = JSON.parse(readFileSync(join(ground.pawlHome, "trust.json"), "utf8")) as {
    folders: { folder: string }[];
  };
  expect(listed.map(({ folder }) => folder)).toEqual([ground.work]);
});

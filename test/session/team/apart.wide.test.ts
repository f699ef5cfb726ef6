// Teammates that work in a copy of the project each: while they rest, over a restart, and when they end.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { RequestView } from "../../../src/testing/index.ts";
import { clearGroundsAfterwards, disposeAll, openSession } from "../support.ts";
import { git, repository, treesOf } from "../worktree-support.ts";
import { cast, mine, on, send, teammate, untilQuiet, type Step } from "./cast.ts";

clearGroundsAfterwards();
afterAll(disposeAll);

const folderOf = ({ systemText }: RequestView): string => /^Folder: (\S+)/mu.exec(systemText)?.[1] ?? "";
const writes =
  (...names: string[]) =>
  (request: RequestView): Step => {
    const name = names[request.turns / 2];
    if (name === undefined || request.turns % 2 === 1) return "Written.";
    return [{ tool: "Write", input: { file_path: join(folderOf(request), name), content: name } }];
  };

test("gives each teammate a work tree of its own, also after a restart, and names what it holds at the end", async () => {
  const ground = repository();
  const options = { ...on, permissionMode: "acceptEdits" as const };
  const apart = { isolation: "worktree" };
  const { engine } = await openSession(
    cast({
      lead: [
        [teammate("ada", "Write one.", apart), teammate("bob", "Write one.", apart), teammate("cem", "Look.", apart)],
        "So be it.",
      ],
      ada: writes("ada1"),
      bob: writes("bob1"),
      cem: ["Looked."],
    }),
    options,
    ground,
  );
  await untilQuiet(engine, "Go.");
  const made = treesOf(ground).filter((path) => statSync(path).isDirectory());
  expect(made).toHaveLength(3);
  expect(
    made
      .map((tree) =>
        readdirSync(tree)
          .filter((name) => /^(?:ada|bob)/u.test(name))
          .join(),
      )
      .toSorted(),
  ).toEqual(["", "ada1", "bob1"]);
  await engine.dispose();
  // Only those in which something was changed are kept.
  expect(treesOf(ground)).toHaveLength(2);
  expect(git(ground.work, "branch", "--list", "worktree-agent-*").split("\n")).toHaveLength(2);

  const asked: Step[][] = [
    [[send("ada", "Write another."), send("cem", "Write now.")]],
    [[{ tool: "TaskStop", input: { task_id: "ada" } }]],
  ];
  const lead = ({ lastUserText }: RequestView): Step => {
    const steps = lastUserText.includes("End ada.") ? asked[1] : asked[0];
    return steps?.shift() ?? "So be it.";
  };
  const again = await openSession(
    cast({
      lead,
      ada: writes("ada1", "ada2"),
      cem: (request) =>
        request.turns === 1
          ? [{ tool: "Write", input: { file_path: join(folderOf(request), "cem1"), content: "x" } }]
          : "Written.",
    }),
    { ...options, resume: engine.getSessionId() },
    ground,
  );
  await untilQuiet(again.engine, "Go on.");
  const ada = treesOf(ground).find((tree) => existsSync(join(tree, "ada1"))) ?? "";
  expect(readFileSync(join(ada, "ada2"), "utf8")).toBe("ada2");
  expect(treesOf(ground).some((tree) => existsSync(join(tree, "cem1")))).toBe(true);
  expect(readdirSync(ground.work).toSorted()).toEqual([".git", "a.txt", "src"]);
  await untilQuiet(again.engine, "End ada.");
  expect(mine(again.engine)).toContain(ada);
});

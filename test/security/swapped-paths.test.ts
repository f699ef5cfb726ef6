// Between the look at a path and its use something puts a link in its way. The swap is made where a person is asked, or just before
// the change, so that it always falls between the two; what lies outside must be neither read nor changed.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { Part } from "../../src/testing/index.ts";
import { openToolBox, textOf } from "../tools/support.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  scripted,
  turn,
  type Ground,
} from "../session/support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const secret = "hand-this-to-nobody";
const notebook = (source: string): string =>
  JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell(source)] });
const cell = (source: string) => ({ id: "a", cell_type: "raw", metadata: {}, source: [source] });

interface Trap extends Ground {
  outside: string;
  /** What was named turns into a link that leads outside: the file itself, or the folder it is in. */
  swapFile(name: string): void;
  swapFolder(): void;
}

function trap(): Trap {
  const ground = layGround();
  const outside = join(ground.home, "outside");
  for (const folder of [outside, join(ground.work, "in")]) {
    mkdirSync(folder);
    writeFileSync(join(folder, "a.txt"), folder === outside ? secret : "harmless");
    writeFileSync(join(folder, "n.ipynb"), notebook(folder === outside ? secret : "harmless"));
  }
  const inside = join(ground.work, "in");
  return {
    ...ground,
    outside,
    swapFile(name) {
      rmSync(join(inside, name), { force: true });
      symlinkSync(join(outside, name), join(inside, name));
    },
    swapFolder() {
      renameSync(inside, join(ground.work, "moved"));
      symlinkSync(outside, inside);
    },
  };
}

interface Call {
  tool: string;
  input: Record<string, string>;
}

const attempts: [string, Call][] = [
  ["Read", { tool: "Read", input: { file_path: "in/a.txt" } }],
  ["Write of a file", { tool: "Write", input: { file_path: "in/a.txt", content: "changed" } }],
  ["Write of a new file", { tool: "Write", input: { file_path: "in/new.txt", content: "changed" } }],
  ["Edit", { tool: "Edit", input: { file_path: "in/a.txt", old_string: "h", new_string: "changed" } }],
  [
    "NotebookEdit",
    { tool: "NotebookEdit", input: { notebook_path: "in/n.ipynb", cell_id: "a", new_source: "changed" } },
  ],
  ["Glob", { tool: "Glob", input: { pattern: "*", path: "in" } }],
  ["Grep", { tool: "Grep", input: { pattern: ".", path: "in/a.txt", output_mode: "content" } }],
];

async function attempt(place: Trap, call: Call, swap: () => void): Promise<string> {
  const reads: Part[] = ["in/a.txt", "in/n.ipynb"].map((path) => ({ tool: "Read", input: { file_path: path } }));
  const steps = [...(call.tool === "Read" ? [] : [{ content: reads }]), { content: [call] }];
  const model = scripted({ steps, fallback: "Done." }, { validate: "light" });
  let asked = 0;
  const ask: EngineOptions["ask"] = async () => {
    asked += 1;
    swap();
    return { behavior: "allow" };
  };
  const settings = JSON.stringify({ permissions: { ask: [/Write|Edit/u.test(call.tool) ? "Edit" : call.tool] } });
  const tools = ["Read", "Write", "Edit", "NotebookEdit", "Glob", "Grep"];
  const engine = await openOn(place, model, { settings, ask, tools });
  await turn(engine, "hi");
  expect(asked).toBe(1);
  return JSON.stringify(calls(model).at(-1)?.body?.messages.at(-1));
}

describe.each(attempts)("while a person answers about %s,", (name, call) => {
  const isNew = name.includes("new");

  test.runIf(!["Glob"].includes(name))("a link that replaces the file is not followed", async () => {
    const place = trap();
    const path = Object.values(call.input).find((value) => String(value).startsWith("in/"));
    const file = String(path).slice(3);
    const said = await attempt(place, call, () => place.swapFile(file));
    expect(said).toMatch(
      /no longer leads where it led when the call was allowed|a symbolic link to a file that is not/u,
    );
    expect(said).not.toContain(secret);
    expect(readdirSync(place.outside).toSorted()).toEqual(["a.txt", "n.ipynb"]);
    expect(readFileSync(join(place.outside, "a.txt"), "utf8")).toBe(secret);
    expect(readFileSync(join(place.outside, "n.ipynb"), "utf8")).toContain(secret);
  });

  test("a link that replaces its folder is not followed", async () => {
    const place = trap();
    const said = await attempt(place, call, () => place.swapFolder());
    expect(said).toContain("no longer leads where it led when the call was allowed");
    expect(said).not.toContain(secret);
    expect(readdirSync(place.outside).toSorted()).toEqual(["a.txt", "n.ipynb"]);
    expect(readFileSync(join(place.outside, "a.txt"), "utf8")).toBe(secret);
    if (isNew) expect(existsSync(join(place.outside, "new.txt"))).toBe(false);
  });
});

test("a file that a prompt names is not read through a link that appeared meanwhile", async () => {
  const place = trap();
  const model = scripted({ steps: [], fallback: "Done." }, { validate: "light" });
  const ask: EngineOptions["ask"] = async () => {
    place.swapFile("a.txt");
    return { behavior: "allow" };
  };
  const engine = await openOn(place, model, { settings: JSON.stringify({ permissions: { ask: ["Read"] } }), ask });
  await turn(engine, "look at @in/a.txt");
  const sent = JSON.stringify(calls(model).map(({ body }) => body));
  expect(sent).toContain("no longer leads where it led");
  expect(sent).not.toContain(secret);
});

describe("after the file of a change was found,", () => {
  test.each(["Write", "Edit"])("%s writes into no folder that was put in its place", async (tool) => {
    const box = openToolBox({ beforeChange: async () => swap() });
    const elsewhere = join(box.dependencies.home, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "a.txt"), "theirs");
    const path = box.put("in/a.txt", "mine");
    const swap = (): void => {
      renameSync(box.path("in"), box.path("moved"));
      symlinkSync(elsewhere, box.path("in"));
    };
    await box.call("Read", { file_path: path });
    const change = tool === "Write" ? { content: "changed" } : { old_string: "mine", new_string: "changed" };
    const result = await box.call(tool, { file_path: path, ...change });
    expect(textOf(result)).toContain("no longer leads where it led");
    expect(readdirSync(elsewhere)).toEqual(["a.txt"]);
    expect(readFileSync(join(elsewhere, "a.txt"), "utf8")).toBe("theirs");
  });

  test("missing folders are created only in the folder that was found", async () => {
    const box = openToolBox({ beforeChange: async () => symlinkSync(elsewhere, box.path("new")) });
    const elsewhere = join(box.dependencies.home, "elsewhere");
    mkdirSync(elsewhere);
    const result = await box.call("Write", { file_path: "new/deep/a.txt", content: "x" });
    expect(textOf(result)).toContain("no longer leads where it led");
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

// What is remembered of the files that the model has seen.
import { expect, test } from "vitest";
import { createReadFileState } from "../../src/tools/read-state.ts";

const record = { mtimeMs: 1, size: 2, hash: "h", movedFrom: 3, seenTo: 4, shown: { offset: 1, limit: null } };

test("beyond the limit, the files that were not touched for longest are forgotten", () => {
  const state = createReadFileState(2);
  for (const path of ["/a", "/b", "/a", "/c"]) state.set(path, record);
  expect(state.snapshot().map(([path]) => path)).toEqual(["/a", "/c"]);
  expect(state.recent(1)).toEqual(["/c"]);
});

test("a file counts as partly seen if its call's result did not reach the conversation", () => {
  const state = createReadFileState();
  const calls = Array.from({ length: 100 }, (_, at) => `call${at}`);
  for (const toolUseId of calls) state.set(`/${toolUseId}`, record, { toolUseId });
  state.markNotShown("call0");
  state.markNotShown("call99");
  state.markNotShown("no such call");
  const partial = state
    .snapshot()
    .flatMap(([path, seen]) => (seen.partial === true ? [[path, seen.shown, seen.seenTo]] : []));
  expect(partial).toEqual([
    ["/call0", undefined, undefined],
    ["/call99", undefined, undefined],
  ]);
});

test("a restored state knows the files that were seen, but none of them as part of the conversation", () => {
  const state = createReadFileState();
  const { shown: _shown, ...kept } = record;
  state.restore([["/a", record], ["/b", { size: 2 }], ["/c"], "/d", [7, record]]);
  expect(state.snapshot()).toEqual([["/a", kept]]);
});

test("a snapshot with all changes since restores the same as a later snapshot", () => {
  const state = createReadFileState(3);
  state.set("/a", record, { toolUseId: "call" });
  state.set("/b", record);
  const recorded: unknown[] = state.snapshot();
  state.markRecorded();
  const steps = [
    () => state.set("/c", record),
    () => state.delete("/b"),
    () => state.set("/a", { mtimeMs: 5, size: 6 }),
    () => state.recordHookChange("/c", "formatted"),
    () => state.set("/d", record, { toolUseId: "cut" }),
    () => state.markNotShown("cut"),
    () => state.set("/e", record),
    () => state.clear(),
    () => state.set("/c", record),
  ];
  for (const step of steps) {
    step();
    recorded.push(...(JSON.parse(JSON.stringify(state.listChanges())) as unknown[]));
    state.markRecorded();
    const [one, other] = [createReadFileState(3), createReadFileState(3)];
    one.restore(recorded);
    other.restore(state.snapshot());
    expect(one.snapshot()).toEqual(other.snapshot());
  }
  expect(state.listChanges()).toEqual([]);
});

test("what was restored is no change, and a file that was forgotten is one", () => {
  const state = createReadFileState();
  state.restore([["/a", record]]);
  expect(state.listChanges()).toEqual([]);
  state.delete("/b");
  state.delete("/a");
  expect(state.listChanges()).toEqual([["/a", null]]);
});

test("a restore forgets the same files as the session did, however often a file was changed between two records", () => {
  const state = createReadFileState(3);
  for (const path of ["/a", "/b", "/c"]) state.set(path, record);
  const recorded: unknown[] = state.snapshot();
  state.markRecorded();
  const turns = [
    () => state.recordHookChange("/a", "formatted"),
    () => state.set("/d", record),
    () => {
      state.set("/a", record);
      state.set("/e", record);
      state.delete("/a");
    },
  ];
  for (const turn of turns) {
    turn();
    recorded.push(...state.listChanges());
    state.markRecorded();
    const restored = createReadFileState(3);
    restored.restore(recorded);
    expect(restored.snapshot().map(([path]) => path)).toEqual(state.snapshot().map(([path]) => path));
  }
});

// What is remembered of the files that the model has seen.
import { expect, test } from "vitest";
import { createReadFileState } from "../../src/tools/read-state.ts";

const record = { mtimeMs: 1, size: 2, hash: "h", movedFrom: 3, seenTo: 4, shown: { offset: 1, limit: null } };

test("beyond a number of files the ones untouched for longest are forgotten", () => {
  const state = createReadFileState(2);
  for (const path of ["/a", "/b", "/a", "/c"]) state.set(path, record);
  expect(state.snapshot().map(([path]) => path)).toEqual(["/a", "/c"]);
  expect(state.recent(1)).toEqual(["/c"]);
});

test("what a call showed and did not come into the conversation counts as seen in part, of each of the calls that run side by side", () => {
  const state = createReadFileState();
  const calls = Array.from({ length: 100 }, (_, at) => `call${at}`);
  for (const toolUseId of calls) state.set(`/${toolUseId}`, record, { toolUseId });
  state.notShown("call0");
  state.notShown("call99");
  state.notShown("no such call");
  const partial = state
    .snapshot()
    .flatMap(([path, seen]) => (seen.partial === true ? [[path, seen.shown, seen.seenTo]] : []));
  expect(partial).toEqual([
    ["/call0", undefined, undefined],
    ["/call99", undefined, undefined],
  ]);
});

test("a session that is taken up again knows what was seen, and that nothing of it is in the conversation", () => {
  const state = createReadFileState();
  const { shown: _shown, ...kept } = record;
  state.restore([["/a", record], ["/b", { size: 2 }], ["/c"], "/d", [7, record]]);
  expect(state.snapshot()).toEqual([["/a", kept]]);
});

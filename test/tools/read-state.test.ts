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

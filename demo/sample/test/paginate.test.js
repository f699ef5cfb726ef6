import assert from "node:assert/strict";
import { test } from "node:test";
import { pageCount, pageOf } from "../src/paginate.js";

test("a last page that is not full is a page", () => {
  assert.equal(pageCount(10, 5), 2);
  assert.equal(pageCount(11, 5), 3);
  assert.equal(pageCount(0, 5), 0);
});

test("pages count from 1", () => {
  assert.deepEqual(pageOf(["a", "b", "c"], 1, 2), ["a", "b"]);
  assert.deepEqual(pageOf(["a", "b", "c"], 2, 2), ["c"]);
});

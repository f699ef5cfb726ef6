import { describe, expect, test } from "vitest";
import { loadOnce } from "../../src/lib/load-once.ts";

function failingOnce(): { load: () => Promise<number>; times: () => number } {
  let times = 0;
  return {
    load: () => (++times === 1 ? Promise.reject(new Error("EMFILE")) : Promise.resolve(times)),
    times: () => times,
  };
}

describe("loadOnce", () => {
  test("loads a module once, also for callers that ask before it is loaded", async () => {
    let times = 0;
    const load = loadOnce(() => Promise.resolve(++times));
    expect(await Promise.all([load(), load()])).toEqual([1, 1]);
    expect(await load()).toBe(1);
  });

  test("loads a module again after a failure", async () => {
    const { load, times } = failingOnce();
    const once = loadOnce(load);
    const both = await Promise.allSettled([once(), once()]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(times()).toBe(1);
    expect(await once()).toBe(2);
    expect(await once()).toBe(2);
  });
});

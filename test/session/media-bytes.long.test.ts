// More bytes of pictures than a request may have: the server refuses a body over 32 MB, and none is.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Reply } from "../../src/testing/index.ts";
import { noise, plainPng } from "../support/pictures.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

test("drops old images beyond 32 MB in one step, goes on, and can be resumed", async () => {
  const count = 12;
  const picture = plainPng(1_280, 960, noise);
  const ground = layGround();
  for (let at = 0; at < count; at++) writeFileSync(join(ground.work, `${at}.png`), picture);
  const look = (at: number): Reply => ({
    content: [{ thinking: "hm" }, { tool: "Read", input: { file_path: `${at}.png` } }],
  });
  const steps = [...Array.from({ length: count }, (_, at) => look(at)), "Seen."];
  const { engine, model } = await openSession({ steps }, {}, ground);
  const { result } = await turn(engine, "Look at all of them.");
  expect(result).toMatchObject({ subtype: "success", result: "Seen." });
  expect(model.violations).toEqual([]);
  const images = calls(model).map(({ body }) => JSON.stringify(body).split('"type":"image"').length - 1);
  expect(images.filter((held, at) => at > 0 && held < images[at - 1]!)).toHaveLength(2);
  await engine.dispose();
  const again = await openSession({ fallback: "Still here." }, { resume: engine.getSessionId() }, ground);
  expect((await turn(again.engine, "And now?")).result).toMatchObject({ result: "Still here." });
  expect(JSON.stringify(calls(again.model)[0]!.body).split('"type":"image"').length - 1).toBe(images.at(-1));
}, 120_000);

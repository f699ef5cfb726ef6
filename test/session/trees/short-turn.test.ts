// A turn that is over, because somebody stops it, before what looks at the working folders has been loaded.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { keepTrees, makePlace, type Kept, type Place } from "./support.ts";

let place: Place | undefined;
let kept: Kept | undefined;

afterEach(() => {
  kept?.transcript.close();
  place?.remove();
});

// Seen: its end and its beginning waited for each other, and the session for both: it could not be closed.
test("a short turn ends, and later changes by others do not count as its own", async () => {
  place = makePlace();
  const file = join(place.work, "a");
  writeFileSync(file, "old\n");
  kept = keepTrees(place);
  const { checkpoints } = kept;
  const uuid = kept.prompt();
  const taking = checkpoints.beforeAnything();
  checkpoints.endTurn(false);
  await taking;
  await checkpoints.settled();
  writeFileSync(file, "the user's\n");
  await checkpoints.rewind(uuid);
  expect(readFileSync(file, "utf8")).toBe("the user's\n");
});

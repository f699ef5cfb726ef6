// Filters of jq that show the environment are asked about.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

test.each(["jq -n '$ENV'", "jq -n '$ ENV'", "jq -n '$\nENV|keys'", "jq -n '$#x\nENV'", "jq '$ __loc__' a"])(
  "a jq filter that shows the environment is asked about, even if $ and the name are apart: %s",
  async (command) => {
    expect(await bash(make(place), place.cwd, command)).toBe("ask");
  },
);

test.each(["jq .ENV a", "jq '.a as $e | $e' a", "jq 'select(.a | test(\"x$\"))' a", "jq '[.[] | .b] # all' a"])(
  "a jq filter that shows no environment is allowed: %s",
  async (command) => {
    expect(await bash(make(place), place.cwd, command)).toBe("allow");
  },
);

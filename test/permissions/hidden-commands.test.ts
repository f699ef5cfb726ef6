// Commands that a deny rule has to find: with the real shell, so that each of them runs.
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

const ran = (command: string): boolean => {
  execFileSync("bash", ["-c", `${command}\n:`], { cwd: place.cwd, stdio: "ignore" });
  const isThere = existsSync(join(place.cwd, "made"));
  rmSync(join(place.cwd, "made"), { force: true });
  return isThere;
};
const deny = ["Bash(touch *)"];

test.each([
  "cat <(cat <<'E'\nx\nE); touch made; : <(cat\nE\n)",
  'echo "$(cat <<\'E\'\nx\nE)" $(touch made) "$(cat\nE\n)"',
  "cat <<E\n$\\\n(touch made)\nE",
  "a[0]=1 touch made",
  'a["x y"]=1 touch made',
  "mapfile -C 'touch made #' -c 1 <<< x",
  "compgen -C 'touch made;'",
  "mapfile -C mapfile -C 'touch made #' -c 1 <<< x",
])("%j is denied in every mode", async (command) => {
  for (const mode of ["default", "bypassPermissions"] as const)
    expect(await bash(make(place, { mode, deny, allow: ["Bash"] }), place.cwd, command), mode).toBe("deny");
  expect(ran(command)).toBe(true);
});

test.each(["/*/to?ch made", "/bin/to?ch made", "source <(echo touch made)"])(
  "%j cannot be told from it",
  async (command) => {
    expect(await bash(make(place, { deny, allow: ["Bash"] }), place.cwd, command)).toBe("ask");
    expect(ran(command)).toBe(true);
  },
);

test.each([". venv/bin/activate", "mapfile -t x < f", "git commit -m \"$(cat <<'EOF'\nfix (x)\n\nEOF\n)\""])(
  "%j is no such command",
  async (command) => {
    expect(await bash(make(place, { deny, allow: ["Bash"] }), place.cwd, command)).toBe("allow");
  },
);

// Before bash 4, as on macOS, a quote in a here-document or comment inside a substitution hides its end: later text is run.
import { afterAll, beforeAll, expect, test } from "vitest";
import { runsInOldBash } from "../../src/tools/shell/configured-shell.ts";
import { bash, call, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

const limits = { isOld: true };
const commit = (message: string) => `git commit -m "$(cat <<'EOF'\n${message}\nEOF\n)"`;
const allow = ["Bash(git commit:*)"];

test.each([
  `echo "$(cat <<'E'\n'\nE\n)"; echo ')"; ./evil.sh #'`,
  `echo "$(cat <<E\n'\nE\n)"; echo ')"; ./evil.sh #'`,
  `echo "$(cat <<\\E\n'\nE\n)"; echo ')"; ./evil.sh #'`,
  `echo "$(cat a.txt # '\n)"; echo ')"; ./evil.sh #'`,
  `echo "$(cat <<'E'\n\`\nE\n)"; echo '\`)"; ./evil.sh #'`,
  `cat <(cat <<'E'\n"\nE\n); echo "); ./evil.sh #"`,
  `cat <(cat <<'E'\n)\nE\n); ls`,
])(
  "a line that an old bash may end elsewhere is asked about, and denied if a rule may forbid it: %s",
  async (command) => {
    expect(await bash(make(place, { limits }), place.cwd, command)).toBe("ask");
    const deny = ["Bash(./evil.sh:*)"];
    expect(await bash(make(place, { limits, deny, mode: "bypassPermissions" }), place.cwd, command)).not.toBe("allow");
  },
);

test.each(["Mend x", 'Mend "x" (#12)\n\n- `a` and (b)\n# c', "Don't, can't", "$5 & <b>"])(
  "a line that old and new bash read alike is allowed: %s",
  async (message) => {
    expect(await bash(make(place, { limits, allow }), place.cwd, commit(message))).toBe("allow");
  },
);

test("a denial says that an old bash reads the line differently", async () => {
  const permissions = make(place, { limits, allow });
  const decision = await call(permissions, place.cwd, "Bash", { command: commit("It's x (a") });
  expect(decision).toMatchObject({ message: expect.stringContaining("an old bash ends a substitution in it") });
});

test("a newer bash is asked about nothing more", async () => {
  for (const message of ["It's x", "a (b"])
    expect(await bash(make(place, { allow }), place.cwd, commit(message))).toBe("allow");
  expect(await bash(make(place, { limits }), place.cwd, "cat <<'E'\nit's\nE\n")).toBe("allow");
});

test("old bash is assumed on macOS unless another shell is chosen", () => {
  expect(runsInOldBash({}, "darwin")).toBe(true);
  expect(runsInOldBash({}, "linux")).toBe(false);
  expect(runsInOldBash({ CLAUDE_CODE_SHELL: "/bin/sh" }, "darwin")).toBe(true);
  expect(runsInOldBash({ CLAUDE_CODE_SHELL: "/bin/dash" }, "darwin")).toBe(false);
});

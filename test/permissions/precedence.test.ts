// deny beats ask, and ask beats allow, whichever file or flag a rule comes from, in any order and mode, and whatever hooks say.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { diskPaths } from "../../src/permissions/paths/path-forms.ts";
import { createPermissions } from "../../src/permissions/permissions.ts";
import type { RuleBehavior } from "../../src/permissions/rules/rule.ts";
import { permissionModes } from "../../src/protocol/permission.ts";
import { makePlace, never, verdict, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

/** A call, rules that mean it, and rules that do not. */
const calls = [
  {
    tool: "Bash",
    input: { command: "frob --all x" },
    hits: ["Bash", "Bash(*)", "Bash(frob *)", "Bash(frob --all x)", "Bash(frob:*)"],
    misses: ["Bash(fro)", "Bash(frobx *)", "Read", "mcp__s"],
  },
  {
    tool: "WebFetch",
    input: { url: "https://a.example/x" },
    hits: ["WebFetch", "WebFetch(domain:a.example)", "WebFetch(domain:*.example)"],
    misses: ["WebFetch(domain:b.example)", "WebFetch(domain:*.test)", "WebSearch", "Bash"],
  },
  {
    tool: "mcp__s__t",
    input: {},
    hits: ["mcp__s", "mcp__s__*", "mcp__s__t"],
    misses: ["mcp__t", "mcp__s__u", "Bash(frob *)"],
  },
  {
    tool: "Write",
    input: { file_path: "src/new.ts" },
    hits: ["Write", "Edit(src/**)", "Edit(./src/new.ts)"],
    misses: ["Edit(lib/**)", "Bash", "Edit(new.js)"],
  },
];
const sources = [
  "/etc/pawl/managed-settings.json",
  "--settings",
  "/home/u/.pawl/settings.json",
  "/repo/.claude/settings.json",
];

test("deny beats ask and ask beats allow for random rules from random sources", async () => {
  const drawn = fc.constantFrom(...calls).chain((call) =>
    fc.record({
      call: fc.constant(call),
      rules: fc.array(
        fc.record({
          rule: fc.constantFrom(...call.hits, ...call.misses),
          behavior: fc.constantFrom<RuleBehavior>("allow", "ask", "deny"),
          source: fc.constantFrom(...sources),
        }),
        { maxLength: 6 },
      ),
      mode: fc.constantFrom(...permissionModes),
      isHooked: fc.boolean(),
    }),
  );
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(drawn, async ({ call, rules, mode, isHooked }) => {
      const of = (behavior: RuleBehavior) => rules.filter((rule) => rule.behavior === behavior);
      const permissions = createPermissions({
        mode,
        rules: { allow: of("allow"), ask: of("ask"), deny: of("deny") },
        cwd: place.cwd,
        home: place.home,
        headless: true,
        clock: never,
        reader: diskPaths,
      });
      const { input } = call;
      const full = "file_path" in input ? { file_path: `${place.cwd}/${input.file_path}` } : input;
      const hook = isHooked ? { hookDecision: { behavior: "allow" as const } } : {};
      const found = await verdict(permissions, place.cwd, call.tool, full, hook);
      const isHit = (behavior: RuleBehavior): boolean => of(behavior).some(({ rule }) => call.hits.includes(rule));
      seen.add(`${found} ${mode}`);
      if (isHit("deny")) expect(found).toBe("deny");
      else if (mode === "plan") expect(found).toBe("deny");
      else if (isHit("ask")) expect(found).toBe("ask");
      else if (isHit("allow") || isHooked || mode === "bypassPermissions") expect(found).toBe("allow");
    }),
    { numRuns: 250 },
  );
  expect(seen.size).toBeGreaterThan(9);
});

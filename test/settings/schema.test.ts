// The schema for editors says the same as the checks of settings files.
import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Json } from "../../src/lib/json.ts";
import { keyRules } from "../../src/settings/keys.ts";
import { readLayer, type Layer } from "../../src/settings/layer.ts";
import { settingsSchema } from "../../src/settings/schema.ts";
import { describeCorpus } from "../support/corpus.ts";

const validator = new Validator(settingsSchema(), "7", false);
const isFit = (value: unknown): boolean => validator.validate(value).valid;
const read = (text: string): Layer =>
  readLayer(text, { name: "s", origin: "policy", folder: "/s" }, { home: "/home", cwd: "/work" });
/** What is said of values: not of keys that nobody knows, or that nothing is done with. */
function complaints({ problems }: Layer): string[] {
  const ofValues = problems.filter(
    ({ text }) => !/does not act on|cannot enforce|is not a (?:known )?setting|counts for the models/u.test(text),
  );
  return ofValues.map(({ text }) => text);
}

test("the committed schema is up to date (node bin/pawl.js config schema > schema/settings.json)", () => {
  const committed = readFileSync(join(import.meta.dirname, "../../schema/settings.json"), "utf8");
  expect(committed).toBe(`${JSON.stringify(settingsSchema(), null, 2)}\n`);
});

test("the check of each key and its schema accept the same values", () => {
  const likely = fc.constantFrom<Json>(
    "",
    " ",
    "opus",
    "5m",
    "high",
    true,
    0,
    1,
    7,
    100_000,
    5_000,
    1.5,
    [],
    ["a"],
    [""],
    [1],
  );
  fc.assert(
    fc.property(fc.oneof(likely, fc.jsonValue() as fc.Arbitrary<Json>), (value) => {
      for (const [key, rule] of Object.entries(keyRules))
        expect([key, isFit({ [key]: value })]).toEqual([key, rule.accepts(value)]);
    }),
    { numRuns: 60 },
  );
});

test.each([
  { permissions: { deny: ["Bash"], defaultMode: "manual" }, env: { A: "1" }, unknown: 1, tui: 2 },
  { permissions: { deny: "Bash" } },
  { permissions: { allow: [7] } },
  { permissions: [] },
  { permissions: { defaultMode: "auto" } },
  { permissions: { additionalDirectories: [" "] } },
  { env: { "A B": "1" } },
  { env: { A: 1, B: true } },
  { env: { A: null } },
  { env: { A: [1] } },
  { models: 1 },
  { aliases: [] },
  { modelPricing: { overrides: { m: { input: 1, output: 2 } } } },
  { modelPricing: { overrides: { m: { input: 1 } } } },
  { modelPricing: { overrides: { m: { output: 2 } } } },
  { modelPricing: { overrides: { m: { input: 1, output: 2 }, n: { input: 1 } } } },
  { claudeMdExcludes: ["/x/**", 1] },
  { modelPricing: { multiplier: 0 } },
  { statusLine: { type: "command", command: "x", padding: 0, refreshInterval: 0.5, hideVimModeIndicator: true } },
  { statusLine: { type: "command", command: "x", padding: -2.5, colour: "red" } },
  { statusLine: { type: "command", command: "x", padding: "2" } },
  { statusLine: { type: "command", command: "x", refreshInterval: 0 } },
  { statusLine: { type: "command", command: " " } },
  { statusLine: { type: "shell", command: "x" } },
  { statusLine: { command: "x" } },
  { statusLine: {} },
  { statusLine: "x" },
  { allowedMcpServers: [{}] },
  { deniedMcpServers: [{ serverUrl: "https://x/*", more: 1 }] },
  { sandbox: { excludedCommands: [" "] } },
  { sandbox: { bwrapPath: "bwrap" } },
  { sandbox: { bwrapPath: "~/bin/bwrap", socatPath: "/usr/bin/socat" } },
  { sandbox: { network: { allowedDomains: ["https://x"] } } },
  { sandbox: { network: { allowedDomains: ["*.example.com", "localhost", "[::1]"] } } },
  { sandbox: { filesystem: { denyRead: [""] } } },
  { sandbox: { ignoreViolations: { npm: [""] } } },
  { sandbox: { credentials: { files: [{ path: "~/x", mode: "deny" }], envVars: [{ name: "TOKEN" }] } } },
  { sandbox: { credentials: { files: ["~/x"] } } },
  { sandbox: { credentials: { envVars: [{ name: 1 }] } } },
  { sandbox: { credentials: { envVars: [{ name: "TOKEN" }, { name: "" }] } } },
])("the checks of nested keys and the schema agree on %j", (value) => {
  expect(isFit(value)).toBe(complaints(read(JSON.stringify(value))).length === 0);
});

describeCorpus(
  "settings",
  (name) => name.endsWith(".json"),
  (files) => {
    test("every file is read, and its checks and the schema agree", () => {
      expect(files.length).toBeGreaterThan(50);
      for (const { path: name, text } of files) {
        const layer = read(text);
        expect(
          layer.problems.filter(({ key }) => key === undefined),
          name,
        ).toEqual([]);
        // Whether hooks are sound is the hook room's to say.
        const { hooks: _hooks, ...rest } = JSON.parse(text) as Record<string, unknown>;
        expect([name, isFit(rest)]).toEqual([name, complaints(layer).length === 0]);
      }
    });
  },
);

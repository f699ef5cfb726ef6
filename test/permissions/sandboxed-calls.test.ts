// What the sandbox says about a call, besides modes, rules and hooks; and what a person is asked about its network.
import { afterAll, describe, expect, test } from "vitest";
import type { PermissionAnswer, PermissionRequest } from "../../src/protocol/permission.ts";
import type { Confinement } from "../../src/protocol/sandbox.ts";
import { call, make, makePlace, type Setup } from "./support.ts";

const place = makePlace();
afterAll(() => place.remove());

const all: Setup[] = [
  { mode: "bypassPermissions" },
  { allow: ["Bash"] },
  { mode: "acceptEdits" },
  { ask: async (): Promise<PermissionAnswer> => ({ behavior: "allow" }), headless: false, allow: ["Bash(touch *)"] },
];

async function decided(confinement: Confinement, setup: Setup, command = "touch x") {
  const permissions = make(place, { ...setup, confinementOf: () => confinement });
  return await call(permissions, place.cwd, "Bash", { command }, { hookDecision: { behavior: "allow" } });
}

describe("a call that asks to leave the sandbox", () => {
  test("is denied in every mode if the settings forbid it, whatever allows it", async () => {
    for (const setup of all)
      expect(await decided({ kind: "refused" }, setup)).toMatchObject({
        behavior: "deny",
        message: expect.stringContaining("sandbox.allowUnsandboxedCommands"),
      });
  });

  test("is asked about in every mode if the settings permit it, whatever allows it", async () => {
    for (const setup of all) {
      const asked: PermissionRequest[] = [];
      const ask = async (request: PermissionRequest): Promise<PermissionAnswer> => {
        asked.push(request);
        return { behavior: "deny", message: "No." };
      };
      expect(await decided({ kind: "leaving" }, { ...setup, headless: false, ask })).toMatchObject({
        behavior: "deny",
      });
      expect(asked).toHaveLength(1);
    }
  });
});

test("a confined command runs unasked if the settings say so, but never against a deny rule", async () => {
  const free: Confinement = { kind: "confined", isFree: true };
  expect(await decided(free, {}, "make all")).toMatchObject({ behavior: "allow" });
  expect(await decided(free, { deny: ["Bash(make *)"] }, "make all")).toMatchObject({ behavior: "deny" });
  const judged = make(place, { confinementOf: () => ({ kind: "confined", isFree: false }) });
  expect((await call(judged, place.cwd, "Bash", { command: "make all" })).behavior).toBe("deny");
});

test("a question about a host suggests its rule, and is not asked in bypassPermissions or after the end", async () => {
  const asked: PermissionRequest[] = [];
  const ask = async (request: PermissionRequest): Promise<PermissionAnswer> => {
    asked.push(request);
    return { behavior: "allow" };
  };
  const question = { host: "a.test", port: 443, command: "curl a.test", toolUseId: "toolu_1", cwd: place.cwd };
  const still = new AbortController().signal;
  expect(await make(place, { headless: false, ask }).askAboutHost(question, still)).toMatchObject({
    behavior: "allow",
  });
  expect(asked).toMatchObject([{ input: { host: "a.test", port: 443, command: "curl a.test" } }]);
  const alone = await make(place).askAboutHost(question, still);
  expect(alone).toMatchObject({ behavior: "deny", message: expect.stringContaining("WebFetch(domain:a.test)") });
  const open = make(place, { headless: false, ask, mode: "bypassPermissions" });
  expect(await open.askAboutHost(question, still)).toMatchObject({ behavior: "deny" });
  expect(await make(place, { headless: false, ask }).askAboutHost(question, AbortSignal.abort())).toMatchObject({
    behavior: "deny",
  });
  expect(asked).toHaveLength(1);
});

// Tools whose calls a person must answer: nothing else allows them, except a hook that supplies the answer itself.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HookPermissionAnswer } from "../../src/protocol/hook.ts";
import { permissionModes, type PermissionAnswer } from "../../src/protocol/permission.ts";
import { call, make, makePlace, verdict, type Place, type Setup } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

const needsPerson = (tool: string) => tool === "Ask";
const input = { question: "Which?" };
const judged = (setup: Setup, hookDecision?: Parameters<typeof call>[4]) =>
  verdict(make(place, { needsPerson, ...setup }), place.cwd, "Ask", input, { isReadOnly: true, ...hookDecision });

describe("a tool that needs a person", () => {
  test.each(permissionModes)("is asked about in the mode %s, whatever rules allow", async (mode) => {
    expect(await judged({ mode, allow: ["Ask"] })).toBe("ask");
    expect(await judged({ mode, allow: ["Ask"] }, { hookDecision: { behavior: "allow" } })).toBe("ask");
    expect(await verdict(make(place, { needsPerson, mode, allow: ["Other"] }), place.cwd, "Other", {})).toBe(
      mode === "plan" ? "deny" : "allow",
    );
  });

  test("is allowed by a hook that supplies the input, but not against a rule", async () => {
    const hook = { hookDecision: { behavior: "allow" as const, reason: "known", givesInput: true as const } };
    expect(await judged({}, hook)).toBe("allow");
    expect(await judged({ askRules: ["Ask"] }, hook)).toBe("ask");
    expect(await judged({ deny: ["Ask"] }, hook)).toBe("deny");
  });

  test("is not put to the judge of auto mode", async () => {
    const classify = () => Promise.reject(new Error("asked"));
    const ask = async (): Promise<PermissionAnswer> => ({ behavior: "allow" });
    const permissions = make(place, { needsPerson, mode: "auto", classify, ask });
    const decision = await call(permissions, place.cwd, "Ask", input, { isReadOnly: true });
    expect(decision).toMatchObject({ behavior: "allow", reason: { type: "user" } });
  });

  test("is answered by a hook that supplies the input, and otherwise by the person", async () => {
    const ask = async (): Promise<PermissionAnswer> => ({ behavior: "deny", message: "mine to say" });
    const asked = async (answer: HookPermissionAnswer) => {
      const permissions = make(place, { needsPerson, ask, beforeAsking: async () => answer });
      return await call(permissions, place.cwd, "Ask", input, { isReadOnly: true });
    };
    expect(await asked({ behavior: "allow" })).toMatchObject({ behavior: "deny", reason: { type: "user" } });
    const answered = { ...input, answer: "this" };
    expect(await asked({ behavior: "allow", updatedInput: answered })).toMatchObject({ updatedInput: answered });
    expect(await asked({ behavior: "allow", updatedInput: input })).toMatchObject({ behavior: "allow" });
  });

  test("is the only kind a hook may answer: what an ask rule matches stays a person's", async () => {
    const ask = async (): Promise<PermissionAnswer> => ({ behavior: "deny" });
    const beforeAsking = async () => ({ behavior: "allow" as const, updatedInput: input });
    const permissions = make(place, { needsPerson, ask, beforeAsking, askRules: ["Ask", "Bash(ls)"] });
    for (const [tool, given] of [["Ask", input] as const, ["Bash", { command: "ls" }] as const])
      expect(await call(permissions, place.cwd, tool, given)).toMatchObject({
        behavior: "deny",
        reason: { type: "user" },
      });
  });

  test("is denied with a reason if nobody can be asked", async () => {
    const decision = await call(make(place, { needsPerson }), place.cwd, "Ask", input, { isReadOnly: true });
    expect(decision).toMatchObject({
      behavior: "deny",
      message:
        "Permission denied: Ask: each call of this tool is for a person to answer, and nobody can be asked in a headless run. No flag allows it.",
    });
  });
});

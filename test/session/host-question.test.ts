// A permission question as the host of a session is told it, and what may be in its answer.
import { describe, expect, test } from "vitest";
import { hostQuestion, mayEnter, readHostAnswer } from "../../src/session/convention/host-question.ts";
import { permissionModes, type PermissionQuestion, type PermissionUpdate } from "../../src/protocol/permission.ts";

const base: PermissionQuestion = {
  toolName: "Write",
  toolUseId: "toolu_1",
  input: { file_path: "/a/b" },
  reason: { type: "mode", mode: "default" },
  subjects: [{ kind: "write", path: "/a/b" }],
  isReadOnly: false,
  cwd: "/a",
  key: "k",
};
const asked = (more: Partial<PermissionQuestion>) => hostQuestion({ ...base, ...more });
const edits = { type: "setMode", mode: "acceptEdits", destination: "session" };

describe("a permission question for the host", () => {
  test("names the blocked path if a path is what is asked about, for reading or writing", () => {
    const subjects = [{ kind: "tool" as const }, { kind: "read" as const, path: "/x" }];
    for (const type of ["workingDirectory", "safety"] as const) {
      expect(asked({ reason: { type, text: "t" } }).blockedPath).toBe("/a/b");
      expect(asked({ reason: { type, text: "t" }, subjects }).blockedPath).toBe("/x");
      expect(asked({ reason: { type, text: "t" }, subjects: [{ kind: "tool" }] })).not.toHaveProperty("blockedPath");
    }
    expect(asked({})).not.toHaveProperty("blockedPath");
    expect(asked({ reason: { type: "hook", text: "t" } })).not.toHaveProperty("blockedPath");
  });

  test("suggests acceptEdits if only the mode asks about edits, and the suggested rule", () => {
    expect(asked({}).suggestions).toEqual([edits]);
    expect(asked({ subjects: [] }).suggestions).toEqual([]);
    expect(asked({ subjects: [...base.subjects, { kind: "tool" }] }).suggestions).toEqual([]);
    expect(asked({ reason: { type: "safety", text: "t" } }).suggestions).toEqual([]);
    const rule = { toolName: "Bash", ruleContent: "npm test *" };
    expect(asked({ subjects: [{ kind: "tool" }], suggestedRule: "Bash(npm test *)" }).suggestions).toEqual([
      { type: "addRules", rules: [rule], behavior: "allow", destination: "session" },
    ]);
    const two = [rule, { toolName: "Bash", ruleContent: "node t.js" }];
    const ofLine = { suggestedRule: "Bash(npm test; node t.js)", suggestedRules: two };
    expect(asked({ subjects: [{ kind: "tool" }], ...ofLine }).suggestions).toMatchObject([{ rules: two }]);
    expect(asked({ subjects: [{ kind: "tool" }], suggestedRule: "mcp__a__b" }).suggestions).toMatchObject([
      { rules: [{ toolName: "mcp__a__b" }] },
    ]);
  });

  test("names the ask rule that matched, and the call's description", () => {
    const reason = { type: "rule", rule: "Edit(/b)", source: "s" } as const;
    expect(
      asked({ reason, input: { description: "why" }, agentId: "a1", requiresUserInteraction: true }),
    ).toMatchObject({
      matchedAskRule: { source: "s", toolName: "Edit", ruleContent: "/b" },
      description: "why",
      agentId: "a1",
      requiresUserInteraction: true,
    });
    const plain = asked({ input: { description: 5 } });
    for (const key of ["matchedAskRule", "description", "agentId", "requiresUserInteraction"])
      expect(plain).not.toHaveProperty(key);
  });
});

function read(answer: Record<string, unknown>, mayBypass = false) {
  const notices: string[] = [];
  return { read: readHostAnswer(answer, mayBypass, (text) => void notices.push(text)), notices };
}

describe("the host's answer to a permission question", () => {
  test("may deny with a message and end the turn", () => {
    expect(read({ behavior: "deny", message: "no", interrupt: true }).read).toEqual({
      behavior: "deny",
      message: "no",
      interrupt: true,
    });
    expect(read({ behavior: "deny", message: 5, interrupt: "yes", updatedInput: {} }).read).toEqual({
      behavior: "deny",
    });
  });

  test.each([{}, { behavior: "ask" }, { behavior: "Allow" }, { behavior: "allow", updatedInput: "x" }])(
    "%j is invalid, and the call is refused",
    (answer) => {
      expect(() => read(answer)).toThrow(/^the client answered /u);
    },
  );

  test("may change the input when it allows", () => {
    expect(read({ behavior: "allow", updatedInput: { a: 1 } }).read).toEqual({
      behavior: "allow",
      updatedInput: { a: 1 },
    });
    for (const updatedInput of [null, undefined])
      expect(read({ behavior: "allow", updatedInput, updatedPermissions: "x" }).read).toEqual({ behavior: "allow" });
  });

  test("may update permissions, but not enter bypassPermissions unless the session may", () => {
    const rule: PermissionUpdate = {
      type: "addRules",
      rules: [{ toolName: "Bash" }],
      behavior: "allow",
      destination: "session",
    };
    const mode = (name: string) => ({ type: "setMode", mode: name, destination: "session" });
    const updatedPermissions = [mode("bypassPermissions"), rule, mode("plan"), { type: "grantAll" }, mode("wat")];
    const odd = [7, [], ["ls"], {}].map((ruleContent) => ({ ...rule, rules: [{ toolName: "Bash", ruleContent }] }));
    expect(read({ behavior: "allow", updatedPermissions: odd }).read).toEqual({ behavior: "allow" });
    const { read: answer, notices } = read({ behavior: "allow", updatedPermissions });
    expect(answer).toEqual({ behavior: "allow", updates: [rule, mode("plan")] });
    expect(notices).toEqual([
      expect.stringContaining("bypassPermissions is only for a session that was started with"),
      expect.stringContaining("was ignored"),
      expect.stringContaining("was ignored"),
    ]);
    expect(read({ behavior: "allow", updatedPermissions: [mode("bypassPermissions")] }, true)).toEqual({
      read: { behavior: "allow", updates: [mode("bypassPermissions")] },
      notices: [],
    });
  });

  // Seen: Python's SDK writes it so, and was asked again each time.
  test("may have null for absent fields of an update or its rules", () => {
    const rules = (ruleContent?: null) => [{ toolName: "Bash", ...(ruleContent === null ? { ruleContent } : {}) }];
    const rule = { type: "addRules", behavior: "allow", destination: "session" };
    const mode = { type: "setMode", mode: "plan", destination: "session" };
    const given = [
      { ...rule, rules: rules(null) },
      { ...mode, rules: null, directories: null },
    ];
    const { read: answer, notices } = read({ behavior: "allow", updatedPermissions: given });
    expect(answer).toEqual({ behavior: "allow", updates: [{ ...rule, rules: rules() }, mode] });
    expect(notices).toEqual([]);
  });

  test("may switch to every mode, and to bypassPermissions only if the session may", () => {
    const open = permissionModes.filter((mode) => mode !== "bypassPermissions");
    expect(open.filter((mode) => !mayEnter(mode, false))).toEqual([]);
    expect([mayEnter("bypassPermissions", false), mayEnter("bypassPermissions", true)]).toEqual([false, true]);
    expect(mayEnter("wat", true)).toBe(false);
  });
});

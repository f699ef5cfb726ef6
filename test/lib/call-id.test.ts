// Ids of calls in a form that the API takes, and back.
import fc from "fast-check";
import { expect, test } from "vitest";
import { originalCallId, sendableCallId } from "../../src/lib/call-id.ts";

test("every call id is restored unchanged, and different ids stay different", () => {
  const odd = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.constantFrom("functions.Bash:0", "call_1__thought__Ci+/=", "given-", "given-eA", "toolu_1"),
  );
  fc.assert(
    fc.property(odd, odd, (id, other) => {
      const sendable = sendableCallId(id);
      expect(sendable).toMatch(/^[a-zA-Z0-9_-]+$/);
      expect(originalCallId(sendable)).toBe(id);
      expect(sendable === sendableCallId(other)).toBe(id === other);
    }),
  );
});

test("an id that the API accepts stays as it is, and an id that only starts like an encoded one is not decoded", () => {
  expect(sendableCallId("toolu_01A-b")).toBe("toolu_01A-b");
  for (const id of ["given-!", "given-_w", "given-x_2"]) expect(originalCallId(id)).toBe(id);
});

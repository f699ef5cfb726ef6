// Whether what a hook answers is what a server asked for.
import { expect, test } from "vitest";
import { elicitationMisfit } from "../../src/session/hooks/elicitation-fit.ts";

const requestedSchema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2, maxLength: 5 },
    age: { type: "integer", minimum: 1 },
    share: { type: "number", maximum: 1 },
    agrees: { type: "boolean", default: false },
    size: { type: "string", enum: ["s", "m"] },
    titled: { type: "string", oneOf: [{ const: "a", title: "A" }] },
    mail: { type: "string", format: "email" },
    day: { type: "string", format: "date" },
    at: { type: "string", format: "date-time" },
    page: { type: "string", format: "uri" },
    colour: { type: "string", format: "hex" },
    several: { type: "array", items: { type: "string", enum: ["x", "y"] }, maxItems: 1 },
  },
  required: ["name", "agrees"],
};

test.each<[content: Record<string, unknown> | undefined, wrong: string | undefined]>([
  [{ name: "Ada" }, undefined],
  [{ name: "Ada", age: 3, share: 0.5, agrees: true, size: "m", titled: "a", several: ["x"], more: "z" }, undefined],
  [undefined, "name is missing"],
  [{ agrees: true }, "name is missing"],
  [{ name: 3 }, "name is of the type number, not string"],
  [{ name: "A" }, "name is below the minimum (2)"],
  [{ name: "Adaaaa" }, "name is above the maximum (5)"],
  [{ name: "Ada", age: 1.5 }, "age is not a whole number"],
  [{ name: "Ada", age: 0 }, "age is below the minimum (1)"],
  [{ name: "Ada", share: 2 }, "share is above the maximum (1)"],
  [{ name: "Ada", agrees: "yes" }, "agrees is of the type string, not boolean"],
  [{ name: "Ada", size: "l" }, "size is none of the choices"],
  [{ name: "Ada", titled: "A" }, "titled is none of the choices"],
  [{ name: "Ada", several: ["z"] }, "several is none of the choices"],
  [{ name: "Ada", several: ["x", "y"] }, "several is above the maximum (1)"],
  [{ name: "Ada", several: [1] }, "several is a list with items that are not texts"],
  [{ name: "Ada", mail: "ada@example.com", day: "2028-02-29", at: "2026-02-28T10:00:00.5+01:00" }, undefined],
  [{ name: "Ada", page: "mailto:ada@example.com", colour: "red" }, undefined],
  [{ name: "Ada", at: "2026-02-28 10:00:00Z" }, undefined],
  [{ name: "Ada", mail: "ada" }, "mail is not an email address such as ada@example.com"],
  [{ name: "Ada", day: "2027-02-29" }, "day is not a date such as 2026-01-31"],
  [{ name: "Ada", at: "2026-02-28T10:00:00" }, "at is not a date with time and zone such as 2026-01-31T09:30:00Z"],
  [{ name: "Ada", page: "example.com" }, "page is not a URL with a scheme such as https://example.com"],
  [{ name: "Ada", more: { deep: 1 } }, "more is not a text, number, boolean or list"],
])("an answer of %j is judged: %s", (content, wrong) => {
  expect(elicitationMisfit(content, { requestedSchema })).toBe(wrong);
});

test.each([{}, { properties: [] }, { properties: { name: 3 }, required: "name" }])(
  "an unusable schema accepts any answer: %j",
  (schema) => expect(elicitationMisfit({ name: "Ada" }, { requestedSchema: schema })).toBeUndefined(),
);

// A line is written in pieces, and equals the JSON of the whole record.
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonLine } from "../../src/lib/json-line.ts";
import type { RunNote } from "../../src/protocol/record.ts";
import { isLineLongerThan, lineBytes, lineText } from "../../src/transcript/line-bytes.ts";
import { factLine, messageLine, type CommonFields } from "../../src/transcript/record.ts";
import { user } from "./support.ts";

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom('"', "\\", "\n", "\u0000", "\u0085", "\u2028", "\u2029", "ÿ", "ж", "\ud83d", "\udc3e", "🐾"),
  fc.uuid(),
);
/** More than the memory that short lines share has room for, and about as much. */
const long = fc.tuple(fc.constantFrom("a", "ÿ", "ж"), fc.nat(1_000), fc.constantFrom(0, 20_800, 64_000));

test("a line has the bytes that JSON gives for one object with the same fields", () => {
  const places = fc.record({ seq: fc.nat(), parentUuid: fc.option(texts) });
  const shared = fc.record({
    sessionId: texts,
    cwd: texts,
    version: texts,
    gitBranch: fc.option(texts, { nil: undefined }),
  });
  fc.assert(
    fc.property(texts, texts, texts, places, shared, long, fc.boolean(), (...given) => {
      const [uuid, timestamp, text, { seq, parentUuid }, { sessionId, cwd, version, gitBranch }, [unit, more, many]] =
        given;
      const isSetOff = given[6];
      const common: CommonFields = { gitBranch, version, cwd, sessionId, isSidechain: false };
      const content = text + unit.repeat(many === 0 ? more % 9 : many + more);
      const line = messageLine({ ...user(uuid, content), timestamp }, { seq, parentUuid }, common);
      const message = { type: "user", uuid, timestamp, content, role: "user" };
      const at = { v: 1, type: "user", seq, uuid, parentUuid, timestamp };
      const whole = jsonLine({
        ...at,
        sessionId,
        cwd,
        version,
        gitBranch,
        isSidechain: false,
        userType: "external",
        message,
      });
      expect(lineText(line)).toBe(whole);
      expect(line.length).toBe(whole.length);
      const { bytes, length } = lineBytes(line, isSetOff);
      expect(bytes.toString("utf8", 0, length)).toBe(`${isSetOff ? "\n" : ""}${whole}\n`);
      const size = Buffer.byteLength(whole);
      expect([size - 1, size, size + 1].map((limit) => isLineLongerThan(line, limit))).toEqual([true, true, false]);
    }),
    { numRuns: 300 },
  );
});

test("a fact line has only its type, and message types that only pawl has are subtypes of system", () => {
  const own = { uuid: "u", timestamp: "t" };
  const at = { seq: 3, parentUuid: "p" };
  const common = { sessionId: "s", cwd: "/", version: "1" };
  const begins = '"seq":3,"uuid":"u","parentUuid":"p","timestamp":"t","sessionId":"s","cwd":"/","version":"1",';
  const note: RunNote = { at: "end", terminal: null, cause: null };
  expect(lineText(factLine("run", note, own, at, common))).toBe(
    `{"v":1,"type":"run",${begins}"data":${JSON.stringify(note)}}`,
  );
  const transition = {
    type: "transition" as const,
    transition: { reason: "next_turn" as const },
    turnCount: 2,
    ...own,
  };
  expect(lineText(messageLine(transition, at, common))).toBe(
    `{"v":1,"type":"system","subtype":"transition",${begins}"message":${JSON.stringify(transition)}}`,
  );
});

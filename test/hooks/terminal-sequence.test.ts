// What a hook may have a terminal do, and no more.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isTerminalSequence } from "../../src/hooks/terminal-sequence.ts";

const esc = "\u001b";
const bel = "\u0007";

describe("a terminal sequence", () => {
  test.each([
    bel,
    `${esc}]0;pawl: done${bel}`,
    `${esc}]2;Grüße 🎉${esc}\\`,
    `${esc}]9;The build is through${bel}`,
    `${esc}]9;4;1;50${bel}`,
    `${esc}]99;i=1:d=0;Hello${esc}\\`,
    `${esc}]99;;Hello${esc}\\`,
    `${esc}]99;i=a-1:p=body:u=2;Hello${esc}\\`,
    `${esc}]777;notify;pawl;done${bel}`,
    `${esc}]9;done${bel}${bel}`,
  ])("is permitted: %j", (sequence) => {
    expect(isTerminalSequence(sequence)).toBe(true);
  });

  test.each([
    "",
    "text",
    `${bel}text`,
    `${esc}[2J`,
    `${esc}c`,
    `${esc}]52;c;aGk=${bel}`,
    `${esc}]8;;http://x${bel}`,
    `${esc}]4;0;?${bel}`,
    `${esc}]10;?${bel}`,
    `${esc}]0;a`,
    `${esc}]0;a${esc}[2J${bel}`,
    `${esc}]0;a\nb${bel}`,
    `${esc}]0;a\u009b2J${bel}`,
    `${esc}]0;a\u009cb${bel}`,
    `${esc}P+q${esc}\\`,
    `${esc}]9;6;"macro"${bel}`,
    `${esc}]9;7;calc.exe${bel}`,
    `${esc}]9;9;/tmp${bel}`,
    `${esc}]9;12${bel}`,
    `${esc}]9;4;7;x${bel}`,
    `${esc}]99;i=1:p=?;${esc}\\`,
    `${esc}]99;p=alive;${esc}\\`,
    `${esc}]99;p=buttons;a${esc}\\`,
    `${esc}]99;a=report;x${esc}\\`,
    `${esc}]99;c=1;x${esc}\\`,
    `${esc}]777;container;push;x${bel}`,
    `${esc}]0;${"x".repeat(5_000)}${bel}`,
  ])("is refused: %j", (sequence) => {
    expect(isTerminalSequence(sequence)).toBe(false);
  });

  test("never contains a control character inside its text", () => {
    const piece = fc.constantFrom(
      esc,
      bel,
      "]",
      "0;",
      "9;",
      "99;",
      "777;notify;",
      "\\",
      "[2J",
      "a",
      "\u009b",
      "p=",
      "?",
      ";",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12, size: "max" }), (pieces) => {
        const sequence = pieces.join("");
        if (!isTerminalSequence(sequence)) return true;
        const known = new RegExp(String.raw`\x1b\](?:0|1|2|9|99|777);[^\x07\x1b]*(?:\x07|\x1b\\)`, "gu");
        return sequence.replaceAll(known, "").replaceAll(bel, "") === "";
      }),
      { numRuns: 5_000 },
    );
  });

  test("is judged in a short time, however long it is", () => {
    for (const hostile of [
      `${esc}]99;${"a=b:".repeat(1_000)}`,
      `${esc}]9;${"1".repeat(4_000)}`,
      bel.repeat(4_000) + "x",
    ])
      expect(isTerminalSequence(hostile)).toBe(false);
  });
});

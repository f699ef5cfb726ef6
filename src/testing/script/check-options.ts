/** Checks the options of the scripted model: those in a script file beside the script, and those passed in code. */
import { boolean, choose, numberFrom, number, object, oneOf, string, type Check } from "./check-kit.ts";

const fileOptions = {
  endpoint: oneOf("anthropic", "compatible"),
  validate: oneOf("full", "light", "off"),
  strictAlternation: boolean,
  requireKey: boolean,
  enforceBinding: boolean,
  bytesPerToken: numberFrom(0.01),
  seed: number,
};

export const checkFileOptions: Check = object(fileOptions);

const callable: Check = choose([[(value) => typeof value === "function", () => undefined]], "must be a function");

const checkCodeOptions = object({
  ...fileOptions,
  now: callable,
  sleep: callable,
  onRecord: callable,
  port: numberFrom(0, 65_535),
  host: string,
});

/** @returns one sentence per mistake; empty for valid options. */
export function checkOptions(value: unknown): string[] {
  const problems: string[] = [];
  checkCodeOptions(value, "options", problems);
  return problems;
}

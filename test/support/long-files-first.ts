// Orders test files by the durations that Vitest remembers, otherwise by size, but runs files first that take long although they are short.
// A long file at the end would keep one worker busy while the others have nothing left to do.
import { BaseSequencer, type TestSpecification } from "vitest/node";

const long =
  /\/test\/(?:e2e|laws|simulator)\/|\/test\/house\/package\.|\/test\/session\/(?:budget|many|transcript)\.test/u;

export default class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => long.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

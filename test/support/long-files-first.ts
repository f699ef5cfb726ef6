// The order of the files: by what vitest remembers of the last run, else by size; those that take long however short they are come first.
// One of them at the end would keep one worker while the others have nothing left.
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

/** The words of a git command, told apart by what is listed of its options. */
export interface GitParts {
  /** What is left of the words without the options. */
  operands: string[];
  /** Those of them that stand behind `--`. */
  paths: string[];
  /** The options, with their values. */
  given: string[][];
}

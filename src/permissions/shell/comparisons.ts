/** `[[ … ]]` as single comparisons, where they only look at files and texts. */
import type { TestExpression, Word } from "unbash";

export interface Comparison {
  operator: string;
  operands: Word[];
}

/** `-v` and `-R` look into what a name stands for, and what compares numbers calculates first: either runs what a subscript holds. */
const unary = /^-[bcdefghkprstuwxzGLNOSn]$/u;
const binary = /^(?:==?|!=)$/u;

/** Undefined where one does more. Each of them is taken to be made. */
export function comparisonsOf(expression: TestExpression): Comparison[] | undefined {
  switch (expression.type) {
    case "TestUnary":
      return unary.test(expression.operator)
        ? [{ operator: expression.operator, operands: [expression.operand] }]
        : undefined;
    case "TestBinary":
      return binary.test(expression.operator)
        ? [{ operator: expression.operator, operands: [expression.left, expression.right] }]
        : undefined;
    case "TestLogical": {
      const parts = expression.operands.map(comparisonsOf);
      return parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? []);
    }
    case "TestNot":
      return comparisonsOf(expression.operand);
    case "TestGroup":
      return comparisonsOf(expression.expression);
    default:
      return expression satisfies never;
  }
}

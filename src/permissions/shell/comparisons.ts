/** Splits `[[ … ]]` into single comparisons, if they only look at files and texts. */
import type { TestExpression, Word } from "unbash";

export interface Comparison {
  operator: string;
  operands: Word[];
}

/** `-v`, `-R` and numeric comparisons evaluate subscripts, and so run commands in them; they are left out. */
const harmlessUnary = /^-[bcdefghkprstuwxzGLNOSn]$/u;
const harmlessBinary = /^(?:==?|!=)$/u;

/** Undefined if one comparison does more. All of them are assumed to be evaluated. */
export function splitComparisons(expression: TestExpression): Comparison[] | undefined {
  switch (expression.type) {
    case "TestUnary":
      return harmlessUnary.test(expression.operator)
        ? [{ operator: expression.operator, operands: [expression.operand] }]
        : undefined;
    case "TestBinary":
      return harmlessBinary.test(expression.operator)
        ? [{ operator: expression.operator, operands: [expression.left, expression.right] }]
        : undefined;
    case "TestLogical": {
      const parts = expression.operands.map(splitComparisons);
      return parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? []);
    }
    case "TestNot":
      return splitComparisons(expression.operand);
    case "TestGroup":
      return splitComparisons(expression.expression);
    default:
      return expression satisfies never;
  }
}

/** The common part of Edit, Write and NotebookEdit: tools that change one file, named by a field of their input. */
import type { InputVerdict, Tool, ToolContext, ToolInput, ToolInputSchema } from "../protocol/tool.ts";
import type { ChangingWork } from "./changing-work.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { checkPath, describeCall, resolvePath } from "./paths.ts";

interface ChangingToolOptions<Input> {
  name: string;
  description: string;
  inputSchema: ToolInputSchema;
  /** The input field that names the file. */
  field: "file_path" | "notebook_path";
  /** Checks the parts of the input that can be checked without the file. */
  check: (input: ToolInput) => InputVerdict;
  /** Called on the first call of the tool. */
  loadWork: () => Promise<ChangingWork<Input>>;
}

export function createChangingTool<Input>(
  dependencies: ToolDependencies,
  { name, description, inputSchema, field, check, loadWork }: ChangingToolOptions<Input>,
): Tool {
  const pathOf = (input: ToolInput, cwd: string): string => resolvePath(String(input[field]), cwd, dependencies.home);
  const observableInput = (input: ToolInput, cwd: string): ToolInput => ({ ...input, [field]: pathOf(input, cwd) });
  /** Refuses a change that cannot succeed before somebody is asked to allow it; if nobody would be asked, there is no need to check. */
  const predictVerdict = async (input: ToolInput, context: ToolContext): Promise<InputVerdict> => {
    const asks = await dependencies.asksPerson?.(name, observableInput(input, context.cwd), context.hookAsks === true);
    if (asks !== true) return { ok: true };
    const { predictRefusal } = await loadWork();
    const message = await predictRefusal(pathOf(input, context.cwd), input as Input, context, dependencies);
    return message === undefined ? { ok: true } : { ok: false, message };
  };
  return {
    name,
    description,
    inputSchema,
    replay: "never",
    maxResultSizeChars: 20_000,
    isConcurrencySafe: () => false,
    isReadOnly: () => false,
    interruptBehavior: "block",
    permissionSubjects: (input, cwd) => [{ kind: "write", path: pathOf(input, cwd) }],
    describe: (input) => describeCall(name, input[field]),
    observableInput,
    validateInput(input, context) {
      const checked = check(input);
      const verdict = checked.ok ? checkPath(input[field], field) : checked;
      return verdict.ok && dependencies.asksPerson !== undefined ? predictVerdict(input, context) : verdict;
    },
    async call(input, context) {
      const { change } = await loadWork();
      return await change(pathOf(input, context.cwd), input as Input, context, dependencies);
    },
  };
}

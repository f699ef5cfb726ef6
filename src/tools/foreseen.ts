/** A change that cannot come about is refused before somebody is asked about it. */
import type { InputVerdict, ToolContext, ToolInput } from "../protocol/tool.ts";
import type { ToolDependencies } from "./dependencies.ts";

/** `input`: as hooks and permissions see it. `refusal` is asked for only where somebody would be; undefined: nothing speaks against it yet. */
export async function foreseenVerdict(
  { asksPerson }: ToolDependencies,
  toolName: string,
  input: ToolInput,
  { hookAsks }: ToolContext,
  refusal: () => Promise<string | undefined>,
): Promise<InputVerdict> {
  if ((await asksPerson?.(toolName, input, hookAsks === true)) !== true) return { ok: true };
  const message = await refusal();
  return message === undefined ? { ok: true } : { ok: false, message };
}

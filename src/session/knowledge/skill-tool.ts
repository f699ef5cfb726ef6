/** The Skill tool: lets the model start a skill by its name. */
import { nearestName } from "../../lib/edit-distance.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { Tool, ToolInputSchema } from "../../protocol/tool.ts";
import { failureResult } from "../../tools/failure.ts";
import type { SkillDesk } from "./skill-desk.ts";
import { stringOrEmpty } from "../../lib/string-or-empty.ts";

const dayMs = 24 * 60 * 60_000;
const maxSkillChars = 100_000;

const inputSchema: ToolInputSchema = {
  type: "object",
  properties: {
    skill: { type: "string", description: "Its name, as listed" },
    args: { type: "string", description: "What it is to be done with" },
  },
  required: ["skill"],
};

export function createSkillTool(desk: SkillDesk): Tool {
  return {
    name: "Skill",
    description:
      "Loads the instructions of a skill, one of those listed in the conversation. Use it before work that a skill is for; files it names lie in its base folder.",
    inputSchema,
    replay: "safe",
    maxResultSizeChars: Infinity,
    // An agent may carry it out, which takes long.
    timeLimitMs: () => dayMs,
    isConcurrencySafe: () => false,
    isReadOnly: () => true,
    // Rules and hooks see the name of the skill that is meant, however the call spells it.
    observableInput: (input) => ({
      ...input,
      skill: desk.findForModel(String(input["skill"]))?.name ?? input["skill"],
    }),
    describe: (input) => `Skill ${String(input["skill"]).slice(0, 100)}`,
    async call(input, { signal, toolUseId }, onProgress) {
      const name = String(input["skill"]);
      const skill = desk.findForModel(name) ?? (await desk.findAfterRescan(name));
      if (skill === undefined) return failureResult(unknownSkillText(name, desk));
      if (skill.fork !== undefined && desk.rooms !== undefined) {
        const show = (message: SDKMessage): void => onProgress({ toolUseId, toolName: "Skill", message });
        return await desk.rooms.fork({ skill, argument: stringOrEmpty(input["args"]), toolUseId, signal, show });
      }
      const expansion = await desk.expand(skill, stringOrEmpty(input["args"]), signal, "claude");
      if (!expansion.ok) return failureResult(expansion.why);
      const { text } = expansion;
      const content =
        text.length <= maxSkillChars
          ? text
          : `${text.slice(0, maxSkillChars)}\n\n[The rest of ${skill.path} was left out; Read it for more.]`;
      return {
        content,
        output: { success: true, commandName: skill.name, allowedTools: [...expansion.skill.allowedTools] },
      };
    },
  };
}

function unknownSkillText(name: string, desk: SkillDesk): string {
  const names = desk.offered().map((skill) => skill.name);
  // People and texts often leave out the plugin's name.
  const near = names.find((each) => each.endsWith(`:${name.toLowerCase()}`)) ?? nearestName(name, names);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return `There is no skill ${JSON.stringify(name.slice(0, 100))} that you may start.${hint}`;
}

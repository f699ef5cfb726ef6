/** `pawl trust`: decides which folders' own settings may allow and run things. */
import { resolve } from "node:path";
import { sanitizeLine } from "../lib/sanitize.ts";
import type { EngineOptions } from "../session/options/options.ts";
import type { TrustArguments } from "./trust-arguments.ts";

export async function runTrust(
  { verb, folder }: TrustArguments,
  context: Pick<EngineOptions, "cwd" | "env" | "onNotice">,
  print: (text: string) => Promise<unknown>,
): Promise<number> {
  const { openTrustDesk } = await import("../session/permissions/project-trust.ts");
  const cwd = resolve(context.cwd ?? "", folder ?? "");
  // The trust of a folder that no longer exists can still be revoked.
  const desk = openTrustDesk({ ...context, onNotice: () => {}, ...(verb === "revoke" ? {} : { cwd }) });
  const say = (text: string): Promise<unknown> => print(`${sanitizeLine(text)}\n`);
  switch (verb) {
    case "list": {
      const trusted = desk.trusted();
      if (trusted.length === 0) await say("No folder is trusted. pawl trust add trusts the one you are in.");
      for (const { folder: each, at } of trusted) await say(`${each} (since ${at})`);
      return 0;
    }
    case "add":
      await desk.add();
      await say(`${cwd} is trusted as it is now: ${desk.project?.wants.join(", ") ?? ""}.`);
      return 0;
    case "revoke":
      await say((await desk.revoke(cwd)) ? `${cwd} is no longer trusted.` : `${cwd} was not trusted.`);
      return 0;
    case "status": {
      const { project } = desk;
      if (project === undefined || project.wants.length === 0) await say(`${cwd} has no settings that need trust.`);
      else {
        // Throws if the list of trusted folders cannot be read, in which case trust cannot be given either.
        desk.trusted();
        const state = project.isTrusted ? "trusted" : "not trusted";
        const next = project.isTrusted
          ? ""
          : " pawl trust add trusts it as it is now; pawl hooks and pawl mcp list show its commands.";
        await say(`${cwd} is ${state}: ${project.wants.join(", ")} in ${project.files.join(", ")}.${next}`);
      }
      return 0;
    }
    default:
      return verb satisfies never;
  }
}

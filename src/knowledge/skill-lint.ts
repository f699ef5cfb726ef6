/** A skill held to the letter of the portable format, for those who write one: what a stricter reader would refuse. */
import { readFrontMatter } from "./front-matter.ts";

const allowed = new Set(["name", "description", "license", "compatibility", "metadata", "allowed-tools"]);

/** One sentence each, without a full stop; empty where it is fit for every reader. `folder`: the name of the skill's folder. */
export async function lintSkill(text: string, folder: string): Promise<string[]> {
  const { fields, problems } = await readFrontMatter(text);
  if (problems.length > 0) return problems.map(({ reason }) => reason);
  const found: string[] = [];
  const unexpected = Object.keys(fields).filter((field) => !allowed.has(field));
  if (unexpected.length > 0) found.push(`${unexpected.join(", ")} is not of the portable format`);
  found.push(...nameProblems(fields["name"], folder));
  const { description, compatibility } = fields;
  if (typeof description !== "string" || description.trim() === "") found.push("it has no description");
  else if (description.length > 1_024)
    found.push(`its description is longer than 1024 characters (${description.length})`);
  if (typeof compatibility === "string" && compatibility.length > 500)
    found.push(`its compatibility is longer than 500 characters (${compatibility.length})`);
  return found;
}

function nameProblems(value: unknown, folder: string): string[] {
  if (typeof value !== "string" || value.trim() === "") return ["it has no name"];
  const name = value.trim().normalize("NFKC");
  const found: string[] = [];
  if (name.length > 64) found.push(`its name is longer than 64 characters (${name.length})`);
  if (name !== name.toLowerCase()) found.push("its name has capital letters");
  if (name.startsWith("-") || name.endsWith("-")) found.push("its name begins or ends with a hyphen");
  if (name.includes("--")) found.push("its name has two hyphens in a row");
  if (!/^[\p{L}\p{M}\p{N}-]+$/u.test(name))
    found.push("its name has other characters than letters, digits and hyphens");
  if (name !== folder.normalize("NFKC")) found.push(`its folder is called ${JSON.stringify(folder)}, not as it is`);
  return found;
}

/** Builds the JSON schema of settings for editors, from the tables that files are checked by. */
import { conventionKeys, conventionPermissionKeys } from "./convention-keys.ts";
import { keyRules, type Schema } from "./keys.ts";
import { sectionKeys } from "./section-keys.ts";

const unsupportedKeySchema: Schema = { description: "Known from the convention; this version does not act on it." };

export function settingsSchema(): Schema {
  const permissions: Record<string, Schema> = {};
  const properties: Record<string, Schema> = { $schema: { type: "string" } };
  for (const name of conventionPermissionKeys) permissions[name] = unsupportedKeySchema;
  for (const name of conventionKeys) properties[name] = unsupportedKeySchema;
  for (const [key, { about, schema }] of Object.entries({ ...keyRules, ...sectionKeys })) {
    const described = { description: about, ...schema };
    if (key.startsWith("permissions.")) permissions[key.slice("permissions.".length)] = described;
    else properties[key] = described;
  }
  const description = "What is permitted: deny takes precedence over ask, and ask over allow.";
  properties["permissions"] = { description, type: "object", properties: sortedByName(permissions) };
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Settings of pawl",
    description: "settings.json and settings.local.json in .pawl or .claude. Other keys are kept and ignored.",
    type: "object",
    properties: sortedByName(properties),
  };
}

function sortedByName(properties: Record<string, Schema>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(properties).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

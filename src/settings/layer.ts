/** One settings file, or the JSON of `--settings`, checked key by key. */
import { resolve } from "node:path";
import { permissionModes } from "../protocol/permission.ts";
import { guardsNotKept } from "./guards.ts";
import { isObject, mergeObjects, newObject, parseJson, type Json, type JsonObject } from "./json.ts";
import { isPriceTable, keyRules, showValue } from "./keys.ts";
import { withHome } from "./paths.ts";
import { readSandbox } from "./sandbox-keys.ts";
import type { ProjectInstructions, RuleList, Settings } from "./settings.ts";
import type { SettingsProblem, SettingsSource } from "./source.ts";

export interface Layer {
  /** Plain keys whose value is fit. */
  values: JsonObject;
  env: Record<string, string>;
  permissions: Settings["permissions"];
  models: JsonObject;
  aliases: JsonObject;
  projectInstructions?: ProjectInstructions;
  /** Plain keys whose value is not fit. */
  rejected: string[];
  hooks?: Json;
  /** Of `sandbox`, by dotted key. */
  sandbox: JsonObject;
  problems: SettingsProblem[];
}

export interface LayerPlaces {
  home: string;
  /** Absolute. */
  cwd: string;
}

export function readLayer(text: string, source: SettingsSource, places: LayerPlaces): Layer {
  const reader = new LayerReader(source, places);
  const parsed = parseJson(text);
  if (!parsed.ok) reader.fail(`${parsed.message}; mend it, or move the file away`);
  else if (!isObject(parsed.value)) reader.fail("it should hold one JSON object, such as {}");
  else reader.read(parsed.value, parsed.repeated);
  return reader.layer;
}

class LayerReader {
  readonly layer: Layer = {
    values: newObject(),
    env: Object.create(null) as Record<string, string>,
    permissions: { allow: [], deny: [], ask: [], additionalDirectories: [] },
    models: newObject(),
    aliases: newObject(),
    rejected: [],
    sandbox: newObject(),
    problems: [],
  };
  readonly #source: SettingsSource;
  readonly #places: LayerPlaces;

  constructor(source: SettingsSource, places: LayerPlaces) {
    this.#source = source;
    this.#places = places;
  }

  fail(text: string): void {
    this.layer.problems.push({ level: "error", text: `${this.#source.name}: ${text}.` });
  }

  #notice(text: string): void {
    this.layer.problems.push({ level: "notice", text: `${this.#source.name}: ${text}.` });
  }

  #wrong(key: string, expected: string, value: Json): void {
    this.#notice(`"${key}" should be ${expected}, not ${showValue(value)}; it was left out`);
  }

  read(object: JsonObject, repeated: readonly string[]): void {
    for (const path of repeated) this.#repeated(path);
    for (const [key, rule] of Object.entries(keyRules)) {
      const value = object[key];
      if (value === undefined) continue;
      if (rule.accepts(value)) this.layer.values[key] = value;
      else {
        this.layer.rejected.push(key);
        this.#wrong(key, rule.expected, value);
      }
    }
    this.#permissions(object["permissions"]);
    this.#environment(object["env"]);
    this.#prices(object["modelPricing"]);
    this.layer.models = this.#merged("models", object["models"], this.layer.models);
    this.layer.aliases = this.#merged("aliases", object["aliases"], this.layer.aliases);
    this.#instructions(object["pluginConfigs"]);
    this.#sandbox(object["sandbox"]);
    if (object["hooks"] !== undefined) this.layer.hooks = object["hooks"];
    const guards = guardsNotKept(object).map((key) => `"${key}"`);
    if (guards.length > 0) this.#notice(`this version does not act on ${guards.join(", ")}: nothing is guarded by it`);
  }

  /** The first of two lists of what is forbidden would be lost without a word. */
  #repeated(path: string): void {
    if (/^(?:permissions|sandbox)(?:\.|$)/u.test(path)) {
      this.fail(`"${path}" stands there twice, and only one of the two could count; make one of them`);
    } else this.#notice(`"${path}" stands there twice; the last one counts`);
  }

  #permissions(value: Json | undefined): void {
    if (value === undefined) return;
    if (!isObject(value)) {
      this.fail(`"permissions" should be an object, not ${showValue(value)}`);
      return;
    }
    for (const list of ["deny", "ask", "allow"] as const) this.#rules(list, value[list]);
    this.#mode(value["defaultMode"]);
    this.#folders(value["additionalDirectories"]);
  }

  /** What was to protect must be understood; what was to allow merely does not. */
  #rules(list: RuleList, value: Json | undefined): void {
    if (value === undefined) return;
    const complain = (key: string, expected: string, found: Json): void => {
      if (list === "allow") this.#wrong(key, expected, found);
      else this.fail(`"${key}" should be ${expected}, not ${showValue(found)}; what it forbids cannot be told`);
    };
    if (!Array.isArray(value)) {
      complain(`permissions.${list}`, "a list of rules", value);
      return;
    }
    const { name, folder } = this.#source;
    for (const [index, rule] of value.entries()) {
      if (typeof rule !== "string") complain(`permissions.${list}[${index}]`, "a rule such as Read(.env)", rule);
      else this.layer.permissions[list].push({ rule, source: name, ...(folder === undefined ? {} : { root: folder }) });
    }
  }

  #mode(value: Json | undefined): void {
    if (value === undefined) return;
    const mode = value === "manual" ? "default" : permissionModes.find((known) => known === value);
    if (mode !== undefined) this.layer.permissions.defaultMode = mode;
    else if (value === "auto") this.#notice('the permission mode "auto" is not built yet; it was left out');
    else this.#wrong("permissions.defaultMode", `one of ${permissionModes.join(", ")}`, value);
  }

  #folders(value: Json | undefined): void {
    if (value === undefined) return;
    const key = "permissions.additionalDirectories";
    const { home, cwd } = this.#places;
    if (!Array.isArray(value)) this.#wrong(key, "a list of folders", value);
    for (const [index, folder] of Array.isArray(value) ? value.entries() : []) {
      const isFolder = typeof folder === "string" && folder.trim() !== "" && !folder.includes("\0");
      if (isFolder) this.layer.permissions.additionalDirectories.push(resolve(cwd, withHome(folder, home)));
      else this.#wrong(`${key}[${index}]`, "a folder", folder);
    }
  }

  #environment(value: Json | undefined): void {
    if (value === undefined) return;
    if (!isObject(value)) this.#wrong("env", "an object of texts", value);
    for (const [name, content] of isObject(value) ? Object.entries(value) : []) {
      const isFit = typeof content === "string" && !content.includes("\0") && /^[A-Za-z_]\w*$/u.test(name);
      if (isFit) this.layer.env[name] = content;
      else this.#wrong(`env.${name}`, "a text, under a name of letters, digits and _", content);
    }
  }

  #merged(key: string, value: Json | undefined, below: JsonObject): JsonObject {
    if (value === undefined) return below;
    if (isObject(value)) return mergeObjects(below, value);
    this.#wrong(key, "an object", value);
    return below;
  }

  #sandbox(value: Json | undefined): void {
    if (value === undefined) return;
    const { folder = this.#places.cwd } = this.#source;
    this.layer.sandbox = readSandbox(
      value,
      { folder, home: this.#places.home },
      { fail: (text) => this.fail(text), notice: (text) => this.#notice(text), show: showValue },
    );
  }

  /** The public convention's way to give prices, in the catalogue's words. */
  #prices(value: Json | undefined): void {
    if (value === undefined) return;
    const overrides = isObject(value) ? (value["overrides"] ?? newObject()) : null;
    if (!isObject(value) || !isObject(overrides) || !isPriceTable(overrides)) {
      this.#wrong("modelPricing", "an object whose overrides give each model's input and output price", value);
      return;
    }
    const given = value["multiplier"] ?? 1;
    const multiplier = typeof given === "number" && given > 0 && Number.isFinite(given) ? given : 1;
    if (multiplier !== given) this.#wrong("modelPricing.multiplier", "a number above 0", given);
    if (multiplier !== 1) this.#notice('"modelPricing.multiplier" counts for the models of its overrides only');
    for (const [model, prices] of Object.entries(overrides)) {
      this.layer.models[model] = { prices: catalogPrices(prices as JsonObject, multiplier) };
    }
  }

  /** Stored, by convention, as an option of a built-in plugin, under names that have changed. */
  #instructions(value: Json | undefined): void {
    const config = isObject(value) ? value["agents-md@builtin"] : undefined;
    const options = isObject(config) ? config["options"] : undefined;
    for (const option of isObject(options) ? Object.values(options) : []) {
      const meant = typeof option === "string" ? instructionWords.get(option) : undefined;
      if (meant !== undefined) this.layer.projectInstructions = meant;
    }
  }
}

const catalogNames: Record<string, string> = {
  input: "input",
  output: "output",
  cacheRead: "cacheRead",
  cacheWrite: "cacheWrite5m",
  cacheWrite5m: "cacheWrite5m",
  cacheWrite1h: "cacheWrite1h",
};

function catalogPrices(prices: JsonObject, multiplier: number): JsonObject {
  const known = Object.entries(catalogNames).filter(([name]) => prices[name] !== undefined);
  return Object.assign(
    newObject(),
    ...known.map(([name, ours]) => ({ [ours]: Number(prices[name]) * multiplier })),
  ) as JsonObject;
}

const instructionWords = new Map<string, ProjectInstructions>([
  ["claude-md", "claude-md"],
  ["claude", "claude-md"],
  ["claude-md-or-agents-md", "claude-md-or-agents-md"],
  ["agents-fallback", "claude-md-or-agents-md"],
  ["claude-md-and-agents-md", "claude-md-and-agents-md"],
  ["both", "claude-md-and-agents-md"],
  ["managed-only", "managed-only"],
  ["none", "managed-only"],
]);

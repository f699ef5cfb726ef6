/** Reads one settings file, or the JSON of `--settings`, and checks it key by key. */
import { toCatalogPrices, readProjectInstructions } from "./convention-values.ts";
import { unenforcedGuards } from "./guards.ts";
import { isObject, lineOfKey, linesOfKeys, mergeObjects, newObject, type Json, type JsonObject } from "../lib/json.ts";
import { parseJsonc, plainJson } from "./jsonc.ts";
import { isPriceTable, keyRules, showKeyValue, showValue, type KeyRule } from "./keys.ts";
import { emptyKnowledge, readKnowledge, type KnowledgeSettings } from "./knowledge-keys.ts";
import { readLayerMcp, type LayerMcp } from "./mcp.ts";
import { readPermissions } from "./permission-keys.ts";
import { readSandbox } from "./sandbox-keys.ts";
import { emptyPermissions, type ProjectInstructions, type Settings } from "./settings.ts";
import { isProjectSource, remedyFor, type ReportValue, type SettingsProblem, type SettingsSource } from "./source.ts";
import { unknownKeys } from "./unknown-keys.ts";

export interface Layer {
  /** The parsed object, unchanged; empty if it cannot be read. */
  object: JsonObject;
  /** Plain keys with a valid value. */
  values: JsonObject;
  env: Record<string, string>;
  permissions: Settings["permissions"];
  models: JsonObject;
  aliases: JsonObject;
  projectInstructions?: ProjectInstructions;
  /** Plain keys with an invalid value. */
  rejected: string[];
  hooks?: Json;
  knowledge: KnowledgeSettings;
  /** The keys of `sandbox`, dotted. */
  sandbox: JsonObject;
  mcp?: LayerMcp;
  problems: SettingsProblem[];
}

export type SourcedLayer = Layer & { source: SettingsSource };

export interface LayerPlaces {
  home: string;
  /** Absolute. */
  cwd: string;
}

export function readLayer(text: string, source: SettingsSource, places: LayerPlaces): Layer {
  const reader = new LayerReader(text, source, places);
  const parsed = parseJsonc(text);
  if (!parsed.ok) reader.addError(`${parsed.message}; ${remedyFor(source)}`);
  else if (!isObject(parsed.value)) reader.addError("it should hold one JSON object, such as {}");
  else reader.read(parsed.value, parsed.repeated);
  return reader.layer;
}

/** The layer that stands for a file that exists but cannot be read. */
export function unreadableLayer(why: string, source: SettingsSource, places: LayerPlaces): Layer {
  const reader = new LayerReader("", source, places);
  reader.addError(`${why}; what it forbids cannot be told`);
  return reader.layer;
}

class LayerReader {
  readonly layer: Layer = {
    object: newObject(),
    values: newObject(),
    env: Object.create(null) as Record<string, string>,
    permissions: emptyPermissions(),
    models: newObject(),
    aliases: newObject(),
    rejected: [],
    knowledge: emptyKnowledge(),
    sandbox: newObject(),
    problems: [],
  };
  readonly #text: string;
  #lines: ReadonlyMap<string, number> | undefined;
  readonly #source: SettingsSource;
  readonly #places: LayerPlaces;

  constructor(text: string, source: SettingsSource, places: LayerPlaces) {
    this.#text = text;
    this.#source = source;
    this.#places = places;
  }

  addError(text: string, key?: string): void {
    this.#addProblem("error", text, key);
  }

  #addNotice(text: string, key?: string): void {
    this.#addProblem("notice", text, key);
  }

  #addProblem(level: SettingsProblem["level"], text: string, key?: string): void {
    const { name: source } = this.#source;
    const about = key === undefined ? {} : { key };
    this.layer.problems.push({ level, text: `${source}: ${text}.`, source, ...about });
  }

  readonly #reportInvalid: ReportValue = (key, expected, value) => {
    this.#addNotice(
      `${this.#keyWithLine(key)} should be ${expected}, not ${showKeyValue(key, value)}; it was left out`,
      key,
    );
  };

  /** The key with its line. The lines are computed only if there is something to report. */
  #keyWithLine(key: string): string {
    const line = lineOfKey((this.#lines ??= linesOfKeys(plainJson(this.#text))), key);
    return line === undefined ? `"${key}"` : `"${key}" (line ${line})`;
  }

  read(object: JsonObject, repeated: readonly string[]): void {
    this.layer.object = object;
    for (const path of repeated) this.#reportRepeatedKey(path);
    for (const [key, rule] of Object.entries(keyRules)) {
      const value = object[key];
      if (value !== undefined) this.#readPlainKey(key, rule, value);
    }
    this.#readPermissions(object);
    this.#readEnvironment(object["env"]);
    this.#readPrices(object["modelPricing"]);
    this.layer.models = this.#mergedWith("models", object["models"], this.layer.models);
    this.layer.aliases = this.#mergedWith("aliases", object["aliases"], this.layer.aliases);
    this.#readSandbox(object["sandbox"]);
    const isFromFolder = isProjectSource(this.#source);
    const instructions = isFromFolder ? undefined : readProjectInstructions(object["pluginConfigs"]);
    if (instructions !== undefined) this.layer.projectInstructions = instructions;
    this.layer.knowledge = readKnowledge(object, isFromFolder, this.#reportInvalid);
    if (object["hooks"] !== undefined) this.layer.hooks = object["hooks"];
    this.#readMcp(object);
    const guards = unenforcedGuards(object);
    const keyNames = guards.map((key) => `"${key}"`).join(", ");
    if (guards.length > 0 && this.#source.origin === "policy")
      this.addError(
        `this version cannot enforce ${keyNames}; an administrator can take that out of the file`,
        guards[0],
      );
    else if (guards.length > 0)
      this.#addNotice(`this version does not act on ${keyNames}, which guards nothing here`, guards[0]);
    for (const { key, level, text } of unknownKeys(object, guards)) this.#addProblem(level, text, key);
  }

  #readPlainKey(key: string, rule: KeyRule, value: Json): void {
    if (!rule.accepts(value)) {
      this.layer.rejected.push(key);
      if (rule.guards ?? (rule.limits && this.#source.origin === "policy"))
        this.#reportInvalidGuard(key, rule.expected, value);
      else this.#reportInvalid(key, rule.expected, value);
    } else if (rule.isPolicyOnly === true && this.#source.origin !== "policy")
      this.#addNotice(`"${key}" counts in an administrator's files only; it was left out`, key);
    else this.layer.values[key] = value;
  }

  #readMcp(object: JsonObject): void {
    const mcp = readLayerMcp(object, {
      reportInvalid: this.#reportInvalid,
      fail: (key, expected, value) =>
        this.addError(`"${key}" should be ${expected}, not ${showValue(value)}; what it forbids cannot be told`, key),
    });
    if (mcp !== undefined) this.layer.mcp = mcp;
  }

  /** Of a repeated key only the last one counts, so a first list of what is forbidden would be lost silently. */
  #reportRepeatedKey(path: string): void {
    if (/^(?:permissions|sandbox)(?:\.|$)/u.test(path)) {
      this.addError(
        `${this.#keyWithLine(path)} appears twice, and only one of the two could count; merge them into one`,
        path,
      );
    } else this.#addNotice(`${this.#keyWithLine(path)} appears twice; the last one counts`, path);
  }

  #readPermissions(object: JsonObject): void {
    this.layer.permissions = readPermissions(
      object,
      { ...this.#source, ...this.#places },
      {
        fail: (key, expected, value) =>
          this.addError(`${this.#keyWithLine(key)} should be ${expected}, not ${showValue(value)}`, key),
        reportInvalid: this.#reportInvalid,
        reportInvalidGuard: this.#reportInvalidGuard,
      },
    );
  }

  /** Reports a guarding key with a wrong value as an error: a misspelt lock would be open. */
  readonly #reportInvalidGuard: ReportValue = (key, expected, value) => {
    const text = `${this.#keyWithLine(key)} should be ${expected}, not ${showValue(value)}; what it forbids cannot be told`;
    this.addError(text, key);
  };

  #readEnvironment(value: Json = newObject()): void {
    if (!isObject(value)) this.#reportInvalid("env", "an object of texts", value);
    for (const [name, entry] of isObject(value) ? Object.entries(value) : []) {
      const content = typeof entry === "number" || typeof entry === "boolean" ? String(entry) : entry;
      const isFit = typeof content === "string" && !content.includes("\0") && /^[A-Za-z_]\w*$/u.test(name);
      if (isFit) this.layer.env[name] = content;
      else this.#reportInvalid(`env.${name}`, "a text, under a name of letters, digits and _", entry);
    }
  }

  #mergedWith(key: string, value: Json | undefined, below: JsonObject): JsonObject {
    if (value === undefined) return below;
    if (isObject(value)) return mergeObjects(below, value);
    this.#reportInvalid(key, "an object", value);
    return below;
  }

  #readSandbox(value: Json | undefined): void {
    if (value === undefined) return;
    const { folder = this.#places.cwd } = this.#source;
    const sandboxKey = (text: string): string => /"(sandbox[^"]*)"/u.exec(text)?.[1] ?? "sandbox";
    this.layer.sandbox = readSandbox(
      value,
      { folder, home: this.#places.home },
      {
        fail: (text) => this.addError(text, sandboxKey(text)),
        notice: (text) => this.#addNotice(text, sandboxKey(text)),
        show: showValue,
      },
    );
  }

  /** Reads prices as the public convention writes them and converts them to the catalogue's names. */
  #readPrices(value: Json | undefined): void {
    if (value === undefined) return;
    const overrides = isObject(value) ? (value["overrides"] ?? newObject()) : null;
    if (!isObject(value) || !isObject(overrides) || !isPriceTable(overrides)) {
      this.#reportInvalid("modelPricing", "an object whose overrides give each model's input and output price", value);
      return;
    }
    const statedMultiplier = value["multiplier"] ?? 1;
    const multiplier =
      typeof statedMultiplier === "number" && statedMultiplier > 0 && Number.isFinite(statedMultiplier)
        ? statedMultiplier
        : 1;
    if (multiplier !== statedMultiplier)
      this.#reportInvalid("modelPricing.multiplier", "a number above 0", statedMultiplier);
    if (multiplier !== 1) this.#addNotice('"modelPricing.multiplier" counts for the models of its overrides only');
    for (const [model, prices] of Object.entries(overrides)) {
      this.layer.models[model] = { prices: toCatalogPrices(prices as JsonObject, multiplier) };
    }
  }
}

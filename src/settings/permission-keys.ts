/** Reads the keys of `permissions`: rules, modes and their locks, and folders. */
import { resolve } from "node:path";
import { homeVariableToTilde, expandHome } from "../lib/home-folder.ts";
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import { permissionModes } from "../protocol/permission.ts";
import { emptyPermissions, type RuleList, type Settings } from "./settings.ts";
import type { ReportValue, SettingsSource } from "./source.ts";

export interface PermissionReport {
  /** An error: the whole section cannot be read. */
  fail: ReportValue;
  /** A notice: the value is left out. */
  reportInvalid: ReportValue;
  /** An error: a misspelt lock would be open. */
  reportInvalidGuard: ReportValue;
}

export interface PermissionPlaces extends Pick<SettingsSource, "name" | "folder"> {
  home: string;
  /** Absolute. */
  cwd: string;
}

export function readPermissions(
  object: JsonObject,
  places: PermissionPlaces,
  report: PermissionReport,
): Settings["permissions"] {
  const reader = new PermissionReader(places, report);
  reader.readSection(object["permissions"]);
  reader.readAutoModeLock("disableAutoMode", object["disableAutoMode"]);
  return reader.permissions;
}

class PermissionReader {
  readonly permissions = emptyPermissions();
  readonly #places: PermissionPlaces;
  readonly #report: PermissionReport;

  constructor(places: PermissionPlaces, report: PermissionReport) {
    this.#places = places;
    this.#report = report;
  }

  readSection(value: Json | undefined): void {
    if (value === undefined) return;
    if (!isObject(value)) {
      this.#report.fail("permissions", "an object", value);
      return;
    }
    for (const list of ["deny", "ask", "allow"] as const) this.#readRules(list, value[list]);
    this.#readDefaultMode(value["defaultMode"]);
    this.#readModeLocks(value);
    this.#readOutsideBlocks(value);
    this.#readPaths("additionalDirectories", value["additionalDirectories"]);
    this.#readPaths("blockReadsExemptPaths", value["blockReadsExemptPaths"]);
  }

  /** A protecting rule must be understood; an allow rule that is not merely allows nothing. */
  #readRules(list: RuleList, value: Json | undefined): void {
    if (value === undefined) return;
    const complain = list === "allow" ? this.#report.reportInvalid : this.#report.reportInvalidGuard;
    if (!Array.isArray(value)) {
      complain(`permissions.${list}`, "a list of rules", value);
      return;
    }
    const { name, folder } = this.#places;
    for (const [index, rule] of value.entries()) {
      if (typeof rule !== "string") complain(`permissions.${list}[${index}]`, "a rule such as Read(.env)", rule);
      else this.permissions[list].push({ rule, source: name, ...(folder === undefined ? {} : { root: folder }) });
    }
  }

  #readDefaultMode(value: Json | undefined): void {
    if (value === undefined) return;
    const mode = value === "manual" ? "default" : permissionModes.find((known) => known === value);
    if (mode !== undefined) this.permissions.defaultMode = mode;
    else this.#report.reportInvalid("permissions.defaultMode", `one of ${permissionModes.join(", ")}`, value);
  }

  #readModeLocks({ disableBypassPermissionsMode, disableAutoMode, denyInsteadOfPrompting: denies }: JsonObject): void {
    const { permissions } = this;
    const bypass = this.#disablingSource("permissions.disableBypassPermissionsMode", disableBypassPermissionsMode);
    if (bypass !== undefined) permissions.bypassDisabledBy = bypass;
    this.readAutoModeLock("permissions.disableAutoMode", disableAutoMode);
    if (typeof denies === "boolean") permissions.deniesInsteadOfAsking = denies;
    else if (denies !== undefined)
      this.#report.reportInvalidGuard("permissions.denyInsteadOfPrompting", "true or false", denies);
  }

  /** By convention this key may also be outside `permissions`. */
  readAutoModeLock(key: string, value: Json | undefined): void {
    const by = this.#disablingSource(key, value);
    if (by !== undefined) this.permissions.autoDisabledBy = by;
  }

  #disablingSource(key: string, value: Json | undefined): string | undefined {
    if (value === "disable" || value === true) return this.#places.name;
    if (value !== undefined && value !== false) this.#report.reportInvalidGuard(key, '"disable"', value);
    return undefined;
  }

  #readOutsideBlocks(permissions: JsonObject): void {
    for (const name of ["blockReadsOutsideWorkingDirectories", "blockWritesOutsideWorkingDirectories"] as const) {
      const value = permissions[name];
      if (value === true) this.permissions[name] = this.#places.name;
      else if (value !== false && value !== undefined)
        this.#report.reportInvalidGuard(`permissions.${name}`, "true or false", value);
    }
  }

  #readPaths(name: "additionalDirectories" | "blockReadsExemptPaths", value: Json | undefined): void {
    if (value === undefined) return;
    const key = `permissions.${name}`;
    const { home, cwd } = this.#places;
    if (!Array.isArray(value)) this.#report.reportInvalid(key, "a list of folders", value);
    for (const [index, folder] of Array.isArray(value) ? value.entries() : []) {
      const isFolder =
        typeof folder === "string" && !/^\s*$|\0/u.test(folder) && homeVariableToTilde(folder) === undefined;
      if (isFolder) this.permissions[name].push(resolve(cwd, expandHome(folder, home)));
      else this.#report.reportInvalid(`${key}[${index}]`, "a folder (from your home: ~/…)", folder);
    }
  }
}

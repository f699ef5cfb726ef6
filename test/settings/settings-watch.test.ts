import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { LoadedSettings } from "../../src/settings/load.ts";
import { takeSettingsSnapshot, SettingsWatch } from "../../src/settings/settings-watch.ts";
import type { WatchedFile } from "../../src/settings/watched-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
let files: WatchedFile[];

beforeEach(() => {
  folder = temporaryFolder();
  files = [
    { path: join(folder, "user", "settings.json"), origin: "user" },
    { path: join(folder, "user", "trust.json"), origin: "trust" },
    { path: join(folder, "policy", "managed-settings.json"), origin: "policy" },
  ];
});

const watching = (): SettingsWatch => new SettingsWatch({ files: () => files, load: () => ({}) as LoadedSettings });
const pathsOf = (watch: SettingsWatch): string[] => watch.takeChanges().map(({ path }) => path);

test.each([
  ["in a folder that did not exist", false],
  ["in a folder that existed", true],
])("a file that is created, changed or removed is detected, %s", (_, wasThere) => {
  const [file] = files as [WatchedFile];
  if (wasThere) mkdirSync(dirname(file.path));
  const watch = watching();
  expect(watch.hasChanged()).toBe(false);
  mkdirSync(dirname(file.path), { recursive: true });
  expect(watch.hasChanged()).toBe(false);
  for (const text of ["{}", '{"model":"x"}']) {
    writeFileSync(file.path, text);
    expect(watch.hasChanged()).toBe(true);
    expect(pathsOf(watch)).toEqual([file.path]);
    expect(watch.hasChanged()).toBe(false);
  }
  rmSync(dirname(file.path), { recursive: true });
  expect(watch.hasChanged()).toBe(true);
  expect(pathsOf(watch)).toEqual([file.path]);
  expect(watch.hasChanged()).toBe(false);
});

test("new files of any name are detected in an administrator's folder", () => {
  const watch = watching();
  mkdirSync(join(folder, "policy"));
  expect(watch.hasChanged()).toBe(true);
  expect(pathsOf(watch)).toEqual([]);
  expect(watch.hasChanged()).toBe(false);
  mkdirSync(join(folder, "policy", "managed-settings.d"));
  expect(watch.hasChanged()).toBe(true);
});

test.each([
  ["EMFILE", true],
  ["EIO", true],
  ["EACCES", false],
])(
  "a file that could not be read at the start (%s) counts as changed only if the error is transient: %s",
  (code, mayPass) => {
    const [{ path }] = files as [WatchedFile];
    mkdirSync(dirname(path));
    writeFileSync(path, "{}");
    const read: string[] = [];
    const watch = new SettingsWatch({
      files: () => files,
      load: (reader) => {
        try {
          read.push(String(reader.read(path, 100)));
        } catch (error) {
          read.push((error as Error).message);
        }
        return {} as LoadedSettings;
      },
      firstSnapshot: {
        ...takeSettingsSnapshot(files),
        reader: {
          read() {
            throw Object.assign(new Error(code), { code });
          },
        },
      },
    });
    expect([watch.hasChanged(), watch.isUnread(path)]).toEqual([mayPass, mayPass]);
    expect(pathsOf(watch)).toEqual(mayPass ? [path] : []);
    watch.accept(watch.read());
    expect(read).toEqual([code, "{}"]);
    expect([watch.hasChanged(), watch.isUnread(path)]).toEqual([false, false]);
  },
);

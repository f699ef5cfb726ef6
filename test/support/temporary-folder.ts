/** Empty folders for tests, which are removed at the end. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** Makes a folder for the present test, also in `beforeEach`. Returns its real path. */
export function temporaryFolder(): string {
  const folder = makeFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** Makes a folder for all tests of a file or of a `describe`, where they are defined. Returns its real path. */
export function sharedTemporaryFolder(): string {
  const folder = makeFolder();
  afterAll(() => removeFolder(folder));
  return folder;
}

function makeFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "pawl-")));
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

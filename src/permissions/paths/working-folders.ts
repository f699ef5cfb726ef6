/** The folders a session works in, each as it was written and where it leads. */
import { isAbsolute, resolve } from "node:path";
import type { PermissionUpdate } from "../../protocol/permission.ts";
import { namesOf } from "./protected-paths.ts";
import { diskPaths, folderForms, isInside, type PathForms, type PathReader } from "./path-forms.ts";

type FolderChange = Extract<PermissionUpdate, { directories: string[] }>;

interface WorkingFolder {
  written: string;
  forms: string[];
  /** Another one of it, over a link that led there when the session began. */
  name?: string;
  /** Its files may be read there, not written: what the session itself has spilled. */
  isReadOnly: boolean;
}

interface Named {
  cwd: string;
  cwdName?: string | undefined;
  reader?: PathReader;
}

/** `cwdName`, where it leads to that folder over a link. */
export function otherName({ cwd, cwdName: name, reader = diskPaths }: Named): string | undefined {
  if (name === undefined || name === cwd || !isAbsolute(name)) return undefined;
  // As it is spelled: by `..` behind a link the kernel may come to this folder, and whoever reads the name to another.
  const forms = folderForms(resolve(name), reader);
  return forms.length > 1 && forms.at(-1) === folderForms(cwd, reader).at(-1) ? forms[0] : undefined;
}

export class WorkingFolders {
  readonly #reader: PathReader;
  readonly #folders: WorkingFolder[] = [];
  /** Of files and flags. */
  #configured: readonly string[] = [];

  readonly #above: WorkingFolders | undefined;

  /** `above`: whose folders are these as well, as they are. */
  constructor(reader: PathReader, above?: WorkingFolders) {
    this.#reader = reader;
    this.#above = above;
  }

  /** Absolute. A folder that does not exist yet counts from when it does. `name`: another one of it, as `otherName` has it. */
  add(folder: string, isReadOnly = false, name?: string): void {
    const known = this.#folders.findIndex(({ written }) => written === folder);
    if (known >= 0 && (isReadOnly || this.#folders[known]?.isReadOnly === false)) return;
    if (known >= 0) this.#folders.splice(known, 1);
    // What the session spills is made with its first piece.
    const forms = folderForms(folder, this.#reader, isReadOnly);
    this.#folders.push({ written: folder, forms, isReadOnly, ...(name === undefined ? {} : { name }) });
  }

  /** The first, where the session works, stays. */
  remove(folder: string): void {
    const at = this.#folders.findIndex(({ written }) => written === folder);
    if (at > 0) this.#folders.splice(at, 1);
  }

  /** Those of files and flags, in place of what they said before; what the session itself added or took away stays so. */
  configure(folders: readonly string[]): void {
    for (const folder of this.#configured) if (!folders.includes(folder)) this.remove(folder);
    for (const folder of folders) if (!this.#configured.includes(folder)) this.add(folder);
    this.#configured = folders;
  }

  change({ type, directories }: FolderChange, cwd: string): void {
    for (const directory of directories) {
      const folder = resolve(cwd, directory);
      if (type === "addDirectories") this.add(folder);
      else this.remove(folder);
    }
  }

  written(): string[] {
    const own = this.#folders.filter(({ isReadOnly }) => !isReadOnly).map(({ written }) => written);
    return this.#above === undefined ? own : [...new Set([...own, ...this.#above.written()])];
  }

  #holds(form: string, access: "read" | "write"): boolean {
    for (const { forms, isReadOnly, name } of this.#folders) {
      if (isReadOnly && access === "write") continue;
      for (const root of forms) if (isInside(root, form)) return true;
      if (name === undefined || !isInside(name, form)) continue;
      // Another folder may stand in its place by now.
      if (folderForms(name, this.#reader).at(-1) === forms.at(-1)) return true;
    }
    return this.#above !== undefined && this.#above.#holds(form, access);
  }

  /** How many names lead to the nearest of them that holds what may be written there; 0 where none does. */
  depthOf(form: string): number {
    const roots = this.#folders.flatMap(({ forms, isReadOnly, name }) =>
      isReadOnly ? [] : [...forms, ...(name === undefined ? [] : [name])],
    );
    const depths = roots.filter((root) => isInside(root, form)).map((root) => namesOf(root).length);
    return Math.max(this.#above?.depthOf(form) ?? 0, ...depths);
  }

  /** Every form of the path is inside one of them. */
  contain(path: PathForms, access: "read" | "write"): boolean {
    return path.isCertain && path.forms.every((form) => this.#holds(form, access));
  }
}

/** The working directories of a session, each as written and where it leads. */
import { isAbsolute, resolve } from "node:path";
import type { PermissionUpdate } from "../../protocol/permission.ts";
import { absolutePathSegments } from "./protected-paths.ts";
import { diskPaths, folderForms, isInside, type PathForms, type PathReader } from "./path-forms.ts";

type FolderChange = Extract<PermissionUpdate, { directories: string[] }>;

interface WorkingFolder {
  writtenPath: string;
  forms: string[];
  /** Another name of the folder, through a link that led there when the session began. */
  name?: string;
  /** Files in it may be read but not written: the session itself has spilled them. */
  isReadOnly: boolean;
}

interface NamedFolder {
  cwd: string;
  cwdName?: string | undefined;
  reader?: PathReader;
}

/** Returns `cwdName` if it leads to the same folder through a link. */
export function otherFolderName({ cwd, cwdName: name, reader = diskPaths }: NamedFolder): string | undefined {
  if (name === undefined || name === cwd || !isAbsolute(name)) return undefined;
  // Resolved textually: `..` after a link may lead the kernel to this folder, but a reader of the name to another.
  const forms = folderForms(resolve(name), reader);
  return forms.length > 1 && forms.at(-1) === folderForms(cwd, reader).at(-1) ? forms[0] : undefined;
}

export class WorkingFolders {
  readonly #reader: PathReader;
  readonly #folders: WorkingFolder[] = [];
  /** The folders of files and flags. */
  #configured: readonly string[] = [];

  readonly #parent: WorkingFolders | undefined;

  /** The folders of `parent` also count here, as they are at any time. */
  constructor(reader: PathReader, parent?: WorkingFolders) {
    this.#reader = reader;
    this.#parent = parent;
  }

  /** Takes an absolute path. A missing folder counts once it exists. `name`: another name of it, as returned by `otherFolderName`. */
  add(folder: string, isReadOnly = false, name?: string): void {
    const known = this.#folders.findIndex(({ writtenPath }) => writtenPath === folder);
    if (known >= 0 && (isReadOnly || this.#folders[known]?.isReadOnly === false)) return;
    if (known >= 0) this.#folders.splice(known, 1);
    // The spill folder is created with its first file.
    const forms = folderForms(folder, this.#reader, isReadOnly);
    this.#folders.push({ writtenPath: folder, forms, isReadOnly, ...(name === undefined ? {} : { name }) });
  }

  /** Removes a folder, but never the first one, in which the session works. */
  remove(folder: string): void {
    const at = this.#folders.findIndex(({ writtenPath }) => writtenPath === folder);
    if (at > 0) this.#folders.splice(at, 1);
  }

  /** Replaces the folders of files and flags. Folders that the session itself added or removed stay so. */
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

  writtenPaths(): string[] {
    const own = this.#folders.filter(({ isReadOnly }) => !isReadOnly).map(({ writtenPath }) => writtenPath);
    return this.#parent === undefined ? own : [...new Set([...own, ...this.#parent.writtenPaths()])];
  }

  #contains(form: string, access: "read" | "write"): boolean {
    for (const { forms, isReadOnly, name } of this.#folders) {
      if (isReadOnly && access === "write") continue;
      for (const root of forms) if (isInside(root, form)) return true;
      if (name === undefined || !isInside(name, form)) continue;
      // The name may lead to another folder by now.
      if (folderForms(name, this.#reader).at(-1) === forms.at(-1)) return true;
    }
    return this.#parent !== undefined && this.#parent.#contains(form, access);
  }

  /** The number of segments of the innermost writable folder that contains the path; 0 if none does. */
  depthOf(form: string): number {
    const roots = this.#folders.flatMap(({ forms, isReadOnly, name }) =>
      isReadOnly ? [] : [...forms, ...(name === undefined ? [] : [name])],
    );
    const depths = roots.filter((root) => isInside(root, form)).map((root) => absolutePathSegments(root).length);
    return Math.max(this.#parent?.depthOf(form) ?? 0, ...depths);
  }

  /** Whether every form of the path is inside one of the folders. */
  contain(path: PathForms, access: "read" | "write"): boolean {
    return path.isCertain && path.forms.every((form) => this.#contains(form, access));
  }
}

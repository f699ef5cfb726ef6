/** The trees of an agent that works in a copy of the session's tree. */

/** Both absolute: the tree that must not be changed, and the one that replaces it. */
export interface Mirror {
  from: string;
  to: string;
}

export interface Isolation {
  /** The session's own working directory. Absolute. */
  projectFolder: string;
  /** The outermost first. */
  mirrors: readonly (Mirror & { cwd: string })[];
  /** The agent keeps notes in the original tree, which is otherwise closed to it. */
  keepsNotes: boolean;
}

/** Returns the innermost tree, and the original it is ultimately a copy of. */
export function innermostCopy({ mirrors, projectFolder }: Isolation): { path: string; original: string } {
  return { path: mirrors.at(-1)?.to ?? projectFolder, original: mirrors[0]?.from ?? projectFolder };
}

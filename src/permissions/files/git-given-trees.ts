/** Files of a repository whose content git hands on as a whole: in a bundle, to a server, or to another folder or repository. */
import { hasOption, valuesOfOption, type Operands } from "../options/operands.ts";
import { treeAt, type Tree } from "./tree.ts";

/** Commands that hand on all that a revision holds, and cannot be limited to files. */
const givingCommands = new Set(
  "bundle pack-objects send-email imap-send svn p4 cvsserver cvsexportcommit daemon http-backend upload-pack upload-archive instaweb".split(
    " ",
  ),
);
/** What only looks at a bundle. */
const bundleChecks = new Set(["verify", "list-heads", "unbundle"]);
/** An address on this machine. */
const localAddress = /^(?:\.{0,2}\/|\.{1,2}$|~|file:|[A-Za-z]:[\\/])/u;
const fileAddress = /^file:(?:\/\/(?:localhost(?=\/))?)?/u;
const batchOptions = ["--batch", "--batch-command"];

/**
 * Undefined if it is another command. `top`: the place of the whole repository. `isThere`: whether a word names an existing path.
 */
export function treesGivenByGit(
  command: string,
  read: Operands,
  top: string,
  isThere: (text: string) => boolean,
): Tree[] | undefined {
  const [first = ""] = read.operands;
  const whole = treeAt(top, { git: "tracked" });
  if (givingCommands.has(command)) return bundleChecks.has(first) ? [] : [whole];
  switch (command) {
    case "init":
      return copiedTemplates(read);
    case "clone":
      return first !== "" && (localAddress.test(first) || isThere(first))
        ? [treeAt(first.replace(fileAddress, "") || "/", { git: "tracked" }), ...copiedTemplates(read)]
        : copiedTemplates(read);
    case "push":
      // Another name is that of a remote, even if a folder has it, too.
      return localAddress.test(first) ? [whole] : [];
    case "cat-file":
      return hasOption(read, ...batchOptions) ? [whole] : undefined;
    case "worktree":
      return first === "add" && !hasOption(read, "--no-checkout") ? [{ ...whole, isCommon: true }] : [];
    case "merge-tree":
    case "unpack-file":
      return [{ ...whole, isCommon: true }];
    case "request-pull":
      return hasOption(read, "-p") ? [{ ...whole, isCommon: true }] : [];
    default:
      return undefined;
  }
}

function copiedTemplates(read: Operands): Tree[] {
  return valuesOfOption(read, "--template").map((place) => treeAt(place));
}

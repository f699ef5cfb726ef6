/** What makes git run something: keys of its configuration, and words after its commands. */

/** Keys with which git runs a program, reads further configuration, or fetches missing objects while it only reads. */
export const runningKeys =
  /^(?:core\.(?:fsmonitor|hookspath|pager|editor|sshcommand|gitproxy|askpass|alternaterefscommand|attributesfile|worktree)|pager\..*|diff\..*\.(?:command|textconv)|diff\.external|difftool\..*|filter\..*|merge\..*\.driver|mergetool\..*|gpg\..*program|gpg\.program|credential(?:\..*)?\.helper|alias\..*|include\.path|includeif\..*|interactive\.difffilter|sequence\.editor|uploadpack\..*|remote\..*\.(?:uploadpack|receivepack|vcs)|protocol\..*|trailer\..*\.c(?:omman|m)d|browser\..*|man\..*|web\..*|extensions\.(?:worktreeconfig|partialclone)|remote\..*\.(?:promisor|partialclonefilter)|hook\..*|safe\..*|submodule\..*\.update|log\.showsignature)$/iu;

/** Further keys: with them, a git command asked for by name would later run something. Also what gives settings such a name. */
export const laterRunningKeys =
  /^(?:tar\..*\.command|gpg\.ssh\.defaultkeycommand|init\.templatedir|sendemail\..*(?:cmd|server)|imap\.tunnel|instaweb\..*|guitool\..*|--ren.*|rename-section)$/iu;

/** For commands of git that run others: the word that the other command follows. */
export const runnerMarks: ReadonlyMap<string, string> = new Map([
  ["bisect", "run"],
  ["submodule", "foreach"],
  ["merge-index", "merge-index"],
]);

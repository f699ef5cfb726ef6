/** What has git run something: keys of its configuration, and words behind its commands. */

/** Keys with which git runs a program, reads further configuration, or fetches what is missing while it looks. */
export const runningKeys =
  /^(?:core\.(?:fsmonitor|hookspath|pager|editor|sshcommand|gitproxy|askpass|alternaterefscommand|attributesfile|worktree)|pager\..*|diff\..*\.(?:command|textconv)|diff\.external|difftool\..*|filter\..*|merge\..*\.driver|mergetool\..*|gpg\..*program|gpg\.program|credential(?:\..*)?\.helper|alias\..*|include\.path|includeif\..*|interactive\.difffilter|sequence\.editor|uploadpack\..*|remote\..*\.(?:uploadpack|receivepack|vcs)|protocol\..*|trailer\..*\.c(?:omman|m)d|browser\..*|man\..*|web\..*|extensions\.(?:worktreeconfig|partialclone)|remote\..*\.(?:promisor|partialclonefilter)|hook\..*|safe\..*|submodule\..*\.update|log\.showsignature)$/iu;

/** Beside those, what a command of git that is asked for by name would run from then on, and what gives settings such a name. */
export const setKeys =
  /^(?:tar\..*\.command|gpg\.ssh\.defaultkeycommand|init\.templatedir|sendemail\..*(?:cmd|server)|imap\.tunnel|instaweb\..*|guitool\..*|--ren.*|rename-section)$/iu;

/** Of its commands, the word behind which stands what it runs. */
export const runners: ReadonlyMap<string, string> = new Map([
  ["bisect", "run"],
  ["submodule", "foreach"],
  ["merge-index", "merge-index"],
]);

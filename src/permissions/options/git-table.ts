/**
 * The commands of git and their options, in rows as in `program-table.ts`. For commands that only read, `reads` describes their operands:
 * revisions, and paths of the repository.
 */
const commitOptions =
  "-# -iEFPg -n= --oneline --graph --all --decorate[=] --no-decorate --since= --until= --after= --before= --author= --committer= --grep= --all-match --invert-grep --no-merges --merges --first-parent --reverse --follow --max-count= --skip= --date= --format[=] --pretty[=] --abbrev-commit --no-abbrev-commit --abbrev[=] --tags[=] --branches[=] --remotes[=] --topo-order --date-order --author-date-order --left-right --cherry-pick --cherry-mark --cherry --boundary --simplify-by-decoration --full-history --ancestry-path --children --parents --relative-date --source --walk-reflogs --log-size --no-notes --no-mailmap --use-mailmap --min-parents[=] --max-parents[=] --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --count --left-only --right-only --no-walk[=] --show-pulls --not --exclude= --glob= --simplify-merges --dense --sparse --no-graph --reflog --in-commit-order --basic-regexp --no-min-parents --no-max-parents --exclude-first-parent-only --encoding= --expand-tabs[=] --no-expand-tabs --grep-reflog= --do-walk --no-abbrev";
/** Options of log and similar commands only. */
const logOptions = "-L= --decorate-refs= --decorate-refs-exclude= --clear-decorations";
const diffOptions =
  "-puswbaRzWqcm -MCU# -SGl= !-O= --patch --no-patch --unified[=] --stat[=] --numstat --shortstat --summary --dirstat[=] --compact-summary --name-only --name-status --color[=] --no-color --word-diff[=] --word-diff-regex= --color-words[=] --color-moved[=] --diff-filter= --diff-algorithm= --minimal --patience --histogram --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-space-at-eol --ignore-cr-at-eol --function-context --find-renames[=] --find-copies[=] --no-renames --full-index --binary --raw --relative[=] --no-relative --no-prefix --src-prefix= --dst-prefix= --submodule[=] --ignore-submodules[=] --exit-code --quiet --check --text --inter-hunk-context= --pickaxe-all --pickaxe-regex --no-ext-diff --no-textconv --no-indent-heuristic --cc --combined-all-paths --diff-merges= --remerge-diff --skip-to= --rotate-to= --stat-width= --stat-count= --output-indicator-new= --output-indicator-old= --output-indicator-context= -D -B# --irreversible-delete --patch-with-stat --patch-with-raw --ws-error-highlight= --no-color-moved --color-moved-ws= --anchored= --stat-graph-width= --stat-name-width= --cumulative --dirstat-by-file[=] --indent-heuristic --find-copies-harder --break-rewrites[=] --no-function-context --line-prefix= --find-object= --no-follow";
const refOptions =
  "-i --sort= --format= --count= --contains[=] --no-contains[=] --merged[=] --no-merged[=] --points-at= --column[=] --no-column --color[=] --no-color --ignore-case --omit-empty";

/** Row `*`: the options by which any command, and so any alias, may run or write something. */
export const gitRows = `
* - $--exec $--extcmd $--open-files-in-pager $--receive-pack $--upload-pack >--config >--config-env >--exec-path >--ext-diff >--output >--output-directory >--textconv
apply - -pC= --input= --directory= --strip= --exclude= --include= --whitespace=
checkout - -bB= --orphan=
clean - -e= --exclude=
clone - -boj= --branch= --origin= --jobs= --depth= --filter= --reference= --reference-if-able= --separate-git-dir= --server-option= --shallow-since= --shallow-exclude= --bundle-uri= --revision= --ref-format= $-u= >-c= >--template= --config= --upload-pack=
daemon - $--access-hook
difftool,rebase - $-x
filter-branch - $--setup $--env-filter $--tree-filter $--index-filter $--parent-filter $--msg-filter $--commit-filter $--tag-name-filter
hash-object - -t= --path=
init - -b= --initial-branch= --object-format= --ref-format= --separate-git-dir= >--template=
interpret-trailers - --trailer= --where= --if-exists= --if-missing=
instaweb - $-db $--httpd $--browser
restore - -s= --source=
send-email - $--sendmail-cmd $--smtp-server $--to-cmd $--cc-cmd $--header-cmd
stash - -m= --message=
switch - -cC= --create= --force --force-create= --orphan=
status reads -sbvzu whole:-uno,-uall,-unormal --short --branch --porcelain[=] --long --verbose --untracked-files[=] --ignored[=] --show-stash --ahead-behind --no-ahead-behind --renames --no-renames --find-renames[=] --ignore-submodules[=] --column[=] --no-column
log,show,whatchanged,stash:list,reflog:show reads ${commitOptions} ${logOptions} ${diffOptions}
diff reads ${diffOptions} -0123 --cached --staged --merge-base --base --ours --theirs
diff-tree reads ${diffOptions} -rt --root --no-commit-id --stdin --merge-base
diff-files reads ${diffOptions} -0123
diff-index reads ${diffOptions} --cached --merge-base
range-diff reads ${diffOptions} --creation-factor= --no-dual-color --left-only --right-only
shortlog reads ${commitOptions} -snec --committer --summary --numbered --email --group=
blame reads -bcltfnsew -MC# -L= !-S= --root --show-stats --show-name --show-number --show-email --porcelain --line-porcelain --incremental --date= --since= --abbrev[=] --reverse --first-parent --color-lines --color-by-age --ignore-rev= --no-progress
annotate reads -ltfnsew -L=
branch reads ?list,contains,merged ${refOptions} -arvl --list --all --remotes --verbose --show-current --no-abbrev --abbrev[=]
tag reads ?list,contains,merged ${refOptions} -l -n# --list
remote reads *0 -v --verbose
remote:get-url reads --all --push
remote:show,submodule reads *0
stash:show reads ${diffOptions} -u --include-untracked --only-untracked
reflog reads *0 ${commitOptions} ${logOptions} ${diffOptions}
worktree - -bB= --reason=
worktree:list reads -vz --verbose --porcelain
bisect:log,notes:list,notes:show,var,--version reads
submodule:status reads --cached --recursive
config:--get reads -z --global --local --system --show-origin --show-scope --type= --bool --int --path --null --default=
config:--get-all reads -z --global --local --system --show-origin --show-scope --type= --null
config reads *1 -z --global --local --system --show-origin --show-scope --type= --bool --int --path --null --get --default=
config:get reads --global --local --system --show-origin --show-scope --type= --all --default=
rev-parse reads -q --verify --short[=] --abbrev-ref[=] --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --all --branches[=] --tags[=] --remotes[=] --quiet --revs-only --no-revs --flags --no-flags --show-object-format[=] --local-env-vars --since= --until= --path-format= --git-path
rev-list reads ${commitOptions} --objects --objects-edge --disk-usage[=] --unpacked --timestamp --header
ls-files reads -cdmoisukztvf -x= --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --no-empty-directory --eol --exclude= --exclude-standard --error-unmatch --full-name --abbrev[=] --format= --deduplicate --recurse-submodules
ls-tree reads -drtlz --name-only --name-status --object-only --long --full-name --full-tree --abbrev[=] --format=
cat-file reads -tspe --batch-check[=] !--batch[=] --batch-all-objects --buffer --unordered
describe reads -# --all --tags --contains --abbrev[=] --candidates= --exact-match --long --match= --exclude= --always --first-parent --dirty[=] --broken[=] --debug
name-rev reads --tags --refs= --all --name-only --always --exclude= --no-undefined
merge-base reads -a --all --octopus --is-ancestor --independent --fork-point
for-each-ref reads ${refOptions} --exclude= --stdin
show-ref reads -qsd --head --heads --branches --tags --verify --hash[=] --abbrev[=] --quiet --dereference --exists
show-branch reads -ar --all --remotes --list --more= --topo-order --date-order --sha1-name --no-name --color[=] --current
symbolic-ref reads *1 -q --short --quiet
count-objects reads -vH --verbose --human-readable
cherry reads -v --abbrev[=]
check-ignore reads -qvn --quiet --verbose --non-matching --no-index
check-attr reads -a --all --cached
check-ref-format reads --branch --normalize --allow-onelevel --refspec-pattern
grep reads $-O !-f= -iIEGFPlLcwvhHopWqar -n# -ABCem= --ignore-case --extended-regexp --fixed-strings --perl-regexp --line-number --files-with-matches --name-only --files-without-match --count --word-regexp --invert-match --only-matching --show-function --function-context --quiet --all-match --and --or --not --cached --untracked --no-exclude-standard --exclude-standard --heading --break --column --color[=] --no-color --max-depth= --max-count= --context= --after-context= --before-context= --threads= --recursive --full-name --text
version reads --build-options
`;

/**
 * Programs and their options. The first rows are programs that may run without a question: an option that is not listed there is asked
 * about. Left out on purpose is whatever writes, runs another program, uses the network, shows the environment or configures the machine.
 * For the other programs only relevant options are listed.
 *
 * A row has a program, or several separated by commas, the kind of its operands (`-`: the program is asked about), and its options: `-ab`
 * take no value, `-ab=` one each, `--ab==` two, `-f=@` a file it reads, `-n#` a number in the same word, `-#` stands for `-5`; `--long`,
 * `--long=`, `--long=@`, and `--long[=]` if the value is optional. Asked about like unlisted options are `!-o=`, `$-x`, which runs its
 * value, and `>-o`, which says where something is written or where further orders come from.
 *
 * `*1` is the maximum number of operands. `deep` or `deep:-r`: the program (with that option) reads everything below a folder. `follows`:
 * it follows links there. `lists:-L`: with that option, a deep listing enters linked folders. `globs`: an operand may begin with a wildcard.
 * `anywhere`: it accepts options after operands on every system. `apart`: letters are not combined in one word, and nothing after an
 * operand is an option. `unglued`: except for numbers, a value is the next word. `unlisted`: a word that begins with `@` names a file with
 * further words. `whole:-ab`: this is a single option. `?list`: only with an option whose name contains this are operands read instead of
 * created.
 */
export const programRows = `
ls paths globs deep:-R,--recursive lists:-L,--dereference -1AaBbCcdFfGgHhiIkLlmNnopqQrRSsTtUuvXxZ -w= -I= --all --almost-all --author --color[=] --classify[=] --directory --full-time --group-directories-first --human-readable --inode --no-group --numeric-uid-gid --recursive --reverse --si --size --sort= --time= --time-style= --ignore= --hide= --width= --escape --block-size= --ignore-backups --dired --file-type --format= --dereference --dereference-command-line --hyperlink[=] --indicator-style= --kibibytes --literal --hide-control-chars --show-control-chars --quote-name --quoting-style= --tabsize= --context --zero
cat paths globs -AbEensTtuv --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank
tac paths globs -b -r -s= --separator=
head,tail paths globs -qvz -# -n= -c= --lines= --bytes= --quiet --verbose --zero-terminated
wc paths globs -clLmw --bytes --chars --lines --words --max-line-length
nl paths globs -b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w=
grep,egrep,fgrep pattern anywhere globs deep:-r,-R,-d,--recursive,--dereference-recursive follows:-R,--dereference-recursive -EFGPivwxclLqsoHhnTZzabIrRUy -# -A= -B= -C= -m= -e= -f=@ -d= -D= --after-context= --before-context= --context= --max-count= --regexp= --file=@ --include= --exclude= --exclude-dir= --color[=] --colour[=] --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches --files-without-match --quiet --silent --no-messages --only-matching --with-filename --no-filename --line-number --byte-offset --text --recursive --dereference-recursive --null --label= --binary-files= !--directories= !--devices= !--exclude-from= --line-buffered --initial-tab --null-data --binary --group-separator= --no-group-separator
rg pattern anywhere deep follows:-L,--follow -FivwxclqsSoHINnULPpu.0ab -# -A= -B= -C= -m= -e= -f=@ -g= -t= -T= -d= -j= -M= -r= -E= --after-context= --before-context= --context= --max-count= --regexp= --file=@ --glob= --iglob= --type= --type-not= --max-depth= --threads= --max-columns= --replace= --sort= --sortr= --color= --colors= --encoding= --files --hidden --no-ignore --no-ignore-vcs --no-config --fixed-strings --ignore-case --case-sensitive --smart-case --invert-match --word-regexp --line-regexp --count --count-matches --files-with-matches --files-without-match --quiet --no-messages --only-matching --with-filename --no-filename --line-number --no-line-number --column --heading --no-heading --json --stats --trim --vimgrep --multiline --multiline-dotall --pcre2 --text --unrestricted --follow --type-list --null --passthru --pretty --no-follow --glob-case-insensitive --max-filesize= --no-unicode --crlf $--pre= !--pre-glob= !--type-add= !--type-clear= !--ignore-file= !--engine= !--path-separator= !--field-match-separator= !--field-context-separator= !--context-separator= !--dfa-size-limit= !--regex-size-limit= $--hostname-bin= !--hyperlink-format= !--generate= >-z >--search-zip --binary --block-buffered --line-buffered --byte-offset --max-columns-preview --one-file-system --no-require-git --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-parent --no-ignore-messages --null-data --include-zero --mmap --no-mmap --no-context-separator --no-pcre2
stat paths globs -fLt -c= --format= --printf= --terse --dereference --file-system
file paths -bhiLN0 -F= --brief --mime --mime-type --mime-encoding --dereference --no-pad
du paths globs deep lists:-L,--dereference -0abchHklLmsSxD -d= -t= -B= --all --apparent-size --bytes --total --human-readable --max-depth= --summarize --si --separate-dirs --exclude= --one-file-system --block-size= --time[=] --threshold=
df data -ahHiklPT -B= -x= -t= --all --human-readable --inodes --local --portability --print-type --si --total --type= --exclude-type= --output[=]
tree paths anywhere unglued deep lists:-l -aACdDfFghilnNpqrsStuvxX -L= -P= -I= --dirsfirst --filesfirst --noreport --du --si --gitignore --prune --charset= --filelimit= --sort= --matchdirs --ignore-case --inodes --device
diff paths anywhere deep follows -abBcdeEinNpqrstTuwyZ -C= -U= -W= -x= -F= -I= --brief --recursive --unified[=] --context[=] --side-by-side --width= --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space --new-file --report-identical-files --color[=] --exclude= --suppress-common-lines --left-column --minimal --strip-trailing-cr --text --label= --no-dereference --speed-large-files !-S= !--starting-file=
cmp paths -bls -i= -n= --print-bytes --verbose --silent --quiet --bytes= --ignore-initial=
comm paths *2 -123 --check-order --nocheck-order --output-delimiter= --total
sort paths -bdfghimMnrRsuVcCz -k= -t= -S= --key= --field-separator= --reverse --unique --numeric-sort --human-numeric-sort --version-sort --general-numeric-sort --month-sort --ignore-case --ignore-leading-blanks --stable --check[=] --dictionary-order --random-sort --zero-terminated --parallel= >-o= !-T= >--output= !--temporary-directory= $--compress-program= >--files0-from
uniq paths *1 -cdDiuz -f= -s= -w= --count --repeated --unique --ignore-case --skip-fields= --skip-chars= --check-chars= --zero-terminated
cut paths globs -nsz -b= -c= -d= -f= --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter=
tr data *2 -cCdst --complement --delete --squeeze-repeats --truncate-set1
paste paths globs -sz -d= --delimiters= --serial
column paths -txeL -s= -o= -c= -N= -R= -H= --table --separator= --output-separator= --table-columns= --table-right= --json --table-name=
fold paths globs -bs -w= --width= --spaces
fmt paths globs -cstu -w= --width=
expand paths globs -i -t= --tabs=
unexpand paths globs -a -t=
rev,cksum paths
join paths *2 -i -1= -2= -a= -e= -j= -o= -t= -v= --header
od paths globs -bcdfiloxv -A= -j= -N= -t= -w# -S= --address-radix= --format= --read-bytes= --skip-bytes=
xxd paths *1 unglued apart -abeiEu -c= -g= -l= -s= -o=
hexdump paths -bcCdovx -n= -s= -e=
hd paths -n= -s=
strings paths unlisted -afo -n= -t= -e= -# --all --bytes= --radix= --print-file-name
sum paths globs -rs
md5sum paths globs -bct --check --quiet --status --binary --text
sha1sum,sha224sum,sha256sum,sha384sum,sha512sum,b2sum paths globs -bct --check --quiet --status
shasum paths globs -bcp -a= --algorithm= --check
base64 paths *1 -di -w= --decode --wrap= --ignore-garbage
base32 paths *1 -di -w= --decode --wrap=
basename data -az -s= --multiple --suffix=
dirname data -z
realpath data -emsqz --canonicalize-existing --canonicalize-missing --no-symlinks --relative-to= --relative-base=
readlink data -efmnqsvz --canonicalize
pwd none -LP
whoami,arch,wait none
id data -agGnruzZ --group --groups --name --real --user
groups,true,false,: data
hostname none -AdfiIsy --fqdn --short --ip-address
uname none -amnoprsvi --all --kernel-name --kernel-release --machine --operating-system
uptime none -ps --pretty --since
nproc none --all --ignore=
free none -bkmghltvw -s= -c= --human --total --wide
lscpu none -abcJp -e= --json
locale none -a -m
tty none -s
cal data -13hjmnsy -A= -B=
seq names -w -f= -s= --equal-width --format= --separator=
sleep,break,continue names *1
exit data *1
jobs none -lprs
which names -as --all
type names -aftpP
pgrep names -acflnovwx -u= -U= -P= -t= --full --list-name --count --exact
numfmt names --to= --from= --suffix= --padding= --format= --field= --grouping --header[=]
expr names
getconf names *1 -a
ag - -ABCmGgpW= --depth= --ignore= --ignore-dir= --file-search-regex= --path-to-ignore= --max-count= --width= --workers= --color --color-line-number= --color-match= --color-path= --type= --ignore-file= --ignore-directory= --output= $--pager=
sed - -efl= --expression= --file=
awk - -efFvlE= --expression= --file=
jq - -fL= --arg== --argjson== --indent=
cp - -tS= --target-directory= --suffix= --sparse= --no-preserve=
install - -tSmogf= --target-directory= --suffix= --mode= --owner= --group= --strip-program=
rsync - -fTBM= $-e= --backup --partial --exclude= --exclude-from= --include= --include-from= --filter= --files-from= $--rsh= --suffix= --backup-dir= --max-size= --min-size= --bwlimit= --chmod= --chown= --log-file= --out-format= --only-write-batch= --write-batch= --partial-dir= --temp-dir= --compare-dest= --copy-dest= --link-dest= $--rsync-path= --compress --checksum --group --port= --timeout= --contimeout= --info= --debug= --iconv= --password-file= --compress-level= --compress-choice= --checksum-choice= --checksum-seed= --modify-window= --max-delete= --max-alloc= --block-size= --usermap= --groupmap= --outbuf= --protocol= --sockopts= --address= --stop-after= --stop-at= --skip-compress= --log-file-format= --read-batch= --copy-as= --early-input= --remote-option= --compress-threads= --zc= --zl= --cc=
scp - -cFiJlMoPX= $-SD=
zip - whole:-db,-sb -bnPtO= --temp-path= --suffixes= --password= --from-date= --before-date= --split-size= --out= --output-file=
tar,gtar,bsdtar - -fCbTXHgVNK= $-I= $-F --file= --directory= --exclude= --files-from= --exclude-from= $--use-compress-program= --transform= --owner= --group= --mode= --mtime= $--to-command $--info-script $--new-volume-script $--rsh-command $--rmt-command >--checkpoint-action
split - -abClnt= --suffix-length= --bytes= --line-bytes= --lines= --number= --separator= --additional-suffix= $--filter
git - -Cc= --git-dir= --work-tree= --namespace= --config-env= --super-prefix= --attr-source= --shallow-file=
patch - -pidorBDFgVYz= --input= --directory= --strip= --exclude= --include= --whitespace=
curl - -AbcCdDeEFHKmoPQrtTuUwxXyYz= --output= --output-dir= --upload-file= --config= --request= --header= --user-agent= --max-time= --user= --write-out= --proxy= --retry= --connect-timeout= --url=
wget - -oaeiBtOTwQUPlARDIX= $--use-askpass= --output-document= --directory-prefix=
ssh-keygen - -CDEFIMNOPRTVYZabfgjmnrstwz=
docker - -HclfpFn= --host= --context= --config= --log-level= --file= --project-name= --project-directory= --profile= --env-file= --parallel= --progress= --ansi= --connection= --url= --namespace= --address=
fd,fdfind - -HIusigFalL0p1qhV -CdEteSocj= --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --relative-path --list-details --follow --no-follow --full-path --print0 --prune --quiet --show-errors --one-file-system --strip-cwd-prefix[=] --max-depth= --min-depth= --exact-depth= --exclude= --type= --extension= --size= --changed-within= --changed-after= --newer= --change-newer-than= --changed-before= --older= --change-older-than= --owner= --and= --format= --batch-size= --ignore-file= --color= --threads= --max-results= --max-one-result --base-directory= --path-separator= --search-path= $-xX= $--exec= $--exec-batch=
hyperfine - $-pscC $--prepare $--setup $--cleanup $--conclude
man - $-PH $--pager $--html
mosh - $--ssh $--server
nc - $-ec
ncat - $-ec $--exec $--sh-exec
nix-shell - $--run $--command
sftp - $-SD
start-stop-daemon - $-xa $--exec $--startas
tcpdump - $-z
`;

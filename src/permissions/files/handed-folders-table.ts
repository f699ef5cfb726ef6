/**
 * Programs that send, serve, pack or print a whole folder. One row each: the names, each with its subcommands behind colons, and the options
 * that take a value, as in `options/program-table.ts`. `=@`: its value is a folder. `deep:`: without one of these options, folders are left out.
 */

/** They send what stands before the place that it goes to. */
export const sendingRows = `
docker:cp,docker:container:cp,docker:compose:cp,docker-compose:cp,podman:cp,podman:container:cp,podman-compose:cp,nerdctl:cp,nerdctl:compose:cp - follows:-L,--follow-link --index=
kubectl:cp,oc:cp,kubecolor:cp - -ncs= --namespace= --container= --context= --kubeconfig= --cluster= --user= --server= --token= --as= --retries=
oc:rsync - -ncs= --namespace= --container= --context= --kubeconfig= --cluster= --user= --server= --token= --as= --strategy= --exclude= --include=
lxc:file:push,incus:file:push - deep:-r,--recursive --mode= --uid= --gid=
multipass:transfer,limactl:copy,limactl:cp,tsh:scp,pscp - deep:-r,--recursive -PiF= --cluster= --login=
vagrant:upload,adb:push -
gh:codespace:cp,gh:cs:cp - deep:-r,--recursive -cRp= --codespace= --repo= --repo-owner= --profile=
gcloud:compute:scp - follows deep:--recurse --zone= --project= --port= --scp-flag= --ssh-key-file=
gcloud:storage:cp,gcloud:storage:mv - follows deep:-r,-R,--recursive --project= --account= --storage-class= --cache-control= --content-type=
gcloud:storage:rsync - follows -x= --exclude= --project= --account= --cache-control= --content-type=
gsutil:cp,gsutil:mv - follows deep:-r,-R -azjLsh=
gsutil:rsync - follows -xyaj=
aws:s3:cp,aws:s3:mv - follows deep:--recursive --exclude= --include= --profile= --region= --endpoint-url= --output= --acl= --sse= --sse-kms-key-id= --storage-class= --content-type= --cache-control= --metadata= --grants=
aws:s3:sync - follows --exclude= --include= --profile= --region= --endpoint-url= --output= --acl= --sse= --sse-kms-key-id= --storage-class= --content-type= --cache-control= --metadata= --grants=
az:storage:blob:upload-batch,az:storage:blob:sync,az:storage:file:upload-batch,az:storage:copy,az:storage:fs:directory:upload - follows -s=@ --source=@ --source-local-path=@ -d= --destination= -c= --container= --account-name= --account-key= --connection-string= --pattern= --destination-path= --auth-mode= --sas-token= -n= -f= --file-system=
azcopy:copy,azcopy:cp,azcopy:sync - --from-to= --exclude-pattern= --include-pattern= --exclude-path= --log-level=
rclone:copy,rclone:copyto,rclone:sync,rclone:move,rclone:moveto,rclone:bisync - follows:-L,--copy-links --exclude= --include= --filter= --exclude-from= --include-from= --filter-from= --files-from= --config= --transfers= --checkers= --bwlimit= --log-file= --log-level= --max-age= --min-age= --max-size= --min-size= --backup-dir=
s3cmd:sync,s5cmd:cp,s5cmd:mv,s5cmd:sync,mc:mirror,b2:sync - follows
s3cmd:put,mc:cp,mc:mv - follows deep:-r,--recursive
mutagen:sync:create,ditto -
`;

/** They serve the folder that is given to them, or else the current one. */
export const servingRows = `
serve - follows:-S,--symlinks -lpc= --listen= --config= --ssl-cert= --ssl-key= --ssl-pass=
http-server - follows -pacPCKet= --port= --proxy= --cert= --key= --ext= --username= --password= --base-dir=
live-server - follows
sirv,sirv-cli - follows -pHmKPF= --port= --host= --cert= --key= --cacert= --pass= --ignores=
darkhttpd - follows
miniserve,dufs,simple-http-server - follows -piabt= --port= --interfaces= --index= --auth= --bind= --title= --ip=
webfsd - follows -r=@ -pRfxli=
jwebserver - follows -d=@ --directory=@ -bpo= --bind-address= --port= --output=
caddy:file-server - follows -r=@ --root=@ -ld= --listen= --domain=
busybox:httpd - follows -h=@ -pcurem=
ruby:httpd - follows -pb= --port= --bind-address=
`;

/** They pack, upload, compare or search whatever folders are given to them. */
export const packingRows = `
rclone:serve,rclone:cat - follows:-L,--copy-links
ipfs:add,croc:send,wormhole:send,asar:pack,asar:p -
oras:push,swift:upload,hf:upload,huggingface-cli:upload,tarsnap,mksquashfs,genisoimage,mkisofs,xorrisofs -
ncftpput - deep:-R
borg:create,duplicity,kopia:snapshot:create -
restic:backup - -re= --exclude= --repo= --tag= --host= --password-file= --exclude-file= --files-from=
difft,delta - follows
icdiff - follows deep:-r,--recursive
trufflehog:filesystem -
wrangler:pages:deploy,wrangler:pages:publish,surge -
netlify:deploy - --dir=@ -d=@
gh-pages - -d=@ --dist=@
twistd:web,twist:web - follows --path=@
`;

/** They print all files of a folder in one text, by default of the current one, without what git ignores. */
export const printingRows = `
repomix - -ocil= --output= --config= --style= --include= --ignore= --remote=
gitingest,yek - -oeis= --output= --output-dir= --exclude-pattern= --include-pattern= --max-size=
files-to-prompt - -eo= --extension= --ignore= --output=
code2prompt - -ieOtF= --include= --exclude= --output-file= --template= --output-format=
`;

#!/bin/sh
# Signs the email on standard input and sends it to the portal. Exits with a code of sysexits.h, as Postfix's pipe expects:
# 75 keeps the email in the queue, 65 returns it to its sender.
# $1: a file with PORTAL_URL=https://portal.example.com and INBOUND_WEBHOOK_SECRET=…, which only the user of the pipe can read
set -u
[ -r "$1" ] || exit 75
. "$1"
mail=$(mktemp) || exit 75
trap 'rm -f "$mail"' EXIT
cat > "$mail" || exit 75
time=$(date +%s)
# Passed in the environment, because every user of this machine can read the arguments of a command.
export INBOUND_WEBHOOK_SECRET
v1=$({ printf '%s.' "$time"; cat "$mail"; } |
  perl -MDigest::SHA=hmac_sha256_hex -0777 -ne 'print hmac_sha256_hex($_, $ENV{INBOUND_WEBHOOK_SECRET})')
status=$(curl --silent --max-time 60 --output /dev/null --write-out '%{http_code}' --data-binary "@$mail" \
  --header 'Content-Type: message/rfc822' --header "BlackDuck-Signature: t=$time,v1=$v1" "$PORTAL_URL/api/inbound-mail")
case $status in
  200) exit 0 ;;
  413 | 422) exit 65 ;;
  *) exit 75 ;;
esac

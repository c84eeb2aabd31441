#!/bin/sh
# One copy of the data per day, while the server runs; the newest 14 are kept.
#     backup.sh /var/lib/dicegames /var/backups/dicegames
# The way back: stop the server, dicegames-server --data /var/lib/dicegames restore FILE, start it.
set -eu
data=${1:?the data folder of the server}
target=${2:?the folder for the copies}
server=${DICEGAMES_SERVER:-/opt/dicegames/bin/dicegames-server}
umask 077
mkdir -p "$target"
"$server" --data "$data" backup "$target/dicegames-$(date +%Y-%m-%d).sqlite3"
ls -1 "$target"/dicegames-*.sqlite3 | sort -r | tail -n +15 | while read -r old; do rm -- "$old"; done

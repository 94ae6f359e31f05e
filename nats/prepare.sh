#!/bin/sh
# Writes the NATS configuration of a container installation into the folder $1: makes the
# product's secrets if they are not there yet and fills the templates beside this script.
set -eu
umask 077
templates="$(dirname "$0")"
secrets="$(wheelhouse secrets)"
field() { printf '%s\n' "$secrets" | tr ',{}' '\n\n\n' | sed -n "s/.*\"$1\" *: *\"\([A-Za-z0-9]*\)\".*/\1/p"; }
issuer="$(field nats_issuer_public)"
password="$(field nats_password)"
if [ -z "$issuer" ] || [ -z "$password" ]; then
  echo "prepare.sh: wheelhouse secrets did not name nats_issuer_public and nats_password" >&2
  exit 1
fi
sed -e "s/{{issuer}}/$issuer/" -e "s/{{user}}/wheelhouse/g" -e "s/{{password}}/$password/" \
  "$templates/auth.conf" >"$1/auth.conf"
sed -e 's/{{server_name}}/wheelhouse/' -e 's/{{listen}}/0.0.0.0:4222/' -e 's/{{monitor}}/0.0.0.0:8222/' \
  -e 's/{{mqtt}}/0.0.0.0:1883/' -e 's|{{store_dir}}|/data/jetstream|' \
  "$templates/server.conf" >"$1/server.conf"
cp "$templates/cluster.conf" "$1/cluster.conf"
# nats-server runs as another user in its own container; the volume is shared with it alone.
chmod 644 "$1"/*.conf

#!/usr/bin/env bash
# Makes the images that the container tests use, where no registry answers: PostgreSQL 17 and a
# nats-server of 2.10 or newer from Debian's packages, under the names the tests ask for.
# Needs root, docker and mmdebstrap (apt-get install docker.io mmdebstrap). About a minute.
set -euo pipefail

suite=trixie
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

for program in docker mmdebstrap; do
  command -v "$program" >/dev/null || {
    echo "images.sh: $program is missing (apt-get install docker.io mmdebstrap)" >&2
    exit 1
  }
done
docker version >/dev/null || {
  echo "images.sh: no container engine answers; start one (dockerd &)" >&2
  exit 1
}

if ! docker image inspect wheelhouse-base >/dev/null 2>&1; then
  # The mirror this machine already trusts, asked for another suite.
  mirror=()
  if [[ -r /etc/apt/sources.list.d/debian.sources ]]; then
    awk 'BEGIN{RS="";ORS="\n\n"} !/security/ || NR==1 {print; exit}' /etc/apt/sources.list.d/debian.sources |
      sed -e "s/^Suites:.*/Suites: $suite/" -e 's/^#.*//' -e '/^$/d' >"$work/one.sources"
    mirror=("$work/one.sources")
  fi

  mmdebstrap --quiet --variant=minbase --include=postgresql-17,nats-server \
    --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --customize-hook='rm -rf "$1"/var/lib/postgresql/*/main "$1"/var/lib/apt/lists/*' \
    "$suite" "$work/root.tar" "${mirror[@]}" </dev/null
  docker import "$work/root.tar" wheelhouse-base >/dev/null
fi

mkdir "$work/postgres" "$work/nats"

# PostgreSQL as the official image behaves: initialized with POSTGRES_*, started once for that
# (it says "ready" on standard output), then for good (on standard error).
cat >"$work/postgres/entry.sh" <<'ENTRY'
#!/bin/sh
set -eu
case "${1:-postgres}" in
  -*) ;;
  postgres) [ $# -eq 0 ] || shift ;;
  *) exec "$@" ;;
esac
bin="$(ls -d /usr/lib/postgresql/*/bin | tail -1)"
data=/var/lib/postgresql/data
as="setpriv --reuid=postgres --regid=postgres --clear-groups"
if [ ! -s "$data/PG_VERSION" ]; then
  mkdir -p "$data"
  chown postgres: "$data"
  chmod 700 "$data"
  printf '%s\n' "${POSTGRES_PASSWORD:?}" >/tmp/password
  chown postgres: /tmp/password
  $as "$bin/initdb" -D "$data" -U "${POSTGRES_USER:-postgres}" --pwfile=/tmp/password -E UTF8 --no-locale \
    --auth-local=trust --auth-host=scram-sha-256 >/dev/null
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
  $as "$bin/pg_ctl" -D "$data" -w -o "-c listen_addresses='' -k /tmp" start
  if [ "${POSTGRES_DB:-postgres}" != postgres ]; then
    $as "$bin/createdb" -h /tmp -U "${POSTGRES_USER:-postgres}" "$POSTGRES_DB"
  fi
  $as "$bin/pg_ctl" -D "$data" -m fast -w stop
  echo 'PostgreSQL init process complete; ready for start up.'
fi
exec $as "$bin/postgres" -D "$data" -c listen_addresses='*' -k /tmp "$@"
ENTRY
chmod +x "$work/postgres/entry.sh"
printf '%s\n' 'FROM wheelhouse-base' 'COPY entry.sh /entry.sh' 'EXPOSE 5432' \
  'ENTRYPOINT ["/entry.sh"]' 'CMD ["postgres"]' >"$work/postgres/Dockerfile"
printf '%s\n' 'FROM wheelhouse-base' 'EXPOSE 4222 1883 8222' \
  'ENTRYPOINT ["/usr/sbin/nats-server"]' >"$work/nats/Dockerfile"

# The names say what the tests ask for; what is inside is Debian's, not Alpine's.
docker build -q -t postgres:17-alpine "$work/postgres" 2>/dev/null
docker build -q -t nats:2.12-alpine "$work/nats" 2>/dev/null

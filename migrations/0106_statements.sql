-- What is signed about the log, numbered and linked: checkpoints, rotations of the signing key, restores that were accepted.
-- `body` is the signed statement as JSON. The same statements stand outside of the database; `log.checkpoints` keeps those
-- of version 1, which were not linked.
create table log.statements (
    number   bigint primary key,
    first    bigint,                             -- of a checkpoint: the first event it covers
    position bigint,                             -- and the last one
    body     text   not null
);
create trigger append_only before update or delete or truncate on log.statements
    for each statement execute function log.refuse_change();

-- What the signer waits for that does not pass by itself; `wheelhouse doctor` shows it.
create table log.signing (
    only_one boolean     primary key default true check (only_one),
    failure  text,
    moved_at timestamptz not null default now()
);
insert into log.signing default values;

grant select on log.statements, log.signing to wheelhouse_app, wheelhouse_projector;
grant insert on log.statements to wheelhouse_projector;
grant update on log.signing to wheelhouse_projector;

-- Who leads what. A lease is held until a moment of this database's own clock and renewed before; it ends by itself,
-- whatever became of its holder. The token counts up with each term: whoever writes as a leader is held against it.
create table log.leases (
    name   text        primary key,              -- 'projector:role', 'relay'
    holder text        not null,                 -- the process, anew at each start; empty when it was given back
    token  bigint      not null,                 -- of the present or the last term
    until  timestamptz not null                  -- when the term ends unless it is renewed
) with (fillfactor = 50);
grant select on log.leases to wheelhouse_app;
grant select, insert, update on log.leases to wheelhouse_projector;

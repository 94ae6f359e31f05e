-- Who is there to lead. A process says so for as long as it lives and moves, as it renews its leases; by these rows leases
-- are shared out. Nothing that is led relies on them: who leads says log.leases alone.
create table log.nodes (
    node  text        primary key,               -- the process, as `holder` of log.leases
    wants text[]      not null,                  -- the leases that it holds or stands in line for
    since timestamptz not null,                  -- it has been there without a break since then
    until timestamptz not null                   -- when it is taken for gone unless it says so again
) with (fillfactor = 50);
grant select, insert, update, delete on log.nodes to wheelhouse_projector;

-- How often somebody was forgotten: every process looks at it once a second, and drops what it remembers when it moved.
create table log.forgotten (
    only_one boolean primary key default true check (only_one),
    times    bigint  not null default 0
);
insert into log.forgotten default values;
grant select, update (times) on log.forgotten to wheelhouse_app;

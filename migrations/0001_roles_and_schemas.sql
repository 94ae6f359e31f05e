-- Who may do what, and where things lie. The connecting user owns everything and migrates; the running program works
-- as one of two roles that own nothing, so that no bug of it can rewrite the log or widen what it may see.
-- Roles belong to the whole cluster, and two databases may be migrated at the same time: losing that race is fine.
do $$
declare
    wanted text;
begin
    foreach wanted in array array['wheelhouse_app', 'wheelhouse_projector'] loop
        begin
            execute format('create role %I nologin', wanted);
        exception when duplicate_object or unique_violation then null;
        end;
        if not pg_has_role(current_user, wanted, 'member') then
            begin
                execute format('grant %I to %I', wanted, current_user);
            exception when unique_violation or internal_error then null;
            end;
        end if;
    end loop;
end $$;

create schema log;          -- the only truth
create schema read;         -- read models, built from the log
create schema door;         -- sessions and other short-lived things of the entrance
create schema live;         -- telemetry
create schema wheelhouse;   -- functions of the house

grant usage on schema log, read, door, live, wheelhouse to wheelhouse_app, wheelhouse_projector;

alter default privileges in schema read grant select on tables to wheelhouse_app;
alter default privileges in schema read grant select, insert, update, delete, truncate on tables to wheelhouse_projector;
alter default privileges in schema door, live grant select, insert, update, delete on tables to wheelhouse_app;
alter default privileges in schema door, live grant usage on sequences to wheelhouse_app;

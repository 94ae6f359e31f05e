-- Who sees how much is a role of the database, so that no policy needs an `or` where an index should serve: a read
-- transaction works as one of three roles.
-- - `wheelhouse_sees_all`: all agents and all areas. Every row.
-- - `wheelhouse_sees_agents`: some agents, all of their areas. The rows of these agents.
-- - `wheelhouse_sees_areas`: some areas. The whole rule.
-- They may select what the application may and nothing else, and inherit nothing: a policy of the application would be
-- one of theirs. The application's own policy stays for processes of before this migration, which change no role.
do $$
declare
    wanted text;
begin
    foreach wanted in array array['wheelhouse_sees_all', 'wheelhouse_sees_agents', 'wheelhouse_sees_areas'] loop
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

grant usage on schema log, read, authentication, live, wheelhouse
    to wheelhouse_sees_all, wheelhouse_sees_agents, wheelhouse_sees_areas;
alter default privileges in schema read, authentication, live
    grant select on tables to wheelhouse_sees_all, wheelhouse_sees_agents, wheelhouse_sees_areas;

-- As before, and with the roles that see so much.
create or replace function wheelhouse.guard_table(guarded regclass) returns void language plpgsql as $$
declare
    has_agent boolean;
    has_area  boolean;
    of_agents constant text := 'agent_id = any ((select wheelhouse.reached(''wheelhouse.agents''))::bigint[])';
    rule      text;
begin
    select bool_or(attname = 'agent_id'), bool_or(attname = 'area_id') into has_agent, has_area
    from pg_attribute where attrelid = guarded and attnum > 0 and not attisdropped;

    execute format('grant select on %s to wheelhouse_app, wheelhouse_sees_all, wheelhouse_sees_agents, wheelhouse_sees_areas',
                   guarded);
    execute format('grant select, insert, update, delete, truncate on %s to wheelhouse_projector', guarded);
    if not (has_agent or has_area) then
        return;
    end if;

    rule := '(select wheelhouse.reaches_all(''wheelhouse.agents''))';
    if has_agent then
        rule := format('(%s or %s)', rule, of_agents);
    end if;
    if has_area then
        rule := rule || ' and (area_id is null or (select wheelhouse.reaches_all(''wheelhouse.areas''))'
                     || ' or area_id = any ((select wheelhouse.reached(''wheelhouse.areas''))::bigint[]))';
    end if;
    execute format('alter table %s enable row level security', guarded);
    execute format('create policy scope on %s for select to wheelhouse_app, wheelhouse_sees_areas using (%s)', guarded, rule);
    execute format('create policy projector on %s to wheelhouse_projector using (true) with check (true)', guarded);
    execute format('create policy sees_all on %s for select to wheelhouse_sees_all using (true)', guarded);
    if has_agent then
        execute format('create policy sees_agents on %s for select to wheelhouse_sees_agents using (%s)', guarded, of_agents);
    end if;
end $$;

-- What stands already.
do $$
declare
    stands record;
begin
    for stands in
        select c.oid::regclass as title from pg_class c, aclexplode(c.relacl) a
        where a.grantee = 'wheelhouse_app'::regrole and a.privilege_type = 'SELECT'
    loop
        execute format('grant select on %s to wheelhouse_sees_all, wheelhouse_sees_agents, wheelhouse_sees_areas', stands.title);
    end loop;
    for stands in
        select p.polrelid::regclass as title,
               exists (select from pg_attribute a where a.attrelid = p.polrelid and a.attname = 'agent_id'
                       and not a.attisdropped) as has_agent
        from pg_policy p where p.polname = 'scope'
    loop
        execute format('alter policy scope on %s to wheelhouse_app, wheelhouse_sees_areas', stands.title);
        execute format('create policy sees_all on %s for select to wheelhouse_sees_all using (true)', stands.title);
        if stands.has_agent then
            execute format('create policy sees_agents on %s for select to wheelhouse_sees_agents '
                        || 'using (agent_id = any ((select wheelhouse.reached(''wheelhouse.agents''))::bigint[]))', stands.title);
        end if;
    end loop;
end $$;

-- Lists write the caller's agents as a condition of their own, which indexes serve; the policy stands beneath as the net.
-- Both multiplied in the planner's estimate, and of two million rows of a large agent it expected some thousand. What it
-- cannot look into it takes for half of the rows.
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
        execute format('create policy sees_agents on %s for select to wheelhouse_sees_agents using (coalesce(%s, false))',
                       guarded, of_agents);
    end if;
end $$;

-- What stands already.
do $$
declare
    stands regclass;
begin
    for stands in select polrelid::regclass from pg_policy where polname = 'sees_agents' loop
        execute format('alter policy sees_agents on %s using '
                    || '(coalesce(agent_id = any ((select wheelhouse.reached(''wheelhouse.agents''))::bigint[]), false))', stands);
    end loop;
end $$;

-- Who sees some bikes alone reads as a role of its own, `wheelhouse_sees_cars`: the whole rule of agents and areas, and
-- of rows that name a bike those whose number lies within `wheelhouse.cars`. The other roles' policies stay as they are,
-- and with them every plan of those who see every bike.
do $$
begin
    begin
        create role wheelhouse_sees_cars nologin;
    exception when duplicate_object or unique_violation then null;
    end;
    if not pg_has_role(current_user, 'wheelhouse_sees_cars', 'member') then
        begin
            execute format('grant wheelhouse_sees_cars to %I', current_user);
        exception when unique_violation or internal_error then null;
        end;
    end if;
end $$;

grant usage on schema log, read, authentication, live, wheelhouse, attachment, report to wheelhouse_sees_cars;
alter default privileges in schema read, authentication, live grant select on tables to wheelhouse_sees_cars;

-- Numbers between two of the same length, the length before them in two digits.
create type wheelhouse.car_range as range (subtype = text, collation = "C", multirange_type_name = wheelhouse.car_ranges);

-- What the transaction may see, for a policy to ask once.
create function wheelhouse.seen_cars() returns wheelhouse.car_ranges language sql stable parallel safe as $$
    select coalesce(nullif(current_setting('wheelhouse.cars', true), ''), '{}')::wheelhouse.car_ranges
$$;
grant execute on function wheelhouse.seen_cars() to wheelhouse_sees_cars;

-- As before, and with that role.
create or replace function wheelhouse.guard_table(guarded regclass) returns void language plpgsql as $$
declare
    has_agent boolean;
    has_area  boolean;
    has_car   boolean;
    of_agents constant text := 'agent_id = any ((select wheelhouse.reached(''wheelhouse.agents''))::bigint[])';
    of_cars   constant text := '(car_id is null or lpad(length(car_id)::text, 2, ''0'') || car_id <@ (select wheelhouse.seen_cars()))';
    rule      text;
begin
    select bool_or(attname = 'agent_id'), bool_or(attname = 'area_id'), bool_or(attname = 'car_id')
    into has_agent, has_area, has_car
    from pg_attribute where attrelid = guarded and attnum > 0 and not attisdropped;

    execute format('grant select on %s to wheelhouse_app, wheelhouse_sees_all, wheelhouse_sees_agents, '
                || 'wheelhouse_sees_areas, wheelhouse_sees_cars', guarded);
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
    execute format('create policy sees_cars on %s for select to wheelhouse_sees_cars using (%s)', guarded,
                   case when has_car then rule || ' and ' || of_cars else rule end);
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
        execute format('grant select on %s to wheelhouse_sees_cars', stands.title);
    end loop;
    for stands in
        select p.polrelid::regclass as title, pg_get_expr(p.polqual, p.polrelid) as rule,
               exists (select from pg_attribute a where a.attrelid = p.polrelid and a.attname = 'car_id'
                       and not a.attisdropped) as has_car
        from pg_policy p where p.polname = 'scope'
    loop
        execute format('create policy sees_cars on %s for select to wheelhouse_sees_cars using (%s)', stands.title,
                       '(' || stands.rule || ')' || case when stands.has_car
                           then ' and (car_id is null or lpad(length(car_id)::text, 2, ''0'') || car_id <@ (select wheelhouse.seen_cars()))'
                           else '' end);
    end loop;
end $$;

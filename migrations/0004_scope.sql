-- Row-level security. A read transaction sets `wheelhouse.agents` and `wheelhouse.areas` to `*` or to a comma list of
-- ids; unset and empty mean nothing. A forgotten `where` shows nothing rather than a stranger's rows.

-- Whether the setting holds everything.
create function wheelhouse.reaches_all(setting text) returns boolean language sql stable parallel safe as $$
    select coalesce(current_setting(setting, true), '') = '*'
$$;

-- The ids that the setting lists; none for `*`.
create function wheelhouse.reached(setting text) returns bigint[] language sql stable parallel safe as $$
    select string_to_array(nullif(coalesce(current_setting(setting, true), ''), '*'), ',')::bigint[]
$$;

-- The same rule as `Scope::contains`; a test compares the two.
create function wheelhouse.in_scope(agent_id bigint, area_id bigint) returns boolean language sql stable parallel safe as $$
    select (wheelhouse.reaches_all('wheelhouse.agents')
            or coalesce(agent_id = any (wheelhouse.reached('wheelhouse.agents')), false))
       and (area_id is null or wheelhouse.reaches_all('wheelhouse.areas')
            or coalesce(area_id = any (wheelhouse.reached('wheelhouse.areas')), false))
$$;

-- Guards a read model, in one line of a migration: `select wheelhouse.guard_table('read.roles');`.
-- The policy is the rule of `in_scope`, written so that the settings are read once for a query, not once for a row.
create function wheelhouse.guard_table(guarded regclass) returns void language plpgsql as $$
declare
    has_agent boolean;
    has_area  boolean;
    rule      text;
begin
    select bool_or(attname = 'agent_id'), bool_or(attname = 'area_id') into has_agent, has_area
    from pg_attribute where attrelid = guarded and attnum > 0 and not attisdropped;

    execute format('grant select on %s to wheelhouse_app', guarded);
    execute format('grant select, insert, update, delete, truncate on %s to wheelhouse_projector', guarded);
    if not (has_agent or has_area) then
        return;
    end if;

    rule := '(select wheelhouse.reaches_all(''wheelhouse.agents''))';
    if has_agent then
        rule := format('(%s or agent_id = any ((select wheelhouse.reached(''wheelhouse.agents''))::bigint[]))', rule);
    end if;
    if has_area then
        rule := rule || ' and (area_id is null or (select wheelhouse.reaches_all(''wheelhouse.areas''))'
                     || ' or area_id = any ((select wheelhouse.reached(''wheelhouse.areas''))::bigint[]))';
    end if;
    execute format('alter table %s enable row level security', guarded);
    execute format('create policy scope on %s for select to wheelhouse_app using (%s)', guarded, rule);
    execute format('create policy projector on %s to wheelhouse_projector using (true) with check (true)', guarded);
end $$;
revoke all on function wheelhouse.guard_table from public;

-- Rebuilding a read model while the old one serves: shadow tables like the live ones are filled from position 0, then
-- both change places in one transaction. Constraints, indexes, policies and grants keep their names and meaning.

-- Two events of one stream may be parked by a reactor, which does not hold back the stream.
alter table log.parked drop constraint parked_pkey, add primary key (reader, category, stream_id, position);

-- Asked by `wheelhouse relay --from N`, done by whoever leads the relay.
alter table log.relay add column resend_from bigint check (resend_from > 0);
grant update on log.relay to wheelhouse_app;

-- Two processes that both believe to lead cannot sign two states that begin at the same event.
alter table log.checkpoints add constraint checkpoints_first_key unique (first);

-- Makes an empty table like `live` in schema `shadow`.
create function wheelhouse.make_shadow(live regclass, shadow name) returns void language plpgsql as $$
declare
    home  name;
    title name;
    part  record;
begin
    select n.nspname, c.relname into home, title
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = live and c.relkind = 'r';
    if title is null then
        raise exception '% is not a plain table: it cannot be rebuilt', live;
    end if;
    if exists (select from pg_constraint where conrelid = live and contype = 'f') then
        raise exception '% has a foreign key: a read model stands alone', live;
    end if;
    execute format('create table %I.%I (like %s including all excluding indexes)', shadow, title, live);
    for part in select reloptions from pg_class where oid = live and reloptions is not null loop
        execute format('alter table %I.%I set (%s)', shadow, title, array_to_string(part.reloptions, ', '));
    end loop;
    for part in
        select conname, pg_get_constraintdef(oid) as definition from pg_constraint
        where conrelid = live and contype in ('p', 'u', 'x') order by oid
    loop
        execute format('alter table %I.%I add constraint %I %s', shadow, title, part.conname, part.definition);
    end loop;
    for part in
        select pg_get_indexdef(i.indexrelid) as definition from pg_index i
        where i.indrelid = live and not exists (select from pg_constraint where conindid = i.indexrelid)
        order by i.indexrelid
    loop
        execute replace(part.definition, format(' ON %I.%I ', home, title), format(' ON %I.%I ', shadow, title));
    end loop;
end $$;

-- Puts the table of schema `shadow` in the place of `live`, and drops the old one. Whatever hangs on the old one (a
-- view) makes it fail, and nothing has changed.
create function wheelhouse.swap_shadow(live regclass, shadow name) returns void language plpgsql as $$
declare
    home   name;
    title  name;
    fresh  text;
    guards boolean;
    forced boolean;
    part   record;
begin
    select n.nspname, c.relname, c.relrowsecurity, c.relforcerowsecurity into home, title, guards, forced
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = live;
    fresh := format('%I.%I', shadow, title);
    for part in
        select a.grantee::regrole as grantee, a.privilege_type, a.is_grantable
        from pg_class c, aclexplode(c.relacl) a where c.oid = live and a.grantee not in (0, c.relowner)
    loop
        execute format('grant %s on %s to %s%s', part.privilege_type, fresh, part.grantee,
                       case when part.is_grantable then ' with grant option' else '' end);
    end loop;
    for part in
        select polname, polpermissive, polcmd, polqual, polwithcheck, pg_get_expr(polqual, polrelid) as qual,
               pg_get_expr(polwithcheck, polrelid) as checked,
               (select string_agg(case when r = 0 then 'public' else r::regrole::text end, ', ') from unnest(polroles) r) as roles
        from pg_policy where polrelid = live
    loop
        execute format('create policy %I on %s as %s for %s to %s%s%s', part.polname, fresh,
            case when part.polpermissive then 'permissive' else 'restrictive' end,
            case part.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
            part.roles,
            coalesce(' using (' || part.qual || ')', ''),
            coalesce(' with check (' || part.checked || ')', ''));
    end loop;
    if guards then
        execute format('alter table %s enable row level security', fresh);
    end if;
    if forced then
        execute format('alter table %s force row level security', fresh);
    end if;
    execute format('alter table %s set schema %I', live, shadow || '_old');
    execute format('alter table %s set schema %I', fresh, home);
    execute format('drop table %I.%I', shadow || '_old', title);
end $$;

revoke all on function wheelhouse.make_shadow, wheelhouse.swap_shadow from public;

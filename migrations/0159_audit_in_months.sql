-- The operator log is kept by months: a table in partitions, one for each month on the clocks of Shanghai (+08:00). A
-- partition is reached through its table alone: it stands in schema `months`, which nobody may use, and shows nothing to
-- whoever may.
create schema months;
create sequence months.number;

-- The month that a moment falls into. What is before 2020 or behind 2099, as a clock that is wrong may say, has one place
-- each: no moment is without one, and there are not many.
create function wheelhouse.month_of(at_ms bigint, out title text, out bounds text, out following bigint)
language plpgsql stable strict as $$
declare
    first  constant bigint := 1577808000000;
    behind constant bigint := 4102416000000;
    begins timestamp;
begin
    if at_ms < first then
        title := 'before';
        bounds := format('FOR VALUES FROM (MINVALUE) TO (%L)', first);
    elsif at_ms >= behind then
        title := 'behind';
        bounds := format('FOR VALUES FROM (%L) TO (MAXVALUE)', behind);
    else
        begins := date_trunc('month', timestamp '1970-01-01 08:00' + at_ms * interval '1 millisecond');
        title := to_char(begins, 'YYYY_MM');
        following := 1000 * extract(epoch from begins + interval '1 month' - interval '8 hours');
        bounds := format('FOR VALUES FROM (%L) TO (%L)', (1000 * extract(epoch from begins - interval '8 hours'))::bigint,
                         following);
    end if;
end $$;

-- Makes the months that `moments` fall into, and the one after each: rows come to months that were there before. Whoever
-- calls it is the only one who writes to the table. Readers are not waited for.
create function wheelhouse.make_months(parted regclass, moments bigint[]) returns void
language plpgsql security definer set search_path = '' as $$
declare
    kept  name;
    month record;
    made  text;
begin
    select c.relname into kept from pg_catalog.pg_class c
    where c.oid = parted and c.relkind = 'p' and pg_get_partkeydef(c.oid) = 'RANGE (at_ms)'
      and pg_get_userbyid(c.relowner) = current_user;
    if kept is null then
        raise exception '% is not kept by months', parted;
    end if;
    for month in
        with wanted as (select distinct m.* from unnest(moments) moment, wheelhouse.month_of(moment) m),
             due as (select title, bounds from wanted
                     union select m.title, m.bounds from wanted, wheelhouse.month_of(wanted.following) m),
             standing as (select pg_get_expr(c.relpartbound, c.oid) as bounds
                          from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
                          where i.inhparent = parted)
        select title, bounds from due where bounds is not null and bounds not in (select bounds from standing)
    loop
        made := format('months.%I', left(kept, 40) || '_' || month.title || '_' || nextval('months.number'));
        execute format('create table %s (like %s including all)', made, parted);
        execute format('alter table %s enable row level security', made);
        execute format('alter table %s attach partition %s %s', parted, made, month.bounds);
    end loop;
end $$;
revoke all on function wheelhouse.month_of, wheelhouse.make_months from public;
grant execute on function wheelhouse.make_months to wheelhouse_projector;

-- As before, and for tables in partitions: the shadow has none at first. Those that it gets go with it wherever it goes.
create or replace function wheelhouse.make_shadow(live regclass, shadow name) returns void language plpgsql as $$
declare
    home  name;
    title name;
    part  record;
begin
    select n.nspname, c.relname into home, title
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = live and c.relkind in ('r', 'p');
    if title is null then
        raise exception '% is not a table: it cannot be rebuilt', live;
    end if;
    if exists (select from pg_constraint where conrelid = live and contype = 'f') then
        raise exception '% has a foreign key: a read model stands alone', live;
    end if;
    execute format('create table %I.%I (like %s including all excluding indexes)%s', shadow, title, live,
                   ' partition by ' || pg_get_partkeydef(live));
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
        execute replace(replace(part.definition, format(' ON ONLY %I.%I ', home, title), format(' ON %I.%I ', home, title)),
                        format(' ON %I.%I ', home, title), format(' ON %I.%I ', shadow, title));
    end loop;
end $$;

-- Behind the batch that is under way, and before the next: nodes of before, which write by another key, stand aside.
update log.projectors set version = 3 where name = 'audit' and version = 2;

-- The rows that stand are taken along, and indexed when they are there. The key begins with the time: it gives the newest
-- first as well. Months of +08:00 begin with an hour of UTC.
alter table read.audit_entry set schema months;
create table read.audit_entry (like months.audit_entry including all excluding indexes) partition by range (at_ms);
select wheelhouse.guard_table('read.audit_entry');
select wheelhouse.make_months('read.audit_entry', array(select distinct at_ms / 3600000 * 3600000 from months.audit_entry));
insert into read.audit_entry select * from months.audit_entry;
drop table months.audit_entry;
alter table read.audit_entry add primary key (at_ms, position);
create index audit_entry_actor on read.audit_entry (actor_id, at_ms desc, position desc);
create index audit_entry_phone on read.audit_entry (actor_phone, at_ms desc, position desc) where actor_phone <> '';
create index audit_entry_category on read.audit_entry (category, at_ms desc, position desc);
create index audit_entry_action on read.audit_entry (action, at_ms desc, position desc);
create index audit_entry_target on read.audit_entry (target_id, at_ms desc, position desc);
create index audit_entry_target_name on read.audit_entry (target_name text_pattern_ops);
create index audit_entry_agent on read.audit_entry (agent_id, at_ms desc, position desc);
create index audit_entry_trace on read.audit_entry (trace_id) where trace_id <> '';

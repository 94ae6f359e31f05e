-- The head is the last event, and whoever appends holds the advisory lock 7146 meanwhile. A row of its own, rewritten by
-- each append, left a dead version each time, which an open snapshot anywhere kept: after seconds of a long report every
-- append walked over thousands of them.
do $$
begin
    if exists (
        select position, chain from log.log_head
        except
        (
            select position, chain from log.events
            union all select 0, decode(repeat('00', 32), 'hex')
            order by position desc limit 1
        )
    ) then
        raise exception 'the log does not end where its head says: run the doctor of the version before';
    end if;
end $$;

drop table log.log_head;

create view log.log_head as
select coalesce(e.position, 0) as position, coalesce(e.chain, decode(repeat('00', 32), 'hex')) as chain
from (values (1)) one
left join lateral (select position, chain from log.events order by position desc limit 1) e on true;
grant select on log.log_head
to wheelhouse_app, wheelhouse_projector, wheelhouse_sees_all, wheelhouse_sees_agents, wheelhouse_sees_areas;

-- A lone append changes no search path, which costs it something each time: nothing in it is looked up by the caller's
-- path, operators included.
create or replace function log.append_one(
    _category text, _stream text, _version bigint, _type text, _schema smallint, _data text, _meta text,
    _at timestamptz, _leaf bytea,
    _q_actor text, _q_request text, _q_fingerprint bytea, _q_reply text, _q_at timestamptz,
    _until timestamptz, _follows boolean default true
) returns bigint
language plpgsql security definer
as $$
declare
    head bigint;
    link bytea;
begin
    if _follows and (_version operator(pg_catalog.>) 1) and not exists (
        select from log.events e
        where e.category operator(pg_catalog.=) _category and e.stream_id operator(pg_catalog.=) _stream
            and e.version operator(pg_catalog.=) (_version operator(pg_catalog.-) 1)
    ) then
        raise exception 'a stream has fewer events than expected' using errcode = 'WH001';
    end if;
    -- Statements of their own: what they see was committed before the lock was free.
    perform pg_catalog.pg_advisory_xact_lock(7146);
    select e.position, e.chain into head, link from log.events e order by e.position desc limit 1;
    if head is null then
        select h.position, h.chain into head, link from log.log_head h;
    end if;
    if pg_catalog.clock_timestamp() operator(pg_catalog.>) _until then
        raise exception 'the append came after its deadline' using errcode = 'WH002';
    end if;
    insert into log.events (position, category, stream_id, version, type, schema_version, data, meta, recorded_at, chain)
    values (
        head operator(pg_catalog.+) 1, _category, _stream, _version, _type, _schema, _data, _meta, _at,
        pg_catalog.sha256(link operator(pg_catalog.||) _leaf)
    );
    if _q_request is not null then
        insert into log.requests (actor, request_id, fingerprint, reply, position, version, recorded_at)
        values (
            _q_actor, _q_request, _q_fingerprint, _q_reply, head operator(pg_catalog.+) 1, _version, _q_at
        );
    end if;
    return head;
end $$;

create or replace function log.append_plain(
    _category text[], _stream text[], _version bigint[], _type text[], _schema smallint[], _data text[], _meta text[],
    _at timestamptz[], _leaf bytea[], _follows integer[],
    _q_event integer[], _q_actor text[], _q_request text[], _q_fingerprint bytea[], _q_reply text[], _q_at timestamptz[],
    _until timestamptz
) returns bigint
language plpgsql security definer
set search_path = ''
as $$
declare
    events constant integer := cardinality(_leaf);
    head   bigint;
    link   bytea;
    links  bytea[] := '{}';
begin
    perform pg_advisory_xact_lock(7146);
    select h.position, h.chain into head, link from log.log_head h;
    if clock_timestamp() > _until then
        raise exception 'the append came after its deadline' using errcode = 'WH002';
    end if;
    for i in 1 .. events loop
        link := sha256(link || _leaf[i]);
        links[i] := link;
    end loop;
    insert into log.events (position, category, stream_id, version, type, schema_version, data, meta, recorded_at, chain)
    select head + e.n, e.category, e.stream, e.version, e.type, e.schema, e.data, e.meta, e.at, e.link
    from unnest(_category, _stream, _version, _type, _schema, _data, _meta, _at, links) with ordinality
         as e(category, stream, version, type, schema, data, meta, at, link, n);

    if _follows <> '{}' and exists (
        select from unnest(_follows) f
        where not exists (
            select from log.events e
            where e.category = _category[f] and e.stream_id = _stream[f] and e.version = _version[f] - 1
        )
    ) then
        raise exception 'a stream has fewer events than expected' using errcode = 'WH001';
    end if;

    if _q_event <> '{}' then
        insert into log.requests (actor, request_id, fingerprint, reply, position, version, recorded_at)
        select q.actor, q.request, q.fingerprint, q.reply, head + q.event, _version[q.event], q.at
        from unnest(_q_event, _q_actor, _q_request, _q_fingerprint, _q_reply, _q_at)
             as q(event, actor, request, fingerprint, reply, at);
    end if;

    return head;
end $$;

create or replace function log.append(
    _category text[], _stream text[], _expected bigint[],
    _actor text[], _request text[], _fingerprint bytea[], _reply text[], _at timestamptz[],
    _e_append integer[], _e_type text[], _e_schema smallint[], _e_data text[], _e_meta text[], _e_at timestamptz[], _e_leaf bytea[],
    _c_append integer[], _c_key text[], _c_take boolean[],
    _until timestamptz,
    _group integer[] default '{}', _c_from integer[] default '{}'
) returns table (outcome smallint, at bigint, version bigint, detail text)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    head      bigint;
    link      bytea;
    verdicts  smallint[];
    _ats      bigint[];
    _versions bigint[];
    _details  text[];
    positions bigint[] := '{}';
    numbers   bigint[] := '{}';
    links     bytea[]  := '{}';
    before    bigint;
    n         integer;
begin
    perform pg_advisory_xact_lock(7146);
    select h.position, h.chain into head, link from log.log_head h;
    if clock_timestamp() > _until then
        raise exception 'the append came after its deadline' using errcode = 'WH002';
    end if;
    before := head;

    select array_agg(j.outcome order by j.n), array_agg(j.at order by j.n), array_agg(j.version order by j.n),
           array_agg(j.detail order by j.n)
    into verdicts, _ats, _versions, _details
    from (
        select a.n,
               (case when r.fingerprint = a.fingerprint then 1
                     when r.fingerprint is not null then 2
                     when s.version <> a.expected then 3
                     else 0 end)::smallint as outcome,
               coalesce(r.position, head) as at,
               coalesce(r.version, s.version) as version,
               r.reply as detail
        from unnest(_category, _stream, _expected, _actor, _request, _fingerprint) with ordinality
             as a(category, stream, expected, actor, request, fingerprint, n)
        left join lateral (
            select q.fingerprint, q.position, q.version, q.reply from log.requests q
            where q.actor = a.actor and q.request_id = a.request limit 1
        ) r on a.request is not null
        cross join lateral (
            select coalesce((
                select e.version from log.events e
                where e.category = a.category and e.stream_id = a.stream order by e.version desc limit 1
            ), 0) as version
        ) s
    ) j;

    for i in 1 .. cardinality(_c_key) loop
        n := _c_append[i];
        if _c_take[i] and verdicts[n] = 0 and exists (
            select from log.claims c
            where c.key = _c_key[i] and (c.category <> _category[n] or c.stream_id <> _stream[n])
              and (c.category, c.stream_id) is distinct from (_category[_c_from[i]], _stream[_c_from[i]])
        ) then
            verdicts[n] := 4;
            _details[n] := _c_key[i];
        end if;
    end loop;

    if _group <> '{}' then
        select array_agg(case when v.outcome = 0 and v.refused then 5 else v.outcome end::smallint order by v.n)
        into verdicts
        from (
            select a.n, a.outcome,
                   a.grouped is not null and bool_or(a.outcome <> 0) over (partition by a.grouped) as refused
            from unnest(verdicts, _group) with ordinality as a(outcome, grouped, n)
        ) v;
    end if;

    for i in 1 .. cardinality(_e_append) loop
        n := _e_append[i];
        if verdicts[n] = 0 then
            head := head + 1;
            link := sha256(link || _e_leaf[i]);
            _versions[n] := _versions[n] + 1;
            _ats[n] := head;
            positions[i] := head;
            numbers[i] := _versions[n];
            links[i] := link;
        else
            positions[i] := null;
            numbers[i] := null;
            links[i] := null;
        end if;
    end loop;

    if head > before then
        insert into log.events (position, category, stream_id, version, type, schema_version, data, meta, recorded_at, chain)
        select e.position, _category[e.append], _stream[e.append], e.number, e.type, e.schema, e.data, e.meta, e.at, e.link
        from unnest(positions, numbers, links, _e_append, _e_type, _e_schema, _e_data, _e_meta, _e_at)
             as e(position, number, link, append, type, schema, data, meta, at)
        where e.position is not null;
    end if;

    for i in 1 .. cardinality(_c_key) loop
        n := _c_append[i];
        if verdicts[n] <> 0 then
            continue;
        elsif _c_take[i] then
            insert into log.claims (key, category, stream_id) values (_c_key[i], _category[n], _stream[n])
            on conflict (key) do nothing;
        else
            delete from log.claims c
            where c.key = _c_key[i] and c.category = _category[n] and c.stream_id = _stream[n];
        end if;
    end loop;

    if array_remove(_request, null) <> '{}' then
        insert into log.requests (actor, request_id, fingerprint, reply, position, version, recorded_at)
        select q.actor, q.request, q.fingerprint, q.reply, q.at, q.version, q.recorded
        from unnest(_actor, _request, _fingerprint, _reply, _at, verdicts, _ats, _versions)
             as q(actor, request, fingerprint, reply, recorded, verdict, at, version)
        where q.request is not null and q.verdict = 0;
    end if;

    return query select * from unnest(verdicts, _ats, _versions, _details);
end $$;

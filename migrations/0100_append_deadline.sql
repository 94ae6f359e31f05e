-- An append has a deadline, judged under the head's lock by the database's clock: a statement whose sender has given it
-- up cannot be applied later, when what stood in its way is gone. And a writer that lost a connection ends what is left of
-- it before it sends anything else, so that at most one statement of a writer is ever on its way.
--
-- The ways into the log are those of before, each with the deadline as its last argument; too late raises WH002.
drop function log.append_one, log.append_plain, log.append;

create function log.append_one(
    _category text, _stream text, _version bigint, _type text, _schema smallint, _data text, _meta text,
    _at timestamptz, _leaf bytea,
    _q_actor text, _q_request text, _q_fingerprint bytea, _q_reply text, _q_at timestamptz,
    _until timestamptz
) returns bigint
language plpgsql security definer
set search_path = ''
as $$
declare
    head bigint;
    link bytea;
begin
    if _version > 1 and not exists (
        select from log.events e where e.category = _category and e.stream_id = _stream and e.version = _version - 1
    ) then
        raise exception 'a stream has fewer events than expected' using errcode = 'WH001';
    end if;
    update log.log_head h set position = h.position + 1, chain = sha256(h.chain || _leaf)
    returning h.position, h.chain into head, link;
    if clock_timestamp() > _until then
        raise exception 'the append came after its deadline' using errcode = 'WH002';
    end if;
    insert into log.events (position, category, stream_id, version, type, schema_version, data, meta, recorded_at, chain)
    values (head, _category, _stream, _version, _type, _schema, _data, _meta, _at, link);
    if _q_request is not null then
        insert into log.requests (actor, request_id, fingerprint, reply, position, version, recorded_at)
        values (_q_actor, _q_request, _q_fingerprint, _q_reply, head, _version, _q_at);
    end if;
    return head - 1;
end $$;
revoke all on function log.append_one from public;
grant execute on function log.append_one to wheelhouse_app;

create function log.append_plain(
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
    select h.position, h.chain into head, link from log.log_head h for update;
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
    update log.log_head set position = head + events, chain = link;

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
revoke all on function log.append_plain from public;
grant execute on function log.append_plain to wheelhouse_app;

create function log.append(
    _category text[], _stream text[], _expected bigint[],
    _actor text[], _request text[], _fingerprint bytea[], _reply text[], _at timestamptz[],
    _e_append integer[], _e_type text[], _e_schema smallint[], _e_data text[], _e_meta text[], _e_at timestamptz[], _e_leaf bytea[],
    _c_append integer[], _c_key text[], _c_take boolean[],
    _until timestamptz
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
    select h.position, h.chain into head, link from log.log_head h for update;
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
        ) then
            verdicts[n] := 4;
            _details[n] := _c_key[i];
        end if;
    end loop;

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
        update log.log_head set position = head, chain = link;
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
revoke all on function log.append from public;
grant execute on function log.append to wheelhouse_app;

-- The backend that serves the caller, and the database's clock: what a writer needs to know of its connection. Works with
-- its owner's rights, because the application's role does not see when backends began.
create function log.writer_backend(out pid integer, out started timestamptz, out now timestamptz)
language sql security definer
set search_path = ''
as $$
    select a.pid, a.backend_start, clock_timestamp() from pg_catalog.pg_stat_activity a where a.pid = pg_backend_pid()
$$;
revoke all on function log.writer_backend from public;
grant execute on function log.writer_backend to wheelhouse_app;

-- Ends the backend of a writer whose connection broke, with whatever it still does. Says whether it is gone: from then on
-- the log tells for good what became of its last statement. Ends nothing but writers of this database.
create function log.end_writer(_pid integer, _started timestamptz) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
    if exists (
        select from pg_catalog.pg_stat_activity a
        where a.pid = _pid and a.backend_start = _started and a.datname = current_database()
          and a.application_name = 'wheelhouse writer'
    ) then
        return pg_terminate_backend(_pid, 2000);
    end if;
    return not exists (
        select from pg_catalog.pg_stat_activity a where a.pid = _pid and a.backend_start = _started
    );
end $$;
revoke all on function log.end_writer from public;
grant execute on function log.end_writer to wheelhouse_app;

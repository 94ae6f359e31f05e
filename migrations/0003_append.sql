-- The append: one autocommitted statement for a batch of appends, so that no client can die holding the head.
--
-- A function and not one statement with CTEs, because each statement inside sees what was committed before it: the
-- versions are read after the head's lock is held. It runs with its owner's rights: the application may append and
-- read, and nothing else.
--
-- Appends in one call touch different streams, claim keys and request ids (the writer sees to that), so each is judged
-- against what is stored, and one that fails does not touch its neighbours.
--
-- Outcomes: 0 appended, 1 repeated (the stored answer), 2 request id reused for something else, 3 version conflict,
-- 4 claim taken.
create function log.append(
    _writer text, _batch bigint,
    _category text[], _stream text[], _expected bigint[],
    _actor text[], _request text[], _fingerprint bytea[], _reply text[], _at timestamptz[],
    _e_append integer[], _e_type text[], _e_schema smallint[], _e_data text[], _e_meta text[], _e_at timestamptz[], _e_leaf bytea[],
    _c_append integer[], _c_key text[], _c_take boolean[]
) returns table (outcome smallint, at bigint, version bigint, detail text)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
    head      bigint;
    link      bytea;
    last      log.writers;
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
    before := head;

    select w.* into last from log.writers w where w.writer = _writer;
    if last.batch = _batch then
        return query select * from unnest(last.outcomes, last.ats, last.versions, last.details);
        return;
    elsif last.batch > _batch then
        raise exception 'batch % of writer % was superseded by %', _batch, _writer, last.batch;
    end if;

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

    update log.writers w
    set batch = _batch, outcomes = verdicts, ats = _ats, versions = _versions, details = _details, at = now()
    where w.writer = _writer;
    if not found then
        insert into log.writers values (_writer, _batch, verdicts, _ats, _versions, _details, now());
    end if;

    return query select * from unnest(verdicts, _ats, _versions, _details);
end $$;

revoke all on function log.append from public;
grant execute on function log.append to wheelhouse_app;

-- An append may span streams: its members stand in the batch one after another, and all of them are applied or none.
-- The plain way needs nothing for that, because there a batch is applied whole or not at all. The judged one does:
-- - `_group` gives for each append the number of the group that it is a member of, null for one that stands alone; it is
--   empty when no append is a member. A member whose fellow is refused is refused with it (outcome 5).
-- - a member without events is held to the version that it expects as well: its stream was read, and not written to.
-- - `_c_from` gives for each claim that is taken the member that gives the same key back, null when none does. The keys
--   that a group gives back come before those that it takes.
-- A process of before this migration calls it without the last two.
drop function log.append;

create function log.append(
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

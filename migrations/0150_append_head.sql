-- The two ways that nearly every append goes find the head by its key, not by walking over its dead versions; and a lone
-- event's predecessor is looked for by the statement that takes the head, not by one of its own. An append whose
-- predecessor another is only now committing finds none, and is judged.
create or replace function log.append_one(
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
    update log.log_head h set position = h.position + 1, chain = sha256(h.chain || _leaf)
    where h.only_one and (_version = 1 or exists (
        select from log.events e where e.category = _category and e.stream_id = _stream and e.version = _version - 1
    ))
    returning h.position, h.chain into head, link;
    if not found then
        raise exception 'a stream has fewer events than expected' using errcode = 'WH001';
    end if;
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
    select h.position, h.chain into head, link from log.log_head h where h.only_one for update;
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
    update log.log_head set position = head + events, chain = link where only_one;

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

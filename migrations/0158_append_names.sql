-- What it costs to change the search path for each append is saved by naming schemas: of the function that nearly every
-- lone append calls. Nothing in it is looked up by the caller's path, operators included.
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
    update log.log_head h
    set position = h.position operator(pg_catalog.+) 1,
        chain = pg_catalog.sha256(h.chain operator(pg_catalog.||) _leaf)
    where h.only_one
    returning h.position, h.chain into head, link;
    if pg_catalog.clock_timestamp() operator(pg_catalog.>) _until then
        raise exception 'the append came after its deadline' using errcode = 'WH002';
    end if;
    insert into log.events (position, category, stream_id, version, type, schema_version, data, meta, recorded_at, chain)
    values (head, _category, _stream, _version, _type, _schema, _data, _meta, _at, link);
    if _q_request is not null then
        insert into log.requests (actor, request_id, fingerprint, reply, position, version, recorded_at)
        values (_q_actor, _q_request, _q_fingerprint, _q_reply, head, _version, _q_at);
    end if;
    return head operator(pg_catalog.-) 1;
end $$;

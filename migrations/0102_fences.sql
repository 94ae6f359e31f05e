-- The token of the term in which each was last led: whoever leads stores his first, and what he writes says it again, so
-- that a former leader who wakes writes nothing.
alter table log.projectors add column token bigint not null default 0;
alter table log.reactors add column token bigint not null default 0;
alter table live.ingest add column token bigint not null default 0;

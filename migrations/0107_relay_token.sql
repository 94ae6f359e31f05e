-- The term of the lease that stored the relay's place: an older one is refused.
alter table log.relay add column token bigint not null default 0;

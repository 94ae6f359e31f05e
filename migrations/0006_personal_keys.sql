-- The key of each person whose data lies sealed in events. Forgetting a person destroys the key: the events and their
-- chain stay, what they say about him is gone.
create table log.personal_keys (
    subject      text        primary key,        -- 'rider:42'
    sealed_key   bytea,                          -- under the master key; null once forgotten
    made_at      timestamptz not null default now(),
    forgotten_at timestamptz,
    check ((sealed_key is null) = (forgotten_at is not null))
);
grant select, insert on log.personal_keys to wheelhouse_app;
grant update (sealed_key, forgotten_at) on log.personal_keys to wheelhouse_app;
grant select on log.personal_keys to wheelhouse_projector;

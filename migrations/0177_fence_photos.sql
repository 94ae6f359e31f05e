-- Photos of the place that a fence shows; the files themselves are attachments.
alter table read.fence add column photo_ids bigint[] not null default '{}';

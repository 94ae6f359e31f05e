-- Photos of return reviews are deleted 30 days after the decision, as those of other cases are.
alter table read.return_review add column photos_gone boolean not null default false;
create index return_review_photos on read.return_review (decided_at_ms) where photo_ids <> '{}';

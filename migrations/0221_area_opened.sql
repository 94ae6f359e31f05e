-- Since when an area serves riders: one that is only planned holds no place of theirs, however small it is drawn.
alter table read.area_version
    add column opened_at_ms bigint;

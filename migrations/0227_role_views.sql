-- Which bikes the holders of a role see (可见车辆): ranges of numbers and riding states; none of either: every one.
alter table read.role add column view_config jsonb not null default '{}';

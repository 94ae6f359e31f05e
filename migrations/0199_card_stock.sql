-- What of a product's stock is taken: sold, and not gone back unused. The table is rebuilt from the log at the first start.
alter table read.card_product add column taken bigint not null default 0;

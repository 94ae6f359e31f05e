-- The edges of service areas with how large they are and how many corners they have, for the page that draws them. Each edge
-- knows the version of its area that changed it last: the sum of them tells who keeps edges in memory that one has changed.
alter table read.area
    add column area_m2 double precision not null default 0,
    add column corners integer          not null default 0;
alter table read.area_version
    add column area_m2 double precision not null default 0,
    add column corners integer          not null default 0,
    add column version bigint           not null default 0;

-- What people do in the field (工种): 1 换电员, 2 挪车员, 3 维修员, 4 巡检员, 5 负责人; null: none.
-- Looking for a franchisee's people gets no index: under the policy a plan may not use one on `agents` (@> is not
-- leakproof), and to scan 20,000 people takes 3 ms.
alter table read.operator add column profession smallint;

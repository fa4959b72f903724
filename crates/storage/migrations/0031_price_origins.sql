-- Which price a line of a title charges: 1 the agreed value, 2 the price table, 3 the plan's own. `plan_price` is the row
-- of the price table. Lines that charge no price have neither, and no more have those that were there before: they are
-- never changed.
ALTER TABLE title_lines ADD COLUMN price_origin BIGINT;
ALTER TABLE title_lines ADD COLUMN plan_price BIGINT;
-- As the preview found it, which the issue takes.
ALTER TABLE charging_run_lines ADD COLUMN plan_price BIGINT;
-- A row of the price table that a line charges stays when its import is undone.
CREATE INDEX title_lines_by_plan_price ON title_lines (tenant, plan_price) WHERE plan_price IS NOT NULL;
CREATE INDEX charging_run_lines_by_plan_price ON charging_run_lines (tenant, plan_price) WHERE plan_price IS NOT NULL;
